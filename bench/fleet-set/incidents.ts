import { readData, TEXT, TEXTS } from '../data-file.js'
import { DAY, FIRST_DAY, type WrittenNote, type Run, type Scribe, TODAY } from './scribe.js'
import { type Service, SERVICES } from './world.js'

const { symptoms, causes, ruledOut, chatter, closing, leads, questions } = readData('fleet-set/incidents.yaml', {
  properties: {
    symptoms: { values: { properties: { seen: TEXTS, when: TEXTS, noun: TEXTS } } },
    causes: { elements: { properties: { symptoms: TEXTS, found: TEXTS, fixed: TEXTS, next: TEXT } } },
    ruledOut: TEXTS,
    chatter: TEXTS,
    closing: TEXTS,
    leads: TEXTS,
    questions: { properties: { cause: TEXTS, fix: TEXTS, ruledOut: TEXTS, next: TEXTS, story: TEXTS } },
  },
})

type Cause = (typeof causes)[number]

const unknown = causes.flatMap((cause) => cause.symptoms).filter((name) => symptoms[name] === undefined)
if (unknown.length > 0) throw new Error(`no symptoms: ${unknown.join(', ')}`)

interface Incident {
  readonly service: Service
  readonly symptom: string
  readonly found: WrittenNote
  readonly fixed: WrittenNote
  readonly ruledOut: readonly WrittenNote[]
  readonly next: WrittenNote
}

const INCIDENTS_OF_EACH = 6
const QUESTIONS = 45

/**
 * Writes runs of six to ten notes: symptom, attempts, diagnosis, remedy, promise. In half of them only the first note
 * names the service. Each service has several incidents, each with another symptom, and each cause has brought down
 * several services.
 */
export function noteIncidents(scribe: Scribe): void {
  const { random } = scribe
  const incidents = SERVICES.flatMap((service) => noteIncidentsOf(scribe, service))
  random.sample(incidents, QUESTIONS).forEach((incident, i) => askAbout(scribe, incident, i))
}

const causesOf = (symptom: string) => causes.filter((cause) => cause.symptoms.includes(symptom))

/** Writes the incidents of a service, each with another cause, since two notes would answer otherwise. */
function noteIncidentsOf(scribe: Scribe, service: Service): Incident[] {
  const { random } = scribe
  const seen = random.sample(Object.keys(symptoms), INCIDENTS_OF_EACH)
  const taken = new Set<Cause>()
  return seen
    .sort((a, b) => causesOf(a).length - causesOf(b).length)
    .map((symptom) => {
      const cause = random.pick(causesOf(symptom).filter((one) => !taken.has(one)))
      taken.add(cause)
      return noteIncident(scribe, service, symptom, cause)
    })
}

function noteIncident(scribe: Scribe, service: Service, symptom: string, cause: Cause): Incident {
  const { random, fresh } = scribe
  const at = random.whole(FIRST_DAY, TODAY - 2 * DAY)
  const run = scribe.run({ kind: 'incident', fleet: service.fleet, at })
  const links = [{ name: service.name, entity_type: 'system' }]
  run.note(fresh(random.pick(symptoms[symptom]!.seen), { service: service.name }), {
    type: 'episode',
    by: 'watch',
    links,
  })
  // Decides whether the writers of this run repeat its subject.
  const about = random.chance(0.5) ? `${service.name}: ` : ''
  const suspects = tryInVain(scribe, run, about)
  const lead = random.pick(leads)
  const found = run.note(fresh(`${about}${lead}${random.pick(cause.found)}`), { type: 'fact', by: 'fixer', links })
  if (random.chance(0.3)) run.note(fresh(random.pick(chatter)), { type: 'episode', links })
  const fixed = run.note(fresh(`${about}${random.pick(cause.fixed)}`), { type: 'action', by: 'fixer', links })
  run.note(fresh(random.pick(closing)), { type: 'episode', by: 'watch', links })
  const next = run.note(fresh(`${about}${cause.next}`), { type: 'commitment', links })
  return { service, symptom, found, fixed, ruledOut: suspects, next }
}

function tryInVain(scribe: Scribe, run: Run, about: string): WrittenNote[] {
  const { random, fresh } = scribe
  return random.sample(ruledOut, random.whole(1, 2)).map((template) => {
    if (random.chance(0.4)) run.note(fresh(random.pick(chatter)), { type: 'episode' })
    return run.note(fresh(`${about}${template}`), { type: 'action', by: 'fixer' })
  })
}

const FORMS = [
  {
    texts: questions.cause,
    evidence: ({ found }: Incident) => [found],
  },
  {
    texts: questions.fix,
    evidence: ({ fixed }: Incident) => [fixed],
  },
  {
    texts: questions.ruledOut,
    evidence: (incident: Incident) => incident.ruledOut,
  },
  {
    texts: questions.next,
    evidence: ({ next }: Incident) => [next],
  },
  {
    texts: questions.story,
    evidence: ({ found, fixed }: Incident) => [found, fixed],
  },
] as const

function askAbout(scribe: Scribe, incident: Incident, i: number): void {
  const { fill, wording } = scribe
  const { texts, evidence } = FORMS[i % FORMS.length]!
  const { when, noun } = symptoms[incident.symptom]!
  const service = incident.service.name
  const slots = { when: fill(wording(when), { service }), noun: fill(wording(noun), { service }) }
  scribe.ask({
    text: fill(wording(texts), slots),
    category: 'incident',
    evidence: evidence(incident),
    names: [service],
  })
}

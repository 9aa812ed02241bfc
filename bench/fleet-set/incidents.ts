import { type Cause, CAUSES } from './incident-causes.js'
import { CHATTER, CLOSING, RULED_OUT, SYMPTOMS } from './incident-texts.js'
import { DAY, FIRST_DAY, type WrittenNote, type Run, type Scribe, TODAY } from './scribe.js'
import { type Service, SERVICES } from './world.js'

type SymptomName = keyof typeof SYMPTOMS

interface Incident {
  readonly service: Service
  readonly symptom: SymptomName
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

const causesOf = (symptom: SymptomName) => CAUSES.filter(({ symptoms }) => symptoms.includes(symptom))

/** Writes the incidents of a service, each with another cause, since two notes would answer otherwise. */
function noteIncidentsOf(scribe: Scribe, service: Service): Incident[] {
  const { random } = scribe
  const symptoms = random.sample(Object.keys(SYMPTOMS) as SymptomName[], INCIDENTS_OF_EACH)
  const taken = new Set<Cause>()
  return symptoms
    .sort((a, b) => causesOf(a).length - causesOf(b).length)
    .map((symptom) => {
      const cause = random.pick(causesOf(symptom).filter((one) => !taken.has(one)))
      taken.add(cause)
      return noteIncident(scribe, service, symptom, cause)
    })
}

function noteIncident(scribe: Scribe, service: Service, symptom: SymptomName, cause: Cause): Incident {
  const { random, fresh } = scribe
  const at = random.whole(FIRST_DAY, TODAY - 2 * DAY)
  const run = scribe.run({ kind: 'incident', fleet: service.fleet, at })
  const links = [{ name: service.name, entity_type: 'system' }]
  run.note(fresh(random.pick(SYMPTOMS[symptom].seen), { service: service.name }), {
    type: 'episode',
    by: 'watch',
    links,
  })
  // Decides whether the writers of this run repeat its subject.
  const about = random.chance(0.5) ? `${service.name}: ` : ''
  const ruledOut = tryInVain(scribe, run, about)
  const lead = random.pick(['Root cause: ', 'Found it. ', ''])
  const found = run.note(fresh(`${about}${lead}${random.pick(cause.found)}`), { type: 'fact', by: 'fixer', links })
  if (random.chance(0.3)) run.note(fresh(random.pick(CHATTER)), { type: 'episode', links })
  const fixed = run.note(fresh(`${about}${random.pick(cause.fixed)}`), { type: 'action', by: 'fixer', links })
  run.note(fresh(random.pick(CLOSING)), { type: 'episode', by: 'watch', links })
  const next = run.note(fresh(`${about}${cause.next}`), { type: 'commitment', links })
  return { service, symptom, found, fixed, ruledOut, next }
}

function tryInVain(scribe: Scribe, run: Run, about: string): WrittenNote[] {
  const { random, fresh } = scribe
  return random.sample(RULED_OUT, random.whole(1, 2)).map((template) => {
    if (random.chance(0.4)) run.note(fresh(random.pick(CHATTER)), { type: 'episode' })
    return run.note(fresh(`${about}${template}`), { type: 'action', by: 'fixer' })
  })
}

const FORMS = [
  {
    texts: ['What was the root cause of {noun}?', 'Why was it that {when}?', 'What was at the bottom of {noun}?'],
    evidence: ({ found }: Incident) => [found],
  },
  {
    texts: ['How did we fix {noun}?', 'Once {when}. What did we do about it?', 'What put an end to {noun}?'],
    evidence: ({ fixed }: Incident) => [fixed],
  },
  {
    texts: ['What did we rule out during {noun}?', 'Which suspicions came to nothing while {when}?'],
    evidence: ({ ruledOut }: Incident) => ruledOut,
  },
  {
    texts: ['Which action items are left of {noun}?', 'What is to be done so that {noun} cannot happen again?'],
    evidence: ({ next }: Incident) => [next],
  },
  {
    texts: ['Cause and fix of {noun}?', 'Give me the whole story of how {when}, with its ending.'],
    evidence: ({ found, fixed }: Incident) => [found, fixed],
  },
] as const

function askAbout(scribe: Scribe, incident: Incident, i: number): void {
  const { fill, wording } = scribe
  const { texts, evidence } = FORMS[i % FORMS.length]!
  const { when, noun } = SYMPTOMS[incident.symptom]
  const service = incident.service.name
  const slots = { when: fill(wording(when), { service }), noun: fill(wording(noun), { service }) }
  scribe.ask({
    text: fill(wording(texts), slots),
    category: 'incident',
    evidence: evidence(incident),
    names: [service],
  })
}

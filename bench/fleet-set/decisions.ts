import { readData, TEXT, TEXTS } from '../data-file.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { peopleOf, type Service, SERVICES } from './world.js'

const CHOICE = { properties: { name: TEXT, adopt: TEXT, why: TEXT, leave: TEXT } } as const
const MATTERS = { elements: { properties: { asked: TEXTS, choices: { elements: CHOICE } } } } as const
const { topics, settled, reversed, weighed, leads, questions } = readData('fleet-set/decisions.yaml', {
  properties: {
    topics: { properties: { design: MATTERS, running: MATTERS } },
    settled: TEXTS,
    reversed: TEXTS,
    weighed: TEXTS,
    leads: TEXTS,
    questions: { properties: { whyLeft: TEXTS, whyOnce: TEXTS, formerly: TEXTS, who: TEXTS } },
  },
})

const TOPICS = [...topics.design, ...topics.running]
type Topic = (typeof TOPICS)[number]
type Choice = Topic['choices'][number]

/** One choice as it was made. */
interface MadeChoice {
  readonly choice: Choice
  readonly decided: WrittenNote
  readonly reason: WrittenNote
  readonly people: readonly [string, string]
}

interface Matter {
  readonly topic: Topic
  readonly service: Service
  readonly first: MadeChoice
  /** The reversal months later, with the first choice's problem as its reason. */
  readonly second: MadeChoice | null
}

const SERVICES_OF_EACH = 8
const QUESTIONS = 42

/**
 * Writes decisions. Each topic is settled for several services, and for most of them reversed later. Reasons are in a
 * note of their own, which does not say what was chosen, and half the time not even for which service. Either choice of
 * a topic may be the later one.
 */
export function noteDecisions(scribe: Scribe): void {
  const { random } = scribe
  const matters = TOPICS.flatMap((topic) =>
    random.sample(SERVICES, SERVICES_OF_EACH).map((service) => noteMatter(scribe, topic, service)),
  )
  const revised = random.sample(
    matters.filter(({ second }) => second !== null),
    QUESTIONS,
  )
  const standing = random.sample(
    matters.filter(({ second }) => second === null),
    QUESTIONS / FORMS.length,
  )
  for (let i = 0; i < QUESTIONS; i++) {
    const form = FORMS[i % FORMS.length]!
    askAbout(scribe, form.reversed ? revised[i]! : standing.pop()!, form)
  }
}

function noteMatter(scribe: Scribe, topic: Topic, service: Service): Matter {
  const { random } = scribe
  const [a, b] = random.sample(topic.choices, 2) as [Choice, Choice]
  const people = random.sample(peopleOf(service.fleet), 4) as [string, string, string, string]
  const at = random.whole(FIRST_DAY, TODAY - 150 * DAY)
  const first = noteChoice(scribe, service, { choice: a, reason: a.why, people: [people[0], people[1]], at })
  if (random.chance(0.3)) return { topic, service, first, second: null }
  const later = random.whole(at + 60 * DAY, TODAY - 7 * DAY)
  const second = { choice: b, reason: a.leave, people: [people[2], people[3]] as const, at: later, reverses: true }
  return { topic, service, first, second: noteChoice(scribe, service, second) }
}

interface ToBeMade {
  readonly choice: Choice
  readonly reason: string
  readonly people: readonly [string, string]
  readonly at: number
  readonly reverses?: boolean
}

function noteChoice(
  { random, run: startRun, fresh, fill }: Scribe,
  service: Service,
  { choice, reason: why, people, at, reverses = false }: ToBeMade,
): MadeChoice {
  const run = startRun({ kind: 'decision', fleet: service.fleet, at })
  const [one, two] = people
  if (random.chance(0.8)) run.note(fresh(random.pick(weighed)), { type: 'episode' })
  const what = fill(choice.adopt, { service: service.name })
  const links = [
    { name: service.name, entity_type: 'system' },
    { name: one, entity_type: 'person' },
  ]
  const decided = run.note(
    fresh(() => random.pick(reverses ? reversed : settled), { what, one, two }),
    {
      type: 'decision',
      links,
    },
  )
  const slots = { service: service.name }
  const reason = run.note(fresh(`${random.pick(leads)}${why} (note {thousands})`, slots), { type: 'fact', links })
  return { choice, decided, reason, people }
}

interface Form {
  readonly reversed: boolean
  readonly texts?: readonly string[]
  readonly evidence: (matter: Matter) => WrittenNote
  readonly answer?: (matter: Matter) => string
  readonly named?: (matter: Matter) => string
}

const FORMS: readonly Form[] = [
  { reversed: true, evidence: ({ second }) => second!.decided },
  {
    reversed: true,
    texts: questions.whyLeft,
    evidence: ({ second }) => second!.reason,
    named: ({ first }) => first.choice.name,
  },
  {
    reversed: true,
    texts: questions.whyOnce,
    evidence: ({ first }) => first.reason,
    named: ({ first }) => first.choice.name,
  },
  { reversed: false, evidence: ({ first }) => first.decided },
  {
    reversed: true,
    texts: questions.formerly,
    evidence: ({ first }) => first.decided,
  },
  {
    reversed: true,
    texts: questions.who,
    evidence: ({ second }) => second!.decided,
    answer: ({ second }) => second!.people[0],
    named: ({ second }) => second!.choice.name,
  },
]

function askAbout({ wording, ask, fill }: Scribe, matter: Matter, form: Form): void {
  const service = matter.service.name
  const asked = fill(wording(matter.topic.asked), { service })
  const choice = form.named?.(matter)
  const noted = form.evidence(matter)
  ask({
    text: fill(form.texts === undefined ? '{asked}' : wording(form.texts), {
      service,
      asked,
      ...(choice !== undefined && { choice }),
    }),
    category: 'decision',
    evidence: [noted],
    answer: form.answer?.(matter) ?? noted.answer,
    names: [service, ...(choice === undefined ? [] : [choice])],
  })
}

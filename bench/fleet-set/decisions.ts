import { REVERSED, SETTLED, TOPICS, WEIGHED } from './decision-texts.js'
import type { Choice, Topic } from './topic.js'
import { DAY, FIRST_DAY, type WrittenNote, type Scribe, TODAY } from './scribe.js'
import { peopleOf, type Service, SERVICES } from './world.js'

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
  const reversed = random.sample(
    matters.filter(({ second }) => second !== null),
    QUESTIONS,
  )
  const standing = random.sample(
    matters.filter(({ second }) => second === null),
    QUESTIONS / FORMS.length,
  )
  for (let i = 0; i < QUESTIONS; i++) {
    const form = FORMS[i % FORMS.length]!
    askAbout(scribe, form.reversed ? reversed[i]! : standing.pop()!, form)
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

/** Beginnings of notes; half of them name their subject. */
const LEADS = [
  'The reason: ',
  'Deciding point: ',
  'Why {service} goes this way: ',
  'Argument of the day for {service}: ',
]

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
  if (random.chance(0.8)) run.note(fresh(random.pick(WEIGHED)), { type: 'episode' })
  const what = fill(choice.adopt, { service: service.name })
  const links = [
    { name: service.name, entity_type: 'system' },
    { name: one, entity_type: 'person' },
  ]
  const decided = run.note(
    fresh(() => random.pick(reverses ? REVERSED : SETTLED), { what, one, two }),
    {
      type: 'decision',
      links,
    },
  )
  const slots = { service: service.name }
  const reason = run.note(fresh(`${random.pick(LEADS)}${why} (note {thousands})`, slots), { type: 'fact', links })
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
    texts: [
      'What was the reason to leave {choice} at {service}?',
      'What made us give up {choice} at {service}?',
      'Why does {service} no longer live with {choice}?',
    ],
    evidence: ({ second }) => second!.reason,
    named: ({ first }) => first.choice.name,
  },
  {
    reversed: true,
    texts: [
      'What was the reason for {choice} at {service}?',
      'What once spoke for {choice} at {service}?',
      'Which argument won the day for {choice} at {service}?',
    ],
    evidence: ({ first }) => first.reason,
    named: ({ first }) => first.choice.name,
  },
  { reversed: false, evidence: ({ first }) => first.decided },
  {
    reversed: true,
    texts: ['Before the turnaround, I mean: {asked}', '{asked} I want the arrangement before the present one.'],
    evidence: ({ first }) => first.decided,
  },
  {
    reversed: true,
    texts: [
      'Who decided on {choice} for {service}?',
      'Who is responsible for {choice} at {service}?',
      'Whom can I blame for {choice} at {service}?',
    ],
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

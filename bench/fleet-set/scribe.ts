import { createRandom, type Random } from '../random.js'
import type { Category, FleetSet, SetAgent, SetLink, SetMemory, SetQuestion } from './shape.js'
import { type Fleet, FLEETS, PEOPLE, PLACES, type Role, ROLES } from './world.js'

export const DAY = 86_400_000
const MINUTE = 60_000

/** The day of the questions, a Tuesday, in the morning (UTC). */
export const TODAY = Date.UTC(2026, 5, 16, 10)
/** The first day of memories, 60 weeks earlier. */
export const FIRST_DAY = TODAY - 420 * DAY

/** A memory that was written, which can be evidence of a question. */
export interface WrittenNote {
  readonly key: string
  readonly run: Run
  /** The text in square brackets, else the whole text. */
  readonly answer: string
}

interface NoteOptions {
  readonly type: string
  /** The author's role; by default the scribe. */
  readonly by?: Role
  /** Links of the note, for roles that link what they write about. */
  readonly links?: readonly SetLink[]
  readonly until?: number
}

/** One piece of work: notes that follow one another by minutes. */
export interface Run {
  readonly fleet: Fleet
  /** True when all fleets see the run. */
  readonly shared: boolean
  /**
   * Writes a note. Square brackets in the text mark what answers a question; they are not written. Throws on a text
   * that was written before.
   */
  note(text: string, options: NoteOptions): WrittenNote
}

interface RunOptions {
  readonly kind: string
  readonly fleet: Fleet
  readonly at: number
  /** Default: three runs in ten are shared. */
  readonly shared?: boolean
}

interface QuestionDraft {
  readonly text: string
  readonly category: Category
  readonly evidence: readonly WrittenNote[]
  /** Default: the answer of the last piece of evidence. */
  readonly answer?: string
  readonly names: readonly string[]
  readonly period?: SetQuestion['period']
}

/** Collects the memories and questions of one set. Each kind of memory draws from a random source of its own. */
export interface Scribe {
  readonly random: Random
  run(options: RunOptions): Run
  ask(draft: QuestionDraft): void
  /** Returns a text from `fill` that has not been written yet. */
  fresh(template: string | (() => string), slots?: Slots): string
  fill(template: string, slots?: Slots): string
  /** Returns half the time the first of several wordings, which uses the notes' words, else one of the others. */
  wording(texts: readonly string[]): string
}

type Slots = Readonly<Record<string, string>>

export interface CollectedNotes {
  readonly memories: SetMemory[]
  readonly questions: SetQuestion[]
  readonly texts: Set<string>
}

/**
 * Categories whose distractors are in runs of their own, which another fleet may not see: the other categories are
 * asked by the fleet itself.
 */
const ASKED_BY_OTHERS: ReadonlySet<Category> = new Set(['incident', 'decision', 'multi-hop'])

/** Roles whose agents link the entities of whatever they write; the others never do. */
const LINKING: ReadonlySet<Role> = new Set(['scribe', 'builder'])

const AGENTS: readonly SetAgent[] = FLEETS.flatMap((fleetId) =>
  ROLES.map((role) => ({ id: `${fleetId}-${role}`, fleetId })),
)

export function createScribe(collected: CollectedNotes, seed: number): Scribe {
  const { memories, questions, texts } = collected
  const random = createRandom(seed)
  const fill = (template: string, slots: Slots = {}) => fillSlots(template, slots, random)
  let runs = 0

  function startRun({ kind, fleet, at, shared = random.chance(0.3) }: RunOptions): Run {
    const id = `${kind}-${fleet}-${(runs += 1)}`
    let time = at
    const run: Run = {
      fleet,
      shared,
      note(text, { type, by = 'scribe', links = [], until }) {
        const content = text.replace(/[[\]]/g, '')
        if (texts.has(content)) throw new Error(`noted twice: ${content}`)
        texts.add(content)
        const key = `${id}-${memories.length}`
        memories.push({
          key,
          agent: agentOf(fleet, by),
          item: {
            content,
            memory_type: type,
            run_id: id,
            ts_valid_start: new Date(time).toISOString(),
            ...(until !== undefined && { ts_valid_end: new Date(until).toISOString() }),
            visibility: shared ? 'scope_org' : 'scope_team',
            entity_links: LINKING.has(by) ? links : [],
          },
        })
        time += random.whole(2, 25) * MINUTE
        return { key, run, answer: /\[(.+?)\]/.exec(text)?.[1] ?? content }
      },
    }
    return run
  }

  function fresh(template: string | (() => string), slots?: Slots): string {
    for (let tries = 0; tries < 100; tries++) {
      const text = fill(typeof template === 'string' ? template : template(), slots)
      if (!texts.has(text.replace(/[[\]]/g, ''))) return text
    }
    throw new Error(`nothing new comes of ${String(template)}`)
  }

  function ask({ text, evidence, answer = evidence.at(-1)!.answer, ...rest }: QuestionDraft): void {
    const asker = askerOf(
      evidence.map(({ run }) => run),
      random,
      ASKED_BY_OTHERS.has(rest.category),
    )
    questions.push({ ...rest, text: capital(text), asker, evidence: evidence.map(({ key }) => key), answer })
  }

  const wording = (texts: readonly string[]) => (random.chance(0.5) ? texts[0]! : random.pick(texts.slice(1)))
  return { random, run: startRun, ask, fresh, fill, wording }
}

function agentOf(fleet: string, role: Role): SetAgent {
  return AGENTS.find(({ id }) => id === `${fleet}-${role}`)!
}

/**
 * Returns an agent of the fleet that wrote the evidence; sometimes of another, where all may see it and others may ask.
 */
function askerOf(runs: readonly Run[], random: Random, othersAsk: boolean): SetAgent {
  const own = new Set(runs.filter(({ shared }) => !shared).map(({ fleet }) => fleet))
  if (own.size > 1) throw new Error('no agent sees all of the evidence')
  const fleet = [...own][0] ?? (othersAsk && random.chance(0.5) ? random.pick(FLEETS) : runs[0]!.fleet)
  return agentOf(fleet, random.pick(ROLES))
}

/** Fills in `{name}` from the slots, or a random value: `{few}`, `{percent}`, `{hour}`, … Throws on any other. */
function fillSlots(template: string, slots: Slots, random: Random): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const given = slots[name]
    if (given !== undefined) return given
    const make = RANDOM_SLOTS[name]
    if (make === undefined) throw new Error(`nothing for {${name}} in ${template}`)
    return make(random)
  })
}

const RANDOM_SLOTS: Readonly<Record<string, (random: Random) => string>> = {
  few: ({ whole }) => String(whole(2, 9)),
  dozens: ({ whole }) => String(whole(11, 97)),
  hundreds: ({ whole }) => String(whole(110, 980)),
  thousands: ({ whole }) => `${whole(2, 94)},${String(whole(0, 999)).padStart(3, '0')}`,
  percent: ({ whole }) => String(whole(3, 96)),
  hour: ({ whole }) => `${String(whole(0, 23)).padStart(2, '0')}:${String(whole(0, 59)).padStart(2, '0')}`,
  place: ({ pick }) => pick(PLACES),
  someone: ({ pick }) => pick(PEOPLE),
  hex: ({ whole }) => whole(0x100000, 0xffffff).toString(16),
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function finish({ memories, questions }: CollectedNotes): FleetSet {
  const inOrder = memories.toSorted((a, b) => (a.item.ts_valid_start < b.item.ts_valid_start ? -1 : 1))
  return { today: TODAY, agents: AGENTS, memories: inOrder, questions }
}

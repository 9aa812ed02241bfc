import type { ForgeMemory } from '../../domain/forge/traces.js'
import { createRandom, type Random } from '../random.js'
import type { Ending, ForgeFleet, PhraseBook, PlantedWorkflow, Recipe, SetMemory, Truth, Utterance } from './shape.js'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 2, 16, 9)
const WINDOW_DAYS = 12
const FLEETS = ['north', 'south'] as const
const AGENTS_PER_FLEET = 6

interface Run {
  readonly fleetId: string
  readonly agent: number
  readonly workflow: string | null
  readonly utterances: readonly Utterance[]
  readonly visibility: ForgeMemory['visibility']
  readonly ending: Ending
}

/** Uses of the recipes of a book, in their order; those after the last trap are ordinary workflows. */
const TRAPS = ['private', 'one agent', 'only failures', 'split over fleets', 'copied'] as const

export interface FleetSize {
  /** Runs of each workflow, at least; default 5. */
  readonly runs?: number
  /** Runs that follow no workflow, for each workflow; default 4. */
  readonly noise?: number
}

/**
 * Returns a fleet's memories with planted workflows, the same for the same seed. The first recipes are traps: workflows
 * of which no skill may come. Of the others, each is one fleet's, and the last is both fleets'.
 */
export function plantFleet<R extends Recipe>(book: PhraseBook<R>, seed: number, size: FleetSize = {}): ForgeFleet {
  const random = createRandom(seed * 7_919)
  const writer = createWriter(random)
  const workflows: PlantedWorkflow[] = []
  for (const [i, recipe] of book.recipes.entries()) {
    const trap = TRAPS[i] ?? null
    const isLast = i === book.recipes.length - 1
    const home = trap !== null ? [] : isLast ? [...FLEETS] : [FLEETS[i % 2]!]
    workflows.push({ key: recipe.key, fleets: home, trap, steps: recipe.steps.map(({ key }) => key) })
    for (const run of runsOf(book, recipe, { trap, home, random, runs: size.runs ?? 5 })) writer.write(run)
    for (let n = 0; n < (size.noise ?? 4); n++) writer.write(noiseRun(book, random))
  }
  writer.copyInto(book, workflows)
  return { name: book.name, now: NOW, workflows, memories: writer.finish(), failedRuns: writer.failedRuns }
}

interface Planting {
  readonly trap: PlantedWorkflow['trap']
  readonly home: readonly string[]
  readonly random: Random
  readonly runs: number
}

function* runsOf<R extends Recipe>(book: PhraseBook<R>, recipe: R, planting: Planting): Generator<Run> {
  const { trap, home, random } = planting
  const run = (fleetId: string, agent: number, ending: Ending, visibility: Run['visibility'] = 'scope_team'): Run => ({
    fleetId,
    agent,
    workflow: recipe.key,
    utterances: book.tell(recipe, stepsTaken(recipe, ending, random), ending, agent, random),
    visibility,
    ending,
  })
  const agents = random.sample([...Array(AGENTS_PER_FLEET).keys()], 5)
  switch (trap) {
    case 'private':
      for (const agent of agents) yield run('north', agent, 'success', 'scope_agent')
      return
    case 'one agent':
      for (let n = 0; n < 5; n++) yield run('north', agents[0]!, 'success')
      return
    case 'only failures':
      for (const agent of agents) yield run('south', agent, 'failure')
      return
    case 'split over fleets':
      for (const fleetId of FLEETS) for (const agent of agents.slice(0, 2)) yield run(fleetId, agent, 'success')
      return
    case 'copied':
      for (const agent of agents.slice(0, 2)) yield run('south', agent, 'success')
      return
    case null:
      for (const fleetId of home) {
        for (let n = 0; n < planting.runs; n++) yield run(fleetId, n < 4 ? agents[n]! : random.pick(agents), 'success')
        for (let n = random.whole(1, 2); n > 0; n--) yield run(fleetId, random.pick(agents), 'failure')
        yield run(fleetId, random.pick(agents), 'unknown')
      }
  }
}

/** Returns the indexes of the steps of one run: one may be left out, two neighbours may be swapped, a failure stops early. */
function stepsTaken({ steps }: Recipe, ending: Ending, random: Random): number[] {
  const taken = [...steps.keys()]
  if (random.chance(0.3)) taken.splice(random.whole(0, taken.length - 1), 1)
  if (random.chance(0.25)) {
    const at = random.whole(0, taken.length - 2)
    taken.splice(at, 2, taken[at + 1]!, taken[at]!)
  }
  return ending === 'failure' ? taken.slice(0, random.whole(3, taken.length)) : taken
}

function noiseRun(book: PhraseBook, random: Random): Run {
  const agent = random.whole(0, AGENTS_PER_FLEET - 1)
  const utterances = book.ramble(agent, random)
  return {
    fleetId: random.pick(FLEETS),
    agent,
    workflow: null,
    utterances,
    visibility: 'scope_team',
    ending: 'unknown',
  }
}

function createWriter(random: Random) {
  const memories: SetMemory[] = []
  const failedRuns = new Set<string>()
  let count = 0
  const id = () => `00000000-0000-4000-8000-${(++count).toString(16).padStart(12, '0')}`

  function write({ fleetId, agent, workflow, utterances, visibility, ending }: Run): SetMemory[] {
    let at = NOW - Math.floor(random.next() * WINDOW_DAYS * DAY_MS) - DAY_MS / 2
    const runId = `run-${id().slice(-6)}-${random.whole(100, 999)}`
    if (ending === 'failure') failedRuns.add(runId)
    const written = utterances.map(({ text, kind, steps }): SetMemory => {
      const truth: Truth = { kind, workflow, steps }
      at += random.whole(60_000, 900_000)
      const isPrivateNote = kind === 'note' && random.chance(0.1)
      const row = { id: id(), fleetId, agentId: `${fleetId}-${agent}`, runId, at, content: text }
      return { memory: memoryOf(row, isPrivateNote ? 'scope_agent' : visibility), truth }
    })
    memories.push(...written)
    for (const one of written) if (random.chance(0.05)) memories.push(unusable(one))
    return written
  }

  /** Returns a row beside the given one that must not enter: deleted, cancelled, conflicted, expired or too old. */
  function unusable({ memory }: SetMemory): SetMemory {
    const content = `${memory.content} (draft ${random.whole(10, 99)})`
    const changes = random.pick<Partial<ForgeMemory>>([
      { status: 'deleted' },
      { status: 'cancelled' },
      { status: 'conflicted' },
      { expiresAt: new Date(NOW - DAY_MS / 4) },
      { validStart: new Date(NOW - 40 * DAY_MS), createdAt: new Date(NOW - 40 * DAY_MS) },
    ])
    return {
      memory: { ...memory, id: id(), content, ...changes },
      truth: { kind: 'noise', workflow: null, steps: [] },
    }
  }

  /**
   * Writes runs that repeat what others stored: all of a run of the workflow that is too thin without its copies, and some
   * memories of ordinary workflows in runs about something else.
   */
  function copyInto(book: PhraseBook, workflows: readonly PlantedWorkflow[]): void {
    for (const { key, trap } of workflows) {
      if (trap !== null && trap !== 'copied') continue
      const runs = runsIn(memories).filter(([first]) => first!.truth.workflow === key)
      const source = random
        .pick(runs)
        .filter(({ truth, memory }) => truth.kind !== 'noise' && memory.visibility !== 'scope_agent')
      const copied = trap === 'copied' ? source : random.sample(source, Math.min(2, source.length))
      for (let n = trap === 'copied' ? 3 : 1; n > 0; n--) writeCopies(book, copied, n)
    }
  }

  function writeCopies(book: PhraseBook, source: readonly SetMemory[], nth: number): void {
    const { fleetId, agentId } = source[0]!.memory
    const others = [...Array(AGENTS_PER_FLEET).keys()].filter((agent) => `${fleetId}-${agent}` !== agentId)
    const agent = others[nth % others.length]!
    const around = source.length > 2 ? [] : book.ramble(agent, random)
    const begin = Math.max(...source.map(({ memory }) => +memory.createdAt)) + nth * 3_600_000
    const runId = `run-${id().slice(-6)}-${random.whole(100, 999)}`
    const texts = [
      ...around.map((one) => ({ text: one.text, truth: { kind: 'noise', workflow: null, steps: [] } as Truth })),
      ...source.map(({ memory, truth }) => ({
        text: random.chance(0.3) ? `Recalled: ${memory.content}` : memory.content,
        truth: { ...truth, kind: 'copy' } as Truth,
      })),
    ]
    for (const [i, { text, truth }] of texts.entries()) {
      const row = {
        id: id(),
        fleetId: fleetId!,
        agentId: `${fleetId}-${agent}`,
        runId,
        at: begin + i * 60_000,
        content: text,
      }
      memories.push({ memory: memoryOf(row, 'scope_team'), truth })
    }
  }

  return {
    write,
    copyInto,
    failedRuns,
    finish: () =>
      memories.toSorted((a, b) => +a.memory.createdAt - +b.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1)),
  }
}

function memoryOf(
  row: { id: string; fleetId: string; agentId: string; runId: string; at: number; content: string },
  visibility: ForgeMemory['visibility'],
): ForgeMemory {
  const { at, ...given } = row
  return {
    ...given,
    title: null,
    memoryType: 'episode',
    status: 'active',
    visibility,
    createdAt: new Date(at),
    validStart: null,
    expiresAt: null,
    names: [],
  }
}

function runsIn(memories: readonly SetMemory[]): SetMemory[][] {
  const runs = new Map<string | null, SetMemory[]>()
  for (const one of memories) runs.set(one.memory.runId, [...(runs.get(one.memory.runId) ?? []), one])
  return [...runs.values()]
}

import { withoutHalfCharacter } from '../text/characters.js'
import { embeddedText } from '../text/memory-text.js'
import type { Distilled } from './distilled.js'
import type { ForgeMemory } from './traces.js'

/** A memory as it is quoted to a language model. */
export interface QuotedMemory {
  readonly ref: string
  /** Number of the run that it is of; failed runs are marked. */
  readonly run: string
  readonly text: string
}

/** The request to a language model for one cluster. The caller quotes the entries as data and adds the rule about data. */
export interface WordingRequest {
  readonly instructions: string
  readonly entries: readonly QuotedMemory[]
  /** The memories behind the refs. */
  readonly refs: ReadonlyMap<string, QuotedSource>
}

export interface QuotedSource {
  readonly memory: ForgeMemory
  readonly failed: boolean
  /** The memories of the steps that it says, by which a wording of these steps is checked; absent for none. */
  readonly sameSteps?: readonly ForgeMemory[]
}

const MOST_QUOTED = 150
/** UTF-16 units of a quoted text. */
const LONGEST_QUOTED = 800

const INSTRUCTIONS = [
  'You word a procedure that several software agents carried out, from what they noted. Each entry is one note: `ref`, the `run` that it',
  'belongs to, and its `text`. Runs that failed are marked.',
  'Say only what the notes say. Invent no command, number, name, address or step.',
  '`steps`: what to do, in order, each one sentence in the imperative, with `cites`: the refs of at least two notes of runs that did not',
  'fail and that say this step. Leave out what only one note says, small talk, and values that differ from run to run.',
  '`what_goes_wrong`: what the failed runs teach, each with the refs of its notes; an empty list where there are none.',
  '`description`: one sentence that begins with "When" and says when this procedure applies, at most 150 characters.',
  '`name`: at most 8 words. `goal`: what the procedure achieves. `domain`: one lower-case word. `tags`: up to 6 lower-case words.',
].join('\n')

const text = (maxLength: number) => ({ type: 'string', maxLength })
const object = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
})
const list = (maxItems: number, items: object) => ({ type: 'array', maxItems, items })
const cited = object({ text: text(2_000), cites: list(200, text(20)) })

/** JSON Schema of the answer; wider than what is stored, so that one excess value does not fail all. */
export const WORDING_SCHEMA = object({
  name: text(1_000),
  description: text(2_000),
  goal: text(2_000),
  domain: text(200),
  tags: list(50, text(200)),
  steps: list(100, cited),
  what_goes_wrong: list(50, cited),
})

/** Returns the request to word a skill: the memories that its steps and lessons cite, oldest run first. */
export function wordingRequest(skill: Pick<Distilled, 'steps' | 'lessons'>): WordingRequest {
  const sources = new Map<string, QuotedSource>()
  const add = (memories: readonly ForgeMemory[], failed: boolean) => {
    for (const memory of memories) if (!sources.has(memory.id)) sources.set(memory.id, { memory, failed })
  }
  for (const { memories } of skill.steps) add(memories, false)
  for (const { memories } of skill.lessons) add(memories, true)
  const runs = new Map<string, number>()
  const refs = new Map<string, QuotedSource>()
  const shown = quoted(skill, sources)
  const sameSteps = sameStepsAmong(skill.steps, shown)
  const entries = shown.map((source, i): QuotedMemory => {
    const { memory, failed } = source
    const key = `${memory.runId} ${memory.agentId}`
    const run = runs.get(key) ?? runs.size + 1
    runs.set(key, run)
    refs.set(`m${i + 1}`, { ...source, sameSteps: sameSteps.get(memory.id) ?? [] })
    return {
      ref: `m${i + 1}`,
      run: failed ? `${run} (failed)` : String(run),
      text: quotedText(memory),
    }
  })
  return { instructions: INSTRUCTIONS, entries, refs }
}

/** Returns as much of a memory's text as a model reads. */
export function quotedText(memory: ForgeMemory): string {
  return withoutHalfCharacter(embeddedText(memory).slice(0, LONGEST_QUOTED))
}

/** Returns, by the id of a quoted memory, the quoted memories of the steps that it says. */
function sameStepsAmong(
  steps: Distilled['steps'],
  shown: readonly QuotedSource[],
): ReadonlyMap<string, readonly ForgeMemory[]> {
  const ids = new Set(shown.map(({ memory }) => memory.id))
  const found = new Map<string, Set<ForgeMemory>>()
  for (const { memories } of steps) {
    const quoted = memories.filter(({ id }) => ids.has(id))
    for (const { id } of quoted) found.set(id, new Set([...(found.get(id) ?? []), ...quoted]))
  }
  return new Map([...found].map(([id, memories]) => [id, [...memories]]))
}

/** Takes the memories of each line in turn, so that every step is quoted by some of its memories; ordered by run and time. */
function quoted(
  { steps, lessons }: Pick<Distilled, 'steps' | 'lessons'>,
  sources: ReadonlyMap<string, QuotedSource>,
): QuotedSource[] {
  const lines = [...steps, ...lessons].map(({ memories }) => memories)
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  const inTurn = Array.from({ length: longest }, (_, n) => lines.flatMap((memories) => memories[n]?.id ?? [])).flat()
  const place = ({ memory }: QuotedSource) =>
    `${memory.runId} ${memory.agentId} ${memory.createdAt.toISOString()} ${memory.id}`
  return [...new Set(inTurn)]
    .slice(0, MOST_QUOTED)
    .map((id) => sources.get(id)!)
    .sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

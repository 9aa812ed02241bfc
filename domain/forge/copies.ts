import { isNearDuplicate } from '../near-duplicates/is-near-duplicate.js'
import { nearKeys } from '../near-duplicates/near-keys.js'
import { TextReading } from '../near-duplicates/text-reading.js'
import { analyse } from '../text/analysis.js'
import { embeddedText } from '../text/memory-text.js'
import { STOP_WORDS } from '../text/words.js'
import { type ForgeMemory, inOrder, type Trace } from './traces.js'

/** Older memories of one key that a memory is compared with. */
const MOST_COMPARED = 4
/** Content words from which two authors would not have chosen the same ones by chance; fewer where a number is among them. */
const TELLING_WORDS = 9
const TELLING_WORDS_WITH_NUMBER = 4
/** A run that has so many telling copies of one other run, or repeats so large a share of itself from it, was told all of them. */
const TELLING_COPIES = 2
const REPEATED_SHARE = 0.9
const LEAST_REPEATED = 3
/** Matches what says of itself that it was recalled. */
const ATTRIBUTED =
  /^\W*(?:recall(?:ed|s|ing)?|retrieved|remember(?:ed|s)?|(?:from|per|according to) (?:the |our |shared |team )*memor(?:y|ies)|memor(?:y|ies) (?:says?|said|tells?)|quot(?:e|ed|ing)|copied|as (?:stored|noted) (?:by|in))\b/iu

/** Makes all memories comparable: who may see them does not matter here. */
const EVERYBODY = { visibility: 'scope_org', fleetId: null, agentId: null } as const

interface Repetition {
  /** Older memories that it repeats, of other runs. */
  readonly originals: readonly ForgeMemory[]
  /** False for short texts, which two authors may choose alike. */
  readonly isTelling: boolean
}

/**
 * Returns the traces without what their agents had been told: text recalled from the service and stored again is found as
 * a near duplicate of an older memory of another run, and is no evidence. A short text without a number counts as told only
 * where more of its run does; else it stays, as `repeated`. Traces of which nothing is left are left out.
 */
export function withoutCopies(traces: readonly Trace[]): Trace[] {
  const repetitions = repetitionsIn(traces.flatMap(({ memories }) => memories).sort(inOrder))
  return traces.flatMap((trace) => {
    const told = runsThatAreRepeated(trace.memories, repetitions)
    const isCopy = ({ id }: ForgeMemory) => {
      const repetition = repetitions.get(id)
      return (
        repetition !== undefined && (repetition.isTelling || repetition.originals.some(({ runId }) => told.has(runId)))
      )
    }
    const memories = trace.memories.filter((memory) => !isCopy(memory))
    const repeated = new Set(memories.map(({ id }) => id).filter((id) => repetitions.has(id)))
    return memories.length === 0 ? [] : [{ ...trace, memories, repeated }]
  })
}

function repetitionsIn(inTime: readonly ForgeMemory[]): Map<string, Repetition> {
  const buckets = new Map<string, ForgeMemory[]>()
  const repetitions = new Map<string, Repetition>()
  for (const memory of inTime) {
    const text = embeddedText(memory)
    const numbers = numbersOf(text)
    const keys = nearKeys(text, EVERYBODY).map((key) => `${key} ${numbers}`)
    const older = new Set(keys.flatMap((key) => buckets.get(key) ?? []))
    const reading = new TextReading(text, memory.language ?? null)
    const originals = [...older].filter(
      (other) =>
        other.runId !== memory.runId &&
        isNearDuplicate(new TextReading(embeddedText(other), other.language ?? null), reading),
    )
    if (originals.length > 0)
      repetitions.set(memory.id, { originals: originals.sort(inOrder), isTelling: isTelling(text, numbers) })
    for (const key of keys) {
      const bucket = buckets.get(key)
      if (!bucket) buckets.set(key, [memory])
      else if (bucket.length < MOST_COMPARED) bucket.push(memory)
    }
  }
  return repetitions
}

/** Returns what differs in every run: near duplicates have the same numbers. */
function numbersOf(text: string): string {
  return (text.match(/\d+/g) ?? []).join(' ')
}

function isTelling(text: string, numbers: string): boolean {
  if (ATTRIBUTED.test(text)) return true
  const words = new Set(analyse(text, 'en').filter((term) => !STOP_WORDS.has(term))).size
  return words >= (numbers === '' ? TELLING_WORDS : TELLING_WORDS_WITH_NUMBER)
}

function runsThatAreRepeated(
  memories: readonly ForgeMemory[],
  repetitions: ReadonlyMap<string, Repetition>,
): Set<string | null> {
  const runs = new Map<string | null, { all: number; telling: number }>()
  for (const { id } of memories) {
    const { originals = [], isTelling = false } = repetitions.get(id) ?? {}
    for (const run of new Set(originals.map(({ runId }) => runId))) {
      const { all, telling } = runs.get(run) ?? { all: 0, telling: 0 }
      runs.set(run, { all: all + 1, telling: telling + Number(isTelling) })
    }
  }
  const isTold = ({ all, telling }: { all: number; telling: number }) =>
    telling >= TELLING_COPIES || (all >= LEAST_REPEATED && all >= REPEATED_SHARE * memories.length)
  return new Set([...runs].filter(([, counts]) => isTold(counts)).map(([run]) => run))
}

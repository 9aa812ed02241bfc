import type { SearchAnswer } from '../../search/search-index.js'
import { type KnownMarks, readMarksSince } from '../../store/indexing/index-marks.js'
import type { TenantBinding } from '../../store/store.js'
import type { ServiceContext } from '../context.js'

export interface VerifiedAnswer {
  /** Null when the engine is unavailable, or when another index than the requested one answered. */
  readonly answer: SearchAnswer | null
  /** False when the index may lack rows that were indexed before. */
  readonly isWhole: boolean
}

/**
 * Holds an answer of the index to the marks that Postgres told before the index was asked. The mark moves on while changes are written and the
 * request waits: then Postgres is asked once more, for the marks that the index has had since. One that is older is a copy's.
 */
export async function verifyAnswer(
  { store, indexBuildId }: Pick<ServiceContext, 'store' | 'indexBuildId'>,
  bound: TenantBinding,
  known: KnownMarks,
  answer: SearchAnswer | null,
): Promise<VerifiedAnswer> {
  if (answer === null || answer.mark === null) return { answer: null, isWhole: false }
  if (known.marks.includes(answer.mark)) return { answer, isWhole: known.isWhole }
  const now = await store.read(bound, (reader) => readMarksSince(reader, indexBuildId, known.marks[0]))
  const isOurs = now.marks.includes(answer.mark)
  return { answer: isOurs ? answer : null, isWhole: isOurs && now.isWhole }
}

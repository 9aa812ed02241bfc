import { UnavailableError } from '../../runtime/errors.js'
import type { Leg, SearchAnswer, SearchRequest } from '../../search/search-index.js'
import { type KnownMarks, readMarks, readMarksSince } from '../../store/indexing/known-marks.js'
import type { TenantBinding } from '../../store/store.js'
import type { SearchContext } from './context.js'

export interface VerifiedAnswer {
  /** Null when the engine is unavailable, or when another index than the requested one answered. */
  readonly answer: SearchAnswer | null
  /** False when the index may lack rows that were indexed before. */
  readonly isWhole: boolean
}

/**
 * Compares the mark of an answer with those that PostgreSQL knew before the index was asked. The mark moves on while
 * changes are written and the request waits: then PostgreSQL is asked once more, for the marks that the index has had
 * since. An older one is that of a copy.
 */
export async function verifyAnswer(
  { store, indexBuildId }: Pick<SearchContext, 'store' | 'indexBuildId'>,
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

/** Some legs of a search failed and others answered: the request may be the reason, so it counts as an attempt. */
export class LegFailureError extends Error {
  readonly code: string

  constructor(legs: readonly Leg[]) {
    super('a leg of the search failed')
    this.name = 'LegFailureError'
    this.code = legs.join(' ')
  }
}

/**
 * Searches for a caller that cannot continue with less, since nobody asks again for what was not found. Throws
 * `UnavailableError` when the engine is unavailable, `incomplete` where the index is not the one that PostgreSQL knows
 * or is not whole, and `LegFailureError` when a leg failed alone.
 */
export async function searchWholeIndex(
  context: Pick<SearchContext, 'store' | 'indexBuildId' | 'index'>,
  bound: TenantBinding,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const known = await context.store.read(bound, (reader) => readMarks(reader, context.indexBuildId))
  if (known.isWhole) {
    const answer = await context.index.for(bound.tenantId).search(request)
    if ((await verifyAnswer(context, bound, known, answer)).isWhole) {
      if (answer.failed.length === 0) return answer
      if (Object.keys(answer.legs).length > 0) throw new LegFailureError(answer.failed)
      throw new UnavailableError('search', new Error(`every leg of the search failed: ${answer.failed.join(' ')}`))
    }
  }
  throw new UnavailableError('search', new Error('the index is not whole'), 'incomplete')
}

import { UnavailableError } from '../../runtime/errors.js'
import type { SearchAnswer, SearchRequest } from '../../search/search-index.js'
import { readMarks, readMarksSince } from '../../store/indexing/index-marks.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/**
 * Returns the marks that the index of a whole build may have (store/indexing/index-marks.md), with those that it has had since
 * it had `since`; null while it takes no changes: it is not made yet, lost or given up.
 */
export async function marksOfWhole(
  { store }: Pick<JobContext, 'store'>,
  { buildId }: Pick<IndexTarget, 'buildId'>,
  since?: string,
): Promise<readonly string[] | null> {
  const { marks, isWhole } = await store.asSystem((system) =>
    since === undefined ? readMarks(system, buildId) : readMarksSince(system, buildId, since),
  )
  return isWhole ? marks : null
}

/**
 * Searches an index that must be whole: nobody asks again what was not found. Throws `UnavailableError`, as `incomplete` where the index is not
 * the one that Postgres knows or is not whole.
 */
export async function searchWhole(
  context: Pick<JobContext, 'store'>,
  target: IndexTarget,
  tenantId: string,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const known = await marksOfWhole(context, target)
  if (known !== null) {
    const answer = await target.index.for(tenantId).search(request)
    const isIn = (marks: readonly string[] | null) => answer.mark !== null && marks?.includes(answer.mark)
    // The mark may have moved on during the search, more than once.
    if (isIn(known) || isIn(await marksOfWhole(context, target, known[0]))) return answer
  }
  throw new UnavailableError('search', new Error('the index is not whole'), 'incomplete')
}

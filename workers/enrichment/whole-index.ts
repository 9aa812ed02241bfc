import { UnavailableError } from '../../runtime/errors.js'
import type { SearchAnswer, SearchRequest } from '../../search/search-index.js'
import { readMarks } from '../../store/indexing/index-marks.js'
import type { IndexTarget } from '../context.js'
import type { JobContext } from '../jobs.js'

/**
 * Returns the marks that the index of a whole build may have (store/README.md, "Whether an index is whole"); null while it takes no changes:
 * it is not made yet, lost or given up.
 */
export async function marksOfWhole(
  { store }: Pick<JobContext, 'store'>,
  { buildId }: Pick<IndexTarget, 'buildId'>,
): Promise<readonly string[] | null> {
  const { marks, isWhole } = await store.asSystem((system) => readMarks(system, buildId))
  return isWhole ? marks : null
}

/** Searches that may each meet a mark that has just moved. */
const LOOKS = 3

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
  let known = await marksOfWhole(context, target)
  for (let looks = 0; looks < LOOKS && known !== null; looks++) {
    const answer = await target.index.for(tenantId).search(request)
    const isKnown = () => answer.mark !== null && known?.includes(answer.mark)
    if (isKnown()) return answer
    known = await marksOfWhole(context, target)
    if (isKnown()) return answer
  }
  throw new UnavailableError('search', new Error('the index is not whole'), 'incomplete')
}

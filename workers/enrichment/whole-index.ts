import { UnavailableError } from '../../runtime/errors.js'
import type { SearchAnswer, SearchRequest } from '../../search/search-index.js'
import { verifyAnswer } from '../../services/recall/verify-answer.js'
import { readMarks } from '../../store/indexing/index-marks.js'
import type { IndexTarget, JobContext } from '../context.js'

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
  const known = await context.store.asSystem((system) => readMarks(system, target.buildId))
  if (known.isWhole) {
    const answer = await target.index.for(tenantId).search(request)
    const verifying = { store: context.store, indexBuildId: target.buildId }
    if ((await verifyAnswer(verifying, { tenantId }, known, answer)).isWhole) return answer
  }
  throw new UnavailableError('search', new Error('the index is not whole'), 'incomplete')
}

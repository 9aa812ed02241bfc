import { readPublicStats } from './public-stats.js'
import type { Operation } from '../operation.js'

/** The service has no skills yet, so their number is always 0. */
export const getPublicStats: Operation<'getPublicStats'> = async (context) => {
  const counts = await readPublicStats(context)
  return {
    status: 200,
    body: {
      tenant_count: counts.tenants,
      agent_count: counts.agents,
      memory_count: counts.memories,
      document_count: counts.documents,
      keystone_count: counts.keystones,
      active_skill_count: 0,
      recall_count: counts.recalls,
    },
  }
}

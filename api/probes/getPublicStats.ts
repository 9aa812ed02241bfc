import { readPublicStats } from './public-stats.js'
import type { Operation } from '../operation.js'

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
      active_skill_count: counts.activeSkills,
      recall_count: counts.recalls,
    },
  }
}

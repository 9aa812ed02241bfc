import type { components } from '../../contract/types.js'
import { requireTrust } from '../../services/access/trust.js'
import { readRecallStatistics, type RecallFigures } from '../../store/recall-statistics.js'
import type { RecallOwner } from '../../store/recalls.js'
import type { Principal } from '../../domain/principal.js'
import type { Operation } from '../operation.js'
import { recallOwner } from '../recall/recall-owner.js'
import { isoOf, presentSpan, readIntervals } from './read-intervals.js'

/** Says how many recalls there were in each interval and by each agent, how long they took, and what they lacked. */
export const getRecallStats: Operation<'getRecallStats'> = async (context, principal, { query }) => {
  const owner = ownerOf(principal, query.agent_id)
  const bounds = readIntervals(query, context.clock.now())
  const { total, intervals, agents } = await context.store.read(principal, (reader) =>
    readRecallStatistics(reader, owner, bounds),
  )
  const { interval, timezone = 'UTC' } = query
  return {
    status: 200,
    body: {
      interval,
      timezone,
      ...presentSpan(bounds),
      total: presentFigures(total),
      items: intervals.map((figures, i) => ({ start: isoOf(bounds[i]!), ...presentFigures(figures) })),
      agents: agents.map(({ agentId, figures }) => ({ agent_id: agentId, ...presentFigures(figures) })),
    },
  }
}

/** Returns whose recalls are counted: all of them, or one agent's, at trust 3; one's own below. */
function ownerOf(principal: Principal, agentId: string | undefined): RecallOwner {
  if (agentId === undefined) return recallOwner(principal)
  if (agentId !== principal.agentId) requireTrust(principal, 3)
  return { agentId }
}

function presentFigures(figures: RecallFigures): components['schemas']['RecallFigures'] {
  return {
    count: figures.count,
    recall_ms: figures.count === 0 ? null : { p50: figures.p50, p95: figures.p95 },
    empty: figures.empty,
    degraded: figures.degraded,
    degraded_by: { ...figures.degradedBy },
    confidence: { ...figures.confidence },
  }
}

import type { RecallRow } from '../../store/recalls.js'
import { presentActor } from '../audit/present-event.js'
import type { components } from '../../contract/types.js'

/** Returns the contract's record of a stored recall. */
export function presentRecall(tenantId: string, row: RecallRow): components['schemas']['RecallRecord'] {
  return {
    recall_id: row.recallId,
    tenant_id: tenantId,
    at: row.at.toISOString(),
    actor: presentActor({ ...row, kind: row.actorKind }),
    fleet_id: row.fleetId,
    request: row.request,
    memories: row.results.map((result) => ({ ...result, legs: [...result.legs] })),
    memory_count: row.memoryCount,
    degraded: row.degraded,
    recall_ms: row.recallMs,
    confidence: row.confidence,
  }
}

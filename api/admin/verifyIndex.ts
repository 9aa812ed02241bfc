import { readCursor, signCursor } from '../../http/pages.js'
import {
  type ComparedCounts,
  verifyIndex as verify,
  type VerifyPosition,
} from '../../services/indexing/verify-index.js'
import type { Operation } from '../operation.js'

/** Answers after some seconds of work; what is left is compared by the next request, with its cursor. */
export const verifyIndex: Operation<'verifyIndex'> = async (context, _caller, { body, signal }) => {
  const { tenant_id: tenantId, sample, seed = 0, repair = false, cursor } = body
  const binding = { operation: 'verifyIndex', tenant: tenantId ?? '', sample, seed }
  const { memories, documents, differences, enqueued, next } = await verify(context, {
    tenantId,
    sample,
    seed,
    repairs: repair,
    from: cursor === undefined ? undefined : readCursor<VerifyPosition>(context.cursorSecret, binding, cursor),
    signal,
  })
  return {
    status: 200,
    body: {
      memories: presentCounts(memories),
      documents: presentCounts(documents),
      differences: differences.map((found) => ({
        tenant_id: found.tenantId,
        corpus: found.corpus,
        id: found.id,
        difference: found.difference,
      })),
      enqueued,
      next_cursor: next === null ? null : signCursor(context.cursorSecret, binding, next),
    },
  }
}

function presentCounts({ rows, entries, inFlight }: ComparedCounts) {
  return { rows, entries, in_flight: inFlight }
}

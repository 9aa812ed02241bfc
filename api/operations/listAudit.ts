import { listAuditEvents } from '../../store/audit.js'
import { presentEvent } from '../audit/present-event.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'

export const listAudit: Operation<'listAudit'> = async (context, principal, { query }) => {
  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { tenant: principal.tenantId, operation: 'listAudit', ...filters }
  const rows = await context.store.read(principal, (reader) =>
    listAuditEvents(reader, {
      action: query.action,
      agentId: query.agent_id,
      subjectId: query.subject_id,
      after: query.after === undefined ? undefined : new Date(query.after),
      before: query.before === undefined ? undefined : new Date(query.before),
      beyond: cursor === undefined ? undefined : readCursor<number>(context.cursorSecret, binding, cursor),
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1)!.id : null
  return {
    status: 200,
    body: {
      items: items.map((row) => presentEvent(principal.tenantId, row)),
      next_cursor: last === null ? null : signCursor(context.cursorSecret, binding, last),
    },
  }
}

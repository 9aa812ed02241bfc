import { listAuditEvents } from '../../store/audit.js'
import { presentEvent } from './present-event.js'
import type { Operation } from '../operation.js'
import { dateOf, readPage } from '../../http/pages.js'

export const listAudit: Operation<'listAudit'> = async (context, principal, { query }) => {
  const { tenantId } = principal
  const page = readPage<number>(context.cursorSecret, { tenant: tenantId, operation: 'listAudit' }, query)
  const rows = await context.store.read(principal, (reader) =>
    listAuditEvents(reader, {
      action: query.action,
      agentId: query.agent_id,
      subjectId: query.subject_id,
      after: dateOf(query.after),
      before: dateOf(query.before),
      beyond: page.after,
      limit: page.rows,
    }),
  )
  const { shown, next } = page.cut(rows, (row) => row.id)
  return { status: 200, body: { items: shown.map((row) => presentEvent(tenantId, row)), next_cursor: next } }
}

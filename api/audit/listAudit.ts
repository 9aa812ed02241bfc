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
      laterThan: dateOf(query.after),
      earlierThan: dateOf(query.before),
      ...page.keyset,
    }),
  )
  return page.answer(rows, { positionOf: (row) => row.id, present: (row) => presentEvent(tenantId, row) })
}

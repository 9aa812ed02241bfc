import { audienceOf } from '../../domain/visibility.js'
import { listRecalls as selectRecalls } from '../../store/recalls.js'
import { readCursor, signCursor } from '../cursors.js'
import type { Operation } from '../operation.js'
import { presentRecall } from '../recall/present-recall.js'

export const listRecalls: Operation<'listRecalls'> = async (context, principal, { query }) => {
  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { tenant: principal.tenantId, operation: 'listRecalls', ...filters }
  const rows = await context.store.read(principal, (reader) =>
    selectRecalls(reader, audienceOf(principal, 'all'), {
      agentId: query.agent_id,
      degraded: query.degraded,
      after: query.after === undefined ? undefined : new Date(query.after),
      before: query.before === undefined ? undefined : new Date(query.before),
      beyond: cursor === undefined ? undefined : readCursor<string>(context.cursorSecret, binding, cursor),
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1)!.recallId : null
  return {
    status: 200,
    body: {
      items: items.map((row) => presentRecall(principal.tenantId, row)),
      next_cursor: last && signCursor(context.cursorSecret, binding, last),
    },
  }
}

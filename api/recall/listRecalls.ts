import { audienceOf } from '../../domain/visibility.js'
import { listRecalls as selectRecalls } from '../../store/recalls.js'
import type { Operation } from '../operation.js'
import { dateOf, readPage } from '../../http/pages.js'
import { presentRecall } from './present-recall.js'

export const listRecalls: Operation<'listRecalls'> = async (context, principal, { query }) => {
  const { tenantId } = principal
  const page = readPage<string>(context.cursorSecret, { tenant: tenantId, operation: 'listRecalls' }, query)
  const rows = await context.store.read(principal, (reader) =>
    selectRecalls(reader, audienceOf(principal, 'all'), {
      agentId: query.agent_id,
      degraded: query.degraded,
      after: dateOf(query.after),
      before: dateOf(query.before),
      beyond: page.after,
      limit: page.rows,
    }),
  )
  const { shown, next } = page.cut(rows, (row) => row.recallId)
  return { status: 200, body: { items: shown.map((row) => presentRecall(tenantId, row)), next_cursor: next } }
}

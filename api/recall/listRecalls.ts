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
      laterThan: dateOf(query.after),
      earlierThan: dateOf(query.before),
      ...page.keyset,
    }),
  )
  return page.answer(rows, { positionOf: (row) => row.recallId, present: (row) => presentRecall(tenantId, row) })
}

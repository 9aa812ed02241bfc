import { nameKey } from '../../domain/text/memory-text.js'
import { audienceOf } from '../../domain/visibility.js'
import { listEntities as selectEntities } from '../../store/entities.js'
import { presentEntity } from './present-entity.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listEntities: Operation<'listEntities'> = async (context, principal, { query }) => {
  const { tenantId } = principal
  const page = readPage<string>(context.cursorSecret, { tenant: tenantId, operation: 'listEntities' }, query)
  const rows = await context.store.read(principal, (reader) =>
    selectEntities(reader, audienceOf(principal), {
      words: query.query === undefined ? [] : nameKey(query.query).split(' '),
      entityType: query.entity_type,
      after: page.after,
      limit: page.rows,
    }),
  )
  const { shown, next } = page.cut(rows, (row) => row.nameKey)
  return { status: 200, body: { items: shown.map((row) => presentEntity(tenantId, row)), next_cursor: next } }
}

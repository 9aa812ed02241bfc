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
      ...page.keyset,
    }),
  )
  return page.answer(rows, { positionOf: (row) => row.nameKey, present: (row) => presentEntity(tenantId, row) })
}

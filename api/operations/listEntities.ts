import { nameKey } from '../../domain/text/memory-text.js'
import { audienceOf } from '../../domain/visibility.js'
import { listEntities as selectEntities } from '../../store/entities.js'
import { readCursor, signCursor } from '../cursors.js'
import { presentEntity } from '../entities/present-entity.js'
import type { Operation } from '../operation.js'

export const listEntities: Operation<'listEntities'> = async (context, principal, { query }) => {
  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { tenant: principal.tenantId, operation: 'listEntities', ...filters }
  const after = cursor === undefined ? undefined : readCursor<string>(context.cursorSecret, binding, cursor)
  const rows = await context.store.read(principal, (reader) =>
    selectEntities(reader, audienceOf(principal), {
      words: query.query === undefined ? [] : nameKey(query.query).split(' '),
      entityType: query.entity_type,
      after,
      limit: limit + 1,
    }),
  )
  const items = rows.slice(0, limit)
  const next = rows.length > limit ? signCursor(context.cursorSecret, binding, items.at(-1)!.nameKey) : null
  return { status: 200, body: { items: items.map((row) => presentEntity(principal.tenantId, row)), next_cursor: next } }
}

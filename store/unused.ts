import { type RawBuilder, sql } from 'kysely'
import { anyOf } from './conditions.js'
import { leaveThings, lockThings } from './entity-merges.js'
import { isTextInUse } from './vectors.js'
import type { Writer } from './store.js'

/** Removes those vectors whose text no memory and no document has any more. */
export async function removeUnusedVectors(writer: Writer, textHashes: readonly Buffer[]): Promise<void> {
  if (textHashes.length === 0) return
  await writer.db
    .deleteFrom('vectors as v')
    .where('v.tenant_id', '=', writer.tenantId)
    .where('v.text_hash', '=', anyOf(textHashes))
    .where(isUnusedVector('v'))
    .execute()
}

/** Returns the condition that nothing has the text of the vectors under this alias any more. */
export function isUnusedVector(alias: 'v' | 'u' | 't'): RawBuilder<boolean> {
  return sql<boolean>`not ${isTextInUse(sql.ref(`${alias}.tenant_id`), sql.ref(`${alias}.text_hash`))}`
}

/**
 * Removes those of the entities that no memory names any more, and returns how many stay. Two statements: the first waits for whoever is
 * linking one of them, and keeps everybody else from it; only then can the second see that none is left. Those that are names of a thing leave it. `isErased` is for the erasure of
 * an entity itself, which removes it before it has ended.
 */
export async function removeUnusedEntities(
  writer: Writer,
  ids: readonly string[],
  { isErased = false }: { readonly isErased?: boolean } = {},
): Promise<number> {
  if (ids.length === 0) return 0
  const { db, tenantId } = writer
  await lockThings(writer, ids)
  const there = await db
    .selectFrom('entities')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute()
  const removed = await db
    .deleteFrom('entities as e')
    .where('e.tenant_id', '=', tenantId)
    .where('e.id', '=', anyOf(ids))
    .where(isErased ? IS_UNREFERENCED : IS_UNUSED)
    .returning(['e.id', 'e.merged_into', 'e.thing_id'])
    .execute()
  await leaveThings(writer, removed)
  return there.length - removed.length
}

/** Is true of an entity e that no memory is linked to and that is no memory's subject. */
const IS_UNREFERENCED = sql<boolean>`(
  not exists (select from entity_links l where l.tenant_id = e.tenant_id and l.entity_id = e.id)
  and not exists (select from memories m where m.tenant_id = e.tenant_id and m.subject_entity_id = e.id))`

/** Is false of the entity of an erasure that has not ended: a text that is still to be read would make another one of the same name. */
const IS_UNUSED = sql<boolean>`${IS_UNREFERENCED} and not exists (
  select from erasures r where r.tenant_id = e.tenant_id and r.hash = '' and r.selector ->> 'subjectEntityId' = e.id::text)`

/**
 * Removes up to `limit` entities and up to `limit` vectors of the tenant that changes of texts and links have left
 * unused: nobody sees them, but they reveal what a text said. Returns whether there may be more. Scans all of the
 * tenant's rows; meant for erasures.
 */
export async function sweepUnused(writer: Writer, limit: number): Promise<boolean> {
  const { tenantId, db } = writer
  const entities = await db
    .selectFrom('entities as e')
    .select('e.id')
    .where('e.tenant_id', '=', tenantId)
    .where(IS_UNUSED)
    .orderBy('e.id')
    .limit(limit)
    .execute()
  await removeUnusedEntities(
    writer,
    entities.map(({ id }) => id),
  )
  const { rows: vectors } = await sql`
    delete from vectors v using (
      select u.text_hash, u.model from vectors u
      where u.tenant_id = ${tenantId} and ${isUnusedVector('u')}
      order by u.text_hash, u.model limit ${limit} for update of u
    ) unused
    where v.tenant_id = ${tenantId} and v.text_hash = unused.text_hash and v.model = unused.model returning 1`.execute(
    db,
  )
  return Math.max(entities.length, vectors.length) === limit
}

import { type RawBuilder, sql } from 'kysely'
import { isHeld } from '../indexing/vectors.js'
import type { Writer } from '../store.js'
import { NAMED_BY_NOBODY } from './unread.js'

/** Removes those vectors whose text no memory and no document has any more. */
export async function removeUnusedVectors(writer: Writer, textHashes: readonly Buffer[]): Promise<void> {
  if (textHashes.length === 0) return
  await sql`
    delete from vectors v where v.tenant_id = ${writer.tenantId} and v.text_hash = any(${textHashes as Buffer[]}::bytea[])
      and ${hasNoText('v')}`.execute(writer.db)
}

/** Of vectors under this alias: nothing has their text any more. */
export function hasNoText(alias: 'v' | 'u' | 't'): RawBuilder<boolean> {
  return sql<boolean>`not ${isHeld(sql.ref(`${alias}.tenant_id`), sql.ref(`${alias}.text_hash`))}`
}

/**
 * Removes those entities that no memory names any more. Two statements: the first waits for whoever is linking one of them, and keeps
 * everybody else from it; only then can the second see that none is left.
 */
export async function removeUnusedEntities(writer: Writer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    select from entities where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[])
    order by id for update`.execute(writer.db)
  await sql`
    delete from entities e where e.tenant_id = ${writer.tenantId} and e.id = any(${ids as string[]}::uuid[])
      and ${IS_UNUSED}`.execute(writer.db)
}

/** Is false of the entity of an erasure that has not ended: a text that is still to be read would make another one of the same name. */
const IS_UNUSED = sql`${NAMED_BY_NOBODY} and not exists (
  select from erasures r where r.tenant_id = e.tenant_id and r.hash = '' and r.selector ->> 'subjectEntityId' = e.id::text)`

/**
 * Removes up to `limit` of the tenant's entities and as many of its vectors that changes of texts and links have left behind: nobody sees
 * them, but they hold what a text said. Returns whether there may be more. Reads all of the tenant's: for erasures.
 */
export async function sweepUnused(writer: Writer, limit: number): Promise<boolean> {
  const { tenantId, db } = writer
  const { rows: entities } = await sql<{ id: string }>`
    select e.id from entities e where e.tenant_id = ${tenantId} and ${IS_UNUSED} order by e.id limit ${limit}`.execute(
    db,
  )
  await removeUnusedEntities(
    writer,
    entities.map(({ id }) => id),
  )
  const { rows: vectors } = await sql`
    delete from vectors v using (
      select u.text_hash, u.model from vectors u
      where u.tenant_id = ${tenantId} and ${hasNoText('u')}
      order by u.text_hash, u.model limit ${limit} for update of u
    ) unused
    where v.tenant_id = ${tenantId} and v.text_hash = unused.text_hash and v.model = unused.model returning 1`.execute(
    db,
  )
  return Math.max(entities.length, vectors.length) === limit
}

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { anyOf } from './conditions.js'
import { LOCKS } from './locks.js'
import type { Writer } from './store.js'

/** Names that one thing has at most. */
export const MOST_NAMES = 20

/** An entity as one name of a thing. */
interface Name {
  readonly id: string
  readonly merged_into: string | null
  readonly thing_id: string | null
}

/**
 * Merges an entity, with those that are merged into it, into another. Returns why it is not: it was `merged before` into this one, or into another one (`merged
 * elsewhere`), both are `one thing` already, the thing would have `too many` names, or one of the two is gone (`unknown`). Ids are in lower case.
 */
export async function mergeEntity(
  writer: Writer,
  id: string,
  into: string,
): Promise<'merged' | 'merged before' | 'merged elsewhere' | 'one thing' | 'too many' | 'unknown'> {
  const names = await lockNames(writer, [id, into])
  const [one, other] = [id, into].map((wanted) => names.find((name) => name.id === wanted))
  if (!one || !other) return 'unknown'
  if (one.merged_into === into) return 'merged before'
  if (id === into || (one.thing_id !== null && one.thing_id === other.thing_id)) return 'one thing'
  if (one.merged_into !== null) return 'merged elsewhere'
  if (names.length > MOST_NAMES) return 'too many'
  await update(writer, names, { thing_id: randomUUID() })
  await update(writer, [one], { merged_into: into })
  return 'merged'
}

/** Undoes a merge: takes an entity, with those that are merged into it, out of its thing. Returns false when it is merged into none. */
export async function splitEntity(writer: Writer, id: string): Promise<boolean> {
  const names = await lockNames(writer, [id])
  const leaving = withMerged(names, id)
  const [one] = leaving
  if (one === undefined || one.merged_into === null) return false
  const staying = names.filter((name) => !leaving.includes(name))
  for (const part of [leaving, staying]) await update(writer, part, { thing_id: part.length > 1 ? randomUUID() : null })
  await update(writer, [one], { merged_into: null })
  return true
}

/**
 * Keeps merges and splits from entities that are names of things and may be removed: call it before any other lock on them. One that is merged meanwhile is kept by the lock on
 * its row.
 */
export async function lockThings(writer: Writer, ids: readonly string[]): Promise<void> {
  const merged = await writer.db
    .selectFrom('entities')
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', anyOf(ids))
    .where('thing_id', 'is not', null)
    .limit(1)
    .execute()
  if (merged.length > 0) await lockNames(writer, ids)
}

/**
 * Takes entities that were removed out of their things. What was merged into one of them is merged into what that one was merged into, else into the first of
 * them: the rest stays one thing. The last name of a thing is merged with none.
 */
export async function leaveThings(writer: Writer, removed: readonly Name[]): Promise<void> {
  const things = [...new Set(removed.flatMap(({ thing_id: thing }) => thing ?? []))]
  if (things.length === 0) return
  const left = await writer.db
    .selectFrom('entities')
    .select(['id', 'merged_into', 'thing_id'])
    .where('tenant_id', '=', writer.tenantId)
    .where('thing_id', '=', anyOf(things))
    .orderBy('id')
    .execute()
  const names = new Map([...left, ...removed].map((name) => [name.id, { ...name }]))
  for (const { id } of removed) {
    const { merged_into: parent } = names.get(id)!
    names.delete(id)
    const [first, ...others] = [...names.values()].filter(({ merged_into: into }) => into === id)
    if (first !== undefined) first.merged_into = parent
    for (const other of others) other.merged_into = parent ?? first!.id
  }
  for (const thing of things) {
    const [name, another] = [...names.values()].filter(({ thing_id: its }) => its === thing)
    if (name !== undefined && another === undefined) name.thing_id = name.merged_into = null
  }
  for (const before of left) {
    const { id: _, ...values } = names.get(before.id)!
    if (values.merged_into !== before.merged_into || values.thing_id !== before.thing_id)
      await update(writer, [before], values)
  }
}

/**
 * Locks entities with all other names of their things, and returns them. One transaction of a tenant at a time changes which names are one thing: it
 * locks names that it has not read when it begins. Writers that link an entity are not waited for.
 */
async function lockNames({ db, tenantId }: Writer, ids: readonly string[]): Promise<Name[]> {
  await sql`select pg_advisory_xact_lock(${LOCKS.entityMerges}::int, hashtext(${tenantId}))`.execute(db)
  const { rows } = await sql<Name>`
    with asked as materialized (
      select id, thing_id from entities where tenant_id = ${tenantId} and id = any(${ids as string[]}::uuid[])
    ), named as materialized (
      select id from asked union
      select g.id from asked join entities g on g.tenant_id = ${tenantId} and g.thing_id = asked.thing_id
    )
    select id, merged_into, thing_id from entities where tenant_id = ${tenantId} and id = any(array(select id from named))
    order by id for no key update`.execute(db)
  // A process of the earlier release removes an entity, and leaves what was merged into it.
  const isThere = (id: string | null) => rows.some((name) => name.id === id)
  return rows.map((name) => (isThere(name.merged_into) ? name : { ...name, merged_into: null }))
}

/** Returns a name, and those that are merged into it. */
function withMerged(names: readonly Name[], id: string): Name[] {
  const found = names.filter((name) => name.id === id)
  for (const parent of found) found.push(...names.filter(({ merged_into: into }) => into === parent.id))
  return found
}

async function update(
  { db, tenantId }: Writer,
  names: readonly Name[],
  values: Partial<Omit<Name, 'id'>>,
): Promise<void> {
  const ids = names.map(({ id }) => id)
  await db.updateTable('entities').set(values).where('tenant_id', '=', tenantId).where('id', '=', anyOf(ids)).execute()
}

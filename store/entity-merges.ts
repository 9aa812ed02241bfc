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
 * Merges an entity, with those that are merged into it, into another. Returns why it is not: `merged before` into the same one, into another
 * (`merged elsewhere`), in one `cycle` or as siblings of one thing, or because the thing had `too many` names; `unknown` when one of the two is gone.
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
  await setThing(writer, names, randomUUID())
  await setMergedInto(writer, id, into)
  return 'merged'
}

/** Undoes a merge: takes an entity, with those that are merged into it, out of its thing. Returns false when it is merged into none. */
export async function splitEntity(writer: Writer, id: string): Promise<boolean> {
  const names = await lockNames(writer, [id])
  const leaving = withMerged(names, id)
  const staying = names.filter((name) => !leaving.includes(name))
  if (staying.length === 0) return false
  for (const part of [leaving, staying]) await setThing(writer, part, part.length > 1 ? randomUUID() : null)
  await setMergedInto(writer, id, null)
  return true
}

/** Takes removed entities out of those that were merged into them, which stay names of one thing. */
export async function forgetMerges({ db, tenantId }: Writer, removed: readonly Name[]): Promise<void> {
  const things = removed.flatMap(({ thing_id: thing }) => thing ?? [])
  if (things.length === 0) return
  await db
    .updateTable('entities')
    .set({ merged_into: null })
    .where('tenant_id', '=', tenantId)
    .where('thing_id', '=', anyOf(things))
    .where('merged_into', '=', anyOf(removed.map(({ id }) => id)))
    .execute()
}

/**
 * Locks entities with all other names of their things, and returns them. One merge or split of a tenant runs at a time: each changes names that it
 * has not read yet when it begins. Writers that link an entity are not waited for.
 */
async function lockNames({ db, tenantId }: Writer, ids: readonly string[]): Promise<Name[]> {
  await sql`select pg_advisory_xact_lock(${LOCKS.entityMerges}::int, hashtext(${tenantId}))`.execute(db)
  const { rows } = await sql<Name>`
    select id, merged_into, thing_id from entities where tenant_id = ${tenantId} and (id = any(${ids as string[]}::uuid[])
      or thing_id in (select thing_id from entities where tenant_id = ${tenantId} and id = any(${ids as string[]}::uuid[])))
    order by id for no key update`.execute(db)
  return rows
}

function withMerged(names: readonly Name[], id: string): Name[] {
  const found = names.filter((name) => name.id === id)
  for (const parent of found) found.push(...names.filter(({ merged_into: into }) => into === parent.id))
  return found
}

async function setThing({ db, tenantId }: Writer, names: readonly Name[], thing: string | null): Promise<void> {
  await db
    .updateTable('entities')
    .set({ thing_id: thing })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(names.map(({ id }) => id)))
    .execute()
}

async function setMergedInto({ db, tenantId }: Writer, id: string, into: string | null): Promise<void> {
  await db
    .updateTable('entities')
    .set({ merged_into: into })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

import { sql } from 'kysely'
import type { RecallFilter } from '../../domain/recall-filter.js'
import type { Tail } from '../outbox/pending-tail.js'
import type { Reader } from '../store.js'
import { versionsKnownAt } from './known-at.js'
import { passes } from './recall-conditions.js'

export interface ChangedMemories {
  /** Memories whose version of the moment passes the filter: those that have most of the query's terms first. */
  readonly ids: readonly string[]
  /** False when there are more than `limit`, or more than are read. */
  readonly complete: boolean
}

/** Former versions of a tenant that one recall reads, hidden ones too. */
const MAX_READ = 5_000
/** Terms, and characters of a former text, that are compared to say which come first. */
const [MAX_TERMS, MAX_CHARACTERS] = [16, 2_000]

/** Reads which memories have changed since the moment of the filter. The index has only what they are now. */
export async function readChanged(
  { db, tenantId }: Reader,
  { filter, terms }: { readonly filter: RecallFilter; readonly terms: readonly string[] },
  limit: number,
): Promise<ChangedMemories> {
  const { audience, knownAt } = filter
  const known = { at: new Date(knownAt!), audience }
  const { rows } = await sql<{ read: number; ids: string[] }>`
    with versions as materialized (
      select * from memory_versions v where v.tenant_id = ${tenantId} and v.known_from <= ${known.at} and v.known_until > ${known.at}
      order by v.known_until limit ${MAX_READ + 1}
    ), passing as (
      select m.id, v.known_until, (
        select count(*) from unnest(${terms.slice(0, MAX_TERMS)}::text[]) as asked(term) where strpos(said.words, asked.term) > 0) as matches
      from versions v ${versionsKnownAt(tenantId, known)} cross join lateral (
        select lower(left(concat_ws(' ', m.title, m.content), ${MAX_CHARACTERS})) as words offset 0
      ) said where ${passes(filter)}
      order by matches desc, v.known_until, m.id limit ${limit + 1}
    )
    select (select count(*)::int from versions) as read,
      coalesce((select array_agg(id::text order by matches desc, known_until, id) from passing), '{}') as ids`.execute(
    db,
  )
  const { read, ids } = rows[0]!
  return { ids: ids.slice(0, limit), complete: read <= MAX_READ && ids.length <= limit }
}

/** Adds to the tail what has changed since the moment of the query: the index has another form of it, which may take the place of another hit. */
export function withChanged(tail: Tail, changed: ChangedMemories): Tail {
  const ids = [...new Set([...changed.ids, ...tail.ids])]
  return { ...tail, ids, stale: tail.stale + changed.ids.length, complete: tail.complete && changed.complete }
}

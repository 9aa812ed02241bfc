import { type RawBuilder, sql } from 'kysely'
import type { Audience } from '../../domain/visibility.js'
import type { Keyset } from '../keyset.js'
import type { Reader, System } from '../store.js'
import { visibleTo } from './audience.js'
import { readEntityLinks } from './entity-links.js'
import { FORMER_ROW } from './known-at.js'
import { type MemoryRow, type RowWithoutLinks, selectMemories, withLinks } from './read-memories.js'

interface Known {
  readonly knownFrom: Date
  /** Null for the present version. */
  readonly knownUntil: Date | null
}

/** A memory as it was, or is, in one of its versions. */
export interface MemoryVersionRow extends MemoryRow, Known {}

/**
 * Returns the versions of a memory, newest first, the present one among them: those that the audience could see at the visibility that they had.
 * The caller has made sure that it may see the memory now. Links to entities are the present ones.
 */
export async function listVersions(
  reader: Reader,
  audience: Audience,
  id: string,
  { after, limit }: Keyset<number>,
): Promise<MemoryVersionRow[]> {
  const beyond = after === undefined ? sql`true` : sql`m.number < ${after}`
  const selected = selectVersions(reader, audience, id, beyond)
  const { rows } = await sql<RowWithoutLinks & Known>`${selected} order by m.number desc limit ${limit}`.execute(
    reader.db,
  )
  if (rows.length === 0) return []
  return withLinks(rows, await readEntityLinks(reader, [id], audience)) as MemoryVersionRow[]
}

/** Returns one version of a memory, like `listVersions`; undefined when it is not kept or hidden from the audience. */
export async function findVersion(
  reader: Reader,
  audience: Audience,
  id: string,
  version: number,
): Promise<RowWithoutLinks | undefined> {
  const { rows } = await selectVersions(reader, audience, id, sql`m.number = ${version}`).execute(reader.db)
  return rows[0]
}

function selectVersions(
  reader: Reader,
  audience: Audience,
  id: string,
  condition: RawBuilder<unknown>,
): RawBuilder<RowWithoutLinks & Known> {
  const { tenantId } = reader
  const versions = sql`(
    select m.*, m.version - m.service_fills as number, coalesce(m.known_since, m.updated_at) as began, null::timestamptz as ended
    from memories m where m.tenant_id = ${tenantId} and m.id = ${id}
    union all
    select was.*, v.version, v.known_from, v.known_until from memory_versions v cross join lateral ${FORMER_ROW} was
    where v.tenant_id = ${tenantId} and v.memory_id = ${id})`
  return selectMemories(reader, audience, [visibleTo(audience), condition], {
    from: versions,
    columns: sql`, m.began as "knownFrom", m.ended as "knownUntil"`,
    supersededBefore: sql`(m.ended is null or s.created_at < m.ended)`,
  }) as RawBuilder<RowWithoutLinks & Known>
}

/** Removes up to `limit` former versions whose tenant has kept them for as long as it keeps deleted memories; returns how many. Waits for nobody. */
export async function purgeVersions({ db }: System, now: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from memory_versions v using (
      select due.tenant_id, due.memory_id, due.version from tenants t cross join lateral (
        select * from memory_versions v where v.tenant_id = t.tenant_id
          and v.known_until <= ${now}::timestamptz - t.retention_days * interval '1 day'
        order by v.known_until limit ${limit} for update skip locked
      ) due limit ${limit}
    ) due
    where v.tenant_id = due.tenant_id and v.memory_id = due.memory_id and v.version = due.version returning 1`.execute(
    db,
  )
  return rows.length
}

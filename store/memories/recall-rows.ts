import { type RawBuilder, sql } from 'kysely'
import type { ChainLink } from '../../domain/answers/compose.js'
import type { NeighbourOffset } from '../../domain/ranking/pool.js'
import { minuteOf, type RecallFilter } from '../../domain/recall-filter.js'
import { readPendingTail, type Tail } from '../outbox/pending-tail.js'
import type { Reader } from '../store.js'
import { uuids } from '../rows-by-id.js'
import { isUnchangedSince } from './known-at.js'
import { meets, memoryRow, passes, seenBy } from './recall-conditions.js'

/** A row that passes the filter now, whatever the index said. What ranking reads of it is fixed by its version (`ScoredColumns`). */
export interface CandidateRow {
  readonly id: string
  readonly version: number
  /** Ids of the entities that the query names and the memory is linked to. */
  readonly matchedEntityIds: readonly string[]
}

/** A neighbour in the run of another row. */
export interface NeighbourRow {
  readonly row: CandidateRow
  /** The row beside which it was found. */
  readonly sourceId: string
  /** Its place: -2 and -1 come before the source, 1 and 2 after it, among rows that the caller may see. */
  readonly offset: NeighbourOffset
}

interface CandidateRequest {
  /** Rows whose neighbours are read too, whether they pass the filter or not; they are candidates like the ids. */
  readonly sources: readonly string[]
  /** Entities that the query names. */
  readonly entityIds: readonly string[]
}

/**
 * Reads rows that the index and the pending tail found: leaves out those that are deleted, hidden or filtered out, or
 * belong to another tenant. What a version fixes is read apart, by `readStoredTexts`, because the caller has most of it cached.
 *
 * Beside each visible source it reads the visible rows at most two positions away in its run, ordered by ts_valid_start,
 * else created_at, then id, as far as they pass the filter. Hidden rows are not counted as positions: they would show in
 * the scores of the rows beside them. A row that has several sources beside it comes once for each. Of rows at another moment, those that have
 * changed since are beside none.
 *
 * All rows come as one text: the driver takes longer for the messages of 250 rows than for the rest of the statement.
 */
export async function readCandidates(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
  { sources, entityIds }: CandidateRequest,
): Promise<{ found: CandidateRow[]; beside: NeighbourRow[] }> {
  const first = new Set(sources)
  const asked = [...new Set([...first, ...ids])]
  if (asked.length === 0) return { found: [], beside: [] }
  const { tenantId } = reader
  const columns = sql`concat_ws(' ', m.id, m.version, ((${meets(filter)}) is true)::int, ${matchedEntities(entityIds)})`
  const seen = seenBy(filter.audience)
  const unchanged = filter.knownAt === undefined ? sql`` : sql`and ${isUnchangedSince(new Date(filter.knownAt))}`
  const beside = (comparison: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`array_to_string(array(
      select ${columns} from memories m where m.tenant_id = ${tenantId} and m.run_id = source.run_id and ${seen} ${unchanged}
        and (m.run_at, m.id) ${comparison} (source.run_at, source.id)
      order by m.run_at ${order}, m.id ${order} limit 2), ',')`
  const { rows } = await sql<{ read: string | null }>`
    select string_agg(case when source.place > ${first.size} or source.run_id is null then source.columns
      else concat_ws(';', source.columns, ${beside(sql`<`, sql`desc`)}, ${beside(sql`>`, sql`asc`)}) end, E'\n') as read
    from (
      select asked.place, m.id, m.run_id, m.run_at, ${columns} as columns
      from unnest(${uuids(asked)}) with ordinality as asked(id, place)
        cross join lateral ${memoryRow(filter, tenantId, sql`asked.id`)} m
      where ${seen}
    ) source`.execute(reader.db)
  return parseCandidates(rows[0]?.read?.split('\n') ?? [])
}

/**
 * Parses lines of `row` or `row;before;after`, where `before` and `after` are rows separated by commas, the nearest first. A row is
 * `id version passes entity…`: an id is a UUID of 36 characters, `passes` is 1 or 0.
 */
function parseCandidates(lines: readonly string[]): { found: CandidateRow[]; beside: NeighbourRow[] } {
  const found: CandidateRow[] = []
  const beside: NeighbourRow[] = []
  for (const line of lines) {
    const [own, before = '', after = ''] = line.split(';')
    const sourceId = own!.slice(0, ID_LENGTH)
    const source = parseRow(own!)
    if (source !== null) found.push(source)
    for (const [listed, offsets] of [
      [before, [-1, -2]],
      [after, [1, 2]],
    ] as const) {
      if (listed === '') continue
      listed.split(',').forEach((text, i) => {
        const row = parseRow(text)
        if (row !== null) beside.push({ row, sourceId, offset: offsets[i]! })
      })
    }
  }
  return { found, beside }
}

const ID_LENGTH = 36

/** Parses a row; null when it fails the filter. */
function parseRow(text: string): CandidateRow | null {
  const versionEnd = text.indexOf(' ', ID_LENGTH + 1)
  if (text[versionEnd + 1] !== '1') return null
  const entities = text.slice(versionEnd + 3)
  return {
    id: text.slice(0, ID_LENGTH),
    version: Number(text.slice(ID_LENGTH + 1, versionEnd)),
    matchedEntityIds: entities === '' ? NONE : entities.split(' '),
  }
}

const NONE: readonly string[] = []

/** Supersessions of each memory that are followed, the latest ones, and of all together. */
const MAX_SUCCESSORS = 10
const MAX_LINKS = 60

export interface Successors {
  /** Links to what superseded these memories, and to what superseded that, as far as the audience sees it. */
  readonly links: readonly ChainLink[]
  /** Rows of the successors that pass the filter. */
  readonly rows: readonly CandidateRow[]
}

/** Reads what superseded these memories, step by step over memories that the audience sees. */
export async function readSuccessors(
  reader: Reader,
  filter: RecallFilter,
  ids: readonly string[],
): Promise<Successors> {
  const { tenantId } = reader
  const since = filter.knownAt === undefined ? sql`` : sql`and s.created_at <= ${new Date(filter.knownAt)}`
  const after = (id: RawBuilder<unknown>) => sql`
    cross join lateral (
      select s.old_id, s.new_id, s.reason from supersessions s cross join lateral ${memoryRow(filter, tenantId, sql`s.new_id`)} m
      where s.tenant_id = ${tenantId} and s.old_id = ${id} and s.old_status = 'outdated' and ${seenBy(filter.audience)} ${since}
      order by s.created_at desc, s.new_id limit ${MAX_SUCCESSORS}
    ) s`
  const { rows } = await sql<ChainLink & { readonly version: number; readonly passes: boolean | null }>`
    with recursive later as (
      select s.* from unnest(${uuids(ids)}) as asked(id) ${after(sql`asked.id`)}
      union select s.* from later ${after(sql`later.new_id`)}
    ), links as materialized (select * from later limit ${MAX_LINKS})
    select s.old_id as "oldId", s.new_id as "newId", m.version, ${meets(filter)} as passes,
      case when s.reason = 'explicit' then 'superseded' else 'contradicted' end as why
    from links s cross join lateral ${memoryRow(filter, tenantId, sql`s.new_id`)} m`.execute(reader.db)
  const passing = rows.filter(({ passes }) => passes === true)
  return {
    links: rows.map(({ oldId, newId, why }) => ({ oldId, newId, why })),
    rows: [...new Map(passing.map(({ newId: id, version }) => [id, { id, version, matchedEntityIds: NONE }])).values()],
  }
}

/** Reads pending memories (`readPendingTail`). */
export function readTail(reader: Reader, filter: RecallFilter, limit: number): Promise<Tail> {
  const { tenantId } = reader
  const row = sql`${memoryRow(filter, tenantId, sql`p.entity_id`)} m`
  const hasJustExpired = sql<boolean>`exists (select from memories m where m.tenant_id = ${tenantId} and m.status <> 'deleted'
    and m.expires_at > ${new Date(minuteOf(filter.now))} and m.expires_at <= ${new Date(filter.now)})`
  return readPendingTail(reader, 'memory', { row, passing: passes(filter), hasJustExpired }, limit)
}

/** Returns the ids of the newest rows, for use while the search engine is unavailable. */
export async function readNewest(reader: Reader, filter: RecallFilter, limit: number): Promise<string[]> {
  const rows = await reader.db
    .selectFrom('memories as m')
    .select('m.id')
    .where('m.tenant_id', '=', reader.tenantId)
    .where(passes(filter))
    .orderBy('m.created_at', 'desc')
    .orderBy('m.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the ids of the entities that memory m is linked to among these, in their order, separated by spaces; null or empty when there are none. */
function matchedEntities(entityIds: readonly string[]): RawBuilder<unknown> {
  if (entityIds.length === 0) return sql`null`
  // The index has them in order: an aggregate of distinct ones would sort those of each row.
  return sql`array_to_string(array(select distinct l.entity_id from entity_links l
    where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = any(${entityIds as string[]}::uuid[])
    order by l.entity_id), ' ')`
}

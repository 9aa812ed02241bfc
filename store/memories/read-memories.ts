import { type RawBuilder, sql } from 'kysely'
import type { EntityLink } from '../../domain/memory.js'
import { type Memory, MEMORY_MEMBERS } from '../../domain/memory-fields.js'
import type { Audience } from '../../domain/visibility.js'
import type { SupersessionReason } from '../schema.js'
import type { Reader } from '../store.js'
import { visibleTo } from './audience.js'
import { selectColumns } from './columns.js'
import { readEntityLinks } from './entity-links.js'
import { type MemorySource, sourceKnownAt } from './known-at.js'

/** A memory with its columns from other tables: everything that a response shows. */
export interface MemoryRow extends Memory {
  readonly agentDisplayName: string | null
  readonly recallCount: number
  readonly lastRecalledAt: Date | null
  readonly entityLinks: readonly EntityLink[]
  /**
   * Supersessions that this memory took part in and whose other side is visible: explicit and newest ones, in the order
   * in which they happened.
   */
  readonly supersessions: readonly ShownSupersession[]
}

interface ShownSupersession {
  readonly oldId: string
  readonly newId: string
  readonly oldStatus: 'outdated' | 'conflicted'
  readonly reason: SupersessionReason
  readonly direction: 'canonical' | 'flipped'
  /** First characters of the older one. */
  readonly preview: string
}

const PREVIEW_CHARACTERS = 200
/** Returns the beginning of a text, counted in code points, like `left` of PostgreSQL. */
export function previewOf(content: string): string {
  return [...content.slice(0, 2 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('')
}

/** Limit for one memory: a claim may contradict thousands, each of which contradicts thousands. */
const MAX_SHOWN = 50

/**
 * Reference time of time expressions in the text, from `memories m`: a caller's `valid_start`, else when it was
 * written.
 */
export const SEEN_FROM = sql`case when m.system_metadata -> 'enrichment' -> 'inferred' ? 'ts_valid_start' then m.created_at
    else coalesce(m.valid_start, m.created_at) end as "seenFrom"`

/** Columns that are read as they are; those of `version` and `systemMetadata` depend on the reader. */
const COLUMNS = selectColumns(MEMORY_MEMBERS.filter((member) => member !== 'version' && member !== 'systemMetadata'))

export type RowWithoutLinks = Omit<MemoryRow, 'entityLinks'>

/**
 * Selects the tenant's memories m that meet these conditions, with what a response shows of them; u is their usage.
 * `near_duplicate_of` is stored apart from the row. `version` counts callers' changes and moves of status, not the fields that
 * the service filled: those never fail an If-Match.
 */
export function selectMemories(
  { tenantId }: Reader,
  audience: Audience,
  conditions: readonly RawBuilder<unknown>[],
  { from = sql`memories`, columns = sql``, supersededBefore = sql`true` }: MemorySource = {},
): RawBuilder<RowWithoutLinks> {
  return sql<RowWithoutLinks>`
    select ${COLUMNS}, m.version - m.service_fills as version, m.system_metadata || ${nearDuplicateOf(audience)} as "systemMetadata",
      a.display_name as "agentDisplayName", coalesce(u.recall_count, 0) as "recallCount", u.last_recalled_at as "lastRecalledAt",
      ${supersessionsOf(audience, supersededBefore)} as supersessions ${columns}
    from ${from} m
      left join agents a on a.tenant_id = m.tenant_id and a.agent_id = m.agent_id
      left join memory_usage u on u.tenant_id = m.tenant_id and u.memory_id = m.id
    where m.tenant_id = ${tenantId} and ${sql.join(conditions, sql` and `)}`
}

/**
 * Reads one index for each side, since an `or` of both scans all of the tenant's rows; and looks rows up one by one by
 * key, which the limits enforce: the planner would rather read all memories of a tenant that it estimates as small.
 */
function supersessionsOf(audience: Audience, isShown: RawBuilder<unknown>): RawBuilder<unknown> {
  const side = (column: 'old_id' | 'new_id') =>
    sql`select s.* from supersessions s where s.tenant_id = m.tenant_id and s.${sql.ref(column)} = m.id`
  const shown = (alias: 'o' | 'n', id: 'old_id' | 'new_id') => sql`
    cross join lateral (select ${sql.ref(alias)}.content from memories ${sql.ref(alias)}
      where ${sql.ref(alias)}.tenant_id = s.tenant_id and ${sql.ref(alias)}.id = s.${sql.ref(id)}
        and ${sql.ref(alias)}.status <> 'deleted' and ${visibleTo(audience, alias)} limit 1) ${sql.ref(alias)}`
  return sql`coalesce((
    select jsonb_agg(jsonb_build_object('oldId', s.old_id, 'newId', s.new_id, 'oldStatus', s.old_status, 'reason', s.reason,
      'direction', s.direction, 'preview', left(s.content, ${PREVIEW_CHARACTERS})) order by s.created_at, s.old_id)
    from (
      select s.*, o.content from (${side('old_id')} union all ${side('new_id')}) s
        ${shown('o', 'old_id')} ${shown('n', 'new_id')}
      where ${isShown}
      order by s.reason <> 'explicit', s.created_at desc, s.old_id, s.new_id limit ${MAX_SHOWN}
    ) s), '[]')`
}

/**
 * Returns the rows with these ids that the audience may see; deleted ones only with `includeDeleted`. `even: 'hidden'`
 * reads hidden rows too, but joins nothing to them that the audience may not see; `passing` leaves out rows that do not
 * meet a condition on m; `knownAt` reads them as they were at that moment. In no particular order.
 */
export async function findMemories(
  reader: Reader,
  audience: Audience,
  ids: readonly string[],
  options: {
    includeDeleted?: boolean
    even?: 'hidden'
    passing?: RawBuilder<boolean>
    knownAt?: Date | undefined
  } = {},
): Promise<MemoryRow[]> {
  if (ids.length === 0) return []
  const named = (id: RawBuilder<unknown>) => sql`${id} = any(${ids as string[]}::uuid[])`
  const conditions: RawBuilder<unknown>[] = [named(sql`m.id`)]
  const { knownAt: at, includeDeleted } = options
  const source = at ? sourceKnownAt(reader.tenantId, { at, audience, includeDeleted }, named) : {}
  if (options.even !== 'hidden') conditions.push(visibleTo(audience))
  if (!options.includeDeleted) conditions.push(sql`m.status <> 'deleted'`)
  if (options.passing) conditions.push(options.passing)
  // Sent together: neither needs the other's answer.
  const [{ rows }, links] = await Promise.all([
    selectMemories(reader, audience, conditions, source).execute(reader.db),
    readEntityLinks(reader, ids, audience),
  ])
  return withLinks(rows, links)
}

export function withLinks(rows: readonly RowWithoutLinks[], links: ReadonlyMap<string, EntityLink[]>): MemoryRow[] {
  return rows.map((row) => ({ ...row, entityLinks: links.get(row.id) ?? [] }))
}

/**
 * Returns `{near_duplicate_of}` and, if it is one, `{is_echo: true}` of the memory m as a SQL expression, or `{}`: when it is no near duplicate, when the
 * original is gone or hidden from this audience, or when either text has changed since the comparison.
 */
function nearDuplicateOf(audience: Audience): RawBuilder<unknown> {
  return sql`coalesce((
    select case when d.is_echo then jsonb_build_object('near_duplicate_of', o.id, 'is_echo', true)
      else jsonb_build_object('near_duplicate_of', o.id) end
    from ${nearOriginals(audience, { id: sql`m.id`, tenantId: sql`m.tenant_id` })}), '{}')`
}

/** Returns whether a memory is shown as an echo to this audience as a SQL expression. */
export function isEcho(audience: Audience, id: RawBuilder<unknown>, tenantId: string): RawBuilder<unknown> {
  return sql`exists (select from ${nearOriginals(audience, { id, tenantId: sql`${tenantId}` })} and d.is_echo)`
}

/** Selects from the near duplicate d with this id and its original o, as long as both texts are those that were compared and the audience sees the original. */
function nearOriginals(
  audience: Audience,
  { id, tenantId }: { readonly id: RawBuilder<unknown>; readonly tenantId: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`near_duplicates d join memories c on c.tenant_id = d.tenant_id and c.id = d.memory_id
      join memories o on o.tenant_id = d.tenant_id and o.id = d.original_id
    where d.tenant_id = ${tenantId} and d.memory_id = ${id} and d.memory_hash = c.text_hash and d.original_hash = o.text_hash
      and o.status <> 'deleted' and ${visibleTo(audience, 'o')}`
}

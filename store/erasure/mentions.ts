import { type RawBuilder, sql } from 'kysely'
import { MEMORY_FIELDS, SCREENED_MEMBERS } from '../../domain/memory-fields.js'
import type { System } from '../store.js'
import { isNaming } from './names.js'
import { isUnusedVector } from '../unused.js'

/** Traces to search for: ids of memories, the hashes of their texts, by which vectors are stored, and names of whom they were about. */
export interface Traces {
  readonly tenantId: string
  readonly ids: readonly string[]
  readonly textHashes: readonly Buffer[]
  readonly names: readonly string[]
}

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/** Counts for one table. */
interface Mentions {
  /** Rows that belong to an erased memory, or in which the service names one. */
  readonly holding: number
  /** Other rows, in which a caller wrote an id or a name. */
  readonly mentioning: number
  /** Rows that have a name, those that are counted above among them. */
  readonly naming: number
}

/**
 * Returns, for each table that holds rows of tenants, how many rows mention one of the ids, or a text's hash, in any
 * column. Tables and columns come from the live schema, so those that a later version adds are searched too. Scans
 * whole tables; meant for operators.
 */
export async function countMentions(system: System, traces: Traces): Promise<Map<string, Mentions>> {
  await extendTimeout(system)
  // Forces hash joins: the planner expects few texts to name an id, and would search all of the ids for each that does.
  await sql`set local enable_nestloop = off`.execute(system.db)
  const columns = await tenantColumns(system)
  const counts = new Map<string, Mentions>()
  for (const table of new Set(columns.map((column) => column.table))) {
    const searched = columns
      .filter((column) => column.table === table)
      .flatMap((column) => mentionQueries(column, traces))
    searched.push(...namingQuery(table, columns, traces))
    counts.set(
      table,
      searched.length > 0
        ? await countMentioningRows(system, traces, searched)
        : { holding: 0, mentioning: 0, naming: 0 },
    )
  }
  return counts
}

async function countMentioningRows(
  { db }: System,
  { ids }: Traces,
  searched: readonly RawBuilder<unknown>[],
): Promise<Mentions> {
  const { rows } = await sql<Mentions>`
    with gone(id) as materialized (select unnest(${ids as string[]}::text[]))
    select count(*) filter (where holds)::int as holding, count(*) filter (where not holds)::int as mentioning,
      count(*) filter (where names)::int as naming
    from (
      select bool_or(holds) as holds, bool_or(names) as names from (${sql.join(searched, sql` union all `)}) found
      group by tableoid, ctid
    ) named`.execute(db)
  return rows[0]!
}

/** Lets a statement that scans all rows of a tenant take as long as the request of an erasure may. */
export async function extendTimeout({ db }: Pick<System, 'db'>): Promise<void> {
  await sql`set local statement_timeout = '85s'`.execute(db)
}

async function tenantColumns({ db }: System): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
    order by c.relname, a.attnum`.execute(db)
  return rows
}

/**
 * Returns a statement that selects the rows in which a column mentions an id. All are joins: `= any` of thousands is
 * searched from its beginning for each id of a row (50,000 recalls and 2,000 ids: 41 s, joined 0.5 s).
 */
function mentionQueries({ table, column, type }: Column, { tenantId, textHashes }: Traces): RawBuilder<unknown>[] {
  const value = sql.ref(`t.${column}`)
  const rows = sql`select t.tableoid, t.ctid, ${!CALLER_COLUMNS.has(column)}::boolean as holds, false as names from ${sql.table(table)} t`
  const own = sql`where t.tenant_id = ${tenantId}`
  if (type === 'uuid') return [sql`${rows} join gone on gone.id::uuid = ${value} ${own}`]
  if (type === 'uuid[]')
    return [sql`${rows} cross join lateral unnest(${value}) as named(id) join gone on gone.id::uuid = named.id ${own}`]
  // Another memory or a document may have the same text, and the vector is then its own.
  if (table === 'vectors' && column === 'text_hash')
    return [
      sql`${rows} join unnest(${textHashes as Buffer[]}::bytea[]) as erased(hash) on erased.hash = ${value} ${own} and ${isUnusedVector('t')}`,
    ]
  if (table === 'recalls' && column === 'results')
    return [
      sql`${rows} cross join lateral jsonb_array_elements(${value}) as came(result)
        join gone on gone.id = came.result ->> 'memory_id' ${own}`,
    ]
  // Responses are JSON, so an id stands between two quotes.
  if (table === 'idempotency_keys' && column === 'body')
    return [sql`${rows} cross join lateral string_to_table(${value}, '"') as part join gone on gone.id = part ${own}`]
  if (!['text', 'jsonb', 'json'].includes(type) || column === 'tenant_id') return []
  // The pattern of dashes is cheap, the regular expression is not.
  return [
    sql`${rows} cross join lateral regexp_matches(${value}::text, ${UUID}, 'g') as found(ids)
      join gone on gone.id = found.ids[1] ${own} and ${value}::text like ${'%-____-____-____-%'}`,
  ]
}

/** Returns a statement that selects the rows of a table of which any text has one of the names; none without a name. */
function namingQuery(table: string, columns: readonly Column[], { tenantId, names }: Traces): RawBuilder<unknown>[] {
  const texts = columns.filter((one) => one.table === table && isText(one))
  if (names.length === 0) return []
  const conditions = texts.map(({ column }) => isNaming(sql`${sql.ref(`t.${column}`)}::text`, names))
  // Files need not be text: their bytes are searched for those of the name, letters beyond ASCII only as they are given.
  if (table === 'skill_blobs') conditions.push(isNaming(sql`encode(t.bytes, 'escape')`, names.map(escapedBytes)))
  if (conditions.length === 0) return []
  return [
    sql`select t.tableoid, t.ctid, false as holds, true as names from ${sql.table(table)} t
      where t.tenant_id = ${tenantId} and (${sql.join(conditions, sql` or `)})`,
  ]
}

/** Returns a text as PostgreSQL's `encode(…, 'escape')` spells its bytes. */
function escapedBytes(text: string): string {
  return Array.from(Buffer.from(text), (byte) =>
    byte > 0x7f || byte === 0
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte).replace('\\', '\\\\'),
  ).join('')
}

/** Returns true for a column that may hold words. The tenant's own name stands in every row. */
function isText({ column, type }: Column): boolean {
  return ['text', 'text[]', 'character varying', 'jsonb', 'json'].includes(type) && column !== 'tenant_id'
}

/**
 * Columns, in any table, that hold what callers wrote or what was found in it, and no id that the service put there. An
 * id in them is what a caller wrote about a memory: it reveals nothing of the memory, and its text stays. All other
 * columns count as holding.
 */
const CALLER_COLUMNS: ReadonlySet<string> = new Set([
  ...SCREENED_MEMBERS.map((member) => MEMORY_FIELDS[member].column),
  'agent_id',
  'audience',
  'author_agent_id',
  'collection',
  'data',
  'display_name',
  'doc_id',
  'entity_type',
  'fleet_id',
  'former',
  'identity',
  'key',
  'label',
  'name',
  'name_key',
  'predicate_key',
  'request',
  'role',
  'system_metadata',
  'value',
])

/** A UUID as PostgreSQL and responses write it. */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

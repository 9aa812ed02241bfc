import { type RawBuilder, sql } from 'kysely'
import type { System } from '../store.js'

/** What to look for: ids of memories, and the hashes of their texts that vectors are kept by. */
export interface Traces {
  readonly tenantId: string
  readonly ids: readonly string[]
  readonly textHashes: readonly Buffer[]
}

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/**
 * How many rows of each table that holds a tenant's rows mention one of the ids, or a text's hash, in any of their columns.
 * Tables and columns are those of the live schema, so one that a later version adds is looked through too. Scans: for
 * operators.
 */
export async function countMentions(system: System, traces: Traces): Promise<Map<string, number>> {
  const columns = await tenantColumns(system)
  const counts = new Map<string, number>()
  for (const table of new Set(columns.map((column) => column.table))) {
    const searched = columns.filter((column) => column.table === table).flatMap((column) => mentions(column, traces))
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} t
      where t.tenant_id = ${traces.tenantId} and (${searched.length > 0 ? sql.join(searched, sql` or `) : sql`false`})`.execute(
      system.db,
    )
    counts.set(table, rows[0]!.count)
  }
  return counts
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

function mentions({ table, column, type }: Column, { ids, textHashes }: Traces): RawBuilder<unknown>[] {
  const value = sql.ref(`t.${column}`)
  if (type === 'uuid') return [sql`${value} = any(${ids as string[]}::uuid[])`]
  if (type === 'uuid[]') return [sql`${value} && ${ids as string[]}::uuid[]`]
  // Another memory may have the same text, and its vector is its own.
  if (table === 'vectors' && column === 'text_hash')
    return [
      sql`${value} = any(${textHashes as Buffer[]}::bytea[]) and not exists (
        select from memories m where m.tenant_id = t.tenant_id and m.text_hash = t.text_hash)`,
    ]
  if (!['text', 'jsonb', 'json'].includes(type) || column === 'tenant_id') return []
  return [
    sql`exists (select from regexp_matches(${value}::text, ${UUID}, 'g') as found(ids)
      where found.ids[1] = any(${ids as string[]}::text[]))`,
  ]
}

/** An id as Postgres and answers write it. */
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

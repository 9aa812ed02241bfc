import { sql } from 'kysely'
import { ofTenant } from './conditions.js'
import type { Reader, System, Writer } from './store.js'

/** Completions that a tenant has asked the language model for on one day, and their tokens. */
const MODEL_COLUMNS = ['calls', 'input_tokens', 'output_tokens'] as const

/** The tables of use, each with a row for a tenant and a day in UTC, and what they count: `enriched` and `failed` are memories. */
const COLUMNS = {
  enrichment_usage: [...MODEL_COLUMNS, 'enriched', 'failed'],
  forge_usage: MODEL_COLUMNS,
} as const

type UseTable = keyof typeof COLUMNS
/** Numbers of one tenant and day, or of all tenants. */
type DailyUse<Table extends UseTable> = Readonly<Record<(typeof COLUMNS)[Table][number], number>>

const RETENTION_DAYS = 90

/** Returns the tokens, in and out, that the tenant has used on a day. */
export async function readTokens({ db, tenantId }: Reader, table: UseTable, day: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select input_tokens + output_tokens as tokens from ${sql.table(table)}
    where tenant_id = ${tenantId} and day = ${day}::date`.execute(db)
  return rows[0]?.tokens ?? 0
}

/** Sums the use of one tenant by enrichment, or of all. */
export async function sumEnrichmentUse(
  { db }: System,
  day: string,
  tenantId?: string,
): Promise<DailyUse<'enrichment_usage'>> {
  const { rows } = await sql<DailyUse<'enrichment_usage'>>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
      coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(enriched), 0)::int as enriched,
      coalesce(sum(failed), 0)::int as failed
    from enrichment_usage where day = ${day}::date and ${ofTenant(tenantId)}`.execute(db)
  return rows[0]!
}

/** Adds to the day's use, and drops what is too old. Locks the day's row until the commit, so it comes last in its transaction. */
export async function addUse<Table extends UseTable>(
  { db, tenantId }: Writer,
  table: Table,
  day: string,
  use: Partial<DailyUse<Table>>,
): Promise<void> {
  const names: readonly (keyof DailyUse<Table>)[] = COLUMNS[table]
  const columns = names.map((name) => sql.ref(name))
  const sums = columns.map((column) => sql`${column} = u.${column} + excluded.${column}`)
  await sql`
    with old as (
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and day < ${day}::date - ${RETENTION_DAYS}::int
    )
    insert into ${sql.table(table)} as u (tenant_id, day, ${sql.join(columns)})
    values (${tenantId}, ${day}::date, ${sql.join(names.map((name) => use[name] ?? 0))})
    on conflict (tenant_id, day) do update set ${sql.join(sums)}`.execute(db)
}

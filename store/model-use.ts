import { sql } from 'kysely'
import { ofTenant } from './conditions.js'
import type { Reader, System, Writer } from './store.js'

/** Counts what a tenant has used of the language model on one day. */
interface ModelUse {
  /** Number of completions. */
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
}

interface EnrichmentUse extends ModelUse {
  /** Number of memories. */
  readonly enriched: number
  readonly failed: number
}

/** The tables of use, each with a row for a tenant and a day in UTC. */
interface UseTables {
  readonly enrichment_usage: EnrichmentUse
  readonly forge_usage: ModelUse
}

const RETENTION_DAYS = 90

/** Returns the tokens, in and out, that the tenant has used on a day. */
export async function readTokens({ db, tenantId }: Reader, table: keyof UseTables, day: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select input_tokens + output_tokens as tokens from ${sql.table(table)}
    where tenant_id = ${tenantId} and day = ${day}::date`.execute(db)
  return rows[0]?.tokens ?? 0
}

/** Sums the use of one tenant by enrichment, or of all. */
export async function sumEnrichmentUse({ db }: System, day: string, tenantId?: string): Promise<EnrichmentUse> {
  const { rows } = await sql<EnrichmentUse>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
      coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(enriched), 0)::int as enriched,
      coalesce(sum(failed), 0)::int as failed
    from enrichment_usage where day = ${day}::date and ${ofTenant(tenantId)}`.execute(db)
  return rows[0]!
}

/** Adds to the day's use, and drops what is too old. Locks the day's row until the commit, so it comes last in its transaction. */
export async function addUse<Table extends keyof UseTables>(
  { db, tenantId }: Writer,
  table: Table,
  day: string,
  use: Partial<UseTables[Table]>,
): Promise<void> {
  const columns = Object.keys(use).map((column) => sql.ref(column))
  const sums = columns.map((column) => sql`${column} = u.${column} + excluded.${column}`)
  await sql`
    with old as (
      delete from ${sql.table(table)} where tenant_id = ${tenantId} and day < ${day}::date - ${RETENTION_DAYS}::int
    )
    insert into ${sql.table(table)} as u (tenant_id, day, ${sql.join(columns)})
    values (${tenantId}, ${day}::date, ${sql.join(Object.values(use))})
    on conflict (tenant_id, day) do update set ${sql.join(sums)}`.execute(db)
}

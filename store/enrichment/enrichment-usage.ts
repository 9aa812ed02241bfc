import { sql } from 'kysely'
import { ofTenant } from '../conditions.js'
import type { Reader, System, Writer } from '../store.js'

/** Use of the language model by a tenant on one day. */
interface EnrichmentUse {
  /** Number of completions. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Number of memories. */
  readonly enriched: number
  readonly failed: number
}

const NO_USE: EnrichmentUse = { calls: 0, inputTokens: 0, outputTokens: 0, enriched: 0, failed: 0 }
const RETENTION_DAYS = 90

/** Returns the day that a budget counts for, in UTC. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

export async function readEnrichmentUse({ tenantId, db }: Reader, day: string): Promise<EnrichmentUse> {
  const { rows } = await sql<EnrichmentUse>`
    select calls, input_tokens as "inputTokens", output_tokens as "outputTokens", enriched, failed
    from enrichment_usage where tenant_id = ${tenantId} and day = ${day}::date`.execute(db)
  return rows[0] ?? NO_USE
}

/** Sums the use of one tenant, or of all. */
export async function sumEnrichmentUse({ db }: System, day: string, tenantId?: string): Promise<EnrichmentUse> {
  const { rows } = await sql<EnrichmentUse>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(input_tokens), 0)::bigint as "inputTokens",
      coalesce(sum(output_tokens), 0)::bigint as "outputTokens", coalesce(sum(enriched), 0)::int as enriched,
      coalesce(sum(failed), 0)::int as failed
    from enrichment_usage where day = ${day}::date and ${ofTenant(tenantId)}`.execute(db)
  return rows[0]!
}

/** Adds to the day's use. Locks the day's row until the commit, so it comes last in its transaction. */
export async function addEnrichmentUse(writer: Writer, day: string, use: Partial<EnrichmentUse>): Promise<void> {
  const { calls, inputTokens, outputTokens, enriched, failed } = { ...NO_USE, ...use }
  await sql`
    with old as (
      delete from enrichment_usage where tenant_id = ${writer.tenantId} and day < ${day}::date - ${RETENTION_DAYS}::int
    )
    insert into enrichment_usage as u (tenant_id, day, calls, input_tokens, output_tokens, enriched, failed)
    values (${writer.tenantId}, ${day}::date, ${calls}, ${inputTokens}, ${outputTokens}, ${enriched}, ${failed})
    on conflict (tenant_id, day) do update set calls = u.calls + excluded.calls,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
      enriched = u.enriched + excluded.enriched, failed = u.failed + excluded.failed`.execute(writer.db)
}

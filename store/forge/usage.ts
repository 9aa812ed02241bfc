import { sql } from 'kysely'
import type { Reader, Writer } from '../store.js'

/** Use of the language model by the Forge for a tenant. */
interface ForgeUse {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
}

const RETENTION_DAYS = 90

/** Returns the tokens, in and out, that the Forge has used for the tenant on a day in UTC. */
export async function readForgeTokens({ db, tenantId }: Reader, day: string): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    select input_tokens + output_tokens as tokens from forge_usage
    where tenant_id = ${tenantId} and day = ${day}::date`.execute(db)
  return rows[0]?.tokens ?? 0
}

/** Adds to the day's use. Locks the day's row until the commit. */
export async function addForgeUse({ db, tenantId }: Writer, day: string, use: ForgeUse): Promise<void> {
  await sql`
    with old as (
      delete from forge_usage where tenant_id = ${tenantId} and day < ${day}::date - ${RETENTION_DAYS}::int
    )
    insert into forge_usage as u (tenant_id, day, calls, input_tokens, output_tokens)
    values (${tenantId}, ${day}::date, ${use.calls}, ${use.inputTokens}, ${use.outputTokens})
    on conflict (tenant_id, day) do update set calls = u.calls + excluded.calls,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens`.execute(
    db,
  )
}

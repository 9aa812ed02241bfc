import { sql } from 'kysely'
import type { Authors } from '../../domain/enrichment/author-trust.js'
import type { Writer } from '../store.js'

/**
 * Returns those who wrote a memory, or one of these fields of it, and the agent that it belongs to now, each with the
 * trust that it has now.
 */
export async function readAuthors(
  { tenantId, db }: Writer,
  { id, agentId }: { readonly id: string; readonly agentId: string | null },
  fields: readonly string[],
): Promise<Authors> {
  const { rows } = await sql<Authors>`
    with authors as (
      select e.actor_kind, e.actor_agent_id, e.actor_key_id from audit_events e
      where e.tenant_id = ${tenantId} and e.subject_id = ${id}
        and (e.action = 'memory.created' or (e.action = 'memory.updated' and e.details -> 'fields' ?| ${fields as string[]}::text[]))
    ), acting as (
      select actor_agent_id as agent_id from authors where actor_agent_id is not null
      union select ${agentId}::text where ${agentId}::text is not null
    )
    select coalesce((select jsonb_agg(a.trust_level) from acting left join agents a on a.tenant_id = ${tenantId}
        and a.agent_id = acting.agent_id), '[]') as agents,
      coalesce((select jsonb_agg(case when actor_kind = 'tenant' then to_jsonb(k.trust_level) else '"of its agent"' end) from authors
        left join api_keys k on k.tenant_id = ${tenantId} and k.key_id = actor_key_id), '[]') as keys`.execute(db)
  return rows[0]!
}

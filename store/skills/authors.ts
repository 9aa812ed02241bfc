import { sql } from 'kysely'
import type { Writer } from '../store.js'

/**
 * Removes what is stored of an agent as the author and reviewer of skills, and what it said of them. Its skills stay, with
 * nobody as their author.
 */
export async function forgetSkillAuthor({ db, tenantId }: Writer, agentId: string): Promise<void> {
  const isBy = sql<boolean>`tenant_id = ${tenantId} and author_agent_id = ${agentId}`
  await db
    .selectFrom('skills')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`id in (select skill_id from skill_versions where ${isBy})`)
    .orderBy('id')
    .forUpdate()
    .execute()
  await sql`
    update documents d set system_metadata = jsonb_set(system_metadata, '{skill,origin,agent_id}', 'null')
    where d.tenant_id = ${tenantId} and d.collection = 'skills'
      and d.system_metadata #>> '{skill,origin,agent_id}' = ${agentId}`.execute(db)
  await db
    .updateTable('skill_versions')
    .set({ author_agent_id: null, origin: sql`jsonb_set(origin, '{agent_id}', 'null')` })
    .where(isBy)
    .execute()
  await sql`
    update skill_versions set overruled = jsonb_set(overruled, '{by,agent_id}', 'null')
    where tenant_id = ${tenantId} and overruled #>> '{by,agent_id}' = ${agentId}`.execute(db)
  await db
    .updateTable('skill_moves')
    .set({ actor_agent_id: null })
    .where('tenant_id', '=', tenantId)
    .where('actor_agent_id', '=', agentId)
    .execute()
  await db
    .updateTable('skill_poison')
    .set({ author_agent_id: null })
    .where('tenant_id', '=', tenantId)
    .where('author_agent_id', '=', agentId)
    .execute()
  await db
    .deleteFrom('skill_authors')
    .where('tenant_id', '=', tenantId)
    .where('is_forge', '=', false)
    .where('agent_id', '=', agentId)
    .execute()
  await db.deleteFrom('skill_outcomes').where('tenant_id', '=', tenantId).where('agent_id', '=', agentId).execute()
}

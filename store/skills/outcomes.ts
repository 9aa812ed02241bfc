import { sql } from 'kysely'
import { audit } from '../audit.js'
import type { Writer } from '../store.js'

type SkillOutcomeKind = 'success' | 'failure' | 'partial'

interface OutcomeReport {
  readonly outcome: SkillOutcomeKind
  /** Null where the agent names none. */
  readonly runId: string | null
  readonly at: Date
}

/**
 * Saves how it went with an active skill, in place of what the writer's agent said of the same run before. Returns the
 * active version; null when the skill is not active.
 */
export async function saveOutcome(
  writer: Writer,
  docId: string,
  { outcome, runId, at }: OutcomeReport,
): Promise<{ slug: string; version: number } | null> {
  const { tenantId, db, actor } = writer
  const { rows } = await sql<{ id: string; slug: string; version: number }>`
    select id, slug, active_version as version from skills
    where tenant_id = ${tenantId} and doc_id = ${docId} and active_version is not null for key share`.execute(db)
  const skill = rows[0]
  if (!skill) return null
  await sql`
    insert into skill_outcomes (tenant_id, skill_id, version, agent_id, run_id, outcome, at)
    values (${tenantId}, ${skill.id}, ${skill.version}, ${actor.agentId ?? ''}, ${runId ?? ''}, ${outcome}, ${at})
    on conflict (tenant_id, skill_id, agent_id, run_id)
      do update set version = excluded.version, outcome = excluded.outcome, at = excluded.at`.execute(db)
  const details = { doc_id: docId, version: skill.version, outcome, run_id: runId }
  await audit(writer, at, [{ action: 'skill.outcome', subject: { kind: 'skill', id: skill.id }, details }])
  return skill
}

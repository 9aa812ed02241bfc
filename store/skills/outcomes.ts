import { sql } from 'kysely'
import { anyOfQuery } from '../conditions.js'
import { audit } from '../audit.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { isSkillWithinBounds } from '../documents/document-row.js'
import type { System, Writer } from '../store.js'
import { activeVersions } from './skill-row.js'

type SkillOutcomeKind = 'success' | 'failure' | 'partial'

interface OutcomeReport {
  readonly outcome: SkillOutcomeKind
  /** Null where the agent names none. */
  readonly runId: string | null
  readonly at: Date
}

/**
 * Saves how it went with an active skill, in place of what the writer's agent said of the same run before. Returns the
 * active version; null when the skill is not active, or not within these bounds.
 */
export async function saveOutcome(
  writer: Writer,
  docId: string,
  { outcome, runId, at }: OutcomeReport,
  bounds: BoundFleets = 'all',
): Promise<{ slug: string; version: number } | null> {
  const { tenantId, db, actor } = writer
  const skill = await activeVersions(writer)
    .select(['s.id', 's.slug', 'v.version'])
    .where('s.doc_id', '=', docId)
    .where(isSkillWithinBounds(bounds))
    .forKeyShare('s')
    .executeTakeFirst()
  if (!skill) return null
  const said = { version: skill.version, outcome, at }
  await db
    .insertInto('skill_outcomes')
    .values({ tenant_id: tenantId, skill_id: skill.id, agent_id: actor.agentId ?? '', run_id: runId ?? '', ...said })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'skill_id', 'agent_id', 'run_id']).doUpdateSet(said))
    .execute()
  const details = { doc_id: docId, version: skill.version, outcome, run_id: runId }
  await audit(writer, at, [{ action: 'skill.outcome', subject: { kind: 'skill', id: skill.id }, details }])
  return skill
}

/** Deletes up to `limit` reports from before an instant; returns how many. */
export async function purgeOutcomes(
  { db }: System,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from skill_outcomes where ctid = ${anyOfQuery(sql`
      select ctid from skill_outcomes where at < ${before} order by at limit ${limit} for update skip locked`)}
    returning 1`.execute(db)
  return rows.length
}

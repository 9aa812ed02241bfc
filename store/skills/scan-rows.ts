import { sql } from 'kysely'
import { anyOf } from '../conditions.js'
import { ON_CONFLICT_REQUEUE, type RowSeq } from '../outbox/outbox.js'
import type { Reader, System } from '../store.js'

/** A claimed row about a skill. */
export interface SkillRow extends RowSeq {
  readonly attempts: number
}

/** Reads those claimed rows of a kind that still belong to this ticket, in the order of their ids. */
export async function readSkillRows(
  { db, tenantId }: Reader,
  kind: 'scan' | 'opinion',
  ticket: string,
  ids: readonly string[],
): Promise<SkillRow[]> {
  return db
    .selectFrom('index_pending')
    .select(['entity_id as id', 'seq', 'attempts'])
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('ticket', '=', ticket)
    .where('entity_id', '=', anyOf(ids))
    .orderBy('entity_id')
    .execute()
}

/** A place among the active skills of all tenants. */
export interface SkillPlace {
  readonly tenantId: string
  readonly skillId: string
}

/**
 * Enqueues a page of the active skills that other rules than these have judged, with all of their attempts, unless they
 * wait already. Returns the place after which the next page begins, null after the last.
 */
export async function enqueueOutdatedScans(
  { db }: System,
  rules: string,
  after: SkillPlace | null,
  limit: number,
): Promise<SkillPlace | null> {
  const { rows } = await sql<SkillPlace>`
    with page as materialized (
      select v.tenant_id, v.skill_id, v.version, v.scan_rules from skill_versions v
      where v.status = 'active' and (v.tenant_id, v.skill_id) > (${after?.tenantId ?? ''}, ${after?.skillId ?? FIRST_ID}::uuid)
      order by v.tenant_id, v.skill_id limit ${limit}
    ), outdated as (
      select * from page where scan_rules is distinct from ${rules} and not exists (
        select from index_pending p where p.tenant_id = page.tenant_id and p.kind = 'scan' and p.entity_id = page.skill_id
          and p.settled_at is null)
    ), renewed as (
      update skill_versions v set scan_attempts = 0 from outdated o
      where v.tenant_id = o.tenant_id and v.skill_id = o.skill_id and v.version = o.version
    ), queued as (
      insert into index_pending (tenant_id, kind, entity_id)
      select tenant_id, 'scan', skill_id from outdated order by tenant_id, skill_id
      ${ON_CONFLICT_REQUEUE}
    )
    select tenant_id as "tenantId", skill_id as "skillId" from page order by tenant_id, skill_id`.execute(db)
  return rows.length < limit ? null : rows.at(-1)!
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

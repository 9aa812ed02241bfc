import { sql } from 'kysely'
import { IS_OPTED_IN } from '../tenants/opted-in.js'
import type { System, Writer } from '../store.js'

/** A version that has had its status for too long. */
export interface DueVersion {
  readonly tenantId: string
  readonly skillId: string
  readonly version: number
}

/** Returns candidates of all tenants that were written before this time and still wait, the oldest first. */
export async function findHeldCandidates({ db }: System, before: Date, limit: number): Promise<DueVersion[]> {
  return db
    .selectFrom('skill_versions')
    .select(['tenant_id as tenantId', 'skill_id as skillId', 'version'])
    .where('status', '=', sql.lit('candidate'))
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

/**
 * Returns the Forge's active versions whose work nobody has done since this time, as far as the Forge has seen and agents
 * have reported, the oldest first: of all tenants for which the Forge looks.
 */
export async function findUnconfirmedSkills({ db }: System, before: Date, limit: number): Promise<DueVersion[]> {
  const { rows } = await sql<DueVersion>`
    select s.tenant_id as "tenantId", s.id as "skillId", s.active_version as version from skills s
    where s.confirmed_at < ${before} and exists (
      select from tenant_settings t where t.tenant_id = s.tenant_id and ${IS_OPTED_IN}
    ) and not exists (
      select from skill_outcomes o
      where o.tenant_id = s.tenant_id and o.skill_id = s.id and o.outcome = 'success' and o.at >= ${before})
    order by s.confirmed_at limit ${limit}`.execute(db)
  return rows
}

/** Notes until when the Forge has seen the work of its active skills, by their names. Other skills stay as they are. */
export async function confirmSkills({ db, tenantId }: Writer, seen: ReadonlyMap<string, Date>): Promise<void> {
  if (seen.size === 0) return
  await sql`
    with confirmed as (
      select s.id, given.at from skills s
        join unnest(${[...seen.keys()]}::text[], ${[...seen.values()]}::timestamptz[]) as given(doc_id, at) on given.doc_id = s.doc_id
      where s.tenant_id = ${tenantId} and s.confirmed_at < given.at order by s.id for no key update of s
    )
    update skills s set confirmed_at = confirmed.at from confirmed
    where s.tenant_id = ${tenantId} and s.id = confirmed.id`.execute(db)
}

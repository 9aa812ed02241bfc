import { sql } from 'kysely'
import { anyOfQuery } from '../conditions.js'
import { type KnownWork, likenessOf, SAME_WORK } from '../../domain/forge/fingerprint.js'
import { holdsAgainst, type JudgedWork, type Rejection } from '../../domain/skills/rejection.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { Reader, System, Writer } from '../store.js'
import { fleetKey, versionsOfSkills } from './skill-row.js'

/** A rejected skill, and until when nothing like it is proposed. */
export interface PoisonRow {
  readonly docId: string
  readonly until: Date
}

/** Works like a rejected one that are read, those most like it. */
const MOST_BEFORE = 20

/**
 * Returns the contents like a version's that were there before it in its fleet or in none: what its own skill serves, and
 * what others have that is served or waits for a review. What was refused is not among them.
 */
export async function readContentsBefore(
  { tenantId, db }: Reader,
  version: Pick<
    SkillVersion,
    'skillId' | 'fleetId' | 'source' | 'authorAgentId' | 'createdAt' | 'fingerprint' | 'sketch'
  >,
): Promise<string[]> {
  const { rows } = await sql<KnownWork & Pick<SkillVersion, 'skillId' | 'version'>>`
    select v.skill_id as "skillId", v.version, v.fingerprint, v.sketch from ${versionsOfSkills()}
    where v.tenant_id = ${tenantId} and v.fleet_key in (${fleetKey(version.fleetId)}, ${fleetKey(null)})
      and case when v.skill_id = ${version.skillId} then v.status = 'active'
        else v.status in ('active', 'staged', 'candidate', 'stale') and v.created_at <= ${version.createdAt} and (
          v.status = 'active' or v.source <> ${version.source} or v.author_agent_id is distinct from ${version.authorAgentId}) end
    order by v.skill_id, v.version`.execute(db)
  const like = rows
    .map((row) => ({ row, likeness: likenessOf(row, version) }))
    .filter(({ likeness }) => likeness >= SAME_WORK)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_BEFORE)
    .map(({ row }) => row)
  if (like.length === 0) return []
  const contents = await sql<{ content: string }>`
    select v.content from unnest(${like.map((row) => row.skillId)}::uuid[], ${like.map((row) => row.version)}::int[])
      as before(skill_id, version) join skill_versions v using (skill_id, version)
    where v.tenant_id = ${tenantId}`.execute(db)
  return contents.rows.map(({ content }) => content)
}

/** Enters a rejected version; one that is entered already stays so for the longer time. */
export async function insertPoison(
  { tenantId, db }: Writer,
  { fleetId, fingerprint, sketch, docId, source, authorAgentId }: SkillVersion,
  {
    rejection,
    reason,
    at,
    until,
  }: { readonly rejection: Rejection; readonly reason: string; readonly at: Date; readonly until: Date },
): Promise<void> {
  const entry = {
    doc_id: docId,
    source,
    author_agent_id: authorAgentId,
    extent: rejection.extent,
    added: JSON.stringify(rejection.added),
    reason,
    rejected_at: at,
  }
  const key = { tenant_id: tenantId, fleet_key: fleetKey(fleetId), fingerprint }
  await db
    .insertInto('skill_poison')
    .values({ ...key, ...entry, sketch: JSON.stringify(sketch), until })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'fleet_key', 'fingerprint'])
        .doUpdateSet({ ...entry, until: sql<Date>`greatest(skill_poison.until, excluded.until)` }),
    )
    .execute()
}

/** Returns what was rejected in this fleet and holds against a work that revises what is `served`; null when nothing does. */
export async function findPoison(
  { tenantId, db }: Reader,
  { fleetId, ...work }: JudgedWork & Pick<SkillVersion, 'fleetId'>,
  at: Date,
  served: Pick<JudgedWork, 'fingerprint' | 'sketch' | 'content'> | null,
): Promise<PoisonRow | null> {
  const rows = await db
    .selectFrom('skill_poison')
    .select([
      'fingerprint',
      'sketch',
      'doc_id as docId',
      'source',
      'author_agent_id as authorAgentId',
      'extent',
      'added',
    ])
    .select('until')
    .where('tenant_id', '=', tenantId)
    .where('fleet_key', '=', fleetKey(fleetId))
    .where('until', '>', at)
    .orderBy('fingerprint')
    .execute()
  const found = rows.find((row) => holdsAgainst(row, work, served))
  return found ? { docId: found.docId, until: found.until } : null
}

/** Removes up to `limit` rows that may be proposed again; returns how many. */
export async function purgePoison(
  { db }: System,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from skill_poison where ctid = ${anyOfQuery(sql`
      select ctid from skill_poison where until <= ${now} order by until limit ${limit} for update skip locked`)}
    returning 1`.execute(db)
  return rows.length
}

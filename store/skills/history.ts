import { sql } from 'kysely'
import { skillTextsHash, type SkillStatus, type SkillVersion } from '../../domain/skills/skill.js'
import type { Actor, Reader } from '../store.js'
import { KEPT_VERSIONS } from './write-skills.js'

/** A move of a version from one status to another; from null when it was written. */
export interface SkillMoveRow {
  readonly version: number
  readonly from: SkillStatus | null
  readonly to: SkillStatus
  readonly actorKind: Actor['kind']
  readonly actorAgentId: string | null
  readonly reason: string | null
  readonly at: Date
}

/** Moves that are shown of a skill, and of one version in the list of them. */
const MOST_MOVES = 200

/** Returns true for a version that was active before. */
export async function wasServed({ db, tenantId }: Reader, skillId: string, version: number): Promise<boolean> {
  const row = await db
    .selectFrom('skill_moves')
    .where((move) => move.and({ tenant_id: tenantId, skill_id: skillId, version, from_status: 'active' }))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns true unless every earlier version of the skill that had this content had its other texts too: whoever names a
 * content hash alone may have read another name, summary or tag. True where the history is not known or not whole, as of a skill that
 * was removed and written again: it does not begin with version 1.
 */
export async function wasReworded({ db, tenantId }: Reader, version: SkillVersion): Promise<boolean> {
  if (version.version > KEPT_VERSIONS) return true
  const { rows } = await sql<{ isReworded: boolean }>`
    select coalesce(min(version), 0) <> 1 or bool_or(version < ${version.version} and (
      content_hash is null or (content_hash = ${version.contentHash} and texts_hash <> ${skillTextsHash(version)}))) as "isReworded"
    from skill_moves
    where tenant_id = ${tenantId} and skill_id = ${version.skillId} and version <= ${version.version} and from_status is null`.execute(
    db,
  )
  return rows[0]!.isReworded
}

/** Returns the moves of all versions of a skill, the newest first. */
export async function listMoves({ db, tenantId }: Reader, skillId: string): Promise<SkillMoveRow[]> {
  const { rows } = await sql<SkillMoveRow>`
    select ${MOVE_COLUMNS} from skill_moves m where tenant_id = ${tenantId} and skill_id = ${skillId}
    order by id desc limit ${MOST_MOVES}`.execute(db)
  return rows
}

/** Returns the moves of these versions of a skill, the newest first. */
export async function listMovesOf(
  { db, tenantId }: Reader,
  skillId: string | null,
  versions: readonly number[],
): Promise<Map<number, SkillMoveRow[]>> {
  const { rows } = await sql<SkillMoveRow & { place: number }>`
    select m.* from unnest(${versions as number[]}::int[]) as asked(version) cross join lateral (
      select ${MOVE_COLUMNS}, m.id as place from skill_moves m
      where m.tenant_id = ${tenantId} and m.skill_id = ${skillId} and m.version = asked.version
      order by m.id desc limit ${MOST_MOVES}
    ) m order by m.place desc`.execute(db)
  const moves = new Map(versions.map((version) => [version, [] as SkillMoveRow[]]))
  for (const { place: _, ...move } of rows) moves.get(move.version)!.push(move)
  return moves
}

const MOVE_COLUMNS = sql`
  m.version, m.from_status as "from", m.to_status as "to", m.actor_kind as "actorKind", m.actor_agent_id as "actorAgentId", m.reason, m.at`

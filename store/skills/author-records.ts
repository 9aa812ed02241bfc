import { sql } from 'kysely'
import {
  authorOf,
  type AuthorRecord,
  countedAs,
  isDecision,
  NO_RECORD,
  type SkillAuthor,
} from '../../domain/skills/author-record.js'
import type { SkillStatus, SkillVersion } from '../../domain/skills/skill.js'
import type { Actor, Reader, Writer } from '../store.js'

type Written = Pick<SkillVersion, 'source' | 'authorAgentId'>

/**
 * Counts a move of a version of a locked skill for its author, so that the version counts once, by its last decision. The history
 * does not have the move yet.
 */
export async function countMove(
  writer: Writer,
  version: Written & Pick<SkillVersion, 'skillId' | 'version'>,
  { from, to }: { readonly from: SkillStatus | null; readonly to: SkillStatus },
): Promise<void> {
  const move = { from, to, isReviewed: isReviewer(writer.actor.kind) }
  if (!isDecision(move)) return
  const before = from === null ? null : await readCounted(writer, version)
  const after = countedAs(move)
  if (before === after) return
  await addDecisions(writer, version, { ...NO_RECORD, ...(before && { [before]: -1 }), ...(after && { [after]: 1 }) })
}

/** Returns as what a version counts up to now; null for not at all. */
async function readCounted(
  { tenantId, db }: Reader,
  { skillId, version }: Pick<SkillVersion, 'skillId' | 'version'>,
): Promise<keyof AuthorRecord | null> {
  const { rows } = await sql<{ from: SkillStatus | null; to: SkillStatus; actorKind: Actor['kind'] }>`
    select from_status as "from", to_status as "to", actor_kind as "actorKind" from skill_moves
    where tenant_id = ${tenantId} and skill_id = ${skillId} and version = ${version}
      and from_status is distinct from to_status
    order by id desc`.execute(db)
  const moves = rows.map(({ actorKind, ...move }) => ({ ...move, isReviewed: isReviewer(actorKind) }))
  const last = moves.find(isDecision)
  return last ? countedAs(last) : null
}

function isReviewer(kind: Actor['kind']): boolean {
  return kind !== 'service'
}

/** Adds decisions to the record of a version's author. */
export async function addDecisions({ tenantId, db }: Writer, version: Written, decided: AuthorRecord): Promise<void> {
  const { isForge, agentId } = authorOf(version)
  const { approved, rejected, quarantined } = decided
  // What was decided about an agent that was forgotten since may be taken back: no count falls below none.
  await sql`
    insert into skill_authors as a (tenant_id, is_forge, agent_id, approved, rejected, quarantined)
    values (${tenantId}, ${isForge}, ${agentId}, greatest(0, ${approved}::integer), greatest(0, ${rejected}::integer),
      greatest(0, ${quarantined}::integer))
    on conflict (tenant_id, is_forge, agent_id) do update set approved = greatest(0, a.approved + ${approved}),
      rejected = greatest(0, a.rejected + ${rejected}), quarantined = greatest(0, a.quarantined + ${quarantined})`.execute(
    db,
  )
}

/** Returns the record of an author, which is empty for one of whom nothing was decided. */
export async function readRecord(reader: Reader, author: SkillAuthor): Promise<AuthorRecord> {
  return (await readRecords(reader, [author]))(author)
}

/** Reads the records of authors; returns a function that has them. */
export async function readRecords(
  { tenantId, db }: Reader,
  authors: readonly SkillAuthor[],
): Promise<(author: SkillAuthor) => AuthorRecord> {
  const { rows } = await sql<AuthorRecord & SkillAuthor>`
    select is_forge as "isForge", agent_id as "agentId", approved, rejected, quarantined from skill_authors
    where tenant_id = ${tenantId} and (is_forge, agent_id) in (
      select * from unnest(${authors.map(({ isForge }) => isForge)}::boolean[], ${authors.map(({ agentId }) => agentId)}::text[]))`.execute(
    db,
  )
  const records = new Map(rows.map(({ isForge, agentId, ...record }) => [keyOf({ isForge, agentId }), record]))
  return (author) => records.get(keyOf(author)) ?? NO_RECORD
}

function keyOf({ isForge, agentId }: SkillAuthor): string {
  return `${isForge} ${agentId}`
}

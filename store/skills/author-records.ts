import { sql } from 'kysely'
import { authorOf, type AuthorRecord, NO_RECORD, type SkillAuthor } from '../../domain/skills/author-record.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { Reader, Writer } from '../store.js'

type Written = Pick<SkillVersion, 'source' | 'authorAgentId'>

/** Adds a decision to the record of a version's author. */
export async function addDecision({ tenantId, db }: Writer, version: Written, decision: AuthorRecord): Promise<void> {
  const { isForge, agentId } = authorOf(version)
  const { approved, rejected, quarantined } = decision
  // A taken-back quarantine may have no counterpart here, so no count falls below 0.
  await sql`
    insert into skill_authors as a (tenant_id, is_forge, agent_id, approved, rejected, quarantined)
    values (${tenantId}, ${isForge}, ${agentId}, ${approved}, ${rejected}, greatest(0, ${quarantined}::integer))
    on conflict (tenant_id, is_forge, agent_id) do update set approved = a.approved + ${approved},
      rejected = a.rejected + ${rejected}, quarantined = greatest(0, a.quarantined + ${quarantined})`.execute(db)
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

import { sql } from 'kysely'
import type { Writer } from '../store.js'
import { type LockedSkill, lockSkillById } from './read-skills.js'

/** Locks the skills of which some version cites one of these memories, in the order of their ids. */
export async function lockCitingSkills(writer: Writer, memoryIds: readonly string[]): Promise<LockedSkill[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct skill_id as id from skill_cites
    where tenant_id = ${writer.tenantId} and memory_id = any(${memoryIds as string[]}::uuid[]) order by 1`.execute(
    writer.db,
  )
  const skills: LockedSkill[] = []
  for (const { id } of rows) {
    const skill = await lockSkillById(writer, id)
    if (skill) skills.push(skill)
  }
  return skills
}

/** Removes what all versions of a skill cite of these memories. */
export async function removeCites(
  { db, tenantId }: Writer,
  skillId: string,
  memoryIds: readonly string[],
): Promise<void> {
  await sql`
    delete from skill_cites
    where tenant_id = ${tenantId} and skill_id = ${skillId} and memory_id = any(${memoryIds as string[]}::uuid[])`.execute(
    db,
  )
}

/**
 * Locks the memories that a version is to cite against deletion, in the order of their ids, before any skill is locked;
 * returns how many there are.
 */
export async function lockCited({ db, tenantId }: Writer, memoryIds: readonly string[]): Promise<number> {
  const { rows } = await sql`
    select 1 from memories
    where tenant_id = ${tenantId} and id = any(${memoryIds as string[]}::uuid[]) and status <> 'deleted'
    order by id for share`.execute(db)
  return rows.length
}

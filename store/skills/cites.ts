import { type RawBuilder, sql } from 'kysely'
import { embeddedText } from '../../domain/text/memory-text.js'
import { anyOf } from '../conditions.js'
import type { Writer } from '../store.js'
import { type LockedSkill, lockSkillById } from './read-skills.js'

/** Locks the skills of which some version cites one of these memories, in the order of their ids. */
export async function lockCitingSkills(writer: Writer, memoryIds: readonly string[]): Promise<LockedSkill[]> {
  return lockSkillsOf(
    writer,
    sql`select skill_id from skill_cites where tenant_id = ${writer.tenantId} and memory_id = any(${memoryIds as string[]}::uuid[])`,
  )
}

/** Locks the skills that have words of one of these memories, cited or not, in the order of their ids. */
export async function lockSkillsFrom(writer: Writer, memoryIds: readonly string[]): Promise<LockedSkill[]> {
  const own = sql`tenant_id = ${writer.tenantId} and memory_id = any(${memoryIds as string[]}::uuid[])`
  return lockSkillsOf(
    writer,
    sql`select skill_id from skill_cites where ${own} union select skill_id from skill_sources where ${own}`,
  )
}

/** Locks the skills that the query selects the ids of, in their order. */
export async function lockSkillsOf(writer: Writer, ids: RawBuilder<unknown>): Promise<LockedSkill[]> {
  const { rows } = await sql<{ id: string }>`select distinct skill_id as id from (${ids}) named order by 1`.execute(
    writer.db,
  )
  const skills: LockedSkill[] = []
  for (const { id } of rows) {
    const skill = await lockSkillById(writer, id)
    if (skill) skills.push(skill)
  }
  return skills
}

/** Notes the memories that a skill has words of without citing them. */
export async function addSources(
  { db, tenantId }: Writer,
  skillId: string,
  memoryIds: readonly string[],
): Promise<void> {
  if (memoryIds.length === 0) return
  await sql`
    insert into skill_sources (tenant_id, memory_id, skill_id)
    select ${tenantId}, id, ${skillId} from unnest(${memoryIds as string[]}::uuid[]) as source(id) order by id
    on conflict do nothing`.execute(db)
}

/** Returns which of these memories a skill has words of, in any of its versions. */
export async function readOwnSources(
  { db, tenantId }: Writer,
  skillId: string,
  memoryIds: readonly string[],
): Promise<string[]> {
  const own = sql`tenant_id = ${tenantId} and skill_id = ${skillId} and memory_id = any(${memoryIds as string[]}::uuid[])`
  const { rows } = await sql<{ id: string }>`
    select memory_id as id from skill_cites where ${own} union select memory_id from skill_sources where ${own}`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Returns the texts of the live memories that a skill has words of, as they are embedded. */
export async function readSourceTexts({ db, tenantId }: Writer, skillId: string): Promise<string[]> {
  const own = sql`tenant_id = ${tenantId} and skill_id = ${skillId}`
  const rows = await db
    .selectFrom('memories')
    .select(['title', 'content'])
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', sql.lit('deleted'))
    .where(
      sql<boolean>`id in (
        select memory_id from skill_cites where ${own} union select memory_id from skill_sources where ${own})`,
    )
    .execute()
  return rows.map(embeddedText)
}

/** Removes what all versions of a skill have of these memories. */
export async function removeSources(
  { db, tenantId }: Writer,
  skillId: string,
  memoryIds: readonly string[],
): Promise<void> {
  for (const table of ['skill_cites', 'skill_sources'] as const)
    await db
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where('skill_id', '=', skillId)
      .where('memory_id', '=', anyOf(memoryIds))
      .execute()
}

/**
 * Locks the memories that a version is to cite against deletion, in the order of their ids, before any skill is locked;
 * returns how many there are.
 */
export async function lockCited({ db, tenantId }: Writer, memoryIds: readonly string[]): Promise<number> {
  const rows = await db
    .selectFrom('memories')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(memoryIds))
    .where('status', '<>', sql.lit('deleted'))
    .orderBy('id')
    .forShare()
    .execute()
  return rows.length
}

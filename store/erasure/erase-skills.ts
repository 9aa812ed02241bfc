import { type RawBuilder, sql } from 'kysely'
import type { SkillVersion } from '../../domain/skills/skill.js'
import { anyOf } from '../conditions.js'
import { forgetCandidates } from '../forge/runs.js'
import type { Reader, Writer } from '../store.js'
import { extendTimeout } from './mentions.js'
import { isNaming } from './names.js'
import { lockSkillsOf } from '../skills/cites.js'
import { removeUnusedBlobs } from '../skills/files.js'
import type { LockedSkill } from '../skills/read-skills.js'
import { versionsOfSkills } from '../skills/skill-row.js'

/** Removes versions of a locked skill, none of which is served or waits any more. */
export async function removeVersions(
  writer: Writer,
  skillId: string,
  versions: readonly SkillVersion[],
): Promise<void> {
  const { db, tenantId } = writer
  await db
    .deleteFrom('skill_versions')
    .where('tenant_id', '=', tenantId)
    .where('skill_id', '=', skillId)
    .where('version', '=', anyOf(versions.map(({ version }) => version)))
    .execute()
  await removeUnusedBlobs(writer, skillId)
}

/** Locks the skills of which the Forge made a version, or the name, that has one of these names; its own have the prefix. */
export async function lockNamingSkills(
  writer: Writer,
  names: readonly string[],
  prefix: string,
): Promise<LockedSkill[]> {
  return lockSkillsOf(
    writer,
    sql`select v.skill_id from ${versionsOfSkills()} where ${isNamingOfForge(writer, names, prefix)}`,
  )
}

/** Returns the numbers of such versions of a locked skill; 0 stands for its name. */
export async function readNamingVersions(
  writer: Writer,
  skillId: string,
  names: readonly string[],
  prefix: string,
): Promise<number[]> {
  const { rows } = await sql<{ version: number; isNamed: boolean }>`
    select v.version, starts_with(s.doc_id, ${prefix}) and ${isNaming(sql`s.slug`, names)} as "isNamed" from ${versionsOfSkills()}
    where v.skill_id = ${skillId} and ${isNamingOfForge(writer, names, prefix)}`.execute(writer.db)
  return [...rows.map(({ version }) => version), ...(rows.some(({ isNamed }) => isNamed) ? [0] : [])]
}

/** Is true of a version v of skills s that the Forge made, or that is of its skills, and has one of the names. */
function isNamingOfForge({ tenantId }: Writer, names: readonly string[], prefix: string): RawBuilder<boolean> {
  return sql<boolean>`v.tenant_id = ${tenantId} and (v.source = 'forge' or starts_with(s.doc_id, ${prefix}))
    and (${isNaming(sql`to_jsonb(v)::text`, names)} or starts_with(s.doc_id, ${prefix}) and ${isNaming(sql`s.slug`, names)})`
}

/**
 * Removes the names of the Forge's skills that are gone from where the service keeps them: the audit, the records of the Forge's runs,
 * the poison table, whose rows get a name without words. They are made of words of memories, which may be erased by now.
 */
export async function forgetGoneSkills(writer: Writer, prefix: string): Promise<void> {
  const { db, tenantId } = writer
  const isGone = (docId: RawBuilder<unknown>) =>
    sql`starts_with(${docId}, ${prefix}) and not exists (
      select from skills s where s.tenant_id = ${tenantId} and s.doc_id = ${docId})`
  await extendTimeout(writer)
  await sql`
    update audit_events set details = '{}' where tenant_id = ${tenantId}
      and (subject_kind = 'skill' or details ->> 'collection' = 'skills') and ${isGone(sql`details ->> 'doc_id'`)}`.execute(
    db,
  )
  await forgetCandidates(writer, (candidate) => isGone(sql`${candidate} ->> 'doc_id'`))
  await sql`
    update skill_poison set doc_id = ${prefix} || 'workflow-' || substr(fingerprint, 7, 8)
    where tenant_id = ${tenantId} and ${isGone(sql`doc_id`)} and doc_id not like ${`${prefix}workflow-%`}`.execute(db)
}

/** Returns those of the skills that serve no version: their ids are those of their documents. */
export async function withoutDocument({ db, tenantId }: Reader, skillIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${skillIds as string[]}::uuid[]) as gone(id)
    where not exists (select from documents d where d.tenant_id = ${tenantId} and d.id = gone.id)`.execute(db)
  return rows.map(({ id }) => id)
}

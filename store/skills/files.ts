import { sql } from 'kysely'
import type { SkillFileText } from '../../domain/skills/scannable.js'
import { isMedia, runnableText, type SkillFileBytes, textOfFile } from '../../domain/skills/skill-files.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { Reader, Writer } from '../store.js'

type VersionKey = Pick<SkillVersion, 'skillId' | 'version'>

/** Stores the bytes of files that a locked skill does not have yet. */
export async function insertBlobs(
  { tenantId, db }: Writer,
  skillId: string,
  files: readonly SkillFileBytes[],
): Promise<void> {
  for (const { hash, bytes } of files)
    await db
      .insertInto('skill_blobs')
      .values({ tenant_id: tenantId, skill_id: skillId, hash, bytes })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

/** Stores which files a new version has; the skill has their bytes. */
export async function insertFiles(
  { tenantId, db }: Writer,
  version: VersionKey & Pick<SkillVersion, 'files'>,
): Promise<void> {
  const { skillId, version: number, files } = version
  if (files.length === 0) return
  await db
    .insertInto('skill_files')
    .values(
      files.map(({ path, hash, size, isExecutable }) => ({
        ...{ tenant_id: tenantId, skill_id: skillId, version: number },
        ...{ path, hash, size, is_executable: isExecutable },
      })),
    )
    .execute()
}

/** Removes the bytes that no version of a locked skill has any more. */
export async function removeUnusedBlobs({ tenantId, db }: Writer, skillId: string): Promise<void> {
  await sql`
    delete from skill_blobs b where tenant_id = ${tenantId} and skill_id = ${skillId} and not exists (
      select from skill_files f where f.tenant_id = b.tenant_id and f.skill_id = b.skill_id and f.hash = b.hash)`.execute(
    db,
  )
}

/** A file as it is read. */
export type StoredFile = Pick<SkillFileBytes, 'hash' | 'bytes'>

/** Returns a file of a version, or null. */
export async function findFile(
  { tenantId, db }: Reader,
  { skillId, version }: VersionKey,
  path: string,
): Promise<StoredFile | null> {
  const { rows } = await sql<StoredFile>`
    select f.hash, b.bytes from skill_files f
      join skill_blobs b on b.tenant_id = f.tenant_id and b.skill_id = f.skill_id and b.hash = f.hash
    where f.tenant_id = ${tenantId} and f.skill_id = ${skillId} and f.version = ${version} and f.path = ${path}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Returns the files of a version with their texts, by path. */
export async function readFileTexts(
  { tenantId, db }: Reader,
  { skillId, version, files }: VersionKey & Pick<SkillVersion, 'files'>,
): Promise<SkillFileText[]> {
  if (files.length === 0) return []
  const { rows } = await sql<{ path: string; bytes: Buffer; isExecutable: boolean }>`
    select f.path, f.is_executable as "isExecutable", b.bytes from skill_files f
      join skill_blobs b on b.tenant_id = f.tenant_id and b.skill_id = f.skill_id and b.hash = f.hash
    where f.tenant_id = ${tenantId} and f.skill_id = ${skillId} and f.version = ${version} order by f.path`.execute(db)
  return rows.map(({ path, ...file }) => ({ path, content: runnableText(file.bytes), isMedia: isMedia(file) }))
}

/** Returns the texts of those of these contents of a skill that are text and have at most `mostBytes`, by hash. */
export async function readBlobTexts(
  { tenantId, db }: Reader,
  skillId: string,
  hashes: readonly string[],
  mostBytes: number,
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map()
  const { rows } = await sql<{ hash: string; bytes: Buffer }>`
    select hash, bytes from skill_blobs
    where tenant_id = ${tenantId} and skill_id = ${skillId} and hash = any(${hashes as string[]}::text[])
      and octet_length(bytes) <= ${mostBytes}`.execute(db)
  const texts = rows.map(({ hash, bytes }) => [hash, textOfFile(bytes)] as const)
  return new Map(texts.flatMap(([hash, text]) => (text === null ? [] : [[hash, text] as const])))
}

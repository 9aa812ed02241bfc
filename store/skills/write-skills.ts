import { sql, type UpdateObject } from 'kysely'
import {
  isWaiting,
  type GateResult,
  PENDING_SCAN,
  skillTextsHash,
  type SkillStatus,
  type SkillVersion,
} from '../../domain/skills/skill.js'
import { audit, type AuditDetails } from '../audit.js'
import { enqueue } from '../outbox/outbox.js'
import type { Database } from '../schema.js'
import type { SkillFileBytes } from '../../domain/skills/skill-files.js'
import type { Writer } from '../store.js'
import { insertBlobs, insertFiles, removeUnusedBlobs } from './files.js'
import { countMove } from './author-records.js'
import { keepLastVersion, takeLastVersion } from './former-versions.js'
import { type KeptPlace, newPlace, placeColumns } from './inbox-place.js'
import type { LockedSkill } from './read-skills.js'
import { fleetKey } from './skill-row.js'

/** A version as it is stored first: nobody has scanned it yet. */
export type NewVersion = Omit<
  SkillVersion,
  'scan' | 'scanRules' | 'gates' | 'deferredAt' | 'skillCreatedAt' | 'updatedAt'
>

/** Versions of a skill that are kept beside those that are served or wait. */
export const KEPT_VERSIONS = 100

/**
 * Stores a new skill that the caller's transaction does not know yet. Returns the number of the last version that a skill of this name ever
 * had, 0 for none; null when another transaction has stored one of this name meanwhile.
 */
export async function insertSkill(
  writer: Writer,
  {
    skillId,
    docId,
    slug,
    fleetId,
    createdAt,
  }: Pick<NewVersion, 'skillId' | 'docId' | 'slug' | 'fleetId' | 'createdAt'>,
): Promise<number | null> {
  const times = { created_at: createdAt, updated_at: createdAt }
  const { numInsertedOrUpdatedRows } = await writer.db
    .insertInto('skills')
    .values({
      tenant_id: writer.tenantId,
      id: skillId,
      doc_id: docId,
      slug,
      fleet_id: fleetId,
      last_version: 0,
      ...times,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'doc_id']).doNothing())
    .executeTakeFirstOrThrow()
  // Not before: whoever removes a skill of this name keeps its number until the insert finds the name free.
  return numInsertedOrUpdatedRows! > 0n ? takeLastVersion(writer, docId) : null
}

/** Says what a new version comes with. */
interface Beside {
  /** The version that waits, which it replaces, and has the place of. */
  readonly replaced?: SkillVersion | null
  /** The place in the inbox that it has, when it replaces none; a new one without. */
  readonly place?: KeptPlace
  /** Time at which a reviewer moved it to the end of the inbox; null for never. */
  readonly deferredAt?: Date | null
  /** Holds those of its files that come with it; the skill has the bytes of the others. */
  readonly files?: readonly SkillFileBytes[]
}

/**
 * Stores a version of a locked skill, which waits for its scan or, scanned already, is active at once: with what it
 * cites, its history, audit and the row of index_pending for the scan.
 */
export async function insertVersion(
  writer: Writer,
  version: NewVersion,
  { replaced = null, place, deferredAt = null, files = [] }: Beside = {},
): Promise<void> {
  const { tenantId, db } = writer
  const { skillId, createdAt: at } = version
  await insertBlobs(writer, skillId, files)
  await countMove(writer, version, { from: null, to: version.status })
  const kept = replaced ? await removeVersion(writer, replaced) : (place ?? (await newPlace(writer, version, at)))
  await db
    .insertInto('skill_versions')
    .values({
      tenant_id: tenantId,
      skill_id: skillId,
      version: version.version,
      status: version.status,
      source: version.source,
      kind: version.kind,
      name: version.name,
      description: version.description,
      summary: version.summary,
      content: version.content,
      front_matter: version.frontMatter,
      folder_hash: version.folderHash,
      domain: version.domain,
      goal: version.goal,
      tags: [...version.tags],
      target: json(version.target),
      origin: json(version.origin),
      evidence: json(version.evidence),
      system_metadata: JSON.stringify(version.systemMetadata),
      fleet_key: fleetKey(version.fleetId),
      content_hash: version.contentHash,
      fingerprint: version.fingerprint,
      sketch: JSON.stringify(version.sketch),
      overruled: json(version.overruled),
      reason: version.reason,
      ...(await placeColumns(writer, { ...version, scan: PENDING_SCAN }, kept)),
      ...(deferredAt && { is_deferred: true, deferred_at: deferredAt, place: deferredAt }),
      author_agent_id: version.authorAgentId,
      author_key_id: version.authorKeyId,
      created_at: at,
      updated_at: at,
    })
    .execute()
  await insertCites(writer, version)
  await insertFiles(writer, version)
  const held = isWaiting(version.status)
    ? { waiting_version: version.version }
    : { active_version: version.version, confirmed_at: confirmedAt(version, at) }
  await db
    .updateTable('skills')
    .set({ last_version: version.version, updated_at: at, ...held })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', skillId)
    .execute()
  await recordMove(writer, version, { from: null, to: version.status, reason: version.reason, at })
  await removeOldVersions(writer, version)
  await removeUnusedBlobs(writer, skillId)
  await enqueue(writer, 'scan', [skillId])
}

/** Returns the time from which a version that becomes active may become stale: only what the Forge has made does. */
function confirmedAt({ source }: Pick<SkillVersion, 'source'>, at: Date): Date | null {
  return source === 'forge' ? at : null
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

async function insertCites({ tenantId, db }: Writer, { skillId, version, cites }: NewVersion): Promise<void> {
  if (cites.length === 0) return
  await sql`
    insert into skill_cites (tenant_id, memory_id, skill_id, version)
    select ${tenantId}, id, ${skillId}, ${version} from unnest(${cites as string[]}::uuid[]) as cited(id)
    order by id`.execute(db)
}

/** Removes a version; returns what the one that replaces it keeps of its place. */
async function removeVersion(writer: Writer, version: SkillVersion): Promise<KeptPlace> {
  return writer.db
    .deleteFrom('skill_versions')
    .where((row) => row.and(keyOf(writer, version)))
    .returning([
      sql<Date>`coalesce(waiting_since, place)`.as('waitingSince'),
      sql<number>`coalesce(behind_hours, 0)`.as('behindHours'),
    ])
    .executeTakeFirstOrThrow()
}

/** Returns the key of a version's row. */
export function keyOf({ tenantId }: Writer, { skillId, version }: Pick<SkillVersion, 'skillId' | 'version'>) {
  return { tenant_id: tenantId, skill_id: skillId, version }
}

type VersionColumns = UpdateObject<Database, 'skill_versions'>

/** Updates columns of a version of a locked skill. */
export async function updateVersion(writer: Writer, version: SkillVersion, columns: VersionColumns): Promise<void> {
  await writer.db
    .updateTable('skill_versions')
    .set(columns)
    .where((row) => row.and(keyOf(writer, version)))
    .execute()
}

/** Bytes of files, counted for each version alone, beyond which older versions are not kept. */
export const KEPT_FILE_BYTES = 64 * 1024 * 1024

/**
 * Removes old versions beyond `KEPT_VERSIONS`, and beyond `KEPT_FILE_BYTES`, so that one key cannot fill the disk by rewriting its
 * skill. Those that were served go last: what was never approved cannot push out what a rollback returns to.
 */
async function removeOldVersions(
  { tenantId, db }: Writer,
  { skillId, version: latest, files }: Pick<NewVersion, 'skillId' | 'version' | 'files'>,
): Promise<void> {
  if (latest <= KEPT_VERSIONS && files.length === 0) return
  await sql`
    delete from skill_versions v using (
      select version, row_number() over kept as place, sum(bytes) over kept as bytes from (
        select version, exists (
            select from skill_moves m where m.tenant_id = o.tenant_id and m.skill_id = o.skill_id and m.version = o.version
              and m.from_status = 'active') as was_served,
          coalesce((select sum(size) from skill_files f
            where f.tenant_id = o.tenant_id and f.skill_id = o.skill_id and f.version = o.version), 0) as bytes
        from skill_versions o
        where o.tenant_id = ${tenantId} and o.skill_id = ${skillId} and o.status in ('rejected', 'stale', 'deprecated')
      ) old window kept as (order by was_served desc, version desc)
    ) old
    where v.tenant_id = ${tenantId} and v.skill_id = ${skillId} and v.version = old.version
      and (old.place > ${KEPT_VERSIONS} or old.bytes > ${KEPT_FILE_BYTES})`.execute(db)
  await db
    .deleteFrom('skill_moves as m')
    .where('tenant_id', '=', tenantId)
    .where('skill_id', '=', skillId)
    .where('version', '<=', latest - KEPT_VERSIONS)
    .where(
      sql<boolean>`not exists (select from skill_versions v
        where v.tenant_id = m.tenant_id and v.skill_id = m.skill_id and v.version = m.version)`,
    )
    .execute()
}

export interface SkillMove {
  readonly to: SkillStatus
  readonly reason: string | null
  readonly at: Date
}

/**
 * Moves a version of a locked skill to another status, with its history and audit. Only the rows of the catalogue change:
 * what is served follows by `publish` and `withdraw`.
 */
export async function moveVersion(writer: Writer, version: SkillVersion, move: SkillMove): Promise<SkillVersion> {
  const { tenantId, db } = writer
  const { skillId, status: from } = version
  const { to, reason, at } = move
  // A refusal leaves it deferred: else its author would write a text that the scan refuses, and then the former one, which would come first again.
  const deferredAt = to === 'quarantined' ? version.deferredAt : null
  const moved = { ...version, status: to, reason, deferredAt, updatedAt: at }
  await countMove(writer, version, { from, to })
  const place = isWaiting(to) ? await placeColumns(writer, moved, { waitingSince: at, behindHours: 0 }) : { place: at }
  const inbox = { ...place, ...(deferredAt ? { place: deferredAt } : { is_deferred: false, deferred_at: null }) }
  await updateVersion(writer, version, { status: to, reason, ...inbox, updated_at: at })
  await sql`
    update skills set updated_at = ${at},
      confirmed_at = case when ${to} = 'active' then ${confirmedAt(version, at)}::timestamptz
        when active_version = ${version.version} then null else confirmed_at end,
      active_version = case when ${to} = 'active' then ${version.version} else nullif(active_version, ${version.version}) end,
      waiting_version = case when ${isWaiting(to)} then ${version.version} else nullif(waiting_version, ${version.version}) end
    where tenant_id = ${tenantId} and id = ${skillId}`.execute(db)
  await recordMove(writer, version, { from, to, reason, at })
  return moved
}

async function recordMove(
  writer: Writer,
  moved: NewVersion | SkillVersion,
  { from, to, reason, at }: SkillMove & { readonly from: SkillStatus | null },
): Promise<void> {
  const { db, actor } = writer
  const { skillId, docId, version, contentHash } = moved
  await db
    .insertInto('skill_moves')
    .values({
      ...keyOf(writer, moved),
      from_status: from,
      to_status: to,
      actor_kind: actor.kind,
      actor_agent_id: actor.agentId,
      reason,
      content_hash: contentHash,
      texts_hash: skillTextsHash(moved),
      at,
    })
    .execute()
  const details: AuditDetails = { doc_id: docId, version, from, to, content_hash: contentHash }
  const action = from === null ? 'skill.written' : 'skill.status_changed'
  await audit(writer, at, [{ action, subject: { kind: 'skill', id: skillId }, details }])
}

/** Tells a reviewer something about a version that waits, unless it says so already. */
export async function setReason(writer: Writer, version: SkillVersion, reason: string, at: Date): Promise<void> {
  if (version.reason === reason) return
  await updateVersion(writer, version, { reason, updated_at: at })
  await recordMove(writer, version, { from: version.status, to: version.status, reason, at })
}

/** Moves a version that waits to the end of the inbox, or back from there. */
export async function setDeferred(writer: Writer, version: SkillVersion, at: Date | null, now: Date): Promise<void> {
  await updateVersion(writer, version, { is_deferred: at !== null, deferred_at: at, place: now, updated_at: now })
  const details: AuditDetails = { doc_id: version.docId, version: version.version }
  await audit(writer, now, [{ action: 'skill.deferred', subject: { kind: 'skill', id: version.skillId }, details }])
}

/** Saves the results of the gates. */
export async function saveGates(writer: Writer, version: SkillVersion, gates: readonly GateResult[]): Promise<void> {
  await updateVersion(writer, version, { gates: JSON.stringify(gates) })
}

/** Removes a locked skill with all its versions, their history and outcomes. The number of its last version stays. */
export async function removeSkill(
  writer: Writer,
  { id, docId }: Pick<LockedSkill, 'id' | 'docId'>,
  at: Date,
): Promise<void> {
  const { last_version } = await writer.db
    .deleteFrom('skills')
    .where('tenant_id', '=', writer.tenantId)
    .where('id', '=', id)
    .returning('last_version')
    .executeTakeFirstOrThrow()
  await keepLastVersion(writer, docId, last_version)
  await audit(writer, at, [{ action: 'skill.deleted', subject: { kind: 'skill', id }, details: { doc_id: docId } }])
}

import { type RawBuilder, sql } from 'kysely'
import {
  isWaiting,
  type ScanState,
  type SkillStatus,
  type SkillVersion,
  WAITING_STATUSES,
} from '../../domain/skills/skill.js'
import { type KnownWork, nearestWork } from '../../domain/forge/fingerprint.js'
import type { Keyset } from '../keyset.js'
import type { Reader, Writer } from '../store.js'
import { STORED_PLACE, type StoredPlace } from './inbox-place.js'
import {
  fleetKey,
  isWaitingOfForge,
  SKILL_COLUMNS,
  activeVersions,
  type SkillVersionRow,
  versionOf,
  versionsOfSkills,
} from './skill-row.js'

/** A skill with the versions that can move. */
export interface SkillState {
  readonly id: string
  readonly docId: string
  readonly slug: string
  readonly fleetId: string | null
  readonly lastVersion: number
  readonly createdAt: Date
  /** The version that is served, or null. */
  readonly active: SkillVersion | null
  /** The version that waits, or null. */
  readonly waiting: SkillVersion | null
  readonly latest: SkillVersion
}

/** A skill whose row is locked: nobody else moves its versions until the transaction ends. */
export type LockedSkill = SkillState

/** Returns a skill as it is now, or null. */
export async function findSkill(reader: Reader, docId: string): Promise<SkillState | null> {
  return readOne(skillOf(reader, { doc_id: docId }), reader)
}

/** Locks the skill with this name until the transaction ends, and reads what of it can move. */
export async function lockSkill(writer: Writer, docId: string): Promise<LockedSkill | null> {
  return readOne(skillOf(writer, { doc_id: docId }).forUpdate(), writer)
}

/** Locks the skill with this id until the transaction ends, and reads what of it can move. */
export async function lockSkillById(writer: Writer, id: string): Promise<LockedSkill | null> {
  return readOne(skillOf(writer, { id }).forUpdate(), writer)
}

/** Skills with one content that are named. */
const MOST_SERVING = 100

/** Returns the names of the first skills that serve this content. */
export async function listServing({ tenantId, db }: Reader, contentHash: string): Promise<string[]> {
  const { rows } = await sql<{ docId: string }>`
    select s.doc_id as "docId" from ${versionsOfSkills()}
    where v.tenant_id = ${tenantId} and v.content_hash = ${contentHash} and v.status = 'active'
    order by s.doc_id limit ${MOST_SERVING}`.execute(db)
  return rows.map((row) => row.docId)
}

function skillOf({ db, tenantId }: Reader, key: { readonly doc_id: string } | { readonly id: string }) {
  return db
    .selectFrom('skills')
    .select(['id', 'doc_id as docId', 'slug', 'fleet_id as fleetId'])
    .select(['last_version as lastVersion', 'created_at as createdAt'])
    .where((row) => row.and({ tenant_id: tenantId, ...key }))
}

async function readOne(query: ReturnType<typeof skillOf>, reader: Reader): Promise<SkillState | null> {
  const skill = await query.executeTakeFirst()
  if (!skill) return null
  const versions = await selectVersions(
    reader,
    sql`v.skill_id = ${skill.id}::uuid and (v.version = ${skill.lastVersion} or v.status = any(${['active', ...WAITING_STATUSES]}::text[]))`,
  )
  return {
    ...skill,
    active: versions.find(({ status }) => status === 'active') ?? null,
    waiting: versions.find(({ status }) => isWaiting(status)) ?? null,
    latest: versions[0]!,
  }
}

async function selectVersions(
  reader: Reader,
  condition: RawBuilder<unknown>,
  order: RawBuilder<unknown> = sql`v.version desc`,
  limit = 1_000,
): Promise<SkillVersion[]> {
  const { rows } = await sql<SkillVersionRow>`
    select ${SKILL_COLUMNS} from ${versionsOfSkills()}
    where v.tenant_id = ${reader.tenantId} and ${condition} order by ${order} limit ${limit}`.execute(reader.db)
  return rows.map(versionOf)
}

/** Returns one version of a skill, or null. */
export async function findVersion(reader: Reader, skillId: string, version: number): Promise<SkillVersion | null> {
  const [found] = await selectVersions(reader, sql`v.skill_id = ${skillId}::uuid and v.version = ${version}`)
  return found ?? null
}

/** Returns the newest version of a skill that this agent wrote, or a tenant key without one; null for none. The Forge's has no author. */
export async function findNewestOf(
  reader: Reader,
  skillId: string,
  agentId: string | null,
): Promise<SkillVersion | null> {
  const [found] = await selectVersions(
    reader,
    sql`v.skill_id = ${skillId}::uuid and v.source <> 'forge' and v.author_agent_id is not distinct from ${agentId}`,
    undefined,
    1,
  )
  return found ?? null
}

/** Returns all versions of a locked skill, the newest first. */
export async function readVersions(writer: Writer, skillId: string): Promise<SkillVersion[]> {
  return selectVersions(writer, sql`v.skill_id = ${skillId}::uuid`)
}

/** Returns the state of a version's scan, or null when it was replaced. */
export async function readScanState(
  { db, tenantId }: Reader,
  skillId: string,
  version: number,
): Promise<ScanState | null> {
  const row = await db
    .selectFrom('skill_versions')
    .select('scan_state')
    .where('tenant_id', '=', tenantId)
    .where('skill_id', '=', skillId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.scan_state ?? null
}

/** Returns the versions of a skill, the newest first; null without such a skill. */
export async function listVersions(
  reader: Reader,
  docId: string,
  { after, limit }: Keyset<number>,
): Promise<SkillVersion[] | null> {
  const skill = await reader.db
    .selectFrom('skills')
    .where('tenant_id', '=', reader.tenantId)
    .where('doc_id', '=', docId)
    .executeTakeFirst()
  if (!skill) return null
  const older = after === undefined ? sql`true` : sql`v.version < ${after}`
  return selectVersions(reader, sql`s.doc_id = ${docId} and ${older}`, undefined, limit)
}

/**
 * Returns the name of the Forge's skill of which a version waits that has this fingerprint, or else nearly the same
 * sketch; null without one.
 */
export async function findWaitingCandidate(
  { db, tenantId }: Reader,
  { fleetId, ...work }: KnownWork & Pick<SkillVersion, 'fleetId'>,
): Promise<string | null> {
  const { rows } = await sql<KnownWork & { docId: string }>`
    select s.doc_id as "docId", v.fingerprint, v.sketch from ${versionsOfSkills()}
    where ${isWaitingOfForge(tenantId, fleetId)} order by s.doc_id`.execute(db)
  return nearestWork(work, rows)?.docId ?? null
}

/** Place of a version in the inbox. */
export interface InboxPlace {
  readonly isDeferred: boolean
  /** ISO 8601. */
  readonly place: string
  readonly skillId: string
}

interface InboxQuery extends Keyset<InboxPlace> {
  readonly status: Extract<SkillStatus, 'staged' | 'quarantined' | 'candidate'>
  /** Skills of this fleet and of none; all when undefined. */
  readonly fleetId: string | undefined
}

/** A version with its place, and what its place is told from. */
type InboxRow = SkillVersion & { readonly place: Date; readonly stored: StoredPlace }

/** Lists versions that wait, by their places: those that were deferred last. */
export async function listWaiting(reader: Reader, query: InboxQuery): Promise<InboxRow[]> {
  const { after } = query
  const beyond = after
    ? sql`(v.is_deferred, v.place, v.skill_id) > (${after.isDeferred}, ${after.place}::timestamptz, ${after.skillId}::uuid)`
    : sql`true`
  const { rows } = await sql<SkillVersionRow & StoredPlace & { place: Date }>`
    select ${SKILL_COLUMNS}, v.place, ${STORED_PLACE} from ${versionsOfSkills()}
    where v.tenant_id = ${reader.tenantId} and ${isInInbox(query)} and ${beyond}
    order by v.is_deferred, v.place, v.skill_id limit ${query.limit}`.execute(reader.db)
  return rows.map(({ place, waitingSince, behindHours, record, isRanked, ...row }) => ({
    ...versionOf(row),
    ...{ place, stored: { waitingSince, behindHours, record, isRanked } },
  }))
}

/** Counts the versions that wait. */
export async function countWaiting(reader: Reader, query: Pick<InboxQuery, 'status' | 'fleetId'>): Promise<number> {
  const { count } = await reader.db
    .selectFrom('skill_versions as v')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('v.tenant_id', '=', reader.tenantId)
    .where(isInInbox(query))
    .executeTakeFirstOrThrow()
  return count
}

function isInInbox({ status, fleetId }: Pick<InboxQuery, 'status' | 'fleetId'>): RawBuilder<boolean> {
  const fleet = fleetId === undefined ? sql`true` : sql`v.fleet_key in (${fleetId}, ${fleetKey(null)})`
  // The literal lets the planner choose the inbox's partial index.
  return sql<boolean>`v.status = ${sql.lit(status)} and ${fleet}`
}

/** An active skill as far as the Forge compares candidates with it. */
type ActiveSkillRow = Pick<
  SkillVersion,
  'skillId' | 'docId' | 'fleetId' | 'version' | 'contentHash' | 'fingerprint' | 'sketch' | 'content' | 'source'
>

/** Reads a page of the active skills of one fleet, or of none for null, by name. */
export async function readActiveSkills(
  reader: Reader,
  { fleetId, after, limit }: { readonly fleetId: string | null; readonly after?: string; readonly limit: number },
): Promise<ActiveSkillRow[]> {
  return activeVersions(reader)
    .select(['v.skill_id as skillId', 's.doc_id as docId', 's.fleet_id as fleetId', 'v.version'])
    .select(['v.content_hash as contentHash', 'v.fingerprint', 'v.sketch', 'v.content', 'v.source'])
    .where('s.fleet_id', 'is not distinct from', fleetId)
    .where('s.doc_id', '>', after ?? '')
    .orderBy('s.doc_id')
    .limit(limit)
    .execute()
}

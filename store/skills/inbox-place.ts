import { type RawBuilder, sql } from 'kysely'
import { authorOf, type AuthorRecord } from '../../domain/skills/author-record.js'
import {
  AUTHOR_SHARE,
  HOUR_MS,
  hoursOf,
  placeReasons,
  type RankedVersion,
  SHARE_HOURS,
} from '../../domain/skills/priority.js'
import { isWaiting, type SkillVersion } from '../../domain/skills/skill.js'
import type { Reader, Writer } from '../store.js'
import { readRecord } from './author-records.js'

/** The version that is placed. */
type Placed = Pick<
  SkillVersion,
  'origin' | 'scan' | 'kind' | 'status' | 'source' | 'target' | 'contentHash' | 'authorAgentId'
>

/** The stored facts about a version's place, so that its reasons can be told as they counted. */
export interface StoredPlace {
  readonly waitingSince: Date
  readonly behindHours: number
  readonly record: AuthorRecord
  /** False for a row without `waiting_since`: its place is a time alone. */
  readonly isRanked: boolean
}

/** The part of a place that stays when the version is scanned, or written again by its author. */
export type KeptPlace = Pick<StoredPlace, 'waitingSince' | 'behindHours'>

/** Returns the columns of a version that give it a place in the inbox, by the record that its author has now. */
export async function placeColumns(writer: Writer, version: Placed, kept: KeptPlace) {
  const record = await readRecord(writer, authorOf(version))
  const { waitingSince, behindHours } = kept
  const hours = hoursOf(placeReasons(rankedOf(version, { record, behindHours })))
  return {
    place: new Date(waitingSince.getTime() - hours * HOUR_MS),
    waiting_since: waitingSince,
    behind_hours: behindHours,
    ranked_approved: record.approved,
    ranked_rejected: record.rejected,
    ranked_quarantined: record.quarantined,
  }
}

/** Returns what the reasons for the place of a version are told from. */
export function rankedOf(
  version: Placed,
  { record, behindHours }: Pick<StoredPlace, 'record' | 'behindHours'>,
): RankedVersion {
  return { ...version, author: authorOf(version), record, behindHours }
}

/**
 * Bounds how many of an author's skills a new one is placed by: the last in the order of the inbox. Reasons move a skill by some
 * days, in which few of one author stand, so the last of the author is among them.
 */
const LAST_LOOKED_AT = 50

/**
 * Returns the place of a version that comes new into the inbox: as it comes while few others of its author wait, else behind
 * the last of them. So whoever writes hundreds does not stand before what others write later. An author is an agent, and so is
 * whoever has the credential, whatever agents that names.
 */
export async function newPlace(
  { tenantId, db }: Writer,
  {
    status,
    source,
    authorAgentId,
    authorKeyId,
  }: Pick<SkillVersion, 'status' | 'source' | 'authorAgentId' | 'authorKeyId'>,
  at: Date,
): Promise<KeptPlace> {
  // The Forge writes no more than its settings allow, and one agent alone cannot make it write. Whoever reviews writes the others.
  if (status !== 'staged' || source !== 'agent') return { waitingSince: at, behindHours: 0 }
  // Writes of one author wait for one another here, so that each counts those before it.
  const author = `${tenantId} ${authorKeyId ?? authorAgentId ?? ''}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${`inbox:${author}`}, 0))`.execute(db)
  const lastBy = (isAuthor: RawBuilder<boolean>) => sql`(
    select skill_id, version, coalesce(waiting_since, place) + coalesce(behind_hours, 0) * interval '1 hour' as stands_at
    from skill_versions
    where tenant_id = ${tenantId} and ${isAuthor} and status = 'staged' and source = 'agent' and not is_deferred
    order by place desc limit ${LAST_LOOKED_AT})`
  const { rows } = await sql<{ others: number; last: Date | null }>`
    select count(*)::int as others, max(stands_at) as last
    from (${lastBy(sql`author_agent_id = ${authorAgentId}`)} union ${lastBy(sql`author_key_id = ${authorKeyId}`)}) own`.execute(
    db,
  )
  const { others, last } = rows[0]!
  if (others < AUTHOR_SHARE || last === null) return { waitingSince: at, behindHours: 0 }
  const hours = Math.ceil((last.getTime() - at.getTime()) / HOUR_MS) + SHARE_HOURS
  return { waitingSince: at, behindHours: Math.max(0, hours) }
}

/** Gives a version that was scanned the place that its verdict leaves it. One that was deferred stays where it is. */
export async function placeAgain(writer: Writer, version: Placed & Pick<SkillVersion, 'skillId' | 'version'>) {
  if (!isWaiting(version.status)) return {}
  const { tenantId, db } = writer
  const { rows } = await sql<KeptPlace>`
    select coalesce(waiting_since, place) as "waitingSince", coalesce(behind_hours, 0) as "behindHours" from skill_versions
    where tenant_id = ${tenantId} and skill_id = ${version.skillId} and version = ${version.version} and not is_deferred`.execute(
    db,
  )
  return rows[0] ? placeColumns(writer, version, rows[0]) : {}
}

/** Columns of a `StoredPlace` of a version `v`. */
export const STORED_PLACE = sql`
  coalesce(v.waiting_since, v.place) as "waitingSince", coalesce(v.behind_hours, 0) as "behindHours",
  json_build_object('approved', coalesce(v.ranked_approved, 0), 'rejected', coalesce(v.ranked_rejected, 0),
    'quarantined', coalesce(v.ranked_quarantined, 0)) as record,
  v.waiting_since is not null as "isRanked"`

/** Returns what is stored of the place of a version. */
export async function readPlace(
  { tenantId, db }: Reader,
  { skillId, version }: Pick<SkillVersion, 'skillId' | 'version'>,
): Promise<StoredPlace> {
  const { rows } = await sql<StoredPlace>`
    select ${STORED_PLACE} from skill_versions v
    where v.tenant_id = ${tenantId} and v.skill_id = ${skillId} and v.version = ${version}`.execute(db)
  return rows[0]!
}

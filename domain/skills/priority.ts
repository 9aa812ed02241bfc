import type { AuthorRecord, SkillAuthor } from './author-record.js'
import type { SkillVersion } from './skill.js'

/**
 * The order of the inbox. A skill stands where one would stand that waits for
 *
 *   hours = waiting + served + evidence + author - flags - share
 *
 * Each reason is worth hours of waiting. So the order of two skills never changes while they wait, and stands as a time in the
 * index of the inbox (`place`). All reasons but the author's own share are worth some days at most, so nothing waits for ever behind what comes later.
 * What an author does alone (words that the scan flags, many skills) only lowers; what others did (runs of several credentials, decisions
 * of reviewers) may raise.
 */
export const HOUR_MS = 3_600_000

/** A version whose evidence went away, while the same words are served: a person should look soon. */
const SERVED_HOURS = 72
/** Hours for each run that succeeded. Of one credential five count, so that many runs of one are not the evidence of many. */
const RUN_HOURS = 2
const RUNS_OF_A_CREDENTIAL = 5
const MOST_EVIDENCE_HOURS = 96
/** Hours for each finding of the scan: the skill takes longer to read, and is refused more often. */
const FLAG_HOURS = { critical: 24, warn: 12 } as const
const MOST_FLAG_HOURS = 72
/** Hours for an author of whom everything was approved, or refused. */
const AUTHOR_HOURS = 48
/** Decisions that an author without any is taken to have had, half of them approvals, so that one decision is not a record. */
const ASSUMED_DECISIONS = 3

/** Skills of one author that wait beside others' as they come. Each further one stands a day behind the author's last. */
export const AUTHOR_SHARE = 3
export const SHARE_HOURS = 24

export type PriorityCode = 'waiting' | 'deferred' | 'served' | 'evidence' | 'author' | 'flags' | 'share'

export interface PriorityReason {
  readonly code: PriorityCode
  /** A sentence for the reviewer. */
  readonly message: string
  /** Hours of waiting that it is worth; negative for what moves the skill down. */
  readonly hours: number
}

/** Facts about a version when it gets its place. */
export interface RankedVersion extends Pick<
  SkillVersion,
  'origin' | 'scan' | 'kind' | 'status' | 'source' | 'target' | 'contentHash'
> {
  readonly author: SkillAuthor
  readonly record: AuthorRecord
  /** Hours that it stands behind the author's others. */
  readonly behindHours: number
}

/** Returns why a version stands before or behind others that wait as long. */
export function placeReasons(version: RankedVersion): PriorityReason[] {
  const reasons = [
    servedReason(version),
    evidenceReason(version),
    authorReason(version),
    flagReason(version),
    shareReason(version),
  ]
  return reasons.filter((reason) => reason !== null)
}

/** Returns what reasons are worth together. */
export function hoursOf(reasons: readonly Pick<PriorityReason, 'hours'>[]): number {
  return reasons.reduce((sum, { hours }) => sum + hours, 0)
}

/**
 * Returns all reasons for the place of a version, what weighs most first. That a reviewer deferred it outweighs all others. Null
 * stands for a version that got its place by the time alone.
 */
export function priorityReasons(
  version: RankedVersion | null,
  { since, deferredAt }: { readonly since: Date; readonly deferredAt: Date | null },
  now: number,
): PriorityReason[] {
  const hours = hoursSince(since, now)
  const waiting: PriorityReason = { code: 'waiting', message: `It waits for ${durationOf(hours)}.`, hours }
  const others = version === null ? [] : placeReasons(version)
  const reasons = [waiting, ...others].sort((a, b) => Math.abs(b.hours) - Math.abs(a.hours))
  if (deferredAt === null) return reasons
  const message = `A reviewer deferred it ${durationOf(hoursSince(deferredAt, now))} ago: it stands behind all that nobody deferred.`
  return [{ code: 'deferred', message, hours: 0 }, ...reasons]
}

function hoursSince(time: Date, now: number): number {
  return Math.max(0, Math.floor((now - time.getTime()) / HOUR_MS))
}

function durationOf(hours: number): string {
  if (hours < 1) return 'less than an hour'
  return hours < 48 ? some(hours, 'hour') : some(Math.floor(hours / 24), 'day')
}

function servedReason({ source, kind, status, target, contentHash }: RankedVersion): PriorityReason | null {
  const isCopy = kind === 'update' && target?.target_content_hash === contentHash
  // What others write cites nothing, so that it loses nothing.
  if (source !== 'forge' || status !== 'staged' || !isCopy) return null
  const message =
    'The same words are served meanwhile, and some of the memories that they are taken from changed or are gone.'
  return { code: 'served', message, hours: SERVED_HOURS }
}

function evidenceReason({ origin }: RankedVersion): PriorityReason | null {
  const { cluster_size: runs = null, distinct_agents: agents = null } = origin ?? {}
  if (runs === null || agents === null) return null
  const credentials = Math.min(origin?.distinct_credentials ?? agents, agents)
  const hours = Math.min(RUN_HOURS * Math.min(runs, RUNS_OF_A_CREDENTIAL * credentials), MOST_EVIDENCE_HOURS)
  const message = `${some(runs, 'run')} of ${some(agents, 'agent')} by ${some(credentials, 'credential')} succeeded in this way.`
  return { code: 'evidence', message, hours }
}

function authorReason({ author, record }: RankedVersion): PriorityReason | null {
  const { approved, rejected, quarantined } = record
  const decided = approved + rejected + quarantined
  if (decided === 0) return null
  const hours = Math.round((AUTHOR_HOURS * (approved - rejected - quarantined)) / (decided + ASSUMED_DECISIONS))
  const message = `Of ${author.isForge ? 'the Forge' : 'its author'}, ${approved} approved, ${rejected} rejected, ${quarantined} quarantined.`
  return { code: 'author', message, hours }
}

function flagReason({ scan: { critical, warn } }: RankedVersion): PriorityReason | null {
  const [found, flagged] = [critical ?? 0, warn ?? 0]
  if (found + flagged === 0) return null
  const hours = Math.min(FLAG_HOURS.critical * found + FLAG_HOURS.warn * flagged, MOST_FLAG_HOURS)
  const parts = [
    ...(found > 0 ? [some(found, 'critical finding')] : []),
    ...(flagged > 0 ? [some(flagged, 'flagged passage')] : []),
  ]
  return { code: 'flags', message: `The scan has ${parts.join(' and ')}.`, hours: -hours }
}

function shareReason({ behindHours }: RankedVersion): PriorityReason | null {
  if (behindHours === 0) return null
  const message = `Its author has ${AUTHOR_SHARE} or more others that wait: it stands a day behind the last of them.`
  return { code: 'share', message, hours: -behindHours }
}

function some(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

import type { Principal } from '../../domain/principal.js'
import type { ScanReport } from '../../domain/scan/report.js'
import { failureCodeOf } from '../../domain/skills/scan-failure.js'
import { isWaiting, type SkillStatus, type SkillVersion } from '../../domain/skills/skill.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { readFileTexts } from '../../store/skills/files.js'
import { wasReworded } from '../../store/skills/history.js'
import type { SkillState } from '../../store/skills/read-skills.js'
import type { Reader } from '../../store/store.js'
import type { SkillContext } from './context.js'
import { scanVersion } from './scan-version.js'
import { ScanFailedError } from './skill-scanner.js'

/** A reviewer's request. */
export interface ReviewRequest {
  readonly docId: string
  /** Content hash that the reviewer saw, which the version must still have. */
  readonly contentHash: string | undefined
  /** Number of the version that the reviewer saw, which must still be the one: the hash covers description and content alone. */
  readonly seenVersion?: number | undefined
  readonly reason: string | undefined
}

/** The outcome of a review. */
export interface Review {
  /** The version that has the new status. */
  readonly version: SkillVersion
  readonly previousStatus: SkillStatus
  /** A sentence for the reviewer. */
  readonly detail: string
}

interface Move {
  readonly from: readonly SkillStatus[]
  readonly to: SkillStatus
  /** True when it begins also from what waits and could not be scanned. */
  readonly takesFailed?: boolean
}

/**
 * Returns the version of a skill that a move is about: the one that waits, that is served, or the newest. Throws
 * NotFoundError without such a skill, ConflictError when none of them is in a status that the move begins from.
 */
export function requireMovable(skill: SkillState | null, { from, to, takesFailed = false }: Move): SkillVersion {
  if (!skill) throw new NotFoundError('Skill')
  const { active, waiting, latest } = skill
  const takes = (version: SkillVersion) => from.includes(version.status) || (takesFailed && isWithoutVerdict(version))
  const subject = [waiting, active, latest].find((version) => version && takes(version))
  if (!subject) {
    const { status } = waiting ?? active ?? latest
    throw new ConflictError(`The skill is ${status}; this takes one that is ${from.join(' or ')}.`, {
      details: { doc_id: skill.docId, from: status, to },
    })
  }
  if (isWaiting(to) && waiting && waiting !== subject)
    throw new ConflictError('Another version of this skill waits for its review.', {
      details: { doc_id: skill.docId, version: waiting.version },
    })
  return subject
}

/** Returns true for a version that waits and that no scan came to an end with. */
export function isWithoutVerdict({ status, scan }: SkillVersion): boolean {
  return isWaiting(status) && scan.state === 'failed'
}

/** Throws ConflictError when a version is another, or has another content, than the reviewer saw. */
export function requireSeen(
  { docId, version, status, contentHash }: SkillVersion,
  seen: Pick<ReviewRequest, 'contentHash' | 'seenVersion'>,
): void {
  const isSeen = (seen.seenVersion ?? version) === version && (seen.contentHash ?? contentHash) === contentHash
  if (isSeen) return
  const given = (seen.seenVersion ?? version) === version ? 'content_hash' : 'version'
  throw new ConflictError(`The skill has changed: ${given} is not that of its version.`, {
    details: { doc_id: docId, version, status, content_hash: contentHash },
  })
}

/**
 * Throws ConflictError when the request names the content hash alone and other texts were written under it: they may be
 * what the reviewer read.
 */
export async function requireReadTexts(
  reader: Reader,
  version: SkillVersion,
  { contentHash, seenVersion }: Pick<ReviewRequest, 'contentHash' | 'seenVersion'>,
): Promise<void> {
  if (seenVersion !== undefined || contentHash === undefined || !(await wasReworded(reader, version))) return
  const { docId, version: number, status, contentHash: content_hash } = version
  throw new ConflictError(
    'Other texts of the skill were rewritten under this content_hash: read it, and send its version.',
    {
      details: { doc_id: docId, version: number, status, content_hash },
    },
  )
}

/** Throws ConflictError when a version is another one, or has another status, content or files, than before it was scanned. */
export function requireUnchanged(now: SkillVersion, seen: SkillVersion): void {
  const { docId, version, status, contentHash } = now
  const keys = ['skillId', 'version', 'status', 'contentHash', 'folderHash'] as const
  if (keys.every((key) => now[key] === seen[key])) return
  throw new ConflictError('The skill was changed meanwhile.', {
    details: { doc_id: docId, version, status, content_hash: contentHash },
  })
}

/**
 * Scans a version at once, in a thread of this process, outside of any transaction. Throws ConflictError when the scan
 * fails: what nobody has judged is not served.
 */
export async function scanNow(
  { store, skillScanner, logger }: SkillContext,
  principal: Principal,
  version: SkillVersion,
  signal: AbortSignal,
): Promise<ScanReport> {
  try {
    const files = await store.read(principal, (reader) => readFileTexts(reader, version))
    return await scanVersion(skillScanner, { version, files }, signal)
  } catch (error) {
    if (!(error instanceof ScanFailedError)) throw error
    logger.warn({ skillId: version.skillId, version: version.version, code: error.code }, 'scan failed')
    throw new ConflictError('The scan of the skill failed, and nothing was changed; try again.', {
      details: {
        doc_id: version.docId,
        scan: { state: 'failed', code: failureCodeOf(error.code) },
      },
    })
  }
}

/** Returns the error for a version that the scan refused, with what it found. */
export function refusalOfScan({ docId, status }: SkillVersion, { counts, findings }: ScanReport): ConflictError {
  const found = `${counts.critical} critical ${counts.critical === 1 ? 'finding' : 'findings'}`
  return new ConflictError(`The scan refused the skill, with ${found}; it is ${status}.`, {
    details: { doc_id: docId, status, findings },
  })
}

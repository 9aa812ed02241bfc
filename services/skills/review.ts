import type { Principal } from '../../domain/principal.js'
import type { ScanReport } from '../../domain/scan/report.js'
import { rejectionOf } from '../../domain/skills/rejection.js'
import { isAccepted } from '../../domain/skills/overruling.js'
import { REVIEWS, type ReviewName } from '../../domain/skills/reviews.js'
import { hasSameTexts, isWaiting, revisesActive, type SkillVersion } from '../../domain/skills/skill.js'
import { DAY_MS } from '../../domain/text/time-reference.js'
import { ConflictError } from '../../runtime/errors.js'
import { enqueue } from '../../store/outbox/outbox.js'
import { insertPoison, readContentsBefore } from '../../store/skills/poison.js'
import { findSkill, type LockedSkill, lockSkill } from '../../store/skills/read-skills.js'
import { saveOverruling } from '../../store/skills/scans.js'
import { moveVersion, setDeferred } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { SkillContext } from './context.js'
import { activate, deactivate } from './publish.js'
import {
  refusalOfScan,
  requireMovable,
  requireReadTexts,
  requireSeen,
  isWithoutVerdict,
  requireUnchanged,
  type Review,
  type ReviewRequest,
  scanNow,
} from './reviewed-version.js'
import { criticalReason, type Judgement, saveVerdict, settleVerdict } from './settle-scan.js'

interface RejectableRequest extends ReviewRequest {
  /** Days in which nothing like a rejected skill is accepted; those of the tenant's settings when undefined. */
  readonly cooloffDays?: number | undefined
}

/**
 * Does what a reviewer decided with a version of a skill: scans it where the decision needs it, then moves it in one
 * transaction with everything that follows, as long as it is the version that was read. Throws NotFoundError, and
 * ConflictError for another status or content, or when the scan refuses it.
 */
export async function review(
  context: SkillContext,
  principal: Principal,
  name: ReviewName,
  request: RejectableRequest,
  signal: AbortSignal,
): Promise<Review> {
  const rule = REVIEWS[name]
  const seen = await context.store.read(principal, async (reader) => {
    const version = requireMovable(await findSkill(reader, request.docId), rule)
    requireSeen(version, request)
    await requireReadTexts(reader, version, request)
    return version
  })
  const report = rule.isScanned ? await scanNow(context, principal, seen, signal) : null
  const at = new Date(context.clock.now())
  const version = await context.store.transact(principal, async (writer) => {
    const skill = await lockSkill(writer, seen.docId)
    const locked = requireMovable(skill, rule)
    requireUnchanged(locked, seen)
    const decision = { skill: skill!, version: locked, reason: request.reason ?? null, at }
    if (report) {
      const judged = await decideByVerdict(writer, name, decision, report)
      const isOpen = isWaiting(judged.status) && judged.scan.state === 'flagged'
      if (isOpen && context.enrichment.enabled) await enqueue(writer, 'opinion', [judged.skillId])
      return judged
    }
    return EFFECTS[name as Exclude<ReviewName, 'overrule'>](writer, { ...decision, cooloffDays: request.cooloffDays })
  })
  if (report && !isAccepted(version, report)) throw refusalOfScan(version, report)
  return { version, previousStatus: seen.status, detail: rule.done }
}

/** A decision about a version of a locked skill. */
interface Decision {
  readonly skill: LockedSkill
  readonly version: SkillVersion
  readonly reason: string | null
  readonly at: Date
  readonly cooloffDays?: number | undefined
}

/** A decision about a version that was scanned for it. */
type JudgedDecision = Decision & Judgement

type Effect = (writer: Writer, decision: Decision) => Promise<SkillVersion>

const EFFECTS: Readonly<Record<Exclude<ReviewName, 'overrule'>, Effect>> = {
  async approve(writer, { skill, version, reason, at }) {
    requireCurrentTarget(skill, version)
    return activate(writer, skill, version, { reason, at })
  },
  async reject(writer, { skill, version, reason, at, cooloffDays }) {
    const rejected = await moveVersion(writer, version, { to: 'rejected', reason, at })
    await forbid(writer, version, { reason: reason!, at, cooloffDays })
    await takeOutOfService(writer, skill, rejected)
    return rejected
  },
  async quarantine(writer, { skill, version, reason, at }) {
    const quarantined = await moveVersion(writer, version, { to: 'quarantined', reason, at })
    await takeOutOfService(writer, skill, quarantined)
    return quarantined
  },
  async defer(writer, { version, at }) {
    await setDeferred(writer, version, at, at)
    return { ...version, deferredAt: at }
  },
  restore: (writer, { version, reason, at }) => moveVersion(writer, version, { to: 'staged', reason, at }),
  async retire(writer, { version, reason, at }) {
    // The Forge would find the same work at its next run.
    if (version.source === 'forge') await forbid(writer, version, { reason: reason ?? 'retired', at })
    return deactivate(writer, version, { to: 'deprecated', reason, at })
  },
}

/** Enters what a version added to what was there before into the poison table, for the days of the tenant's settings unless they are given. */
async function forbid(
  writer: Writer,
  version: SkillVersion,
  {
    reason,
    at,
    cooloffDays,
  }: { readonly reason: string; readonly at: Date; readonly cooloffDays?: number | undefined },
): Promise<void> {
  const { skills_factory: settings } = await readSettings(writer)
  const until = new Date(at.getTime() + (cooloffDays ?? settings.rejection_cooloff_days) * DAY_MS)
  const rejection = rejectionOf(version.content, await readContentsBefore(writer, version))
  await insertPoison(writer, version, { rejection, reason, at, until })
}

/**
 * Saves the verdict on a version, and moves it by the decision if nothing critical stands against it. A staged one becomes
 * quarantined otherwise. One that could not be scanned before goes the way of its verdict.
 */
async function decideByVerdict(
  writer: Writer,
  name: ReviewName,
  decision: Decision,
  report: ScanReport,
): Promise<SkillVersion> {
  const { skill, version, at } = decision
  if (name === 'restore' && isWithoutVerdict(version)) return settleVerdict(writer, skill, version, { report, at })
  const judged = await saveVerdict(writer, version, { report, at })
  if (name === 'overrule') return overrule(writer, { ...decision, version: judged, report })
  if (isAccepted(judged, report)) return EFFECTS[name](writer, { ...decision, version: judged })
  if (judged.status !== 'staged') return judged
  return EFFECTS.quarantine(writer, { ...decision, version: judged, reason: criticalReason(report) })
}

/** Stages a quarantined version in spite of what the scan found in it. Throws ConflictError when it found nothing critical. */
async function overrule(writer: Writer, { version, report, reason, at }: JudgedDecision): Promise<SkillVersion> {
  if (report.verdict !== 'quarantined')
    throw new ConflictError('The scan finds nothing critical that could be overruled; restore the skill.', {
      details: { doc_id: version.docId, scan: { state: report.verdict } },
    })
  const overruled = await saveOverruling(writer, version, { reason: reason!, rules: report.version, at })
  return moveVersion(writer, overruled, { to: 'staged', reason, at })
}

/** Throws ConflictError when another version is active than the one that this revises. */
function requireCurrentTarget({ docId, active }: LockedSkill, version: SkillVersion): void {
  if (!active || revisesActive(version, active)) return
  throw new ConflictError('The active version has changed since; edit the revision to base it on the active one.', {
    details: { doc_id: docId, version: active.version, content_hash: active.contentHash },
  })
}

/**
 * Takes the active version out of service when the one that was just refused is its copy, whose evidence was lost. Other
 * skills stay served, also with the same content: who copies one must not have it taken from everybody.
 */
async function takeOutOfService(writer: Writer, { active }: LockedSkill, refused: SkillVersion): Promise<void> {
  if (!active || !hasSameTexts(active, refused)) return
  const { status, reason, updatedAt: at } = refused
  await deactivate(writer, active, { to: status === 'quarantined' ? 'deprecated' : status, reason, at })
}

import type { Principal } from '../../domain/principal.js'
import type { ScanReport } from '../../domain/scan/report.js'
import { REVIEWS, type ReviewName } from '../../domain/skills/reviews.js'
import { hasSameTexts, revisesActive, type SkillVersion } from '../../domain/skills/skill.js'
import { DAY_MS } from '../../domain/text/time-reference.js'
import { ConflictError } from '../../runtime/errors.js'
import { insertPoison } from '../../store/skills/poison.js'
import { findSkill, type LockedSkill, lockSkill, lockSkillsServing } from '../../store/skills/read-skills.js'
import { moveVersion, saveReport, setDeferred } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { ServiceContext } from '../context.js'
import { activate, deactivate } from './publish.js'
import {
  refusalOfScan,
  requireMovable,
  requireSeen,
  requireUnchanged,
  type Review,
  type ReviewRequest,
  scanNow,
} from './reviewed-version.js'
import { criticalReason, withReport } from './settle-scan.js'

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
  context: ServiceContext,
  principal: Principal,
  name: ReviewName,
  request: RejectableRequest,
  signal: AbortSignal,
): Promise<Review> {
  const rule = REVIEWS[name]
  const seen = await context.store.read(principal, async (reader) =>
    requireMovable(await findSkill(reader, request.docId), rule),
  )
  requireSeen(seen, request.contentHash)
  const report = rule.isScanned ? await scanNow(context, seen, signal) : null
  const at = new Date(context.clock.now())
  const { version, withdrawn } = await context.store.transact(principal, async (writer) => {
    const serving = await lockSkillsServing(writer, seen.docId, seen.contentHash)
    const skill = await lockSkill(writer, seen.docId)
    const locked = requireMovable(skill, rule)
    requireUnchanged(locked, seen)
    const decision = { skill: skill!, version: locked, serving, reason: request.reason ?? null, at }
    if (report) return settleVerdict(writer, name, decision, report)
    return EFFECTS[name](writer, { ...decision, cooloffDays: request.cooloffDays })
  })
  if (report?.verdict === 'quarantined') throw refusalOfScan(version, report)
  return { version, previousStatus: seen.status, detail: [rule.done, ...withdrawn.map(outOfService)].join(' ') }
}

/** A decision about a version of a locked skill. */
interface Decision {
  readonly skill: LockedSkill
  readonly version: SkillVersion
  /** Names of the skills that serve this content, which are locked too. */
  readonly serving: readonly string[]
  readonly reason: string | null
  readonly at: Date
  readonly cooloffDays?: number | undefined
}

interface Effect {
  readonly version: SkillVersion
  /** Names of other skills that left service with it. */
  readonly withdrawn: readonly string[]
}

const EFFECTS: Readonly<Record<ReviewName, (writer: Writer, decision: Decision) => Promise<Effect>>> = {
  async approve(writer, { skill, version, reason, at }) {
    requireCurrentTarget(skill, version)
    return alone(await activate(writer, skill, version, { reason, at }))
  },
  async reject(writer, { version, serving, reason, at, cooloffDays }) {
    const { skills_factory: settings } = await readSettings(writer)
    const until = new Date(at.getTime() + (cooloffDays ?? settings.rejection_cooloff_days) * DAY_MS)
    const rejected = await moveVersion(writer, version, { to: 'rejected', reason, at })
    await insertPoison(writer, version, { reason: reason!, at, until })
    return { version: rejected, withdrawn: await takeOutOfService(writer, rejected, serving) }
  },
  async quarantine(writer, { version, serving, reason, at }) {
    const quarantined = await moveVersion(writer, version, { to: 'quarantined', reason, at })
    return { version: quarantined, withdrawn: await takeOutOfService(writer, quarantined, serving) }
  },
  async defer(writer, { version, at }) {
    await setDeferred(writer, version, at, at)
    return alone({ ...version, deferredAt: at })
  },
  async restore(writer, { version, reason, at }) {
    return alone(await moveVersion(writer, version, { to: 'staged', reason, at }))
  },
  async retire(writer, { version, reason, at }) {
    return alone(await deactivate(writer, version, { to: 'deprecated', reason, at }))
  },
}

function alone(version: SkillVersion): Effect {
  return { version, withdrawn: [] }
}

function outOfService(docId: string): string {
  return `${docId} had the same content and is out of service.`
}

/** Saves the verdict on a version, and moves it by the decision if it is clean. A staged one becomes quarantined if not. */
async function settleVerdict(
  writer: Writer,
  name: ReviewName,
  decision: Decision,
  report: ScanReport,
): Promise<Effect> {
  const { version, at } = decision
  await saveReport(writer, version, report, at)
  const judged = withReport(version, report, at)
  if (report.verdict === 'clean') return EFFECTS[name](writer, { ...decision, version: judged })
  if (judged.status !== 'staged') return alone(judged)
  return EFFECTS.quarantine(writer, { ...decision, version: judged, reason: criticalReason(report) })
}

/** Throws ConflictError when another version is active than the one that this revises. */
function requireCurrentTarget({ docId, active }: LockedSkill, version: SkillVersion): void {
  if (!active || revisesActive(version, active)) return
  throw new ConflictError('The active version has changed since; edit the revision to base it on the active one.', {
    details: { doc_id: docId, version: active.version, content_hash: active.contentHash },
  })
}

/**
 * Takes the content of a version that was just refused out of service, wherever it is active; what else waits of those
 * skills stays in the inbox. A revision of other texts than the content says nothing against the active version of its
 * own skill. Returns the names of the other skills.
 */
async function takeOutOfService(
  writer: Writer,
  refused: SkillVersion,
  serving: readonly string[],
): Promise<readonly string[]> {
  const { contentHash, status, reason, updatedAt: at } = refused
  const withdrawn: string[] = []
  for (const docId of serving) {
    const skill = await lockSkill(writer, docId)
    if (skill?.active?.contentHash !== contentHash) continue
    const isOwn = docId === refused.docId
    if (isOwn && !hasSameTexts(skill.active, refused)) continue
    const to = status === 'quarantined' && skill.waiting ? 'deprecated' : status
    await deactivate(writer, skill.active, { to, reason, at })
    if (!isOwn) withdrawn.push(docId)
  }
  return withdrawn
}

import { gateResults, passesAll, passesButScan } from '../../domain/skills/gates.js'
import type { ScanReport } from '../../domain/scan/report.js'
import { type Opinions, opinionsOf, withOpinions } from '../../domain/skills/opinion.js'
import { isAccepted } from '../../domain/skills/overruling.js'
import type { ScanFailureCode } from '../../domain/skills/scan-failure.js'
import { revisesActive, type SkillVersion } from '../../domain/skills/skill.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { findPoison } from '../../store/skills/poison.js'
import { type LockedSkill, lockSkillById } from '../../store/skills/read-skills.js'
import { readFormerFindings, saveReport, saveScanFailure, saveServedScan } from '../../store/skills/scans.js'
import { moveVersion, saveGates, setReason } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { activate, deactivate } from './publish.js'

/** The version that was scanned: when it is another by now, its verdict is void. */
type ScannedVersion = Pick<SkillVersion, 'skillId' | 'version' | 'contentHash'>

/** Settles the verdict on a version if it is still the one that was scanned. Returns it as it is then; null when it is another. */
export async function settleScan(
  writer: Writer,
  scanned: ScannedVersion,
  report: ScanReport,
  at: Date,
): Promise<SkillVersion | null> {
  const found = await lockScanned(writer, scanned)
  if (!found) return null
  return settleVerdict(writer, found.skill, found.version, { report, at })
}

/** The verdict on a version, and when it was given. */
export interface Judgement {
  readonly report: ScanReport
  readonly at: Date
}

/**
 * Saves the verdict on a version of a locked skill that waits for it, or on the active one that newer rules judged, and moves
 * it: a critical finding that nobody overruled quarantines, a candidate goes through the gates, and without
 * `skills_factory.enabled` a clean skill becomes active, if it revises what is active now. A flagged one waits for a reviewer; the
 * active one stays served. Returns the version as it is then.
 */
export async function settleVerdict(
  writer: Writer,
  skill: LockedSkill,
  version: SkillVersion,
  { report, at }: Judgement,
): Promise<SkillVersion> {
  const judged = await saveVerdict(writer, version, { report, at })
  if (judged.status === 'active') return settleActive(writer, skill, judged, { report, at })
  if (!isAccepted(judged, report)) {
    if (judged.status === 'quarantined') return judged
    return moveVersion(writer, judged, { to: 'quarantined', reason: criticalReason(report), at })
  }
  const { skills_factory: settings } = await readSettings(writer)
  if (judged.status === 'candidate') return passGates(writer, skill, judged, { settings, at })
  if (judged.status === 'staged' && report.verdict === 'clean' && !settings.enabled)
    return activateUnreviewed(writer, skill, judged, at)
  return judged
}

/** Makes a clean version active without a review, unless a reviewer has changed meanwhile what it revises. */
async function activateUnreviewed(
  writer: Writer,
  skill: LockedSkill,
  version: SkillVersion,
  at: Date,
): Promise<SkillVersion> {
  if (revisesActive(version, skill.active)) return activate(writer, skill, version, { reason: null, at })
  const reason = 'the active version has changed since it was written'
  await setReason(writer, version, reason, at)
  return { ...version, reason }
}

interface FailedScan {
  readonly failure: ScanFailureCode
  /** False while the scan is tried again. */
  readonly isFinal: boolean
  readonly at: Date
}

/** Saves that a version could not be scanned, and why: no gate passes it. The active one keeps its last verdict. */
export async function settleFailedScan(writer: Writer, scanned: ScannedVersion, failed: FailedScan): Promise<void> {
  const found = await lockScanned(writer, scanned)
  if (found?.version.scan.state === 'pending' && found.version.status !== 'active')
    await saveScanFailure(writer, found.version, failed)
}

async function lockScanned(
  writer: Writer,
  { skillId, version, contentHash }: ScannedVersion,
): Promise<{ skill: LockedSkill; version: SkillVersion } | null> {
  const skill = await lockSkillById(writer, skillId)
  const found = [skill?.waiting, skill?.active].find((one) => one?.version === version)
  return skill && found?.contentHash === contentHash ? { skill, version: found } : null
}

/**
 * Takes what the rules refuse out of service, and puts it into the inbox unless a revision waits there. What they only flag stays
 * served, since newer rules would take many skills from everybody at once.
 */
async function settleActive(
  writer: Writer,
  skill: LockedSkill,
  active: SkillVersion,
  { report, at }: Judgement,
): Promise<SkillVersion> {
  if (isAccepted(active, report)) {
    await saveServedScan(writer, active)
    return active
  }
  const to = skill.waiting ? 'deprecated' : 'quarantined'
  return deactivate(writer, active, { to, reason: criticalReason(report), at })
}

/**
 * Judges a candidate by the gates and stores their results; it is staged when all pass, and active at once where the tenant
 * skips the inbox, unless that would replace what somebody else than the Forge wrote. One that the scan flagged passes no gate
 * of the scan: it is staged, for a person to see, when it passes all others.
 */
export async function passGates(
  writer: Writer,
  skill: LockedSkill,
  candidate: SkillVersion,
  { settings, at }: { readonly settings: Settings['skills_factory']; readonly at: Date },
): Promise<SkillVersion> {
  const facts = {
    origin: candidate.origin,
    scanState: candidate.scan.state,
    poisonedBy: await findPoison(writer, candidate, at, skill.active),
    target: candidate.target,
    targetContentHash: skill.active?.contentHash ?? null,
    kind: candidate.kind,
  }
  const gates = gateResults(facts, settings.forge, at.getTime())
  await saveGates(writer, candidate, gates)
  const gated = { ...candidate, gates }
  if (!settings.enabled) return gated
  if (candidate.scan.state === 'flagged' && passesButScan(gates))
    return moveVersion(writer, gated, { to: 'staged', reason: FLAGGED, at })
  if (!passesAll(gates)) return gated
  const isForges = skill.active === null || skill.active.source === 'forge'
  if (settings.sentinel.auto_promote_clean && isForges)
    return activate(writer, skill, gated, { reason: 'clean, and all gates passed', at })
  return moveVersion(writer, gated, { to: 'staged', reason: 'all gates passed', at })
}

const FLAGGED = 'the scan flagged it; all other gates passed'

/**
 * Saves the verdict on a version of a locked skill, and returns it with its verdict. The opinions of a language model on what the same rules
 * found in the same content stay.
 */
export async function saveVerdict(
  writer: Writer,
  version: SkillVersion,
  { report, at }: Judgement,
): Promise<SkillVersion> {
  const known =
    report.verdict === 'flagged' ? opinionsOf(await readFormerFindings(writer, version, report)) : NO_OPINIONS
  const kept = { ...report, findings: withOpinions(report.findings, known) }
  const judged = withReport(version, kept, at)
  await saveReport(writer, judged, at)
  return judged
}

const NO_OPINIONS: Opinions = new Map()

function withReport(version: SkillVersion, report: ScanReport, at: Date): SkillVersion {
  const { verdict: state, counts, findings, version: scanRules } = report
  const scan = { state, scanned_at: at.toISOString(), ...counts, findings, failure: null }
  return { ...version, scan, scanRules, updatedAt: at }
}

/** Returns why a version with critical findings is quarantined. */
export function criticalReason({ counts }: ScanReport): string {
  return `the scan found ${counts.critical} critical ${counts.critical === 1 ? 'finding' : 'findings'}`
}

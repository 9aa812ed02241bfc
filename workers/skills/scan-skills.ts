import { type ScanReport, SCAN_VERSION } from '../../domain/scan/report.js'
import { failureCodeOf, type ScanFailureCode } from '../../domain/skills/scan-failure.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import { scanVersion } from '../../services/skills/scan-version.js'
import { ScanFailedError } from '../../services/skills/skill-scanner.js'
import { settleFailedScan, settleScan } from '../../services/skills/settle-scan.js'
import { enqueue, recordAttempt, type RetryOptions, type RowSeq, settle } from '../../store/outbox/outbox.js'
import { readFileTexts } from '../../store/skills/files.js'
import { lockSkillById } from '../../store/skills/read-skills.js'
import { readSkillRows } from '../../store/skills/scan-rows.js'
import { beginScan } from '../../store/skills/scans.js'
import type { Writer } from '../../store/store.js'
import type { JobContext } from '../context.js'
import type { BatchOutcome, BatchPayload } from '../job.js'

/** Scans of one version that are begun at most, those that ended with their process included. */
const MOST_ATTEMPTS = 5
/** Waits between them, 10 s and each time twice as long: what broke a scan may have passed by then. */
const RETRIES: RetryOptions = { baseMs: 10_000, maxMs: 600_000, limit: MOST_ATTEMPTS + 1 }

/**
 * Scans the skills of a batch, one after another, and saves the verdicts. A scan is counted when it begins, so that a
 * text that kills its process is given up like one that throws or hangs: then the version's scan has failed.
 */
export async function scanSkills(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { tenantId, ticket, ids } = batch
  const rows = await context.store.read({ tenantId }, (reader) => readSkillRows(reader, 'scan', ticket, ids))
  const outcome = { settled: 0, failed: 0, released: 0 }
  for (const row of rows) outcome[await scanSkill(context, batch, row)]++
  return outcome
}

async function scanSkill(context: JobContext, batch: BatchPayload, row: RowSeq): Promise<'settled' | 'failed'> {
  const { store } = context
  const tenant = { tenantId: batch.tenantId }
  for (const { version, attempt } of await beginScans(context, batch.tenantId, row.id)) {
    if (await judge(context, batch.tenantId, version, attempt)) continue
    const failure = { id: row.id, seq: row.seq, error: 'the scan failed' }
    await store.transact(tenant, (writer) => recordAttempt(writer, 'scan', batch.ticket, [failure], RETRIES))
    return 'failed'
  }
  await store.transact(tenant, async (writer) => {
    if (context.enrichment !== null) await enqueueFlagged(writer, row.id)
    await settle(writer, 'scan', batch.ticket, [row])
  })
  return 'settled'
}

/** Has the language model asked for its opinion of a skill that waits or is served, and is flagged. */
async function enqueueFlagged(writer: Writer, skillId: string): Promise<void> {
  const skill = await lockSkillById(writer, skillId)
  const isFlagged = [skill?.waiting, skill?.active].some((version) => version?.scan.state === 'flagged')
  if (isFlagged) await enqueue(writer, 'opinion', [skillId])
}

interface BegunScan {
  readonly version: SkillVersion
  readonly attempt: number
}

/** Counts an attempt for each version of a skill that needs a verdict, and returns them. */
function beginScans({ store }: JobContext, tenantId: string, skillId: string): Promise<BegunScan[]> {
  return store.transact({ tenantId }, async (writer) => {
    const skill = await lockSkillById(writer, skillId)
    const begun: BegunScan[] = []
    for (const version of [skill?.waiting, skill?.active])
      if (version && needsScan(version)) begun.push({ version, attempt: await beginScan(writer, version) })
    return begun
  })
}

function needsScan({ status, scan, scanRules }: SkillVersion): boolean {
  return status === 'active' ? scanRules !== SCAN_VERSION : scan.state === 'pending'
}

/** Scans a version and saves the verdict, or why there is none. Returns false to try again. */
async function judge(
  { store, clock, metrics, skillScanner, logger }: JobContext,
  tenantId: string,
  version: SkillVersion,
  attempt: number,
): Promise<boolean> {
  // Counts the first verdict on a version: newer rules judge what may be months old.
  const countVerdict = (verdict: ScanReport['verdict'] | 'failed') => {
    if (version.status !== 'active') metrics.scanned(verdict, (clock.now() - version.createdAt.getTime()) / 1_000)
  }
  let failure: ScanFailureCode = 'interrupted'
  if (attempt <= MOST_ATTEMPTS)
    try {
      const files = await store.read({ tenantId }, (reader) => readFileTexts(reader, version))
      const report = await scanVersion(skillScanner, { version, files })
      await store.transact({ tenantId }, (writer) => settleScan(writer, version, report, new Date(clock.now())))
      countVerdict(report.verdict)
      return true
    } catch (error) {
      if (!(error instanceof ScanFailedError)) throw error
      logger.warn({ skill: version.skillId, version: version.version, attempt, code: error.code }, 'scan failed')
      failure = failureCodeOf(error.code)
    }
  const isFinal = attempt >= MOST_ATTEMPTS
  const failed = { failure, isFinal, at: new Date(clock.now()) }
  await store.transact({ tenantId }, (writer) => settleFailedScan(writer, version, failed))
  if (isFinal) countVerdict('failed')
  return isFinal
}

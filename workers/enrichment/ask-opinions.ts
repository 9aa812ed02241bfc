import { type Opinions, unjudged, withOpinions } from '../../domain/skills/opinion.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { retryAfterOf } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { settle } from '../../store/outbox/outbox.js'
import { lockSkillById } from '../../store/skills/read-skills.js'
import { readSkillRows, type SkillRow } from '../../store/skills/scan-rows.js'
import { saveOpinions, saveServedScan } from '../../store/skills/scans.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import { describeFailure, isOutage, recordFailures, requeue } from '../failures.js'
import type { BatchOutcome, BatchPayload } from '../job.js'
import { judgeFlagged } from './judge-flagged.js'
import {
  askModel,
  budgetWaitMs,
  failsAtThisText,
  failureIn,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_ALONE,
  type ModelTask,
} from './model-task.js'

/** One skill of a batch, claimed with the batch's ticket. */
interface OpinionTask extends ModelTask {
  readonly batch: BatchPayload
  readonly row: SkillRow
}

type Outcome = keyof BatchOutcome

/**
 * Asks the language model what it thinks of the flagged words of the skills of a batch, and saves its opinions beside the findings. The verdict is
 * saved before, and no opinion changes it. Processing a batch twice changes nothing: words that the model has judged are not shown to it again.
 */
export async function askOpinions(context: JobContext, batch: BatchPayload): Promise<BatchOutcome> {
  const { tenantId, ticket, ids } = batch
  const { store, enrichment: options } = context
  const rows = await store.read({ tenantId }, (reader) => readSkillRows(reader, 'opinion', ticket, ids))
  const outcome = { settled: 0, failed: 0, released: 0 }
  for (const row of rows)
    outcome[options ? await askOpinion({ context, options, batch, row }) : await release(context, batch)]++
  return outcome
}

async function askOpinion(task: OpinionTask): Promise<Outcome> {
  const { context, options, batch } = task
  const settings = await context.store.read({ tenantId: batch.tenantId }, readSettings)
  const versions = settings.enrichment.enabled ? await unjudgedVersions(task) : []
  try {
    for (const version of versions) {
      const waitMs = await budgetWaitMs(task)
      if (waitMs !== null) return await release(context, batch, waitMs)
      const findings = unjudged(version.scan.findings, options.languageModel.id)
      const { pii_policy: policy } = settings.memory
      const opinions = await askModel(task, (budget) =>
        judgeFlagged(options.languageModel, findings, { ...budget, policy }, context.stopping),
      )
      context.outages.languageModel.recovered()
      if (!(await save(task, version, opinions, settings))) return await release(context, batch, 0)
      context.metrics.opined(opinions.size > 0 ? 'given' : 'abstained')
    }
    return await settleRow(task, 'settled')
  } catch (error) {
    return handleFailure(task, error)
  }
}

/** Returns the versions of the skill that wait or are served, are flagged, and have words that the model has not judged. */
async function unjudgedVersions({ context, options, batch, row }: OpinionTask): Promise<SkillVersion[]> {
  const skill = await context.store.transact({ tenantId: batch.tenantId }, (writer) => lockSkillById(writer, row.id))
  return [skill?.waiting, skill?.active].flatMap((version) =>
    version?.scan.state === 'flagged' && unjudged(version.scan.findings, options.languageModel.id).length > 0
      ? [version]
      : [],
  )
}

/**
 * Saves opinions if the version is still flagged by the rules whose findings were judged. Returns false when the tenant's settings say something
 * else by now of what a model may read.
 */
function save(
  { context, batch, row }: OpinionTask,
  judged: SkillVersion,
  opinions: Opinions,
  asked: Settings,
): Promise<boolean> {
  return context.store.transact({ tenantId: batch.tenantId }, async (writer) => {
    const { enrichment, memory } = await readSettings(writer)
    if (!enrichment.enabled || memory.pii_policy !== asked.memory.pii_policy) return false
    const version = await lockJudged(writer, row.id, judged)
    if (version && opinions.size > 0) {
      const findings = withOpinions(version.scan.findings, opinions)
      const opined = { ...version, scan: { ...version.scan, findings } }
      await saveOpinions(writer, opined)
      if (opined.status === 'active') await saveServedScan(writer, opined)
    }
    return true
  })
}

async function lockJudged(writer: Writer, skillId: string, judged: SkillVersion): Promise<SkillVersion | null> {
  const skill = await lockSkillById(writer, skillId)
  const version = [skill?.waiting, skill?.active].find((one) => one?.version === judged.version)
  const isSame =
    version?.scan.state === 'flagged' &&
    version.scanRules === judged.scanRules &&
    version.contentHash === judged.contentHash
  return isSame ? version : null
}

/**
 * Waits for the end of an outage. An answer that cannot be used, and an endpoint that fails at these words alone, count an attempt; after the last the
 * flag stays without an opinion. What cannot be stored counts an attempt too, or the model would be asked again after every lease.
 */
async function handleFailure(task: OpinionTask, error: unknown): Promise<Outcome> {
  const { context, batch, row } = task
  if (context.stopping.aborted) return release(context, batch, 0)
  const failure = failureIn(error)
  const isAway = failure !== null && error instanceof UnavailableError
  if (isAway && !(await failsAtThisText(task, failure)))
    return release(context, batch, context.outages.languageModel.failed(retryAfterOf(error)))
  if (failure === null && isOutage(error)) throw error
  if (failure !== null) {
    context.outages.languageModel.recovered()
    const isLast = row.attempts + 1 >= (isAway ? MAX_ATTEMPTS_ALONE : MAX_ATTEMPTS)
    context.metrics.opined(isLast ? 'failed' : 'retried')
    if (isLast) return settleRow(task, 'failed')
  }
  await recordFailures(context, 'opinion', batch, [{ id: row.id, seq: row.seq, error: describeFailure(error) }])
  return 'failed'
}

async function settleRow({ context, batch, row }: OpinionTask, outcome: Outcome): Promise<Outcome> {
  await context.store.transact({ tenantId: batch.tenantId }, (writer) => settle(writer, 'opinion', batch.ticket, [row]))
  return outcome
}

async function release(
  context: JobContext,
  { ticket }: BatchPayload,
  afterMs = context.options.outage.maxMs,
): Promise<Outcome> {
  await requeue(context, ticket, afterMs)
  return 'released'
}

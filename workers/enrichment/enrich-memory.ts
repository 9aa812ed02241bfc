import { inferenceFrom, type Inference } from '../../domain/enrichment/inference.js'
import { coversText, ENRICHMENT_PROMPT, textKey } from '../../domain/enrichment/read-text.js'
import { enrichmentOf } from '../../domain/enrichment/record.js'
import { isLive, isStanding } from '../../domain/life/status-moves.js'
import { textForModel } from '../../domain/personal-data/text-for-model.js'
import type { PiiPolicy } from '../../domain/personal-data/screen.js'
import { nameKey } from '../../domain/text/memory-text.js'
import { ModelCallError, retryAfterOf } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { answersReads } from '../../runtime/outage-reasons.js'
import { readMarks } from '../../store/indexing/known-marks.js'
import { addUse } from '../../store/model-use.js'
import type { ConflictCandidate, EnrichedMemory, EnrichmentRow } from '../../store/enrichment/enrichment-rows.js'
import { type Enrichment, saveEnrichment } from '../../services/enrichment/save-enrichment.js'
import { upsertEntities } from '../../store/entities.js'
import { settle } from '../../store/outbox/outbox.js'
import { removeUnusedEntities } from '../../store/unused.js'
import { readSettings } from '../../store/tenants/settings.js'
import { LegFailureError } from '../../services/retrieval/whole-index.js'
import type { JobContext } from '../context.js'
import { describeFailure, isOutage, recordFailures, requeue } from '../failures.js'
import type { BatchOutcome, BatchPayload } from '../job.js'
import type { Outage } from '../outage.js'
import {
  askModel,
  budgetWaitMs,
  failsAlone,
  failsAtThisText,
  failureIn,
  MAX_ATTEMPTS,
  MAX_ATTEMPTS_ALONE,
  type ModelTask,
  today,
} from './model-task.js'
import { findCandidates, judgeConflicts } from './judge-conflicts.js'
import { readMemory } from './read-memory.js'

/** One memory of a batch, claimed with the batch's ticket. */
interface EnrichmentTask extends ModelTask {
  readonly batch: BatchPayload
  readonly row: EnrichmentRow
  /** Policy of the tenant when the reading began. */
  readonly policy: PiiPolicy
}

type Outcome = keyof BatchOutcome

/**
 * Reads one memory and saves the result. An outage, and a budget that is used up, requeue the row without counting an
 * attempt. An unusable answer counts an attempt, and the last one is saved as `failed`. Any other failure counts an
 * attempt too, and after the last the row has failed: otherwise the model would be asked again, and paid for, after
 * every lease.
 */
export async function enrichMemory(context: JobContext, batch: BatchPayload, row: EnrichmentRow): Promise<Outcome> {
  const { enrichment: options } = context
  const { memory } = row
  if (options === null) return requeueRow(context, batch, context.options.outage.maxMs)
  const { tenantId } = batch
  const settings = await context.store.read({ tenantId }, readSettings)
  const task = { context, options, batch, row, policy: settings.memory.pii_policy }
  if (memory === null || !needsReading(memory) || !settings.enrichment.enabled) return settleUnread(task)
  const budgetWait = await budgetWaitMs(task)
  if (budgetWait !== null) return requeueRow(context, batch, budgetWait)
  const searchWait = await searchWaitMs(task)
  if (searchWait !== null) return requeueRow(context, batch, searchWait)
  try {
    const shown = await new Slices().run(disclosedMemory(memory, task.policy))
    const answer = await askModel(task, (budget) => readMemory(options.languageModel, shown, budget, context.stopping))
    context.outages.languageModel.recovered()
    const inference = inferenceFrom(answer, shown, task.policy)
    const conflicts = await findConflicts(task, memory, inference)
    return await saveFindings(task, memory, { inference, conflicts })
  } catch (error) {
    if (context.stopping.aborted) return requeueRow(context, batch, 0)
    if (isLoss(error)) return requeueRow(context, batch, context.options.outage.maxMs)
    const outage = outageOf(context, error)
    const failure = failureIn(error)
    if (outage && failure && (await failsAtThisText(task, failure)))
      return handleUnreadable(task, memory, failure, MAX_ATTEMPTS_ALONE)
    if (outage) return requeueRow(context, batch, outage.failed(retryAfterOf(error)))
    if (error instanceof ModelCallError) return handleUnreadable(task, memory, error)
    if (isOutage(error)) throw error
    return recordFailure(task, error)
  }
}

/** Returns the memory as the model reads it and as its answer is checked against. */
function* disclosedMemory(memory: EnrichedMemory, policy: PiiPolicy): Yielding<EnrichedMemory> {
  const title = memory.title === null ? null : yield* textForModel(memory.title, policy)
  return { ...memory, title, content: yield* textForModel(memory.content, policy) }
}

/** Returns true for memories that state something and whose text has not been read with this prompt. */
function needsReading(memory: EnrichedMemory): boolean {
  if (!isStanding(memory.status)) return false
  const record = enrichmentOf(memory.systemMetadata)
  if (record === null || record.state === 'failed') return true
  return !coversText(record.text, memory) || record.prompt < ENRICHMENT_PROMPT
}

/**
 * Returns null while the engine answers and its index is whole; else for how long to leave it alone. Asked before the model is, whose answer
 * would be lost: what the memory is in conflict with is found by the index. An index that is lost is no outage of the engine: what fills
 * another is not to be slowed down.
 */
async function searchWaitMs({ context }: EnrichmentTask): Promise<number | null> {
  const { search } = context.outages
  const serving = context.indexes.serving()
  const { isWhole } = await context.store.asSystem((system) => readMarks(system, serving.buildId))
  if (!isWhole) return context.options.outage.maxMs
  if (search.waitMs() > 0) return search.waitMs()
  const fault = await serving.index.health()
  if (fault !== null && !answersReads(fault.reason)) return search.failed()
  search.recovered()
  return null
}

/**
 * Settles a row without reading: its memory is gone, no longer states anything, was read before, or must not be read by
 * the tenant's settings.
 */
async function settleUnread({ context, batch, row }: EnrichmentTask): Promise<Outcome> {
  await context.store.transact({ tenantId: batch.tenantId }, (writer) => settle(writer, 'enrich', batch.ticket, [row]))
  return 'settled'
}

/**
 * Creates the entities in a transaction of its own: a writer that waits for a name must not hold locks on memories.
 * Returns ids by name key.
 */
async function nameEntities(
  { context, batch }: EnrichmentTask,
  inference: Inference | null,
): Promise<Map<string, string>> {
  const keys = (inference?.entities ?? []).map(({ name }) => nameKey(name))
  if (keys.length === 0) return new Map()
  return context.store.transact({ tenantId: batch.tenantId }, (writer) => upsertEntities(writer, keys))
}

/**
 * Asks the model for conflicts, if there are candidates; an unusable answer means no conflicts. An endpoint that fails
 * at this alone, having just read the memory, is not unavailable, nor is an engine of which one leg fails: after as many
 * attempts as a reading has, there are no conflicts either, or the same memory would be read for ever.
 */
async function findConflicts(
  task: EnrichmentTask,
  memory: EnrichedMemory,
  inference: Inference,
): Promise<readonly ConflictCandidate[]> {
  const { context, options, batch } = task
  if (!isLive(memory.status)) return []
  try {
    const candidates = await findCandidates(context, batch.tenantId, memory, inference)
    if (candidates.length === 0) return []
    return await askModel(task, (budget) =>
      judgeConflicts(options.languageModel, memory, candidates, { ...budget, policy: task.policy }, context.stopping),
    )
  } catch (error) {
    if (error instanceof LegFailureError && isLastAttempt(task)) return []
    const failure = failureIn(error)
    if (failure === null) throw error
    if (failure !== error) {
      if (!failsAlone(failure)) throw error
      if (!isLastAttempt(task)) throw failure
    }
    context.logger.debug({ failure: failure.failure }, 'no judgement on conflicts')
    return []
  }
}

type Findings = Pick<Enrichment, 'inference' | 'conflicts'>

const NO_FINDINGS: Findings = { inference: null, conflicts: [] }

/**
 * Saves the findings and settles the row in one transaction: a crash before its commit leaves a row that is claimed
 * again.
 */
async function saveFindings(task: EnrichmentTask, memory: EnrichedMemory, findings: Findings): Promise<Outcome> {
  const { context, options, batch, row, policy } = task
  const { store, clock } = context
  const bound = { tenantId: batch.tenantId }
  const entityIds = await nameEntities(task, findings.inference)
  const enrichment: Enrichment = {
    memoryId: row.id,
    text: textKey(memory),
    model: options.languageModel.id,
    prompt: ENRICHMENT_PROMPT,
    policy,
    ...findings,
    entityIds,
  }
  const state = await store.transact(bound, async (writer) => {
    const kept = await saveEnrichment(writer, enrichment, new Date(clock.now()))
    if (kept === null) return null
    await settle(writer, 'enrich', batch.ticket, [row])
    await addUse(writer, 'enrichment_usage', today(context), kept === 'failed' ? { failed: 1 } : { enriched: 1 })
    return kept
  })
  if (state === null) {
    // The text is gone or has changed, or the settings have: no names may remain that only this text had, least of all
    // after an erasure.
    await store.transact(bound, (writer) => removeUnusedEntities(writer, [...entityIds.values()]))
    return requeueRow(context, batch, 0)
  }
  context.metrics.enriched(state)
  return state === 'failed' ? 'failed' : 'settled'
}

async function handleUnreadable(
  task: EnrichmentTask,
  memory: EnrichedMemory,
  error: ModelCallError,
  attempts?: number,
): Promise<Outcome> {
  const { context } = task
  context.outages.languageModel.recovered()
  if (isLastAttempt(task, attempts)) return saveFindings(task, memory, NO_FINDINGS)
  context.metrics.enriched('retried')
  return recordFailure(task, error)
}

function isLastAttempt({ options, row }: EnrichmentTask, attempts = options.attempts ?? MAX_ATTEMPTS): boolean {
  return row.attempts + 1 >= attempts
}

async function recordFailure({ context, batch, row }: EnrichmentTask, error: unknown): Promise<Outcome> {
  await recordFailures(context, 'enrich', batch, [{ id: row.id, seq: row.seq, error: describeFailure(error) }])
  return 'failed'
}

async function requeueRow(context: JobContext, { ticket }: BatchPayload, afterMs: number): Promise<Outcome> {
  await requeue(context, ticket, afterMs)
  return 'released'
}

/** Returns true when the index turned out not to be whole. */
function isLoss(error: unknown): boolean {
  return error instanceof UnavailableError && error.reason === 'incomplete'
}

/** An outage of the model or the engine; when Postgres is away the job ends, and the relay gives its rows back. */
function outageOf({ outages }: JobContext, error: unknown): Outage | null {
  if (!(error instanceof UnavailableError)) return null
  if (error.dependency === 'language model') return outages.languageModel
  return error.dependency === 'search' ? outages.search : null
}

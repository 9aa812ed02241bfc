import { v7 as uuidv7 } from 'uuid'
import { inferenceFrom, type Inference, type ModelAnswer } from '../../domain/enrichment/inference.js'
import { ENRICHMENT_PROMPT, enrichmentOf, textKey } from '../../domain/enrichment/record.js'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { nameKey } from '../../domain/text/memory-text.js'
import type { TokenUse } from '../../models/language-model.js'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { addEnrichmentUse, dayOf, readEnrichmentUse } from '../../store/enrichment-usage.js'
import { type EnrichedMemory, type Enrichment, type EnrichmentRow, keepEnrichment } from '../../store/enrichment.js'
import { upsertEntities } from '../../store/entities.js'
import { removeUnusedEntities } from '../../store/unused.js'
import { settle } from '../../store/outbox.js'
import type { EnrichmentOptions } from '../context.js'
import { describeFailure } from '../isolate.js'
import type { BatchOutcome, BatchPayload, JobContext } from '../jobs.js'
import { countTries, release } from '../write-documents.js'
import { readMemory } from './read-memory.js'

/** One memory of a batch, whose ticket it holds. */
interface Reading {
  readonly context: JobContext
  readonly options: EnrichmentOptions
  readonly batch: BatchPayload
  readonly row: EnrichmentRow
}

type Outcome = keyof BatchOutcome

const TRIES = 3

/**
 * Reads one memory and keeps what came of it. What is away, and a budget that is used up, give the row back and count no try; an answer
 * that cannot be used counts one, and the last of them is kept as `failed`.
 */
export async function enrichMemory(context: JobContext, batch: BatchPayload, row: EnrichmentRow): Promise<Outcome> {
  const { enrichment: options } = context
  const { memory } = row
  if (options === null) return giveBack(context, batch, context.options.outage.maxMs)
  const reading = { context, options, batch, row }
  if (memory === null || !isWanted(memory)) return pass(reading)
  const spentUntil = await budgetReturns(reading)
  if (spentUntil !== null) return giveBack(context, batch, spentUntil)
  try {
    const answer = await ask(reading, memory)
    context.outages.languageModel.recovered()
    return await keep(reading, memory, inferenceFrom(answer, memory, row.piiPolicy))
  } catch (error) {
    if (context.stopping.aborted) return giveBack(context, batch, 0)
    if (isAway(error)) return giveBack(context, batch, context.outages.languageModel.failed())
    if (!(error instanceof ModelCallError)) throw error
    return unreadable(reading, memory, error)
  }
}

/** Memories that state something, and whose text has not been read with this prompt. */
function isWanted({ status, content, systemMetadata }: EnrichedMemory): boolean {
  if (!(STANDING_STATUSES as readonly string[]).includes(status)) return false
  const record = enrichmentOf(systemMetadata)
  if (record === null || record.state === 'failed') return true
  return record.text !== textKey(content) || record.prompt < ENRICHMENT_PROMPT
}

/** Null while there is some left; else in how many ms the next day begins, and a little more, so that not all come at once. */
async function budgetReturns({ context, options, batch }: Reading): Promise<number | null> {
  if (options.tokensPerDay === null) return null
  const now = new Date(context.clock.now())
  const use = await context.store.read({ tenantId: batch.tenantId }, (reader) => readEnrichmentUse(reader, dayOf(now)))
  if (use.inputTokens + use.outputTokens < options.tokensPerDay) return null
  const tomorrow = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  return tomorrow - now.getTime() + Math.ceil(Math.random() * SPREAD_MS)
}

const SPREAD_MS = 60_000

/** What it cost is counted whatever comes of it. */
async function ask({ context, options, batch }: Reading, memory: EnrichedMemory): Promise<ModelAnswer> {
  const used = { calls: 0, input: 0, output: 0 }
  const spend = ({ input, output }: TokenUse) => {
    used.calls++
    used.input += input
    used.output += output
  }
  try {
    return await readMemory(options.languageModel, memory, { withinMs: options.withinMs, spend }, context.stopping)
  } finally {
    if (used.calls > 0) {
      context.metrics.enrichmentTokens(used)
      const use = { calls: used.calls, inputTokens: used.input, outputTokens: used.output }
      await context.store.transact({ tenantId: batch.tenantId }, (writer) =>
        addEnrichmentUse(writer, today(context), use),
      )
    }
  }
}

/** Nothing to read: gone, no longer stating anything, or read before. */
async function pass({ context, batch, row }: Reading): Promise<Outcome> {
  await context.store.transact({ tenantId: batch.tenantId }, (writer) => settle(writer, 'enrich', batch.ticket, [row]))
  return 'settled'
}

/**
 * Entities are made in a transaction of their own: whoever waits for a name then holds no memory. The rest is one, with the settling,
 * so that a crash before its commit leaves a row that is claimed again.
 */
async function keep(reading: Reading, memory: EnrichedMemory, inference: Inference | null): Promise<Outcome> {
  const { context, options, batch, row } = reading
  const { store, clock } = context
  const bound = { tenantId: batch.tenantId }
  const named = (inference?.entities ?? []).map(({ name }) => ({ id: uuidv7(), name, nameKey: nameKey(name) }))
  const entityIds =
    named.length === 0
      ? new Map<string, string>()
      : await store.transact(bound, (writer) => upsertEntities(writer, named))
  const enrichment: Enrichment = {
    memoryId: row.id,
    text: textKey(memory.content),
    model: options.languageModel.id,
    prompt: ENRICHMENT_PROMPT,
    inference,
    entityIds,
  }
  const state = await store.transact(bound, async (writer) => {
    const kept = await keepEnrichment(writer, enrichment, new Date(clock.now()))
    if (kept === null) return null
    await settle(writer, 'enrich', batch.ticket, [row])
    await addEnrichmentUse(writer, today(context), kept === 'failed' ? { failed: 1 } : { enriched: 1 })
    return kept
  })
  if (state === null) {
    // The text is gone, or another by now: nothing may be left of names that only it had, least of all after an erasure.
    await store.transact(bound, (writer) => removeUnusedEntities(writer, [...entityIds.values()]))
    return giveBack(context, batch, 0)
  }
  context.metrics.enriched(state)
  return state === 'failed' ? 'failed' : 'settled'
}

async function unreadable(reading: Reading, memory: EnrichedMemory, error: ModelCallError): Promise<Outcome> {
  const { context, options, batch, row } = reading
  context.outages.languageModel.recovered()
  if (row.attempts + 1 >= (options.tries ?? TRIES)) return keep(reading, memory, null)
  context.metrics.enriched('retried')
  await countTries(context, 'enrich', batch, [{ id: row.id, seq: row.seq, error: describeFailure(error) }])
  return 'failed'
}

async function giveBack(context: JobContext, { ticket }: BatchPayload, afterMs: number): Promise<Outcome> {
  await release(context, ticket, afterMs)
  return 'released'
}

/** Only the model: when Postgres is away the job ends, and the relay gives its rows back. */
function isAway(error: unknown): boolean {
  return error instanceof UnavailableError && error.dependency === 'language model'
}

function today({ clock }: JobContext): string {
  return dayOf(new Date(clock.now()))
}

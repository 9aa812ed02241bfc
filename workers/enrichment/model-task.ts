import { isoDay } from '../../domain/text/time-reference.js'
import type { CompletionBudget, TokenUse } from '../../models/language-model.js'
import { ModelCallError, type ModelFailure } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import { addUse, readTokens } from '../../store/model-use.js'
import type { EnrichmentOptions, JobContext } from '../context.js'
import type { BatchPayload } from '../job.js'

/** Work on texts of one tenant for which the language model is asked, at the cost of the tenant's tokens for enrichment. */
export interface ModelTask {
  readonly context: JobContext
  readonly options: EnrichmentOptions
  readonly batch: Pick<BatchPayload, 'tenantId'>
}

export const MAX_ATTEMPTS = 3
/** Attempts at a text that the endpoint fails at while it answers others: more, since the cause may have been temporary. */
export const MAX_ATTEMPTS_ALONE = 8

/**
 * Returns null while tokens are left; else the time in ms until the next day begins, plus a random delay, so that not
 * all rows come at once.
 */
export async function budgetWaitMs({ context, options, batch }: ModelTask): Promise<number | null> {
  if (options.tokensPerDay === null) return null
  const now = new Date(context.clock.now())
  const day = today(context)
  const tokens = await context.store.read({ tenantId: batch.tenantId }, (reader) =>
    readTokens(reader, 'enrichment_usage', day),
  )
  if (tokens < options.tokensPerDay) return null
  const tomorrow = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
  return tomorrow - now.getTime() + Math.ceil(Math.random() * SPREAD_MS)
}

const SPREAD_MS = 60_000

/** Asks the model, and counts the tokens even when the call fails. */
export async function askModel<T>(
  { context, options, batch }: ModelTask,
  complete: (budget: Pick<CompletionBudget, 'withinMs' | 'spend'>) => Promise<T>,
): Promise<T> {
  const used = { calls: 0, input: 0, output: 0 }
  const spend = ({ input, output }: TokenUse) => {
    used.calls++
    used.input += input
    used.output += output
  }
  try {
    return await complete({ withinMs: options.withinMs, spend })
  } finally {
    if (used.calls > 0) {
      context.metrics.enrichmentTokens(used)
      const use = { calls: used.calls, input_tokens: used.input, output_tokens: used.output }
      await context.store.transact({ tenantId: batch.tenantId }, (writer) =>
        addUse(writer, 'enrichment_usage', today(context), use),
      )
    }
  }
}

/** Returns the failure of the call to the model, whichever side caused it. */
export function failureIn(error: unknown): ModelCallError | null {
  const failure = error instanceof UnavailableError ? error.cause : error
  return failure instanceof ModelCallError ? failure : null
}

/**
 * Returns true when an endpoint that failed at this text answers a small request: it would fail at this text every
 * time.
 */
export async function failsAtThisText({ context, options }: ModelTask, failure: ModelCallError): Promise<boolean> {
  return failsAlone(failure) && (await options.languageModel.answers(context.stopping))
}

/** Failures of an endpoint that is reachable and takes requests. */
const FAILS_ALONE: readonly ModelFailure[] = ['timeout', 'failing', 'malformed']

/** Returns true for a failure that an endpoint which answers others may have at one text alone. */
export function failsAlone({ failure }: ModelCallError): boolean {
  return FAILS_ALONE.includes(failure)
}

export function today({ clock }: JobContext): string {
  return isoDay(clock.now())
}

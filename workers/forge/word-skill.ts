import { withWording } from '../../domain/forge/distil.js'
import type { CheckedWording, Distilled, TextLimits } from '../../domain/forge/distilled.js'
import { checkWording } from '../../domain/forge/model-answer.js'
import { WORDING_SCHEMA, type WordingRequest, wordingRequest } from '../../domain/forge/prompt.js'
import type { ModelRecord } from '../../domain/forge/run-record.js'
import type { PiiPolicy } from '../../domain/personal-data/screen.js'
import { textForModel } from '../../domain/personal-data/text-for-model.js'
import { answerSchema } from '../../models/answer-schema.js'
import type { LanguageModel, TokenUse } from '../../models/language-model.js'
import { ModelCallError } from '../../models/model-call.js'
import { DATA_RULE, quoteAsData } from '../../models/quoted-data.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import type { ModelBudget } from '../context.js'
import { describeFailure, isOutage } from '../failures.js'
import type { RunTime } from './run-time.js'

/** Counts what the tenant uses of the model today, in all of its runs. */
export interface DayUse {
  tokens(): Promise<number>
  add(used: TokenUse): Promise<void>
}

/** The language model of one run, with what it has used. */
export interface RunModel {
  /** Words a skill, which is read only if the model is asked; null where memories of it are no evidence any more. */
  word(read: () => Promise<Distilled | null>, options: WordingOptions): Promise<Wording>
  record(): ModelRecord
}

interface WordingOptions {
  readonly policy: PiiPolicy
  readonly limits: TextLimits
  readonly signal: AbortSignal
  /** The time that the run has left. */
  readonly time: Pick<RunTime, 'leftMs' | 'minutes'>
}

/** A skill in a model's words; null where its own words stay, and then why. */
export interface Wording {
  readonly skill: Distilled | null
  readonly note: string | null
}

const SCHEMA = answerSchema<object>('skill_wording', WORDING_SCHEMA)
const MAX_OUTPUT_TOKENS = 2_000
/** Outages one after another after which a run does without the model. */
const MOST_OUTAGES = 2
/** Matches placeholders of masked personal data, which belong to no procedure. */
const PLACEHOLDER = /\[[a-z_]+\]/

/** Creates the model of a run; `used` is what earlier turns of the same run have used. */
export function createRunModel(
  model: LanguageModel,
  budget: ModelBudget,
  today: DayUse,
  used?: ModelRecord | null,
): RunModel {
  const spent = { calls: 0, failed: 0, outages: 0, input_tokens: 0, output_tokens: 0, ...used }
  let stopped = used?.stopped ?? null

  async function reasonToStop({ time }: WordingOptions): Promise<string | null> {
    const { calls, tokens, tokensPerDay } = budget
    if (spent.calls >= calls) return `the run's ${calls} calls are used up`
    if (spent.input_tokens + spent.output_tokens >= tokens) return `the run's ${tokens} tokens are used up`
    if (spent.outages >= MOST_OUTAGES) return 'the model is unavailable'
    if (time.leftMs() <= 0) return `the run's ${time.minutes} minutes are used up`
    if (tokensPerDay !== null && (await today.tokens()) >= tokensPerDay)
      return `the day's ${tokensPerDay} tokens of the tenant are used up`
    return null
  }

  /** Returns what the model answers, or how it failed. Throws what the count of the day's tokens does: an outage of PostgreSQL is the run's. */
  async function ask(
    request: WordingRequest,
    { policy, signal, time }: WordingOptions,
  ): Promise<{ readonly answer: object } | { readonly error: unknown }> {
    const input = await new Slices().run(quoted(request, policy))
    const instructions = `${request.instructions}\n${DATA_RULE}`
    const used = { input: 0, output: 0 }
    spent.calls++
    const spend = ({ input, output }: TokenUse) => {
      used.input += input
      used.output += output
    }
    const withinMs = Math.min(budget.withinMs, Math.max(1, time.leftMs()))
    const limits = { maxOutputTokens: MAX_OUTPUT_TOKENS, lane: 'background', withinMs, spend } as const
    const asked = await model.complete({ instructions, input }, SCHEMA, limits, signal).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    spent.input_tokens += used.input
    spent.output_tokens += used.output
    await today.add(used)
    return asked
  }

  /** Counts a failure of the model, after which the words of the memories stay; throws any other. */
  function failed(error: unknown, signal: AbortSignal): Wording {
    signal.throwIfAborted()
    if (!isOutage(error) && !(error instanceof ModelCallError)) throw error
    spent.failed++
    spent.outages = isOutage(error) ? spent.outages + 1 : 0
    return { skill: null, note: `the model failed: ${failureOf(error)}` }
  }

  return {
    record: () => ({ ...spent, model: model.id, stopped }),
    async word(read, options) {
      stopped = await reasonToStop(options)
      if (stopped !== null) return { skill: null, note: stopped }
      const skill = await read()
      if (skill === null) return { skill: null, note: null }
      const request = wordingRequest(skill)
      const asked = await ask(request, options)
      if ('error' in asked) return failed(asked.error, options.signal)
      spent.outages = 0
      const checked = checkWording(asked.answer, request.refs, options.limits.descriptionMaxBytes)
      if ('reason' in checked) return { skill: null, note: checked.reason }
      const wording = withoutPlaceholders(checked, options.policy)
      if (wording === null) return { skill: null, note: 'its steps hold masked personal data' }
      return { skill: withWording(skill, wording, options.limits), note: droppedNote(checked) }
    },
  }
}

/** Quotes the notes as the policy that is in force lets a model read them. */
function* quoted({ entries }: WordingRequest, policy: PiiPolicy): Yielding<string> {
  const shown: object[] = []
  for (const entry of entries) shown.push({ ...entry, text: yield* textForModel(entry.text, policy) })
  return quoteAsData(shown)
}

/** Drops what names masked values; null when no step is left. */
function withoutPlaceholders(wording: CheckedWording, policy: PiiPolicy): CheckedWording | null {
  if (policy === 'flag') return wording
  const isClean = ({ text }: { readonly text: string }) => !PLACEHOLDER.test(text)
  const clean = (text: string | null) => (text !== null && PLACEHOLDER.test(text) ? null : text)
  const { name, description, goal } = wording
  const steps = wording.steps.filter(isClean)
  if (steps.length === 0) return null
  const lessons = wording.lessons.filter(isClean)
  return { ...wording, steps, lessons, name: clean(name), description: clean(description), goal: clean(goal) }
}

function droppedNote({ dropped }: CheckedWording): string | null {
  const parts = Object.entries(dropped).filter(([, count]) => count > 0)
  return parts.length === 0 ? null : `lines dropped: ${parts.map(([why, count]) => `${count} ${why}`).join(', ')}`
}

function failureOf(error: unknown): string {
  const cause = isOutage(error) ? ((error as Error).cause ?? error) : error
  return cause instanceof ModelCallError ? cause.failure : describeFailure(cause)
}

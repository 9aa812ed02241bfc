import type { AnswerSchema } from './answer-schema.js'
import type { ModelHealth } from './call-lanes.js'

/** A prompt. Text that others wrote is only in `input`, formatted by `quoteAsData`: it is never an instruction. */
export interface Prompt {
  readonly instructions: string
  readonly input: string
}

export interface TokenUse {
  readonly input: number
  readonly output: number
}

export interface CompletionBudget {
  /** Tokens of the answer, without a model's reasoning. A longer answer is discarded. */
  readonly maxOutputTokens: number
  /** `interactive` when somebody waits for the answer: background work leaves calls free for it. */
  readonly lane: 'interactive' | 'background'
  /**
   * Total milliseconds including waiting, retries and the repair. Absent: limited only by the timeouts of the calls.
   */
  readonly withinMs?: number
  /** Called with the tokens of each answer, including unusable ones: for budgets over many completions. */
  readonly spend?: (tokens: TokenUse) => void
}

/** A model that answers in JSON. */
export interface LanguageModel {
  /** Identifies the model; what it wrote carries it. */
  readonly id: string
  /**
   * Returns a value that matches the schema. Throws `UnavailableError` when the model is unavailable or late, which
   * says nothing of the prompt, and `ModelCallError` for what a retry will not fix: `refused`, or `unfit` when no
   * answer matches the schema.
   */
  complete<T>(prompt: Prompt, schema: AnswerSchema<T>, budget: CompletionBudget, signal?: AbortSignal): Promise<T>
  /** Sends a small request. Returns whether the model answers at all, even if it was too late for earlier requests. */
  answers(signal: AbortSignal): Promise<boolean>
  health(): ModelHealth
  close(): Promise<void>
}

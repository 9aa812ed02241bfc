import type { AnswerSchema } from './answer-schema.js'
import type { ModelHealth } from './call-lanes.js'

/** What is asked. Text that others wrote stands in `input` alone, as `quoteAsData` writes it: it is never an instruction. */
export interface Prompt {
  readonly instructions: string
  readonly input: string
}

export interface TokenUse {
  readonly input: number
  readonly output: number
}

export interface CompletionBudget {
  /** Tokens of the answer, without what a model thinks before it. A longer answer is none. */
  readonly maxOutputTokens: number
  /** Whether somebody waits: work behind the answers leaves calls free for those who do. */
  readonly lane: 'interactive' | 'background'
  /** All in all: waiting, further tries and the repair included. Absent: whatever the time limits of the calls come to. */
  readonly withinMs?: number
  /** Told what each answer cost, those included that cannot be used: for budgets over many completions. */
  readonly spend?: (tokens: TokenUse) => void
}

/** A model that answers in JSON. */
export interface LanguageModel {
  /** Names the model; what it wrote carries it. */
  readonly id: string
  /**
   * A value that fits the schema. Throws `UnavailableError` when the model is away or late, which says nothing of the prompt,
   * and `ModelCallError` for what asking again will not mend: `refused`, or `unfit` when no answer fits the schema.
   */
  complete<T>(prompt: Prompt, schema: AnswerSchema<T>, budget: CompletionBudget, signal?: AbortSignal): Promise<T>
  /** Asks something small. Returns whether the model answers at all, whatever it was too late for before. */
  answers(signal: AbortSignal): Promise<boolean>
  health(): ModelHealth
  close(): Promise<void>
}

import { TEXT, TEXTS } from '../data-file.js'
import type { Recipe } from './shape.js'

/** A workflow whose steps have several wordings each. */
export interface WordedRecipe extends Recipe {
  readonly steps: readonly { readonly key: string; readonly texts: readonly string[] }[]
  /** The request that the agent was given; told by some agents at the beginning. */
  readonly goals: readonly string[]
  readonly successes: readonly string[]
  readonly failures: readonly string[]
}

/** Shape of what every book has that words its recipes so. */
export const WORDED_RECIPE = { key: TEXT, goals: TEXTS, steps: { values: TEXTS } } as const
export const WORDED_BOOK = { notes: TEXTS, noise: TEXTS, slots: { values: TEXTS } } as const

/** Returns the steps of a recipe in their order. */
export function stepsOf(wordings: Readonly<Record<string, readonly string[]>>): WordedRecipe['steps'] {
  return Object.entries(wordings).map(([key, texts]) => ({ key, texts }))
}

import type { Evidence } from './candidate.js'

export type Weights = Readonly<Record<keyof Evidence, number>>

/** What each kind of evidence is worth, each being roughly 0..1; fitted on LoCoMo's dev half (README.md). */
export const WEIGHTS: Weights = {
  softCoverage: 1,
  informativeness: 0.8,
  run: 0.4,
  date: 0.3,
  time: 0.2,
  meaning: 0.2,
  author: 0.1,
  coverage: 0.1,
  entity: 0.25,
  hop: 0.2,
}

/** Shares of words and meaning where the two alone stand for a text: in its run, and at the first look. */
export const WORDS = 0.7
export const MEANING = 0.3

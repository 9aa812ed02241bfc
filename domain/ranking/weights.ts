import type { Evidence } from './candidate.js'

export type Weights = Readonly<Record<keyof Evidence, number>>

/**
 * Weights of the kinds of evidence, fitted on LoCoMo's dev half and two fleet sets (README.md). Each kind is roughly 0..1, but date up to
 * 1.5 and entity up to 3.
 */
export const WEIGHTS: Weights = {
  softCoverage: 1,
  informativeness: 0.6,
  run: 0.2,
  date: 0.4,
  time: 0.1,
  meaning: 0.3,
  author: 0.1,
  coverage: 0.25,
  entity: 0.4,
  hop: 0.6,
}

/** Weights of the keyword and vector scores where these two alone rate a text: in its run, and in `bestCandidates`. */
export const KEYWORD_WEIGHT = 0.7
export const VECTOR_WEIGHT = 0.3

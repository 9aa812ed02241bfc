import type { AnalysedQuery, Evidence, RankedMemory } from '../ranking/candidate.js'
import { termHash } from '../ranking/hashed-terms.js'
import { occurrencesOfWord } from '../ranking/lexical.js'
import table from './confidence.json' with { type: 'json' }

/** Parts of a confidence. */
export interface ConfidenceParts {
  /** Soft coverage of the first result: how well its words, and those like them, are the question's; 0..1. */
  readonly soft_coverage: number
  /** Words of the question that the first result has, 3 at most. */
  readonly words_found: number
  /** Share of the question's content words that no result has: 0..1; 1 for a question without any. */
  readonly missing_share: number
  /** Score of the first result by the mean of the first ten: 1 to 2; 1.5 at least where there are fewer. */
  readonly lead: number
  /** 1 where the question names an author of memories, and the first result is another's; else 0. */
  readonly other_author: number
}

export type ConfidenceLevel = 'high' | 'low' | 'none'

export interface Confidence {
  readonly level: ConfidenceLevel
  /** Probability that the memories know the answer: 0..1. */
  readonly value: number
  /** Content words of the question that no result has, folded. */
  readonly missing: readonly string[]
  readonly parts: ConfidenceParts
}

/** Results that a confidence reads at least, however few are asked for: its weights were fitted on so many. */
export const RESULTS_READ = 10
const MOST_WORDS_FOUND = 3
/** Leads beyond this say how few memories there are, as do small ones where there are fewer than ten results. */
const MOST_LEAD = 2
const LEAST_LEAD_OF_FEW = 1.5
/** A question of which this share is in no result is about another thing, however well the rest agrees. */
const MUCH_MISSING = 0.5

/**
 * Says how likely it is that ranked memories answer the question: logistic regression over five parts, fitted by `bench confidence`
 * (bench/README.md). No part is a cosine of an embedder. `none` is said only where no result has a content word of the question.
 */
export function confidenceOf(
  { words, author }: Pick<AnalysedQuery, 'words' | 'author'>,
  results: readonly Pick<RankedMemory, 'candidate' | 'score' | 'evidence'>[],
): Confidence {
  const hashes = words.map(({ terms }) => terms.map(termHash))
  const isIn = ({ candidate }: (typeof results)[number], word: number) =>
    occurrencesOfWord(hashes[word]!, candidate.text.terms) > 0
  const missing = words.filter((_, word) => !results.some((result) => isIn(result, word)))
  const first = results[0]
  if (first === undefined) return { level: 'none', value: 0, missing: textsOf(missing), parts: NO_PARTS }
  const parts = {
    soft_coverage: first.evidence.softCoverage,
    words_found: Math.min(MOST_WORDS_FOUND, words.filter((_, word) => isIn(first, word)).length),
    missing_share: words.length === 0 ? 1 : missing.length / words.length,
    lead: leadOf(results),
    other_author: author !== null && first.evidence.author === 0 ? 1 : 0,
  }
  const value = probabilityOf(parts)
  return { level: levelOf(value, parts, first.evidence), value, missing: textsOf(missing), parts }
}

function leadOf(results: readonly Pick<RankedMemory, 'score'>[]): number {
  const ten = results.slice(0, RESULTS_READ)
  const mean = ten.reduce((sum, { score }) => sum + score, 0) / ten.length
  const lead = mean > 0 ? Math.min(MOST_LEAD, ten[0]!.score / mean) : 1
  return ten.length < RESULTS_READ ? Math.max(LEAST_LEAD_OF_FEW, lead) : lead
}

const NO_PARTS: ConfidenceParts = { soft_coverage: 0, words_found: 0, missing_share: 1, lead: 1, other_author: 0 }

function textsOf(words: AnalysedQuery['words']): string[] {
  return words.map(({ word }) => word)
}

/** Returns the probability that a question with these parts has its answer among the memories. */
export function probabilityOf(parts: ConfidenceParts): number {
  const { intercept, weights } = table
  const sum = (Object.keys(weights) as (keyof ConfidenceParts)[]).reduce(
    (all, part) => all + weights[part] * parts[part],
    intercept,
  )
  return 1 / (1 + Math.exp(-sum))
}

/** A question that shares no word with any result may still ask for a time or an author, as "what did we do yesterday?". */
function levelOf(
  value: number,
  { missing_share: missing }: ConfidenceParts,
  { date, author }: Pick<Evidence, 'date' | 'author'>,
): ConfidenceLevel {
  if (value >= table.high && missing < MUCH_MISSING) return 'high'
  return missing === 1 && value < table.none && date === 0 && author === 0 ? 'none' : 'low'
}

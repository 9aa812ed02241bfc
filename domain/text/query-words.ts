import { fold, segmentedWords } from './analysis.js'
import { STOP_WORDS, withCompoundParts } from './words.js'

/** Words that only form a question, in English. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `can could did do does had has have how kind long many may might much often should type was were what when where which who whom whose
  why will would`.split(/\s+/),
)

/** Returns whether a folded word only serves the sentence: no memory is about it. */
export function isFunctionWord(word: string): boolean {
  return STOP_WORDS.has(word) || QUESTION_WORDS.has(word)
}

/**
 * Returns the words of a query that its answer is expected to share, folded: no stop words, no question words, no
 * `names`. Each occurs once; of a compound, its parts and the whole.
 */
export function contentWords(text: string, names: ReadonlySet<string>): string[] {
  const dropped = new Set([...names].map(fold))
  const words = new Set(segmentedWords(fold(withCompoundParts(text))))
  return [...words].filter((word) => !isFunctionWord(word) && !dropped.has(word))
}

/**
 * Matches "when" before a verb or at the very end, where it asks; elsewhere it begins a clause ("what helps when it
 * rains").
 */
const TEMPORAL_QUESTION =
  /\b(?:when(?:['\u2019]s|['\u2019]d)?(?:\W*$| (?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|shall|should|was|were|will|would)\b)|how long|(?:which|what) (?:date|day|month|year)\b)/i

/** Returns whether the query asks for a time. */
export function isTemporalQuestion(text: string): boolean {
  return TEMPORAL_QUESTION.test(text)
}

/** Terms of a query that are looked for at most: a question has some ten, a pasted trace some forty. */
const MOST_TERMS = 64

interface TellingTerms {
  /** Distinct terms in the order of the query. */
  readonly terms: readonly string[]
  /** Terms that a very long query has beside them. */
  readonly leftOut: ReadonlySet<string>
}

/**
 * Returns the terms by which a query is answered: all, or the 64 longest of a query that has more. The rarer a word is the longer it is on
 * average (Zipf, The Psycho-Biology of Language, 1935), and how rare it is among the caller's memories is known only once an engine has
 * counted them, which is most of what a term costs.
 */
export function tellingTerms(analysed: readonly string[]): TellingTerms {
  const distinct = [...new Set(analysed)]
  if (distinct.length <= MOST_TERMS) return { terms: distinct, leftOut: new Set() }
  const leftOut = new Set(distinct.toSorted((a, b) => b.length - a.length).slice(MOST_TERMS))
  return { terms: distinct.filter((term) => !leftOut.has(term)), leftOut }
}

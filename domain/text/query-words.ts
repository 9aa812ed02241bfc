import { fold } from './analysis.js'
import { withCompoundParts } from './compounds.js'
import { STOP_WORDS } from './stop-words.js'
import { wordsIn } from './words.js'

/** Words that only form a question. */
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  `can could did do does had has have how kind long many may might much often should type was were what when where which who whom whose
  why will would`.split(/\s+/),
)

/**
 * Returns the words of a query that its answer is expected to share, folded: no stop words, no question words, no
 * `names`. Each occurs once; of a compound, its parts and the whole.
 */
export function contentWords(text: string, names: ReadonlySet<string>): string[] {
  const dropped = new Set([...names].map(fold))
  const words = new Set(wordsIn(fold(withCompoundParts(text))))
  return [...words].filter((word) => !STOP_WORDS.has(word) && !QUESTION_WORDS.has(word) && !dropped.has(word))
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

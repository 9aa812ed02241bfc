import { withoutSuffixes } from './affixes.js'
import { fold, segmentedWords, type TermGroup } from './analysis.js'
import { calendarOf, languagesOf, withPlainCharacters } from './calendars.js'
import type { Language } from './language.js'
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
 * `names`. Each occurs once; of a compound, its parts and the whole. `languages` are those that the query may be in.
 */
export function contentWords(text: string, names: ReadonlySet<string>, languages: readonly Language[] = []): string[] {
  const dropped = new Set([...names].map(fold))
  const words = new Set(segmentedWords(fold(withCompoundParts(withoutSuffixes(text, languages)))))
  return [...words].filter((word) => !isFunctionWord(word) && !dropped.has(word))
}

/**
 * Matches "when" before a verb or at the very end, where it asks; elsewhere it begins a clause ("what helps when it
 * rains").
 */
const TEMPORAL_QUESTION =
  /\b(?:when(?:['\u2019]s|['\u2019]d)?(?:\W*$| (?:am|are|can|could|did|do|does|had|has|have|is|may|might|must|shall|should|was|were|will|would)\b)|how long|(?:which|what) (?:date|day|month|year)\b)/i

/** Returns whether a query in a language asks for a time. */
export function isTemporalQuestion(text: string, language: Language | null = null): boolean {
  return languagesOf(text, language).some((one) => {
    const { words } = calendarOf(one)
    return words === null ? TEMPORAL_QUESTION.test(text) : words.question.test(withPlainCharacters(text).toLowerCase())
  })
}

/** Words of a query that are looked for at most: a question has some ten, a pasted trace some forty. */
const MOST_WORDS = 64
/** Their terms at most: the words that come last have their first term alone. */
const MOST_TERMS = 128

interface TellingWords {
  /** Distinct words in the order of the query. */
  readonly groups: readonly TermGroup[]
  /** First terms of the words that a very long query has beside them. */
  readonly leftOut: ReadonlySet<string>
}

/**
 * Returns the words by which a query is answered: all, or the 64 longest of a query that has more. The rarer a word is the longer it is on
 * average (Zipf, The Psycho-Biology of Language, 1935), and how rare it is among the caller's memories is known only once an engine has
 * counted its terms, which is most of what they cost.
 */
export function tellingWords(distinct: readonly TermGroup[]): TellingWords {
  if (distinct.length <= MOST_WORDS) return { groups: withinBound(distinct), leftOut: new Set() }
  const longest = distinct.toSorted((a, b) => b[0]!.length - a[0]!.length)
  const leftOut = new Set(longest.slice(MOST_WORDS).map(([first]) => first!))
  return { groups: withinBound(distinct.filter(([first]) => !leftOut.has(first!))), leftOut }
}

function withinBound(groups: readonly TermGroup[]): readonly TermGroup[] {
  let left = MOST_TERMS - groups.length
  return groups.map((terms) => {
    const beside = terms.slice(1, 1 + Math.max(0, left))
    left -= beside.length
    return [terms[0]!, ...beside]
  })
}

/** Returns the distinct terms of words. */
export function termsOfGroups(groups: readonly TermGroup[]): string[] {
  return [...new Set(groups.flat())]
}

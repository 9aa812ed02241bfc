import type { Direction } from '../query.js'
import { plainText, segmentedWords } from '../text/analysis.js'
import type { Language } from '../text/language.js'
import { LONGEST_READ } from '../text/calendars.js'
import { createLexicon } from '../text/lexicon.js'
import table from './question-words.json' with { type: 'json' }

const FIRST = createLexicon(table.first)
const PREVIOUS = createLexicon(table.previous)

/**
 * Returns which statement a question asks for, by words such as "originally" and "used to". Words that may as well order other things ("first",
 * "before") count only in a question about the past. Where the language is not known, it is read as English.
 */
export function directionOf(question: string, language: Language | null): Direction {
  const plain = plainText(question.slice(0, LONGEST_READ))
  const text = { plain, words: [...segmentedWords(plain)] }
  const languages = [language ?? 'en']
  if (FIRST.in(text, languages).length > 0) return 'first'
  return PREVIOUS.in(text, languages).length > 0 ? 'previous' : 'newest'
}

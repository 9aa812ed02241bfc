import type { Language } from './language.js'
import { plainLetters } from './characters.js'
import table from './stop-words.json' with { type: 'json' }

const known = new Map<Language, ReadonlySet<string>>()
const NONE: ReadonlySet<string> = new Set()

/**
 * Returns the function words of a language, articles to question words, in plain small letters; none of a language without a list.
 * Months, numbers and other words with content are not among them: `may` is missing on purpose.
 */
export function stopWordsOf(language: Language): ReadonlySet<string> {
  let words = known.get(language)
  if (words === undefined) known.set(language, (words = read(language)))
  return words
}

function read(language: Language): ReadonlySet<string> {
  if (!(language in table)) return NONE
  return new Set(plainLetters(table[language as keyof typeof table]).split(' '))
}

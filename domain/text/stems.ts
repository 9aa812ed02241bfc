import { createStemmer } from 'multilingual-stemmer'
import type { Language } from './language.js'
import { plainLetters } from './characters.js'

type Stem = (word: string) => string

/** Languages that Snowball has under another code: both written forms of Norwegian, and what is told apart from Serbian by its letters alone. */
const NAMED: Readonly<Record<string, string>> = { hr: 'sr', bs: 'sr' }
const known = new Map<string, Stem | null>()

/**
 * Returns the stemmer of a language, or null where Snowball has none. It takes words in small letters as they are written, since the
 * rules of most languages need their accents, and returns stems of plain letters. Made on first use.
 */
export function stemmerOf(language: Language): Stem | null {
  let stem = known.get(language)
  if (stem === undefined) known.set(language, (stem = makeStemmer(NAMED[language] ?? language)))
  return stem
}

function makeStemmer(code: string): Stem | null {
  try {
    const stem = createStemmer(code as Parameters<typeof createStemmer>[0])
    return code === 'en' ? stem : (word) => plainLetters(stem(word))
  } catch {
    return null
  }
}

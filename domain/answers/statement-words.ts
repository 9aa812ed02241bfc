import { plainLetters } from '../text/characters.js'
import type { Language } from '../text/language.js'
import table from './words.json' with { type: 'json' }

/**
 * Kinds of words that tell what a sentence states of what. `relations` stand between a thing and its value ("is"); `updates` say that a value is
 * new, and `additions` that it is one more; a thing has many values at a time of `manyValued` words ("likes"); `changes` are past forms
 * that state what holds since ("moved"); `subjects` are a subject by themselves ("we"). `notes` stand before a statement ("FYI: …"), and a sign
 * may stand for the `copulas`, of which a language has one.
 */
export type WordKind = keyof typeof table

const NONE: ReadonlySet<string> = new Set()
const known = new Map<WordKind, Map<Language, ReadonlySet<string>>>()

/** Returns the words of a kind in a language, in plain small letters; none of a language without a list. */
export function statementWords(kind: WordKind, language: Language): ReadonlySet<string> {
  let ofKind = known.get(kind)
  if (ofKind === undefined) known.set(kind, (ofKind = new Map()))
  let words = ofKind.get(language)
  if (words === undefined) ofKind.set(language, (words = read(kind, language)))
  return words
}

function read(kind: WordKind, language: Language): ReadonlySet<string> {
  const list = (table[kind] as Readonly<Record<Language, string>>)[language]
  return list === undefined ? NONE : new Set(plainLetters(list).split(' '))
}

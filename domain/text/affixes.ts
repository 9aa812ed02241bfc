import table from './affixes.json' with { type: 'json' }
import type { Language } from './language.js'

const PARTICLES = new Set(table.korean.particles.split(' '))
const LONGEST_PARTICLE = Math.max(...Array.from(PARTICLES, ({ length }) => length))
const HANGUL = /\p{Script=Hangul}/u
const ARABIC = /^\p{Script=Arabic}+$/u
const HEBREW = /^\p{Script=Hebrew}+$/u
/** Length of what has to be left of a word: shorter rests are other words. */
const LEAST_REST = 3

/**
 * Returns a word of plain small letters without the particles that Korean writes after it, or without the conjunctions, prepositions and
 * articles that Arabic and Hebrew write before it: what is left after each. Some of these are no words, since a word may begin or end
 * with the same letters. Empty for words of other scripts.
 */
export function withoutAffixes(word: string, language: Language | null): string[] {
  if (HANGUL.test(word)) return withoutParticles(word)
  if (ARABIC.test(word)) return language === null || language === 'ar' ? withoutPrefixes(word, ARABIC_STEPS) : []
  return HEBREW.test(word) ? withoutPrefixes(word, HEBREW_STEPS) : []
}

/** A particle of one syllable ends too many words of two to be removed from them. */
function withoutParticles(word: string): string[] {
  const rests: string[] = []
  for (let rest = word; rests.length < 2;) {
    const size = particleOf(rest)
    if (size === 0) break
    rests.push((rest = rest.slice(0, -size)))
  }
  return rests
}

function particleOf(word: string): number {
  for (let size = Math.min(LONGEST_PARTICLE, word.length - 1); size > 0; size--) {
    const isLeft = size > 1 || word.length > 2 || !HANGUL.test(word[0]!)
    if (isLeft && PARTICLES.has(word.slice(-size))) return size
  }
  return 0
}

const { arabic, hebrew } = table
const ARABIC_STEPS = [arabic.conjunctions, arabic.prepositions].map((letters) => [...letters])
ARABIC_STEPS.push([arabic.article, arabic['fused article']])
const HEBREW_STEPS = [hebrew.conjunctions, hebrew.prepositions, hebrew.article].map((letters) => [...letters])

/** Removes one of the prefixes of each step, in their order. */
function withoutPrefixes(word: string, steps: readonly (readonly string[])[]): string[] {
  const rests: string[] = []
  let rest = word
  for (const prefixes of steps) {
    const prefix = prefixes.find((one) => rest.startsWith(one) && rest.length - one.length >= LEAST_REST)
    if (prefix !== undefined) rests.push((rest = rest.slice(prefix.length)))
  }
  return rests
}

const { suffixes } = table.turkish
/**
 * Matches what Turkish writes after an apostrophe: small letters, or capitals after capitals. A single letter before it is a capital, as `d'a` is
 * of other languages.
 */
const SUFFIXES = new RegExp(
  `(?<=[\\p{L}\\p{M}\\p{N}]{2}|\\p{Lu}|\\p{N})['\\u2019](?:(?:${suffixes}){1,5}|(?<=\\p{Lu}{2}.)(?:${suffixes.toLocaleUpperCase('tr')}){1,5})(?![\\p{L}\\p{M}\\p{N}])`,
  'gu',
)

/** Returns a text that may be in some languages without the suffixes that Turkish writes after an apostrophe: `Ankara'da`, `2024'te`. */
export function withoutSuffixes(text: string, languages: readonly (Language | null)[]): string {
  return languages.includes('tr') ? text.replace(SUFFIXES, '') : text
}

const ELIDED: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(table.elided).map(([language, words]) => [language, elidedPattern(words)]),
)
/** Matches those of one letter and `qu`, for texts whose language nobody knows. */
const ELIDED_ANYWHERE = elidedPattern('l d j m t s n c qu')

function elidedPattern(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])(${words.replaceAll(' ', '|')})'(?=[aeiouyh\\u00c0-\\u017f])`, 'giu')
}

/** Returns a text in which words that lost their last vowel (`l'école`) are joined to the next one by a hyphen; not in English. */
export function withElisionsApart(text: string, language: Language | null): string {
  if (!text.includes("'")) return text
  const pattern = language === null ? ELIDED_ANYWHERE : ELIDED[language]
  return pattern === undefined ? text : text.replace(pattern, '$1-')
}

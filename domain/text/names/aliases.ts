import { nameKey } from '../memory-text.js'
import table from './alias-phrases.json' with { type: 'json' }
import { LONGEST_NAME, LONGEST_NAME_WORDS } from './found-name.js'

/** Says why two names may be one thing's: a phrase such as "also known as", a short form in brackets, or the form of the names alone. */
export type AliasReason = 'phrase' | 'brackets' | 'short form'

/** A name that a text gives a thing beside another one: one of these keys, the longest first, since where it ends is not known. */
export interface StatedAlias {
  readonly reason: Exclude<AliasReason, 'short form'>
  readonly keys: readonly string[]
}

/** Occurrences of a name that are looked at in one text. */
const MOST_OCCURRENCES = 20
/** Characters before and after a name that are read. */
const REACH = 160
/** Characters of a name in a script without spaces. */
const LONGEST_UNSPACED = 16

const PHRASES = Object.values(table)
  .flat()
  .sort((a, b) => b.length - a.length)
  .map(
    (phrase) =>
      phrase.replace(/[.]/g, '\\.') + (/[\p{L}]$/u.test(phrase) && !isUnspaced(phrase) ? '(?![\\p{L}\\p{N}])' : ''),
  )
  .join('|')
const OPENING = `[\\s:："'“„«「『《]*`
const JOINT = `[\\s,，、:：–—-]*(?:(?:is|are|was|were)\\s+)?[(（]?\\s*`
const PHRASE_AFTER = new RegExp(
  `^["'”»」』》]?${JOINT}(?:${PHRASES})${OPENING}(?:(?:the|der|die|das|le|la|el|il)\\s+)?`,
  'iu',
)
const PHRASE_BEFORE = new RegExp(`["'”»」』》]?${JOINT}(?<![\\p{L}\\p{N}])(?:${PHRASES})${OPENING}(?:the\\s+)?$`, 'iu')
const UNSPACED_PHRASE_BEFORE = new RegExp(
  `${JOINT}(?:${Object.values(table).flat().filter(isUnspaced).join('|')})${OPENING}$`,
  'u',
)
const BRACKETS_AFTER = /^["'”»」』》]?\s*[(（]\s*([^()（）\n]{2,60}?)\s*[)）]/u
const BRACKET_BEFORE = /[(（]\s*$/u
const NAME_END = /[.!?](?=\s|$)|[,;:()（）。，、；：！？\n"”»」』》]/u
const WORD = /[\p{L}\p{N}]/u

/**
 * Finds what a text says to be another name of the one with these spellings: "Kubernetes (K8s)", "K8s, short for Kubernetes". Brackets count where
 * one of the names abbreviates the other, or is a handle. Whether a name exists is not known here. Linear in the text.
 */
export function aliasesIn(text: string, spellings: readonly string[]): StatedAlias[] {
  const found: StatedAlias[] = []
  for (const { start, end } of occurrences(text, spellings)) {
    const [name, before, after] = [
      text.slice(start, end),
      text.slice(Math.max(0, start - REACH), start),
      text.slice(end, end + REACH),
    ]
    const [phraseAfter] = PHRASE_AFTER.exec(after) ?? []
    if (phraseAfter !== undefined) found.push({ reason: 'phrase', keys: leadingKeys(after.slice(phraseAfter.length)) })
    const [phraseBefore] = PHRASE_BEFORE.exec(before) ?? UNSPACED_PHRASE_BEFORE.exec(before) ?? []
    if (phraseBefore !== undefined)
      found.push({ reason: 'phrase', keys: trailingKeys(before.slice(0, -phraseBefore.length)) })
    const inside = BRACKETS_AFTER.exec(after)?.[1]
    if (inside !== undefined) found.push(inBrackets([nameKey(inside)], nameKey(name)))
    const [bracket] = BRACKET_BEFORE.exec(before) ?? []
    if (bracket !== undefined && /^\s*[)）]/u.test(after))
      found.push(inBrackets(trailingKeys(before.slice(0, -bracket.length)), nameKey(name)))
  }
  return found.filter(({ keys }) => keys.length > 0)
}

function inBrackets(keys: readonly string[], name: string): StatedAlias {
  return {
    reason: 'brackets',
    keys: keys.filter((key) => isHandle(key) || isHandle(name) || abbreviates(key, name) || abbreviates(name, key)),
  }
}

function isHandle(key: string): boolean {
  return /^@[\p{L}\p{N}_.-]{2,}$/u.test(key)
}

/**
 * Returns true if the short name abbreviates the long one: by its initials or letters in their order, the first of which begins a word (Schwartz and Hearst,
 * 2003), or with the number of the letters left out ("k8s"). Takes keys of names.
 */
export function abbreviates(short: string, long: string): boolean {
  const counted = /^(\p{L})(\d{1,2})(\p{L})$/u.exec(short)
  if (counted !== null) {
    const [, first, count, last] = counted
    return long.length === Number(count) + 2 && long.startsWith(first!) && long.endsWith(last!)
  }
  const letters = short.replace(/[.\s-]/gu, '')
  if (
    letters.length < 2 ||
    letters.length > 10 ||
    letters.length * 2 > long.length ||
    !/^[\p{L}\p{N}]+$/u.test(letters)
  )
    return false
  let at = long.length - 1
  for (let i = letters.length - 1; i >= 0; i--, at--) {
    const begins = (place: number) => place === 0 || !WORD.test(long[place - 1]!)
    while (at >= 0 && (long[at] !== letters[i] || (i === 0 && !begins(at)))) at--
    if (at < 0) return false
  }
  return long.slice(0, at + 1).trim() === ''
}

/** Returns the keys of shorter forms of a name of several words: initials ("r. smith"), handles ("@rsmith"), and its first and last word. */
export function shortForms(key: string): string[] {
  const words = key.split(' ').filter((word) => /^[\p{L}'’-]+$/u.test(word))
  if (words.length < 2 || words.length > LONGEST_NAME_WORDS || words.length !== key.split(' ').length) return []
  const [first, last] = [words[0]!, words.at(-1)!]
  const [f, l] = [[...first][0]!, [...last][0]!]
  const handles = [
    `${f}${last}`,
    `${first}${last}`,
    `${first}.${last}`,
    `${first}_${last}`,
    `${first}-${last}`,
    `${f}.${last}`,
    `${f}_${last}`,
  ]
  const initials = words.map((word) => [...word][0]!).join('')
  const forms = [
    `${f} ${last}`,
    `${f}. ${last}`,
    `${first} ${l}`,
    `${first} ${l}.`,
    ...handles,
    ...handles.map((handle) => `@${handle}`),
  ]
  if (words.length > 2) forms.push(initials, `${first} ${last}`)
  return [...new Set(forms)].filter((form) => form !== key)
}

/** Finds where a text has one of these spellings, whatever their case, as whole words. */
function* occurrences(text: string, spellings: readonly string[]): Generator<{ start: number; end: number }> {
  const small = text.toLowerCase()
  if (small.length !== text.length) return
  let count = 0
  for (const spelling of new Set(spellings.map((one) => one.toLowerCase())))
    for (
      let start = small.indexOf(spelling);
      start >= 0 && spelling !== '';
      start = small.indexOf(spelling, start + 1)
    ) {
      const end = start + spelling.length
      if (isUnspaced(spelling) || (!isJoined(small, start) && !isJoined(small, end))) {
        yield { start, end }
        if (++count === MOST_OCCURRENCES) return
      }
    }
}

/** Returns true if characters of one word stand before and at a place. */
function isJoined(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!)
}

function isUnspaced(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text)
}

/** Returns the keys of what a text begins with, up to the next sign that ends a name. */
function leadingKeys(text: string): string[] {
  const part = text.slice(0, NAME_END.exec(text)?.index ?? text.length).trim()
  return keysOf(part, (pieces, length) => pieces.slice(0, length))
}

/** Returns the keys of what a text ends with, back to the last sign that ends a name. */
function trailingKeys(text: string): string[] {
  const part = text.split(new RegExp(NAME_END, 'gu')).at(-1)!.trim()
  return keysOf(part, (pieces, length) => pieces.slice(-length))
}

function keysOf(part: string, take: (pieces: readonly string[], length: number) => string[]): string[] {
  const words = part.split(/\s+/u).filter((word) => word !== '')
  const ofWords = Array.from({ length: Math.min(words.length, LONGEST_NAME_WORDS) }, (_, i) =>
    take(words, i + 1).join(' '),
  )
  // Korean particles are joined to a name.
  const characters = isUnspaced(part) || /\p{Script=Hangul}/u.test(part) ? [...part] : []
  const ofCharacters = Array.from({ length: Math.min(characters.length, LONGEST_UNSPACED) }, (_, i) =>
    take(characters, i + 1).join(''),
  )
  const keys = [...ofWords, ...ofCharacters].map((name) => nameKey(name.replace(/^["'“«「]+|["'”»」]+$/gu, '')))
  return [...new Set(keys)]
    .filter((key) => key !== '' && key.length <= LONGEST_NAME)
    .sort((a, b) => b.length - a.length)
}

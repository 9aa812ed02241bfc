import { nameKey } from '../memory-text.js'
import { isUnspaced } from '../segments.js'
import table from './alias-phrases.json' with { type: 'json' }
import { LONGEST_NAME, LONGEST_NAME_WORDS } from './found-name.js'

/** Says why two names may be one thing's: a phrase such as "also known as", a short form in brackets, or the form of the names alone. */
export type AliasReason = 'phrase' | 'brackets' | 'short form'

/** A name that a text gives a thing beside another one: one of these keys, the longest first, since where it ends is not known. */
export interface StatedAlias {
  readonly reason: Exclude<AliasReason, 'short form'>
  readonly keys: readonly string[]
}

/** Occurrences of a name that are looked at in one text, and places where its letters stand that are tried. */
const [MOST_OCCURRENCES, MOST_PLACES] = [20, 200]
/** Characters before and after a name that are read. */
const REACH = 160
/** Characters of a name in a script without spaces. */
const LONGEST_UNSPACED = 16

/** Phrases in small letters, the longest first. */
const PHRASES = Object.values(table.phrases)
  .flat()
  .sort((a, b) => b.length - a.length)
const COPULA = `(?:(?:${table.copulas.join('|')}) )?`
/** Matches what may stand between a name and a phrase, of texts whose white space is single spaces. */
const JOINT_AFTER = new RegExp(`^["'”»」』》]?[ ,，、:：–—-]{0,3}${COPULA}[(（]? ?`, 'u')
const JOINT_BEFORE = new RegExp(`["'”»」』》]?[ ,，、:：–—-]{0,3}(?<=[^\\p{L}])${COPULA}[(（]? ?$`, 'u')
const ARTICLE = '(?:the|der|die|das|le|la|el|il) '
const OPENING = new RegExp(`^[ :："'“„«「『《]{0,3}(?:${ARTICLE})?`, 'iu')
const CLOSING = new RegExp(`[ :："'“„«「『《]{0,3}(?:(?<= )${ARTICLE})?$`, 'iu')
const BRACKETS_AFTER = /^["'”»」』》]? ?[(（] ?([^()（）]{2,60})[)）]/u
const BRACKET_BEFORE = /[(（] ?$/u
const BRACKET_AFTER = /^ ?[)）]/u
const NAME_END = /[.!?](?= |$)|[,;:()（）。，、；：！？"”»」』》]/u
const SENTENCE_END = /[.!?](?= |$)|[。！？]/u
const WORD = /[\p{L}\p{N}]/u

/**
 * Finds what a text says to be another name of the one with these spellings: "Kubernetes (K8s)", "K8s, short for Kubernetes". Brackets count where
 * one of the names abbreviates the other, or is a handle. A question says nothing. Whether a name exists is not known here. Takes time by the occurrences of the
 * name, of which it reads 20.
 */
export function aliasesIn(text: string, spellings: readonly string[]): StatedAlias[] {
  const found: StatedAlias[] = []
  for (const { start, end } of occurrences(text, spellings)) {
    const before = spaced(
      text
        .slice(Math.max(0, start - REACH), start)
        .split('\n')
        .at(-1)!,
    )
    const after = spaced(text.slice(end, end + REACH).split('\n')[0]!)
    if (/[?？]/u.test(SENTENCE_END.exec(after)?.[0] ?? '')) continue
    found.push(...inPhrase(before, after), ...inBrackets(nameKey(text.slice(start, end)), before, after))
  }
  return found.filter(({ keys }) => keys.length > 0)
}

function spaced(text: string): string {
  return text.replace(/\s+/gu, ' ')
}

function inPhrase(before: string, after: string): StatedAlias[] {
  const next = after.slice(JOINT_AFTER.exec(after)![0].length)
  const phraseAfter = PHRASES.find((phrase) => startsWith(next, phrase))
  const previous = before.slice(0, CLOSING.exec(before)!.index)
  const phraseBefore = PHRASES.find((phrase) => endsWith(previous, phrase))
  const found: StatedAlias[] = []
  if (phraseAfter !== undefined) {
    const rest = next.slice(phraseAfter.length)
    found.push({ reason: 'phrase', keys: leadingKeys(rest.slice(OPENING.exec(rest)![0].length)) })
  }
  if (phraseBefore !== undefined) {
    const rest = previous.slice(0, -phraseBefore.length)
    found.push({ reason: 'phrase', keys: trailingKeys(rest.slice(0, JOINT_BEFORE.exec(rest)?.index ?? rest.length)) })
  }
  return found
}

/** Returns true if a text begins with a phrase in any case, as whole words. */
function startsWith(text: string, phrase: string): boolean {
  const end = phrase.length
  return text.slice(0, end).toLowerCase() === phrase && (isUnspaced(phrase) || !isJoined(text, end))
}

/** Returns true if a text ends with a phrase in any case, as whole words. */
function endsWith(text: string, phrase: string): boolean {
  const start = text.length - phrase.length
  return start >= 0 && text.slice(start).toLowerCase() === phrase && (isUnspaced(phrase) || !isJoined(text, start))
}

function inBrackets(name: string, before: string, after: string): StatedAlias[] {
  const isShort = (key: string) => isHandle(key) || isHandle(name) || abbreviates(key, name) || abbreviates(name, key)
  const inside = BRACKETS_AFTER.exec(after)?.[1]
  const bracket = BRACKET_AFTER.test(after) ? BRACKET_BEFORE.exec(before) : null
  const statements = [
    ...(inside === undefined ? [] : [[nameKey(inside)]]),
    ...(bracket === null ? [] : [trailingKeys(before.slice(0, bracket.index))]),
  ]
  return statements.map((keys) => ({ reason: 'brackets', keys: keys.filter(isShort) }))
}

function isHandle(key: string): boolean {
  return /^@[\p{L}\p{N}_.-]{2,}$/u.test(key)
}

/**
 * Returns true if the short name abbreviates the long one: by its initials or letters in their order, the first of which begins both (Schwartz and Hearst,
 * 2003), or with the number of the letters left out ("k8s"). Takes keys of names.
 */
export function abbreviates(short: string, long: string): boolean {
  const counted = /^(\p{L})(\d{1,2})(\p{L})$/u.exec(short)
  if (counted !== null) {
    const [, first, count, last] = counted
    return long.length === Number(count) + 2 && long.startsWith(first!) && long.endsWith(last!)
  }
  const letters = short.replace(/[.\s-]/gu, '')
  if (letters.length < 2 || letters.length > 10 || letters.length * 2 > long.length) return false
  if (!/^[\p{L}\p{N}]+$/u.test(letters) || letters[0] !== long[0]) return false
  let at = 1
  for (const letter of letters.slice(1)) {
    const place = long.indexOf(letter, at)
    if (place < 0) return false
    at = place + 1
  }
  return true
}

/** Returns the keys of shorter forms of a name of several words: initials ("r. smith"), handles ("@rsmith"), and its first and last word. */
export function shortForms(key: string): string[] {
  const words = key.split(' ')
  if (words.length < 2 || words.length > LONGEST_NAME_WORDS || !words.every((word) => /^[\p{L}'’-]+$/u.test(word)))
    return []
  const [first, last] = [words[0]!, words.at(-1)!]
  const [f, l] = [[...first][0]!, [...last][0]!]
  const handles = [`${f}${last}`, `${first}${last}`, `${f}.${last}`, `${f}_${last}`]
  handles.push(`${first}.${last}`, `${first}_${last}`, `${first}-${last}`)
  const forms = [`${f} ${last}`, `${f}. ${last}`, `${first} ${l}`, `${first} ${l}.`, ...handles]
  forms.push(...handles.map((handle) => `@${handle}`))
  if (words.length > 2) forms.push(words.map((word) => [...word][0]!).join(''), `${first} ${last}`)
  return [...new Set(forms)].filter((form) => form !== key)
}

/** Finds where a text has one of these spellings, whatever their case, as whole words. */
function* occurrences(text: string, spellings: readonly string[]): Generator<{ start: number; end: number }> {
  const small = inSmallLetters(text)
  let [places, count] = [0, 0]
  for (const spelling of new Set(spellings.map(inSmallLetters))) {
    if (spelling === '') continue
    for (let start = small.indexOf(spelling); start >= 0; start = small.indexOf(spelling, start + 1)) {
      const end = start + spelling.length
      if (isUnspaced(spelling) || (!isJoined(small, start) && !isJoined(small, end))) {
        yield { start, end }
        count++
      }
      if (count === MOST_OCCURRENCES || ++places === MOST_PLACES) return
    }
  }
}

/** Returns a text of the same length: "İ" alone has more characters in small letters. */
function inSmallLetters(text: string): string {
  return text.replaceAll('İ', 'I').toLowerCase()
}

/** Returns true if characters of one word stand before and at a place. */
function isJoined(text: string, at: number): boolean {
  return at > 0 && at < text.length && WORD.test(text[at - 1]!) && WORD.test(text[at]!)
}

/** Returns the keys of what a text begins with, up to the next sign that ends a name. */
function leadingKeys(text: string): string[] {
  const part = text.slice(0, NAME_END.exec(text)?.index ?? text.length).trim()
  return keysOf(part, (pieces, length) => pieces.slice(0, length))
}

/** Returns the keys of what a text ends with, back to the last sign that ends a name. */
function trailingKeys(text: string): string[] {
  const part = text.trim().split(NAME_END).at(-1)!.trim()
  return keysOf(part, (pieces, length) => pieces.slice(-length))
}

function keysOf(part: string, take: (pieces: readonly string[], length: number) => string[]): string[] {
  const words = part.split(' ').filter((word) => word !== '')
  // Korean particles are joined to a name.
  const characters = isUnspaced(part) || /\p{Script=Hangul}/u.test(part) ? [...part] : []
  const joined = (pieces: readonly string[], most: number, between: string) =>
    Array.from({ length: Math.min(pieces.length, most) }, (_, i) => take(pieces, i + 1).join(between))
  const names = [...joined(words, LONGEST_NAME_WORDS, ' '), ...joined(characters, LONGEST_UNSPACED, '')]
  const keys = names.map((name) => nameKey(name.replace(/^["'“«「]|["'”»」]$/gu, '')))
  return [...new Set(keys)]
    .filter((key) => key !== '' && key.length <= LONGEST_NAME)
    .sort((a, b) => b.length - a.length)
}

import { createHash } from 'node:crypto'
import { withoutHalfCharacter } from '../text/characters.js'
import { type Language, languageOf } from '../text/language.js'
import type { DocumentData } from './document.js'

/** Characters of a long document that are embedded: as many as of a memory. */
const LONGEST_EMBEDDED = 10_000

/**
 * Returns the text that a document is embedded as: `summary` if it is a string, else the strings of title, name and
 * description, else all strings in it. Blank strings do not count. At most 10,000 UTF-16 units. Does not depend on the
 * order of keys, which Postgres changes.
 */
export function embeddedTextOf(data: DocumentData): string {
  const named = textsOf([data.summary])
  const titled = named.length > 0 ? named : textsOf([data.title, data.name, data.description])
  const texts = titled.length > 0 ? titled : stringLeaves(data)
  return truncate(texts.join('\n'))
}

/** Returns the text that a keyword search finds a document by: all strings in it, one per line. */
export function keywordTextOf(data: DocumentData): string {
  return stringLeaves(data).join('\n')
}

/**
 * Returns the language of a document, null where it is uncertain or where the beginning of its text is in several. It has one for the whole of it:
 * the keys and names between its strings are in none, and a query is looked for by the stems of several languages anyway.
 */
export function documentLanguage(data: DocumentData): Language | null {
  return languageOf(keywordTextOf(data))
}

/** Returns the SHA-256 of the text that is embedded: the key of its vectors. */
export function documentTextHash(data: DocumentData): Buffer {
  return createHash('sha256').update(embeddedTextOf(data)).digest()
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value.trim() !== '')
}

/**
 * Returns the non-blank strings ordered by key and position. Not recursive, so that data nested deeper than this
 * version's contract allows cannot overflow the stack.
 */
function stringLeaves(data: DocumentData): string[] {
  const leaves: string[] = []
  const left: unknown[] = [data]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') {
      if (value.trim() !== '') leaves.push(value)
    } else if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i--) left.push(value[i])
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).sort(([a], [b]) => (a < b ? 1 : -1))
      for (const [, inner] of entries) left.push(inner)
    }
  }
  return leaves
}

/** Truncates without leaving half of a surrogate pair at the end. */
function truncate(text: string): string {
  return text.length <= LONGEST_EMBEDDED ? text : withoutHalfCharacter(text.slice(0, LONGEST_EMBEDDED))
}

import { createHash } from 'node:crypto'
import type { DocumentData } from './document.js'

/** What is read of a longer one when it is embedded: as much as of a memory. */
const LONGEST_EMBEDDED = 10_000

/**
 * What a document is embedded as: `summary` if it is a string, else the strings of title, name and description, else all strings in it;
 * what is blank does not count. At most 10,000 UTF-16 units. Does not depend on the order of keys, which Postgres changes.
 */
export function embeddedTextOf(data: DocumentData): string {
  const named = textsOf([data.summary])
  const titled = named.length > 0 ? named : textsOf([data.title, data.name, data.description])
  const texts = titled.length > 0 ? titled : stringLeaves(data)
  return cut(texts.join('\n'))
}

/** What a document is found by in words: all strings in it, a line each. */
export function keywordTextOf(data: DocumentData): string {
  return stringLeaves(data).join('\n')
}

/** SHA-256 of the text that is embedded: the key of its vectors. */
export function documentTextHash(data: DocumentData): Buffer {
  return createHash('sha256').update(embeddedTextOf(data)).digest()
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value.trim() !== '')
}

/** By the order of keys and places. Not recursive: of what another version of the contract lets be nested, nothing breaks. */
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

/** Without half of a surrogate pair at its end. */
function cut(text: string): string {
  return text.length <= LONGEST_EMBEDDED ? text : text.slice(0, LONGEST_EMBEDDED).replace(/[\ud800-\udbff]$/, '')
}

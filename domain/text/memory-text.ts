import { createHash } from 'node:crypto'
import { analyse } from './analysis.js'
import { WORDS } from './words.js'

interface Worded {
  readonly title: string | null
  readonly content: string
}

interface Placed extends Worded {
  readonly agentId: string | null
  readonly validStart: Date | null
  readonly createdAt: Date
}

/** What a memory is embedded as. */
export function embeddedText({ title, content }: Worded): string {
  return title === null ? content : `${title}\n${content}`
}

/** What a memory is found by in words: its text, its author, and the date it is about. */
export function indexedTerms(memory: Placed): string[] {
  return [
    ...analyse(embeddedText(memory)),
    ...(memory.agentId === null ? [] : analyse(memory.agentId)),
    ...dateTerms(memory.validStart ?? memory.createdAt),
  ]
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

/** "8 May 2023" of a date, in UTC, as the terms that a question would hold. */
export function dateTerms(date: Date): string[] {
  return analyse(`${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`)
}

/**
 * The text that duplicates share: compatibility forms, case, white space and format characters do not make another memory.
 * Punctuation and word order do.
 */
export function normalisedText(content: string): string {
  return content
    .replace(/\p{Cf}+/gu, '')
    .normalize('NFKC')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase()
}

/** The same for texts whose words are the same in the same order, whatever their case and punctuation; null without words. */
export function wordsKey(text: string): string | null {
  const words = text.normalize('NFKC').toLowerCase().match(WORDS)
  return words && createHash('sha256').update(words.join(' ')).digest('base64')
}

/** The key of an entity's name: what makes two spellings the same entity. */
export function nameKey(name: string): string {
  return normalisedText(name)
}

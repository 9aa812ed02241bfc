import { createHash } from 'node:crypto'
import { embeddedText } from '../text/memory-text.js'

/** Increased with every change of the prompt: texts that were read with an older version may be read again. */
export const ENRICHMENT_PROMPT = 1

interface TitledText {
  /** The caller's title. */
  readonly title: string | null
  readonly content: string
}

/**
 * Returns the key that identifies a text in `EnrichmentRecord.text`: the first half of the SHA-256 of its embedded
 * text, in hex.
 */
export function textKey(memory: TitledText): string {
  return createHash('sha256').update(embeddedText(memory)).digest('hex').slice(0, 32)
}

/**
 * Returns whether the text that was read under this key is still all in the memory: a title that was added since does
 * not matter.
 */
export function coversText(key: string, memory: TitledText): boolean {
  return key === textKey(memory) || key === textKey({ ...memory, title: null })
}

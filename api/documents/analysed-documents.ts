import { LRUCache } from 'lru-cache'
import { embeddedTextOf, keywordTextOf } from '../../domain/documents/text.js'
import type { DocumentText } from '../../domain/documents/rank-documents.js'
import { analyseInPieces } from '../../domain/text/analysis.js'
import { termCounts } from '../../domain/text/term-counts.js'
import type { Embedder } from '../../models/embedder.js'
import { createTurns } from '../../runtime/turns.js'
import { usableVector } from '../../search/vectors.js'
import { type DocumentContent, type FoundDocument, readContents } from '../../store/documents/search-rows.js'
import { readVectors } from '../../store/indexing/vectors.js'
import type { Reader } from '../../store/store.js'

interface Analysed {
  readonly version: number
  readonly text: DocumentText
}

/** A read transaction of the caller's tenant. */
type Read = <T>(work: (reader: Reader) => Promise<T>) => Promise<T>

/** Documents that are read, embedded and analysed between two looks at the signal. */
const SLICE = 8
/** New JSON that one search reads and analyses: half a second of CPU, eight documents of the largest kind or a thousand usual ones. */
const MOST_CHARACTERS = 2_000_000

/**
 * Texts of documents as the scoring reads them, analysed once for each version. One of another version than the kept one is read and
 * analysed again, so the cache is never stale.
 */
export class AnalysedDocuments {
  readonly #embedder: Embedder
  readonly #kept: LRUCache<string, Analysed>

  /** Texts are kept up to `maxBytes`, by estimate. */
  constructor(embedder: Embedder, maxBytes = 64 * 1_048_576) {
    this.#embedder = embedder
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf })
  }

  /**
   * The text of each hydrated document, by id, in the order of the rows, up to `MOST_CHARACTERS` of new JSON: what is analysed stays
   * kept, so the same search gets further the next time. `complete` is false when some were left out. Reads a few at a time, and
   * embeds and analyses them between the reads; one that changes meanwhile is read as it then is, and one that goes is left out.
   */
  async textsOf(
    read: Read,
    rows: readonly FoundDocument[],
    signal: AbortSignal,
  ): Promise<{ texts: Map<string, DocumentText>; complete: boolean }> {
    const texts = new Map<string, DocumentText>()
    const unknown: string[] = []
    for (const { id, version } of rows) {
      const kept = this.#kept.get(id)
      if (kept?.version === version) texts.set(id, kept.text)
      else unknown.push(id)
    }
    let left = MOST_CHARACTERS
    for (let next = 0; next < unknown.length && left > 0; next += SLICE) {
      signal.throwIfAborted()
      for (const [id, text, characters] of await this.#analyse(read, unknown.slice(next, next + SLICE))) {
        texts.set(id, text)
        left -= characters
      }
    }
    return { texts, complete: texts.size === rows.length || left > 0 }
  }

  async #analyse(read: Read, ids: readonly string[]): Promise<[string, DocumentText, number][]> {
    const { contents, known } = await read(async (reader) => {
      const contents = await readContents(reader, ids)
      const hashes = this.#embedder.inline ? [] : contents.map(({ textHash }) => textHash)
      return { contents, known: await readVectors(reader, this.#embedder.id, hashes) }
    })
    const vectors = this.#embedder.inline
      ? await this.#embed(contents)
      : contents.map(({ textHash }) => known.get(textHash.toString('hex')) ?? null)
    const analysed: [string, DocumentText, number][] = []
    for (const [i, { id, version, data }] of contents.entries()) {
      const text = { ...(await countTerms(keywordTextOf(data))), vector: vectors[i]! }
      // A vector that is yet to come is looked for again.
      if (text.vector || this.#embedder.inline) this.#kept.set(id, { version, text })
      // Of what has no text in it, reading alone is the work.
      analysed.push([id, text, JSON.stringify(data).length])
      await new Promise(setImmediate)
    }
    return analysed
  }

  async #embed(contents: readonly DocumentContent[]): Promise<(Float32Array | null)[]> {
    const texts = contents.map(({ data }) => embeddedTextOf(data))
    return (await this.#embedder.embed(texts, 'passage')).map(usableVector)
  }
}

/** A text of 256 KiB whose words are all new takes up to two seconds. */
async function countTerms(text: string): Promise<Pick<DocumentText, 'terms' | 'length'>> {
  const all = await analyseInPieces(text, createTurns())
  return { terms: termCounts(all), length: all.length }
}

/** An estimate: objects and buffers, and a term's place in its map with a share of its letters. */
function bytesOf({ text }: Analysed): number {
  return 500 + 60 * text.terms.size + (text.vector?.byteLength ?? 0)
}

import { LRUCache } from 'lru-cache'
import { embeddedTextOf, keywordTextOf } from '../../domain/documents/text.js'
import type { DocumentText } from '../../domain/documents/rank-documents.js'
import { analyseInPieces } from '../../domain/text/analysis.js'
import { termCounts } from '../../domain/text/term-counts.js'
import type { Embedder } from '../../models/embedder.js'
import { createTurns } from '../../runtime/turns.js'
import { usableVector } from '../../search/vectors.js'
import { type FoundDocument, readData } from '../../store/documents/search-rows.js'
import { readVectors } from '../../store/indexing/vectors.js'
import type { Reader } from '../../store/store.js'

interface Analysed {
  readonly version: number
  readonly text: DocumentText
}

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
   * kept, so the same search gets further the next time. `complete` is false when some were left out.
   */
  async textsOf(
    reader: Reader,
    rows: readonly FoundDocument[],
    signal: AbortSignal,
  ): Promise<{ texts: Map<string, DocumentText>; complete: boolean }> {
    const texts = new Map<string, DocumentText>()
    const unknown: FoundDocument[] = []
    for (const row of rows) {
      const kept = this.#kept.get(row.id)
      if (kept?.version === row.version) texts.set(row.id, kept.text)
      else unknown.push(row)
    }
    let left = MOST_CHARACTERS
    for (let next = 0; next < unknown.length && left > 0; next += SLICE) {
      signal.throwIfAborted()
      for (const [id, analysed, characters] of await this.#analyse(reader, unknown.slice(next, next + SLICE))) {
        texts.set(id, analysed.text)
        left -= characters
      }
    }
    return { texts, complete: texts.size === rows.length || left > 0 }
  }

  async #analyse(reader: Reader, rows: readonly FoundDocument[]): Promise<[string, Analysed, number][]> {
    const data = await readData(
      reader,
      rows.map(({ id }) => id),
    )
    const present = rows.filter(({ id }) => data.has(id))
    const vectors = await this.#vectorsOf(reader, present, data)
    const analysed: [string, Analysed, number][] = []
    for (const [i, { id, version }] of present.entries()) {
      const keywords = keywordTextOf(data.get(id)!)
      const entry = { version, text: { ...(await countTerms(keywords)), vector: vectors[i]! } }
      // A vector that is yet to come is looked for again.
      if (entry.text.vector || this.#embedder.inline) this.#kept.set(id, entry)
      // Of what has no text in it, reading alone is the work.
      analysed.push([id, entry, JSON.stringify(data.get(id)).length])
      await new Promise(setImmediate)
    }
    return analysed
  }

  async #vectorsOf(
    reader: Reader,
    rows: readonly FoundDocument[],
    data: ReadonlyMap<string, Record<string, unknown>>,
  ): Promise<(Float32Array | null)[]> {
    if (this.#embedder.inline) {
      const texts = rows.map(({ id }) => embeddedTextOf(data.get(id)!))
      const vectors = await this.#embedder.embed(texts, 'passage')
      return vectors.map(usableVector)
    }
    const hashes = rows.map(({ textHash }) => textHash)
    const known = await readVectors(reader, this.#embedder.id, hashes)
    return hashes.map((hash) => known.get(hash.toString('hex')) ?? null)
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

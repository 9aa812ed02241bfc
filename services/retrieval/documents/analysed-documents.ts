import { LRUCache } from 'lru-cache'
import { embeddedTextOf, keywordTextOf } from '../../../domain/documents/text.js'
import type { DocumentText } from '../../../domain/documents/rank-documents.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'
import { analyseInSteps } from '../../../domain/text/analysis.js'
import type { Language } from '../../../domain/text/language.js'
import type { Embedder } from '../../../models/embedder.js'
import type { Yielding } from '../../../domain/yielding.js'
import { Slices } from '../../../runtime/slices.js'
import { usableVector } from '../../../search/vectors.js'
import { type DocumentContent, type FoundDocument, readContents } from '../../../store/documents/search-rows.js'
import { readVectors } from '../../../store/vectors.js'
import type { ReadTransaction } from '../../../store/store.js'

interface CacheEntry {
  readonly version: number
  readonly text: DocumentText
}

/** Limits the estimated size of the cache. */
const MAX_BYTES = 64 * 2 ** 20
/** Documents that are read, embedded and analysed between two checks of the signal. */
const BATCH_SIZE = 8
/** Characters of new JSON that one search analyses: half a second of CPU, eight documents of the largest size or a thousand usual ones. */
const MAX_CHARACTERS = 2_000_000

/**
 * Caches the analysed texts of documents, one for each document and version. A document whose version differs from the cached one is
 * read and analysed again, so the cache is never stale.
 */
export class AnalysedDocuments {
  readonly #embedder: Embedder
  readonly #cache: LRUCache<string, CacheEntry>

  constructor(embedder: Embedder) {
    this.#embedder = embedder
    this.#cache = new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: bytesOf })
  }

  /**
   * Returns the analysed text of each document, by id. Analyses up to `MAX_CHARACTERS` of new JSON, in the order of the rows. What is
   * analysed stays in the cache, so the same search gets further the next time. `complete` is false when some were left out. Reads a few
   * documents at a time, and embeds and analyses them between the reads. A document that changes meanwhile is read as it then is; a
   * deleted one is left out.
   */
  async textsOf(
    read: ReadTransaction,
    rows: readonly FoundDocument[],
    signal: AbortSignal,
  ): Promise<{ texts: Map<string, DocumentText>; complete: boolean }> {
    const texts = new Map<string, DocumentText>()
    const unknown: string[] = []
    for (const { id, version } of rows) {
      const cached = this.#cache.get(id)
      if (cached?.version === version) texts.set(id, cached.text)
      else unknown.push(id)
    }
    let left = MAX_CHARACTERS
    for (let next = 0; next < unknown.length && left > 0; next += BATCH_SIZE) {
      signal.throwIfAborted()
      for (const [id, text, characters] of await this.#analyse(read, unknown.slice(next, next + BATCH_SIZE))) {
        texts.set(id, text)
        left -= characters
      }
    }
    return { texts, complete: texts.size === rows.length || left > 0 }
  }

  async #analyse(read: ReadTransaction, ids: readonly string[]): Promise<[string, DocumentText, number][]> {
    const { contents, known } = await read(async (reader) => {
      const contents = await readContents(reader, ids)
      const hashes = this.#embedder.inline ? [] : contents.map(({ textHash }) => textHash)
      return { contents, known: await readVectors(reader, this.#embedder.id, hashes) }
    })
    const vectors = this.#embedder.inline
      ? await this.#embed(contents)
      : contents.map(({ textHash }) => known.get(textHash.toString('hex')) ?? null)
    return new Slices().run(this.#analyseContents(contents, vectors))
  }

  *#analyseContents(
    contents: readonly DocumentContent[],
    vectors: readonly (Float32Array | null)[],
  ): Yielding<[string, DocumentText, number][]> {
    const analysed: [string, DocumentText, number][] = []
    for (const [i, { id, version, data, language }] of contents.entries()) {
      const text = { ...(yield* countTerms(keywordTextOf(data), language)), vector: vectors[i]! }
      // A document whose vector has yet to be computed is not cached, so that the next search looks for it again.
      if (text.vector || this.#embedder.inline) this.#cache.set(id, { version, text })
      // The JSON counts, not the text in it: reading a document without any text takes its time too.
      analysed.push([id, text, JSON.stringify(data).length])
      yield
    }
    return analysed
  }

  async #embed(contents: readonly DocumentContent[]): Promise<(Float32Array | null)[]> {
    const texts = contents.map(({ data }) => embeddedTextOf(data))
    return (await this.#embedder.embed(texts, 'passage')).map(usableVector)
  }
}

/** Counts the terms of a text: 256 KiB of words that are all new take up to two seconds. */
function* countTerms(text: string, language: Language | null): Yielding<Pick<DocumentText, 'terms' | 'length'>> {
  const { terms, words } = yield* analyseInSteps(text, language)
  return { terms: hashTerms(terms), length: words }
}

/** Estimates the size of an entry: objects, and buffers of 6 bytes for each term. */
function bytesOf({ text }: CacheEntry): number {
  return 1_100 + 6 * text.terms.hashes.length + (text.vector?.byteLength ?? 0)
}

import { LRUCache } from 'lru-cache'
import type { AnalysedText } from '../../domain/ranking/candidate.js'
import { withCompoundParts } from '../../domain/text/compounds.js'
import { authorOf } from '../../domain/text/author.js'
import { embeddedText, indexedTerms, wordsKey } from '../../domain/text/memory-text.js'
import { statedShare } from '../../domain/text/stated-share.js'
import { mentionsTime } from '../../domain/text/time-expressions.js'
import { termCounts } from '../../domain/text/term-counts.js'
import type { Embedder } from '../../models/embedder.js'
import type { PieceSpace } from '../../models/piece-space.js'
import { createYielder } from '../../runtime/yielder.js'
import { usableVector } from '../../search/vectors.js'
import { type CandidateRow, type CandidateText, readTexts } from '../../store/memories/recall-rows.js'
import type { Reader } from '../../store/store.js'
import { decodeVector } from '../../store/indexing/vectors.js'

interface CacheEntry {
  readonly version: number
  readonly text: AnalysedText
}

/** Texts embedded in one call. */
const BATCH_SIZE = 16
/**
 * Characters of new text that one recall analyses at most. They take a third of a second or more when the texts are long; a full pending
 * tail of usual memories has far fewer. Without a limit, 500 new memories of 10,000 characters cost one recall 5 to 15 s of CPU.
 */
const MAX_CHARACTERS = 300_000

/**
 * Caches the analysed texts of memories, one for each memory and version; analysing a text takes about 100 µs. A row whose version
 * differs from the cached one is read and analysed again, so the cache is never stale.
 */
export class AnalysedMemories {
  readonly #embedder: Embedder
  readonly #space: PieceSpace
  readonly #cache: LRUCache<string, CacheEntry>

  /** `maxBytes` limits the estimated size of the cache: the default holds some 40,000 usual texts of 3 KB. */
  constructor(embedder: Embedder, space: PieceSpace, maxBytes = 128 * 1_048_576) {
    this.#embedder = embedder
    this.#space = space
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf })
  }

  /**
   * Returns the analysed text of each row, by id. Texts that are not cached are read in one statement and analysed in the order of the
   * rows, up to `MAX_CHARACTERS` of new text. What is analysed stays in the cache, so the same recall gets further the next time.
   * `complete` is false when rows were left out.
   */
  async textsOf(
    reader: Reader,
    rows: readonly CandidateRow[],
    signal: AbortSignal,
  ): Promise<{ texts: Map<string, AnalysedText>; complete: boolean }> {
    const texts = new Map<string, AnalysedText>()
    const unknown: string[] = []
    for (const { id, version } of rows) {
      const cached = this.#cache.get(id)
      if (cached?.version === version) texts.set(id, cached.text)
      else unknown.push(id)
    }
    const read = inOrderOf(unknown, await readTexts(reader, unknown, this.#embedder.inline ? null : this.#embedder.id))
    const affordable = read.slice(0, affordableCount(read))
    const yieldIfDue = createYielder({ signal })
    for (let next = 0; next < affordable.length; next += BATCH_SIZE) {
      const slice = affordable.slice(next, next + BATCH_SIZE)
      const vectors = await this.#vectorsOf(slice)
      for (const [i, row] of slice.entries()) {
        texts.set(row.id, this.#cacheText(row, analysedText(row, vectors[i]!, this.#space)))
        await yieldIfDue()
      }
    }
    return { texts, complete: affordable.length === read.length }
  }

  /** Caches the text, unless its vector has yet to be computed: then the next recall looks for the vector again. */
  #cacheText({ id, version }: CandidateText, text: AnalysedText): AnalysedText {
    if (text.vector || this.#embedder.inline) this.#cache.set(id, { version, text })
    return text
  }

  async #vectorsOf(rows: readonly CandidateText[]): Promise<(Float32Array | null)[]> {
    if (!this.#embedder.inline)
      return rows.map(({ vector }) => (vector === null ? null : decodeVector(Buffer.from(vector, 'base64'))))
    const vectors = await this.#embedder.embed(rows.map(embeddedText), 'passage')
    return vectors.map(usableVector)
  }
}

function affordableCount(rows: readonly CandidateText[]): number {
  let characters = 0
  const beyond = rows.findIndex(({ content }) => (characters += content.length) > MAX_CHARACTERS)
  return beyond === -1 ? rows.length : beyond
}

function inOrderOf(ids: readonly string[], rows: readonly CandidateText[]): CandidateText[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Estimates the size of an entry from measured heaps: objects and buffers, a map entry for each term, and a share of its letters. */
function bytesOf({ text }: CacheEntry): number {
  return 900 + 50 * text.terms.size + text.pieces.byteLength + (text.vector?.byteLength ?? 0)
}

function analysedText(row: CandidateText, vector: Float32Array | null, space: PieceSpace): AnalysedText {
  const at = new Date(row.at)
  const all = indexedTerms({ ...row, validStart: at, createdAt: at })
  const text = embeddedText(row)
  return {
    terms: termCounts(all),
    length: all.length,
    vector,
    pieces: space.piecesOf(withCompoundParts(text)),
    author: authorOf(row.content, row.agentId),
    stated: statedShare(text),
    mentionsTime: mentionsTime(text),
    wordsKey: wordsKey(text),
    at: row.at,
    until: row.until,
  }
}

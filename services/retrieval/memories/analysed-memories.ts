import { LRUCache } from 'lru-cache'
import { analyseText } from '../../../domain/ranking/analyse-text.js'
import type { AnalysedText } from '../../../domain/ranking/candidate.js'
import { decodeText } from '../../../domain/ranking/text-bytes.js'
import type { Viewing } from '../../../domain/recall-filter.js'
import type { TextTerms } from '../../../domain/text/analysis.js'
import { embeddedText, indexedTerms } from '../../../domain/text/memory-text.js'
import type { Embedder } from '../../../models/embedder.js'
import type { PieceSpace } from '../../../models/piece-space.js'
import { type Clock, systemClock } from '../../../runtime/clock.js'
import type { Metrics } from '../../../runtime/metrics.js'
import type { Yielding } from '../../../domain/yielding.js'
import { Slices } from '../../../runtime/slices.js'
import { usableVector } from '../../../search/vectors.js'
import {
  type CandidateText,
  readStoredTexts,
  readTexts,
  type ScoredColumns,
  type StoredCandidateText,
} from '../../../store/memories/candidate-texts.js'
import type { CandidateRow } from '../../../store/memories/recall-rows.js'
import type { Reader, ReadTransaction } from '../../../store/store.js'
import { decodeVector } from '../../../store/vectors.js'
import { inOrderOf } from '../../../store/rows-by-id.js'

/** Holds what ranking reads of a memory. Its version fixes all but the count. */
export interface RememberedMemory extends ScoredColumns {
  readonly version: number
  readonly text: AnalysedText
  /** Number of recalls that returned the memory when it was read, with those of this process since then. */
  recallCount: number
  /** Unix milliseconds; `Infinity` for a text that was analysed here. */
  readonly expiresAt: number
}

type ReadText = CandidateText | StoredCandidateText

interface Options {
  /** Limits the estimated size of the cache. A usual text takes some 1,900 bytes (LoCoMo's turns, vectors of 256 dimensions). */
  readonly maxBytes: number
  readonly metrics?: Pick<Metrics, 'recallTexts'>
  readonly clock?: Clock
}

/** Time after which an entry is read again: so old may a count be that other processes have added to, which is worth 1 % of a score at most. */
const MAX_AGE_MS = 10 * 60_000
/** Texts embedded in one call. */
const BATCH_SIZE = 16
/**
 * Characters of new text that one recall analyses at most. They take a third of a second or more when the texts are long; a full pending
 * tail of usual memories has far fewer. Without a limit, 500 new memories of 10,000 characters cost one recall 5 to 15 s of CPU.
 */
const MAX_CHARACTERS = 300_000

/**
 * Caches the analysed texts of memories, one for each memory and version. A row whose version differs from the cached one is read again,
 * so a text is never stale. An entry of an erased memory stays until it is evicted; nobody reaches it, since a text is taken only for a row
 * that was just read. What indexing has stored is read as bytes; what it has yet to index is analysed.
 */
export class AnalysedMemories {
  readonly #embedder: Embedder
  readonly #space: PieceSpace
  readonly #metrics: Options['metrics']
  readonly #clock: Clock
  readonly #cache: LRUCache<string, RememberedMemory>

  constructor(embedder: Embedder, space: PieceSpace, { maxBytes, metrics, clock = systemClock }: Options) {
    this.#embedder = embedder
    this.#space = space
    this.#metrics = metrics
    this.#clock = clock
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf })
  }

  /** Adds one to the counts of memories that a recall has returned. */
  countRecall(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.#cache.peek(id)
      if (entry !== undefined) entry.recallCount++
    }
  }

  /** Returns those ids of which no version is cached: `readTexts` may read them before their rows are known. */
  unknownOf(ids: readonly string[]): string[] {
    const now = this.#clock.now()
    return ids.filter((id) => (this.#cache.peek(id)?.expiresAt ?? 0) <= now)
  }

  /** Reads texts that the audience sees, as they are stored: analysed where they were indexed, or as they are, with their vectors. */
  readTexts(reader: Reader, viewing: Viewing, ids: readonly string[]): Promise<ReadText[]> {
    const { id: model, inline: isInline } = this.#embedder
    return readStoredTexts(reader, viewing, ids, { model, isInline })
  }

  /**
   * Returns what ranking reads of each row, by id. Texts that are neither cached nor among those that were `read` are
   * read in one statement, and those without stored bytes analysed in the order of the rows, up to `MAX_CHARACTERS` of
   * new text. A row that the audience sees no more when its text is read is left out. What is analysed stays in the
   * cache, so the same recall gets further the next time. `complete` is false when rows were left out because of that limit.
   */
  async textsOf(
    transaction: ReadTransaction,
    viewing: Viewing,
    rows: readonly CandidateRow[],
    read: readonly ReadText[],
    signal: AbortSignal,
  ): Promise<{ texts: Map<string, RememberedMemory>; complete: boolean }> {
    const texts = new Map<string, RememberedMemory>()
    const unknown: string[] = []
    const now = this.#clock.now()
    for (const { id, version } of rows) {
      const cached = this.#cache.get(id)
      if (cached?.version === version && cached.expiresAt > now) texts.set(id, cached)
      else unknown.push(id)
    }
    this.#metrics?.recallTexts('cached', texts.size)
    const others = await this.#readOthers(transaction, viewing, unknown, read)
    const lacking = this.#takeStored(others, texts)
    const foreign = await this.#readForeign(transaction, viewing, lacking.foreign)
    const complete = await this.#analyse(inOrderOf(unknown, [...lacking.texts, ...foreign]), texts, signal)
    return { texts, complete }
  }

  /** Returns the texts of these ids: those that were read already as they were read. */
  async #readOthers(
    transaction: ReadTransaction,
    viewing: Viewing,
    ids: readonly string[],
    read: readonly ReadText[],
  ): Promise<readonly ReadText[]> {
    const wanted = new Set(ids)
    const known = read.filter(({ id }) => wanted.delete(id))
    if (wanted.size === 0) return known
    return [...known, ...(await transaction((reader) => this.readTexts(reader, viewing, [...wanted])))]
  }

  /** Reads the texts whose stored bytes are of another format. */
  async #readForeign(transaction: ReadTransaction, viewing: Viewing, ids: readonly string[]): Promise<CandidateText[]> {
    const { id, inline: isInline } = this.#embedder
    return ids.length === 0 ? [] : transaction((reader) => readTexts(reader, viewing, ids, isInline ? null : id))
  }

  /** Adds what is stored, and returns what is not, with the ids of those whose bytes are of another format. */
  #takeStored(read: readonly ReadText[], texts: Map<string, RememberedMemory>) {
    const lacking: { texts: CandidateText[]; foreign: string[] } = { texts: [], foreign: [] }
    const known = texts.size
    const expiresAt = this.#clock.now() + MAX_AGE_MS
    for (const row of read) {
      if (!isStored(row)) {
        lacking.texts.push(row)
        continue
      }
      const text = decodeText(new Uint8Array(Buffer.from(row.bytes, 'base64')))
      if (text === null) lacking.foreign.push(row.id)
      else texts.set(row.id, this.#cacheText(row, text, expiresAt))
    }
    this.#metrics?.recallTexts('stored', texts.size - known)
    return lacking
  }

  /**
   * Adds these texts, as far as one recall may; returns whether that was all. They never expire, so that rare recalls of a long tail get
   * further too.
   */
  async #analyse(read: readonly CandidateText[], texts: Map<string, RememberedMemory>, signal: AbortSignal) {
    const affordable = read.slice(0, affordableCount(read))
    const slices = new Slices({ signal })
    for (let next = 0; next < affordable.length; next += BATCH_SIZE) {
      const batch = affordable.slice(next, next + BATCH_SIZE)
      await slices.run(this.#analyseBatch(batch, await this.#vectorsOf(batch), texts))
    }
    this.#metrics?.recallTexts('analysed', affordable.length)
    return affordable.length === read.length
  }

  *#analyseBatch(
    rows: readonly CandidateText[],
    vectors: readonly (Float32Array | null)[],
    texts: Map<string, RememberedMemory>,
  ): Yielding<void> {
    for (const [i, row] of rows.entries()) {
      const text = analyseText(row, yield* termsOf(row), vectors[i]!, this.#space)
      texts.set(row.id, this.#cacheText(row, text, Infinity))
      yield
    }
  }

  /** Caches the text, unless its vector has yet to be computed: then the next recall looks for the vector again. */
  #cacheText(
    { id, version, memoryType, status, weight, runId, createdAt, recallCount }: ReadText,
    text: AnalysedText,
    expiresAt: number,
  ): RememberedMemory {
    const entry = { version, memoryType, status, weight, runId, createdAt, text, recallCount, expiresAt }
    if (text.vector || this.#embedder.inline) this.#cache.set(id, entry)
    return entry
  }

  async #vectorsOf(rows: readonly CandidateText[]): Promise<(Float32Array | null)[]> {
    if (!this.#embedder.inline)
      return rows.map(({ vector }) => (vector === null ? null : decodeVector(Buffer.from(vector, 'base64'))))
    const vectors = await this.#embedder.embed(rows.map(embeddedText), 'passage')
    return vectors.map(usableVector)
  }
}

function isStored(row: ReadText): row is StoredCandidateText {
  return 'bytes' in row && row.bytes !== null
}

function termsOf(row: CandidateText): Yielding<TextTerms> {
  const at = new Date(row.at)
  return indexedTerms({ ...row, validStart: at, createdAt: at })
}

function affordableCount(rows: readonly CandidateText[]): number {
  let characters = 0
  const beyond = rows.findIndex(({ content }) => (characters += content.length) > MAX_CHARACTERS)
  return beyond === -1 ? rows.length : beyond
}

/** Estimates the size of an entry: its arrays, and 1,500 bytes for objects, the key and its place (most of it measured). */
function sizeOf({ runId, text: { terms, pieces, vector } }: RememberedMemory): number {
  return 1_500 + 2 * (runId?.length ?? 0) + 6 * terms.hashes.length + 2 * pieces.length + (vector?.bytes.length ?? 0)
}

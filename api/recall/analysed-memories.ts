import { LRUCache } from 'lru-cache'
import type { AnalysedText } from '../../domain/ranking/candidate.js'
import { embeddedText, indexedTerms } from '../../domain/text/memory-text.js'
import type { Embedder } from '../../models/embedder.js'
import { createTurns } from '../../runtime/turns.js'
import type { CandidateRow } from '../../store/memories/recall-rows.js'
import { decodeVector } from '../../store/vectors.js'

export interface Analysed {
  readonly version: number
  readonly text: AnalysedText
}

/**
 * Texts of memories as the scoring reads them, analysed once for each version: about 80 µs a text without, nothing with.
 * A row of another version than the kept one is analysed again, so the cache is never stale.
 */
export class AnalysedMemories {
  readonly #embedder: Embedder
  readonly #kept: LRUCache<string, Analysed>

  /** Texts are kept up to `maxBytes`, by estimate: some 30,000 usual ones at 4 KB, or 300 of 10,000 characters. */
  constructor(embedder: Embedder, maxBytes = 128 * 1_048_576) {
    this.#embedder = embedder
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: bytesOf })
  }

  /** What is kept of these memories, by id: to be handed back to `textsOf`, since the cache may forget meanwhile. */
  kept(ids: readonly string[]): Map<string, Analysed> {
    const found = new Map<string, Analysed>()
    for (const id of ids) {
      const analysed = this.#kept.get(id)
      if (analysed) found.set(id, analysed)
    }
    return found
  }

  /** The text of each row, by id: from `kept` for a row without text, analysed now for the others. */
  async textsOf(
    rows: readonly CandidateRow[],
    kept: ReadonlyMap<string, Analysed>,
  ): Promise<Map<string, AnalysedText>> {
    const fresh = rows.filter((row) => row.text !== null)
    const vectors = await this.#vectorsOf(fresh)
    const texts = new Map(rows.flatMap((row) => (row.text === null ? [[row.id, kept.get(row.id)!.text] as const] : [])))
    const turn = createTurns()
    for (const [i, row] of fresh.entries()) {
      const text = analysedText(row, vectors[i] ?? null)
      texts.set(row.id, text)
      // A vector that is yet to come is looked for again.
      if (text.vector || this.#embedder.inline) this.#kept.set(row.id, { version: row.version, text })
      await turn()
    }
    return texts
  }

  async #vectorsOf(rows: readonly CandidateRow[]): Promise<(Float32Array | null)[]> {
    if (!this.#embedder.inline)
      return rows.map(({ text }) => (text!.vector === null ? null : decodeVector(Buffer.from(text!.vector, 'base64'))))
    const vectors = await this.#embedder.embed(
      rows.map((row) => embeddedText(row.text!)),
      'passage',
    )
    return vectors.map((vector) => (vector.some((x) => x !== 0) ? vector : null))
  }
}

/** An estimate: a term's place in its map, and the folded text, of which long terms are slices that keep it alive. */
function bytesOf({ text }: Analysed): number {
  return 500 + 80 * text.terms.size + 12 * text.length + (text.vector?.byteLength ?? 0)
}

function analysedText(row: CandidateRow, vector: Float32Array | null): AnalysedText {
  const text = row.text!
  const all = indexedTerms({ ...text, validStart: new Date(text.at), createdAt: new Date(row.createdAt) })
  const terms = new Map<string, number>()
  for (const term of all) terms.set(term, (terms.get(term) ?? 0) + 1)
  return { terms, length: all.length, vector }
}

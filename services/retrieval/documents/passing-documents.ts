import {
  type DocumentFilter,
  type FoundDocument,
  type HydratedDocument,
  hydrateDocuments,
  readUndecided,
} from '../../../store/documents/search-rows.js'
import type { ReadTransaction } from '../../../store/store.js'
import { inOrderOf } from '../../../store/rows-by-id.js'

/** Documents whose data one statement reads. */
const PAGE = 16
/** Bytes of uncompressed data that one search reads, and the page that exceeds them: 65 documents with 40,000 numbers each. */
const MOST_BYTES = 32 * 2 ** 20

/** Tells the documents that pass the filter of one search, within the bytes of data that a search reads. */
export class PassingDocuments {
  #bytesLeft: number

  constructor(
    private readonly read: ReadTransaction,
    private readonly filter: DocumentFilter,
    private readonly signal: AbortSignal,
    { mostBytes = MOST_BYTES }: { mostBytes?: number } = {},
  ) {
    this.#bytesLeft = mostBytes
  }

  /**
   * Returns the first `enough` of these documents that pass the filter now, in the order of the ids. Leaves out those whose data decides
   * whether they do once the bytes are used up.
   */
  async among(ids: readonly string[], enough = Infinity): Promise<FoundDocument[]> {
    const found = inOrderOf(ids, await this.read((reader) => hydrateDocuments(reader, this.filter, ids)))
    const passing: FoundDocument[] = []
    for (let rest = found; rest.length > 0 && passing.length < enough;) {
      const page = firstPage(rest)
      rest = rest.slice(page.length)
      passing.push(...(await this.#decide(page)))
    }
    return passing.slice(0, enough)
  }

  async #decide(page: readonly HydratedDocument[]): Promise<FoundDocument[]> {
    const undecided = page.filter(({ isDecided }) => !isDecided).map(({ id }) => id)
    if (undecided.length === 0) return [...page]
    const decided = page.filter(({ isDecided }) => isDecided)
    if (this.#bytesLeft <= 0) return decided
    this.signal.throwIfAborted()
    const read = await this.read((reader) => readUndecided(reader, this.filter, undecided))
    for (const { bytes } of read) this.#bytesLeft -= bytes
    return inOrderOf(
      page.map(({ id }) => id),
      [...decided, ...read.filter(({ passes }) => passes)],
    )
  }
}

/** Returns the first documents, of which so many are undecided as one statement reads. */
function firstPage(documents: readonly HydratedDocument[]): HydratedDocument[] {
  let undecided = 0
  const end = documents.findIndex(({ isDecided }) => !isDecided && ++undecided > PAGE)
  return documents.slice(0, end < 0 ? documents.length : end)
}

import { analyseText } from '../../domain/ranking/analyse-text.js'
import { shortVector } from '../../domain/ranking/vectors.js'
import { encodeText } from '../../domain/ranking/text-bytes.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { usableVector } from '../../search/vectors.js'
import type { IndexEntry } from '../../services/indexing/index-entries.js'
import type { StoredText } from '../../store/indexing/analysed-texts.js'
import type { IndexRow } from '../../store/indexing/index-rows.js'
import type { JobContext } from '../context.js'
import type { EmbeddedTexts } from './embed-texts.js'

/** Texts by what the embedder of one model made of them. */
export interface ModelTexts {
  readonly model: string
  readonly texts: EmbeddedTexts
}

/** Returns what ranking reads of each live row's text, once for each model, so that recalls need not analyse it. */
export function analysedTexts(
  { pieceSpace }: JobContext,
  rows: readonly IndexRow[],
  entries: readonly IndexEntry[],
  embedded: readonly ModelTexts[],
): Promise<StoredText[]> {
  return new Slices().run(analyseInSteps(pieceSpace, rows, entries, embedded))
}

function* analyseInSteps(
  pieceSpace: JobContext['pieceSpace'],
  rows: readonly IndexRow[],
  entries: readonly IndexEntry[],
  embedded: readonly ModelTexts[],
): Yielding<StoredText[]> {
  const memories = new Map(rows.map(({ id, memory }) => [id, memory]))
  const models = [...new Map(embedded.map((one) => [one.model, one])).values()]
  const stored: StoredText[] = []
  for (const { id, document, text } of entries) {
    const memory = memories.get(id)
    if (!memory || document === null) continue
    const timed = {
      ...memory,
      at: (memory.validStart ?? memory.createdAt).getTime(),
      until: memory.validEnd?.getTime() ?? null,
    }
    const analysed = analyseText(timed, document, null, pieceSpace)
    for (const { model, texts } of models) {
      const vector = usableVector(texts.vectorOf(text))
      stored.push({
        memoryId: id,
        version: memory.version,
        model,
        bytes: encodeText({ ...analysed, vector: vector && shortVector(vector) }),
      })
    }
    yield
  }
  return stored
}

import type { ServiceContext } from '../services/context.js'
import { AnalysedDocuments } from '../services/retrieval/documents/analysed-documents.js'
import { AnalysedMemories } from '../services/retrieval/memories/analysed-memories.js'
import { countingRecalls } from '../services/retrieval/memories/recall-log.js'
import { createQueryVectors } from '../models/query-vectors.js'
import type { Config } from '../runtime/config.js'
import type { IndexTarget } from '../workers/context.js'
import type { OpenIndexes } from './live-indexes.js'

type IndexContext = 'indexBuildId' | 'index' | 'embedder' | 'queryVectors' | 'analysedMemories' | 'analysedDocuments'

/** Returns the context of operations, which is created anew for each index that takes over. */
export function contextOfServingIndex(
  indexes: OpenIndexes,
  { recallCacheBytes }: Config,
  common: Omit<ServiceContext, IndexContext>,
): () => ServiceContext {
  const contextOf = ({ buildId, index, embedder }: IndexTarget): ServiceContext => {
    const analysedMemories = new AnalysedMemories(embedder, common.pieceSpace, {
      ...common,
      maxBytes: recallCacheBytes,
    })
    return {
      ...common,
      indexBuildId: buildId,
      index,
      embedder,
      queryVectors: createQueryVectors(embedder),
      analysedMemories,
      analysedDocuments: new AnalysedDocuments(embedder),
      recallLog: countingRecalls(common.recallLog, analysedMemories),
    }
  }
  let context = contextOf(indexes.serving())
  indexes.onServing((serving) => (context = contextOf(serving)))
  return () => context
}

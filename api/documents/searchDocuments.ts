import { presentedData } from '../../domain/skills/skill-document.js'
import { degradedOf } from '../../services/retrieval/candidates.js'
import { searchDocuments as search } from '../../services/retrieval/documents/search-documents.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import type { Operation } from '../operation.js'

/** Searches the documents of the whole tenant. `fleet_id` narrows the search; it is no access rule. */
export const searchDocuments: Operation<'searchDocuments'> = async (
  context,
  caller,
  { body, signal, externalCalls },
) => {
  const started = performance.now()
  if (body.collection !== undefined) requireUnreservedCollection(body.collection, ['body', 'collection'])
  const { hits, degradedParts, notCompared, complete } = await search(context, caller, body, { signal, externalCalls })
  return {
    status: 200,
    body: {
      query: body.query,
      results: hits.map(({ row, ranked }) => ({
        collection: row.collection,
        doc_id: row.docId,
        data: presentedData(row, caller),
        score: ranked.score,
        similarity: ranked.similarity,
        score_parts: ranked.parts,
        updated_at: row.updatedAt.toISOString(),
      })),
      count: hits.length,
      truncated: !complete,
      search_ms: Math.round((performance.now() - started) * 1000) / 1000,
      degraded: degradedOf(degradedParts),
      not_compared: [...notCompared],
    },
  }
}

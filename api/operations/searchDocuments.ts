import { equalitiesOf } from '../../domain/documents/fields.js'
import { findDocuments } from '../documents/find-documents.js'
import { requireCallersCollection } from '../documents/require-names.js'
import type { Operation } from '../operation.js'
import { degradedOf } from '../recall/skeleton.js'

/** Searches the documents of the whole tenant. `fleet_id` narrows the search; it is no access rule. */
export const searchDocuments: Operation<'searchDocuments'> = async (context, caller, { body, signal, outside }) => {
  const started = performance.now()
  if (body.collection !== undefined) requireCallersCollection(body.collection, ['body', 'collection'])
  const query = {
    text: body.query.trim(),
    topK: body.top_k ?? 10,
    filter: {
      collection: body.collection,
      fleetId: body.fleet_id,
      where: equalitiesOf(body.where),
    },
  }
  const { hits, missing, complete } = await findDocuments(context, caller, query, { signal, outside })
  return {
    status: 200,
    body: {
      query: body.query,
      results: hits.map(({ row, ranked }) => ({
        collection: row.collection,
        doc_id: row.docId,
        data: row.data,
        score: ranked.score,
        similarity: ranked.similarity,
        score_parts: ranked.parts,
        updated_at: row.updatedAt.toISOString(),
      })),
      count: hits.length,
      truncated: !complete,
      search_ms: Math.round((performance.now() - started) * 1000) / 1000,
      degraded: degradedOf(missing),
    },
  }
}

import { equalitiesOf } from '../../../domain/documents/fields.js'
import { analyseYielding } from '../../../domain/text/analysis.js'
import { tellingTerms } from '../../../domain/text/telling-terms.js'
import { createYielder } from '../../../runtime/yielder.js'
import type { components } from '../../../contract/contract.gen.js'
import { collectionTerm, metadataTerm, type SearchFilter } from '../../../search/search-index.js'
import type { DocumentFilter } from '../../../store/documents/search-rows.js'
import type { Query } from '../query.js'

/** A request to search documents, parsed. */
export interface DocumentQuery extends Query {
  readonly filter: DocumentFilter
}

/** Parses a request to search documents; `now` in Unix milliseconds. */
export async function readDocumentQuery(
  request: components['schemas']['DocumentSearch'],
  now: number,
): Promise<DocumentQuery> {
  const text = request.query.trim()
  const { terms, leftOut } = tellingTerms(await analyseYielding(text, createYielder()))
  const filter = { collection: request.collection, fleetId: request.fleet_id, where: equalitiesOf(request.where) }
  return {
    text,
    terms,
    leftOut,
    keywordTerms: terms,
    topK: request.top_k ?? 10,
    filter,
    searchFilter: searchFilterOf(filter, now),
  }
}

/** Returns the filter for the index, in which a fleet's documents are visible to that fleet and documents without a fleet to everyone. */
function searchFilterOf({ collection, fleetId, where }: DocumentFilter, now: number): SearchFilter {
  return {
    audience: { kind: 'shared', agentId: null, fleets: fleetId === undefined ? 'all' : [fleetId] },
    now,
    statuses: ['active'],
    metadataTerms: [
      ...(collection === undefined ? [] : [[collectionTerm(collection)]]),
      ...where.map(({ key, value }) => [metadataTerm(key, value)]),
    ],
  }
}

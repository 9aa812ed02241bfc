import type { Query } from '../../../domain/query.js'
import type { RecallFilter } from '../../../domain/recall-filter.js'
import type { FieldCondition } from '../../../domain/documents/fields.js'
import { fieldValue } from '../../../domain/filter-values.js'
import type { IndexCondition } from '../../../domain/filters/index-condition.js'
import { LONG_LIST } from '../../../domain/documents/members.js'
import { languagesOfTags } from '../../../domain/text/language-tag.js'
import type { Checked } from '../../../contract/types.js'
import { collectionTerm, languageTerm, memberTerm, metadataTerm, UNLISTED_TERM } from '../../../search/search-index.js'
import { type BoundFleets, indexedBoundFleet, isInBounds } from '../../../domain/skills/fleet-bound.js'
import type { DocumentFilter } from '../../../store/documents/search-rows.js'
import { readDocumentFilter } from '../filters.js'
import { documentCondition } from './filter-condition.js'
import { readWhere } from '../../documents/read-where.js'
import { allOf, type QueryOptions, readWords } from '../query.js'

/** A request to search documents, parsed. */
export interface DocumentQuery extends Query {
  /** Narrows the rows that are loaded. */
  readonly rowFilter: DocumentFilter
}

/**
 * Parses a request to search documents. `bounds` says whose fleet-bound skills the caller sees,
 * `fleets` what the index is searched for where the request names no fleet.
 */
export async function readDocumentQuery(
  request: Checked<'DocumentSearch'>,
  bounds: BoundFleets,
  fleets: 'all' | readonly string[],
  options: QueryOptions,
): Promise<DocumentQuery> {
  const words = await readWords(request.query, options)
  const rowFilter = {
    collection: request.collection,
    fleetId: request.fleet_id,
    bounds,
    languages: request.languages && languagesOfTags(request.languages),
    where: readWhere(request.where),
    expression: request.filter && readDocumentFilter(request.filter),
  }
  return {
    ...words,
    keywordTerms: words.terms,
    topK: request.top_k ?? 10,
    rowFilter,
    filter: filterOf(rowFilter, fleets, options.now),
  }
}

/** Returns the filter for the index, in which a fleet's documents are visible to that fleet and documents without a fleet to everyone. */
function filterOf(
  { collection, fleetId, bounds = 'all', languages, where, expression }: DocumentFilter,
  fleets: 'all' | readonly string[],
  now: number,
): RecallFilter {
  const asked =
    fleetId === undefined ? fleets : [fleetId, ...(isInBounds(bounds, fleetId) ? [indexedBoundFleet(fleetId)] : [])]
  return {
    audience: { kind: 'shared', agentId: null, fleets: asked },
    now,
    statuses: ['active'],
    condition: allOf([
      ...(collection === undefined ? [] : [anyTermOf([collectionTerm(collection)])]),
      ...(languages === undefined ? [] : [anyTermOf(languages.map(languageTerm))]),
      ...where.map((condition) => anyTermOf(termsOf(condition))),
      ...(expression === undefined ? [] : [documentCondition(expression)]),
    ]),
  }
}

function anyTermOf(anyOf: readonly string[]): IndexCondition {
  return { kind: 'terms', anyOf }
}

/** Returns the terms of which a document has one that may meet the condition: of too long a list, its row says whether it does. */
function termsOf({ key, values }: FieldCondition): string[] {
  const terms = values.map(fieldValue).flatMap((value) => [metadataTerm(key, value), memberTerm(key, value)])
  return [...terms, memberTerm(key, LONG_LIST), UNLISTED_TERM]
}

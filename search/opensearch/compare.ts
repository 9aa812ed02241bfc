import { INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import { isSameSet, isSameVector } from '../compare-values.js'
import type { Comparison, ExpectedDocument, IdSelection, IndexDocument } from '../search-index.js'
import { storedTerms, MAX_QUERY_TERMS } from '../terms.js'
import { type Clause, corpusClauses } from './filters.js'
import { documentKey, storedKeyword } from './keywords.js'
import { readerFields } from './readers.js'
import type { ShardCounts } from './shard-copies.js'

/** An answer to a search for documents by their columns. */
export interface EntryPage {
  readonly _shards: ShardCounts
  readonly hits: { readonly hits: readonly { readonly fields: StoredFields }[] }
}

/** Values of a document's columns; an empty one is absent. */
interface StoredFields extends Readonly<Record<string, readonly unknown[] | undefined>> {
  readonly id: readonly [string]
}

type Search = (body: object) => Promise<EntryPage>

const COLUMNS = INDEXED_MEMBERS.map((member) => MEMORY_FIELDS[member].column)
/**
 * Reads the column of a vector, which only a script can; null for a placeholder. The engine returns one array for all documents of a segment and overwrites it: without
 * the copy every document would have the vector of the last one.
 */
const READ_VECTOR = `
  if (doc['vector'].size() == 0 || doc['lacks_vector'].size() > 0) return null;
  float[] shared = doc['vector'].value;
  float[] copy = new float[shared.length];
  for (int i = 0; i < shared.length; i++) copy[i] = shared[i];
  return copy;`
const READ = {
  stored_fields: '_none_',
  track_total_hits: false,
  docvalue_fields: ['id', 'term_count', 'word_count', 'readers', 'entity_ids', 'metadata_terms', ...COLUMNS],
  script_fields: { vector: { script: { source: READ_VECTOR } } },
}

/**
 * Compares documents with the columns that the index holds of them. It holds no column of the terms: the documents whose columns are equal are
 * searched for by all of their terms, at most `MAX_QUERY_TERMS` of each.
 */
export async function compareDocuments(
  search: Search,
  tenantId: string,
  expected: readonly ExpectedDocument[],
): Promise<Comparison[]> {
  const stored = await readFields(search, tenantId, expected)
  const equal = expected.filter(({ id, ...one }) => stored.has(id) && hasSameFields(tenantId, one, stored.get(id)!))
  const confirmed = await findByTerms(search, tenantId, equal)
  return expected.map(({ id }) => (!stored.has(id) ? 'missing' : confirmed.has(id) ? 'equal' : 'differs'))
}

async function readFields(
  search: Search,
  tenantId: string,
  expected: readonly ExpectedDocument[],
): Promise<Map<string, StoredFields>> {
  if (expected.length === 0) return new Map()
  const keys = { ids: { values: expected.map(({ id }) => documentKey(tenantId, id)) } }
  const query = { bool: { filter: [...corpusClauses(tenantId), keys] } }
  const page = await search({ ...READ, size: expected.length, query })
  return new Map(page.hits.hits.map(({ fields }) => [fields.id[0], fields]))
}

function hasSameFields(
  tenantId: string,
  { document, comparesVector }: Omit<ExpectedDocument, 'id'>,
  { vector, ...stored }: StoredFields,
): boolean {
  const valuesOf = (column: string) => (stored[column] ?? []) as string[]
  return (
    INDEXED_MEMBERS.every(
      (member) => storedValue(document, member) === (stored[MEMORY_FIELDS[member].column]?.[0] ?? null),
    ) &&
    stored.word_count?.[0] === document.words &&
    stored.term_count?.[0] === storedTerms(document.terms).length &&
    isSameSet(readerFields(tenantId, document, []).readers, valuesOf('readers')) &&
    isSameSet(document.entityIds.map(storedKeyword), valuesOf('entity_ids')) &&
    isSameSet(document.metadataTerms.map(storedKeyword), valuesOf('metadata_terms')) &&
    (!comparesVector || isSameVector(document.vector, (vector?.[0] ?? null) as number[] | null))
  )
}

function storedValue(document: IndexDocument, member: (typeof INDEXED_MEMBERS)[number]): string | number | null {
  const value = document[member]
  return typeof value === 'string' ? storedKeyword(value) : value
}

/** Number of clauses of one search, below the 1,024 that Lucene takes. */
const MAX_CLAUSES = 900

/** Returns the ids of the documents that contain all of their terms: many small ones in one search. */
async function findByTerms(
  search: Search,
  tenantId: string,
  documents: readonly ExpectedDocument[],
): Promise<Set<string>> {
  const found = new Set<string>()
  let should: Clause[] = []
  let clauses = 0
  const find = async () => {
    if (should.length === 0) return
    const query = { bool: { filter: corpusClauses(tenantId), should, minimum_should_match: 1 } }
    const page = await search({ stored_fields: '_none_', docvalue_fields: ['id'], size: should.length, query })
    for (const { fields } of page.hits.hits) found.add(fields.id[0])
    should = []
    clauses = 0
  }
  for (const { id, document } of documents) {
    const terms = termClauses(tenantId, document)
    if (clauses + terms.length + 1 > MAX_CLAUSES) await find()
    const key = { ids: { values: [documentKey(tenantId, id)] } }
    should.push({ bool: { filter: [key, ...terms] } })
    clauses += terms.length + 1
  }
  await find()
  return found
}

/** Returns a clause for each token that the index must have of a document, at most `MAX_QUERY_TERMS`. */
function termClauses(tenantId: string, document: IndexDocument): Clause[] {
  const { terms, fleetTerms } = readerFields(tenantId, document, [...new Set(storedTerms(document.terms))])
  return [
    ...terms.map((token) => ({ term: { terms: token } })),
    ...fleetTerms.map((token) => ({ term: { fleet_terms: token } })),
  ].slice(0, MAX_QUERY_TERMS)
}

const ID = { stored_fields: '_none_', docvalue_fields: ['id'], track_total_hits: false } as const

export async function listIds(search: Search, tenantId: string, selection: IdSelection): Promise<string[]> {
  const page = await search({ ...ID, ...selectionBody(corpusClauses(tenantId), tenantId, selection) })
  return page.hits.hits.map(({ fields }) => fields.id[0])
}

function selectionBody(filter: readonly Clause[], tenantId: string, selection: IdSelection): object {
  if ('after' in selection) {
    const query = { bool: { filter: [...filter, { range: { id: { gt: selection.after } } }] } }
    return { size: selection.limit, query, sort: [{ id: 'asc' }] }
  }
  if ('among' in selection) {
    const keys = { ids: { values: selection.among.map((id) => documentKey(tenantId, id)) } }
    return { size: selection.among.length, query: { bool: { filter: [...filter, keys] } } }
  }
  const random = { random_score: { seed: selection.seed, field: '_seq_no' } }
  const query = { function_score: { query: { bool: { filter } }, ...random, boost_mode: 'replace' } }
  return { size: selection.sample, query }
}

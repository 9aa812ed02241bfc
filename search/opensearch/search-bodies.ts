import type { RecallFilter } from '../../domain/recall-filter.js'
import type { Totals } from '../audiences.js'
import type { Leg, SearchRequest } from '../search-index.js'
import { queryTerms, clampSize } from '../terms.js'
import { sixDecimals, usableVector } from '../vectors.js'
import { type Clause, elsewhereClauses, filterClauses, readerClause } from './filters.js'
import { storedKeyword, tenantToken } from './keywords.js'
import { MARK_QUERY } from './marks.js'
import type { RememberedCounts } from './remembered-counts.js'
import { fleetForm, formsOf, type Readers, readersOf, type TermForm } from './readers.js'

/** The keyword leg has a second body for what the caller wrote elsewhere. */
export type Part = Leg | 'keyword elsewhere' | 'totals' | 'frequencies' | 'mark'

/** One `_msearch`: the bodies in order, what each is for, and what is needed to read the answer. */
export interface SearchPlan {
  readonly parts: readonly Part[]
  readonly lines: readonly object[]
  /** Requested legs with nothing to search for: answered empty without calling the engine. */
  readonly empty: readonly Leg[]
  /** Null where no statistics were requested. */
  readonly counted: Counted | null
}

/** Audiences and tokens whose count is not known have a bucket each in the answer, in this order. */
export interface Counted {
  /** The audiences that the caller reads. Each row that it sees belongs to exactly one of them. */
  readonly audiences: readonly CountedAudience[]
  readonly terms: readonly CountedTerm[]
}

interface CountedAudience {
  /** Finds its rows. */
  readonly clause: Clause
  /** One of the `readers` of its rows; null where the rows are no other caller's audience. */
  readonly token: string | null
  /** Null until they are counted. */
  readonly known: Totals | null
}

interface CountedTerm {
  /** Has the caller's spelling. */
  readonly term: string
  /** One for each audience that the caller reads. */
  readonly tokens: readonly CountedToken[]
}

/** A token whose documents are counted. */
export interface CountedToken {
  readonly field: TermForm['field']
  readonly token: string
  /** Clauses that its documents meet too. */
  readonly within: readonly Clause[]
  /** Null where the caller does not see all documents with the token: the count is no other caller's. */
  readonly key: string | null
  /** Null until it is counted. */
  readonly known: number | null
}

/** Plans a search. The engine gets `timeoutMs` for each body, so that a slow leg times out alone. */
export function planSearch(
  tenantId: string,
  request: SearchRequest,
  timeoutMs: number,
  known: RememberedCounts,
): SearchPlan {
  const scope = scopeOf(tenantId, request.filter)
  const size = clampSize(request.size)
  const counted = request.frequenciesOf ? whatToCount(scope, request.frequenciesOf, known) : null
  const legs = legBodies(scope, size, request)
  const bodies: [Part, object][] = legs.flatMap(([leg, body]) => (body === null ? [] : [[leg, body]]))
  const elsewhere = request.keyword ? elsewhereBody(scope, request.keyword.terms, size) : null
  if (elsewhere !== null) bodies.push(['keyword elsewhere', elsewhere])
  if (counted) {
    const audiences = counted.audiences.filter(({ known }) => known === null)
    if (audiences.length > 0) bodies.push(['totals', totalsBody(audiences)])
    const tokens = counted.terms.flatMap((term) => term.tokens.filter(({ known }) => known === null))
    if (tokens.length > 0) bodies.push(['frequencies', frequenciesBody(scope, tokens)])
  }
  bodies.push(['mark', { ...MARK_QUERY, stored_fields: '_none_' }])
  const header = { routing: tenantToken(tenantId) }
  return {
    parts: bodies.map(([part]) => part),
    lines: bodies.flatMap(([, body]) => [header, { ...body, timeout: `${timeoutMs}ms` }]),
    empty: legs.flatMap(([leg, body]) => (body === null ? [leg] : [])),
    counted,
  }
}

/** Holds what a search may find: the rows of its tenant that its audience sees and its filter lets through. */
interface Scope {
  readonly readers: Readers
  readonly visible: Clause
  readonly filter: readonly Clause[]
  readonly must_not: readonly Clause[]
  /** The forms of a term: one for each audience that the caller reads. */
  readonly forms: readonly TermForm[]
  /** The rows that the forms do not find: the caller's own in fleets that it does not read otherwise. */
  readonly elsewhere: { readonly form: TermForm; readonly clauses: readonly Clause[] } | null
  readonly mostTerms: number
}

function scopeOf(tenantId: string, filter: RecallFilter): Scope {
  const readers = readersOf(tenantId, filter.audience, filter.authoredFleets)
  const forms = formsOf(tenantId, readers)
  const isBeside = readers.elsewhere !== null && readers.isExact
  return {
    readers,
    visible: readerClause(readers),
    ...filterClauses(filter),
    forms,
    elsewhere: isBeside ? { form: fleetForm(tenantId), clauses: elsewhereClauses(readers.elsewhere!) } : null,
    mostTerms: Math.floor(MAX_TOKENS / Math.max(1, forms.length)),
  }
}

/** Tokens of one query at most, for all audiences together. Lucene refuses more than 1,024 terms; some are left for the filters. */
const MAX_TOKENS = 1000

function legBodies(scope: Scope, size: number, { vector, keyword, entity }: SearchRequest): [Leg, object | null][] {
  return [
    ...(vector ? [['vector', vectorBody(scope, vector.vector, size)] as [Leg, object | null]] : []),
    ...(keyword ? [['keyword', keywordBody(scope, keyword.terms, size)] as [Leg, object | null]] : []),
    ...(entity ? [['entity', entityBody(scope, entity.entityIds, size)] as [Leg, object | null]] : []),
  ]
}

/**
 * Ids come from a doc value column: reading stored fields, including `_id`, of 150 hits takes three times as long as
 * finding them.
 */
const HITS = { stored_fields: '_none_', docvalue_fields: ['id'], track_total_hits: false } as const

/**
 * Each clause adds its term's BM25, by the frequency in one of the caller's audiences, so that no word of a hidden row takes part in the
 * choice of hits; the number of rows of the shard and their average length do. Where an audience has rows that the caller does not see
 * (`usesRarity` is false), each matching term adds one.
 */
function keywordBody(scope: Scope, terms: readonly string[], size: number): object | null {
  const { readers, visible, filter, must_not } = scope
  const wanted = [...queryTerms(terms, scope.mostTerms).keys()]
  if (wanted.length === 0 || readers.tokens.length === 0) return null
  const clauses = wanted.map((term) => termClauses(scope, term))
  const should = readers.usesRarity
    ? clauses.flat()
    : clauses.map((forms) => constantScore({ bool: { should: forms, minimum_should_match: 1 } }))
  const query = { should, minimum_should_match: 1, filter: readers.isExact ? filter : [visible, ...filter], must_not }
  return { ...HITS, size, query: { bool: query } }
}

/**
 * Returns the clauses that find a term: one for all of its tokens in `terms`, which share the rarity of the most frequent one, and one for
 * its token in `fleet_terms`, which has its own.
 */
function termClauses({ forms }: Scope, term: string): Clause[] {
  const tokensIn = (field: TermForm['field']) =>
    forms.filter((form) => form.field === field).map(({ prefix }) => prefix + term)
  return [
    { match: { terms: tokensIn('terms').join('|') } },
    ...tokensIn('fleet_terms').map((token) => ({ term: { fleet_terms: token } })),
  ]
}

/**
 * Each matching term adds one: the rarity of a token is that among all rows of fleets, which are others' too. The body is apart from the
 * keyword leg's, so that the rows of either find their places by their own scores. Null where the caller has no rows elsewhere.
 */
function elsewhereBody({ elsewhere, filter, must_not, mostTerms }: Scope, terms: readonly string[], size: number) {
  const wanted = [...queryTerms(terms, mostTerms).keys()]
  if (elsewhere === null || wanted.length === 0) return null
  const { form, clauses } = elsewhere
  const should = wanted.map((term) => constantScore({ term: { [form.field]: form.prefix + term } }))
  return {
    ...HITS,
    size,
    query: { bool: { should, minimum_should_match: 1, filter: [...clauses, ...filter], must_not } },
  }
}

/** The filter is inside `knn`: beside it, it would only filter the k nearest of all tenants afterwards. */
function vectorBody({ visible, filter, must_not }: Scope, vector: Float32Array, size: number): object | null {
  const usable = usableVector(vector)
  if (usable === null) return null
  const within = { bool: { filter: [visible, ...filter], must_not: [...must_not, { term: { lacks_vector: true } }] } }
  return {
    ...HITS,
    size,
    query: { knn: { vector: { vector: Array.from(usable, sixDecimals), k: size, filter: within } } },
  }
}

/** Scores by the number of entities that match. */
function entityBody({ visible, filter, must_not }: Scope, entityIds: readonly string[], size: number): object | null {
  if (entityIds.length === 0) return null
  const should = [...new Set(entityIds)].map((id) => constantScore({ term: { entity_ids: storedKeyword(id) } }))
  const query = { bool: { should, minimum_should_match: 1, filter: [visible, ...filter], must_not } }
  return { ...HITS, size, query, sort: ['_score', { created_at: 'desc' }] }
}

function constantScore(filter: Clause): Clause {
  return { constant_score: { filter, boost: 1 } }
}

/** Counts the rows of each audience, and their terms. */
function totalsBody(audiences: readonly CountedAudience[]): object {
  const readers = audiences.flatMap(({ token }) => token ?? [])
  const shared = readers.length === 0 ? [] : [{ terms: { readers } }]
  const others = audiences.flatMap(({ token, clause }) => (token === null ? clause : []))
  const [found, ...more] = [...shared, ...others]
  return {
    size: 0,
    track_total_hits: false,
    query: { bool: { filter: [more.length === 0 ? found : { bool: { should: [found, ...more] } }] } },
    aggs: {
      audience: {
        filters: { filters: audiences.map(({ clause }) => clause) },
        aggs: { words: { sum: { field: 'word_count' } } },
      },
    },
  }
}

/**
 * Counts only what the audience sees: a number tells nothing of hidden rows. The aggregation looks at each row of its query for each filter,
 * so the query finds the rows with one of the tokens; without it, the aggregation would look at every row of the shard.
 */
function frequenciesBody({ readers, visible }: Scope, tokens: readonly CountedToken[]): object {
  const fields = [...new Set(tokens.map(({ field }) => field))]
  const anyOf = (wanted: readonly CountedToken[]) =>
    fields.flatMap((field) => {
      const found = wanted.flatMap((one) => (one.field === field ? one.token : []))
      return found.length === 0 ? [] : { terms: { [field]: found } }
    })
  const narrowed = tokens.filter(({ within }) => within.length > 0)
  const should = [
    ...anyOf(tokens.filter(({ within }) => within.length === 0)),
    ...anyOf(narrowed).map((found) => ({ bool: { filter: [found, ...narrowed[0]!.within] } })),
  ]
  const clauseOf = ({ field, token, within }: CountedToken): Clause => {
    const found = { term: { [field]: token } }
    return within.length === 0 ? found : { bool: { filter: [found, ...within] } }
  }
  return {
    size: 0,
    track_total_hits: false,
    query: { bool: { should, minimum_should_match: 1, filter: readers.isExact ? [] : [visible] } },
    aggs: { frequency: { filters: { filters: tokens.map(clauseOf) } } },
  }
}

function whatToCount(scope: Scope, terms: readonly string[], known: RememberedCounts): Counted {
  const { readers, forms, elsewhere, mostTerms } = scope
  const tokenOf = (field: TermForm['field'], token: string): CountedToken => {
    const key = readers.isExact ? `${field} ${token}` : null
    return { field, token, within: [], key, known: (key === null ? undefined : known.ofToken(key)) ?? null }
  }
  const ownToken = (stored: string): CountedToken[] => {
    if (elsewhere === null) return []
    const { form, clauses } = elsewhere
    return [{ field: form.field, token: form.prefix + stored, within: clauses, key: null, known: null }]
  }
  return {
    audiences: [
      ...readers.tokens.map((token) => ({
        clause: { term: { readers: token } },
        token,
        known: known.ofAudience(token) ?? null,
      })),
      ...(readers.elsewhere === null
        ? []
        : [{ clause: { bool: { filter: elsewhereClauses(readers.elsewhere) } }, token: null, known: null }]),
    ],
    terms: [...queryTerms(terms, mostTerms)].map(([stored, term]) => ({
      term,
      tokens: [...forms.map(({ field, prefix }) => tokenOf(field, prefix + stored)), ...ownToken(stored)],
    })),
  }
}

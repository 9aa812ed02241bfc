import type { ServiceContext } from '../services/context.js'
import type { Candidate } from '../domain/ranking/candidate.js'
import type { rank } from '../domain/ranking/rank.js'
import type { Corpus } from '../domain/corpus.js'
import { type Weights, WEIGHTS } from '../domain/ranking/weights.js'
import { type Leg, LEGS, type SearchIndex, type SearchRequest } from '../search/search-index.js'

/** A part of recall that can be switched off, and recall's context without it. */
interface Switch {
  readonly name: string
  /** Returns the context for one recall. */
  off(context: ServiceContext): ServiceContext
}

/** Returns the switches: each kind of evidence by its weight, each leg, the neighbours, and the factor of age. */
export function switches(): Switch[] {
  return [
    ...(Object.keys(WEIGHTS) as (keyof Weights)[]).map((kind) => ({
      name: kind,
      off: (context: ServiceContext) => withWeights(context, { ...WEIGHTS, [kind]: 0 }),
    })),
    { name: 'neighbours', off: withoutNeighbours },
    ...LEGS.map((leg) => ({ name: `${leg} leg`, off: (context: ServiceContext) => withoutLeg(context, leg) })),
    { name: 'freshness', off: withoutAge },
  ]
}

type RankArguments = Parameters<typeof rank>

function withWeights(context: ServiceContext, weights: Weights): ServiceContext {
  return {
    ...context,
    rank: (...[query, candidates, statistics, space, options]: RankArguments) =>
      context.rank(query, candidates, statistics, space, { ...options, weights }),
  }
}

/**
 * Removes neighbours: no memory is a candidate because it is next to a hit, and none is scored by what is next to it.
 */
function withoutNeighbours(context: ServiceContext): ServiceContext {
  let hits: ReadonlySet<string> = new Set()
  const index = searchingBy(context.index, async (search, request, signal) => {
    const answer = await search(request, signal)
    hits = new Set(LEGS.flatMap((leg) => answer.legs[leg]?.map(({ id }) => id) ?? []))
    return answer
  })
  const alone = (candidate: Candidate) => ({ ...candidate, neighbours: [] })
  return {
    ...context,
    index,
    rank: (...[query, candidates, ...others]: RankArguments) =>
      context.rank(query, candidates.filter(({ id }) => hits.has(id)).map(alone), ...others),
  }
}

/** Empties a leg; what it would have found may still come from another. */
function withoutLeg(context: ServiceContext, leg: Leg): ServiceContext {
  const index = searchingBy(context.index, (search, { [leg]: _, ...request }, signal) => search(request, signal))
  return { ...context, index }
}

function withoutAge(context: ServiceContext): ServiceContext {
  return {
    ...context,
    rank: (...[query, candidates, statistics, space, options]: RankArguments) =>
      context.rank(query, candidates, statistics, space, { ...options, freshnessFloor: 1 }),
  }
}

type Search = ReturnType<SearchIndex['for']>['search']

function searchingBy(
  index: SearchIndex,
  by: (search: Search, request: SearchRequest, signal?: AbortSignal) => ReturnType<Search>,
): SearchIndex {
  const searched = Object.create(index) as SearchIndex
  return Object.assign(searched, {
    for(tenantId: string, corpus?: Corpus) {
      const tenant = index.for(tenantId, corpus)
      const search: Search = (request, signal) => tenant.search(request, signal)
      return { ...tenant, search: (request: SearchRequest, signal?: AbortSignal) => by(search, request, signal) }
    },
  })
}

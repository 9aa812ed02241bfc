import type { Totals } from '../audiences.js'
import type { CorpusStatistics, Leg, SearchAnswer, SearchHit } from '../search-index.js'
import { EngineFailure } from './connection.js'
import { markOf } from './marks.js'
import type { RememberedCounts } from './remembered-counts.js'
import type { Counted, CountedToken, Part, SearchPlan } from './search-bodies.js'

export interface MultiAnswer {
  readonly responses: readonly BodyAnswer[]
}
interface BodyAnswer {
  readonly status?: number
  readonly error?: { readonly type?: string }
  readonly timed_out?: boolean
  readonly _shards?: { readonly failed?: number }
  readonly hits?: { readonly hits: readonly EngineHit[] }
  readonly aggregations?: {
    readonly audience?: {
      readonly buckets: readonly { readonly doc_count: number; readonly words: { readonly value: number } }[]
    }
    readonly frequency?: { readonly buckets: readonly { readonly doc_count: number }[] }
  }
}
interface EngineHit {
  readonly _score: number
  readonly fields: { readonly id: readonly [string] }
}

/** Reads the answer body by body, and remembers its large counts. Throws `EngineFailure` when every body failed through no fault of its own. */
export function readAnswer(plan: SearchPlan, { responses }: MultiAnswer, remembered: RememberedCounts): SearchAnswer {
  const asked = responses.filter((_, position) => plan.parts[position] !== 'mark' || responses.length === 1)
  if (asked.every(isOutage)) {
    const [first] = asked
    throw new EngineFailure(`opensearch: ${first?.error?.type ?? 'every part failed'}`, false, first?.status ?? null)
  }
  const whole = new Map<Part, BodyAnswer>(
    plan.parts.flatMap((part, position) => {
      const answer = responses[position]
      return answer !== undefined && isWhole(answer) ? [[part, answer] as const] : []
    }),
  )
  const legs: Partial<Record<Leg, readonly SearchHit[]>> = Object.fromEntries(plan.empty.map((leg) => [leg, []]))
  const failed: Leg[] = []
  for (const part of plan.parts) {
    if (part === 'totals' || part === 'frequencies' || part === 'mark' || part === 'keyword elsewhere') continue
    const hits = hitsOf(part, whole.get(part))
    const elsewhere = part === 'keyword' ? elsewhereHits(plan, whole) : []
    if (hits === null || elsewhere === null) failed.push(part)
    else legs[part] = beside(hits, elsewhere)
  }
  const mark = markOf((whole.get('mark')?.hits?.hits ?? []).map(({ fields }) => fields.id[0]))
  return { legs, failed, statistics: statisticsOf(plan, whole, remembered), mark }
}

/** Returns null where the body was not answered in whole. */
function hitsOf(leg: Leg, answer: BodyAnswer | undefined): SearchHit[] | null {
  return answer?.hits?.hits.map((hit) => hitOf(leg, hit)) ?? null
}

function elsewhereHits({ parts }: SearchPlan, whole: ReadonlyMap<Part, BodyAnswer>): SearchHit[] | null {
  return parts.includes('keyword elsewhere') ? hitsOf('keyword', whole.get('keyword elsewhere')) : []
}

/** Joins hits of the keyword leg and of its body elsewhere, best first: their scores have no common scale, so the best of each are equal. */
function beside(hits: SearchHit[], elsewhere: readonly SearchHit[]): SearchHit[] {
  const [[best], [bestElsewhere]] = [hits, elsewhere]
  if (bestElsewhere === undefined) return hits
  const scale = best === undefined ? 1 : best.score / bestElsewhere.score
  const scaled = elsewhere.map(({ id, score }) => ({ id, score: score * scale }))
  return [...hits, ...scaled].sort((a, b) => b.score - a.score)
}

function hitOf(leg: Leg, { _score, fields }: EngineHit): SearchHit {
  return { id: fields.id[0], score: leg === 'vector' ? cosineOf(_score) : _score }
}

/** Inverts Lucene's maximum inner product score: 1 + ip from 0 on, 1 / (1 - ip) below. */
export function cosineOf(score: number): number {
  const product = score >= 1 ? score - 1 : 1 - 1 / score
  return Math.max(-1, Math.min(1, product))
}

function isWhole(answer: BodyAnswer): boolean {
  return answer.error === undefined && answer.timed_out !== true && (answer._shards?.failed ?? 0) === 0
}

function isOutage({ error, status = 0 }: BodyAnswer): boolean {
  return error !== undefined && (status >= 500 || status === 429 || status === 404 || status === 403)
}

const NOTHING_ASKED: BodyAnswer = {}

/** Returns null where a body of the statistics was sent and not answered in whole. */
function statisticsOf(
  { parts, counted }: SearchPlan,
  whole: ReadonlyMap<Part, BodyAnswer>,
  remembered: RememberedCounts,
): CorpusStatistics | null {
  if (counted === null) return null
  const answerOf = (part: Part) => (parts.includes(part) ? whole.get(part) : NOTHING_ASKED)
  const [ofAudiences, ofTokens] = [answerOf('totals'), answerOf('frequencies')]
  // What one of them counted is remembered even when the other failed.
  const totals = ofAudiences && totalsOf(counted, ofAudiences, remembered)
  const frequency = ofTokens && frequenciesOf(counted, ofTokens, remembered)
  if (totals === undefined || frequency === undefined) return null
  const { documents, words } = totals
  return { documents, averageLength: documents === 0 ? 0 : words / documents, frequency }
}

function totalsOf({ audiences }: Counted, { aggregations }: BodyAnswer, remembered: RememberedCounts): Totals {
  const buckets = (aggregations?.audience?.buckets ?? []).values()
  const sum = { documents: 0, words: 0 }
  for (const { token, known } of audiences) {
    let totals = known
    if (totals === null) {
      const bucket = buckets.next().value
      totals = { documents: bucket?.doc_count ?? 0, words: bucket?.words.value ?? 0 }
      if (token !== null) remembered.addAudience(token, totals)
    }
    sum.documents += totals.documents
    sum.words += totals.words
  }
  return sum
}

function frequenciesOf(
  { terms }: Counted,
  { aggregations }: BodyAnswer,
  remembered: RememberedCounts,
): Map<string, number> {
  const buckets = (aggregations?.frequency?.buckets ?? []).values()
  const countOf = ({ key, known }: CountedToken) => {
    if (known !== null) return known
    const count = buckets.next().value?.doc_count ?? 0
    if (key !== null) remembered.addToken(key, count)
    return count
  }
  const sumOf = (tokens: readonly CountedToken[]) => tokens.reduce((sum, token) => sum + countOf(token), 0)
  return new Map(terms.map(({ term, tokens }) => [term, sumOf(tokens)]))
}

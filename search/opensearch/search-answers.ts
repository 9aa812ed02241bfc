import type { CorpusStatistics, Leg, SearchAnswer, SearchHit } from '../search-index.js'
import { EngineFailure } from './connection.js'
import { markOf } from './marks.js'
import type { CountedToken, SearchPlan } from './search-bodies.js'

export interface MultiAnswer {
  readonly responses: readonly BodyAnswer[]
}
interface BodyAnswer {
  readonly status?: number
  readonly error?: { readonly type?: string }
  readonly timed_out?: boolean
  readonly _shards?: { readonly failed?: number }
  readonly hits?: { readonly total?: { readonly value: number }; readonly hits: readonly EngineHit[] }
  readonly aggregations?: {
    readonly length?: { readonly value: number | null }
    readonly frequency?: { readonly buckets: readonly { readonly doc_count: number }[] }
  }
}
interface EngineHit {
  readonly _score: number
  readonly fields: { readonly id: readonly [string] }
}

/** Takes the count of a token that this answer counted, by its key: of those alone whose count other callers share. */
type OnCount = (key: string, count: number) => void

/** Reads the answer body by body. Throws `EngineFailure` when every body failed through no fault of its own. */
export function readAnswer(
  plan: SearchPlan,
  { responses }: MultiAnswer,
  onCount: OnCount = () => undefined,
): SearchAnswer {
  const asked = responses.filter((_, position) => plan.parts[position] !== 'mark' || responses.length === 1)
  if (asked.every(isOutage)) {
    const [first] = asked
    throw new EngineFailure(`opensearch: ${first?.error?.type ?? 'every part failed'}`, false, first?.status ?? null)
  }
  const whole = new Map(
    plan.parts.flatMap((part, position) => {
      const answer = responses[position]
      return answer !== undefined && isWhole(answer) ? [[part, answer] as const] : []
    }),
  )
  const legs: Partial<Record<Leg, readonly SearchHit[]>> = Object.fromEntries(plan.empty.map((leg) => [leg, []]))
  const failed: Leg[] = []
  for (const part of plan.parts) {
    if (part === 'totals' || part === 'frequencies' || part === 'mark') continue
    const hits = whole.get(part)?.hits?.hits
    if (hits === undefined) failed.push(part)
    else legs[part] = hits.map((hit) => hitOf(part, hit))
  }
  const mark = markOf((whole.get('mark')?.hits?.hits ?? []).map(({ fields }) => fields.id[0]))
  return { legs, failed, statistics: statisticsOf(plan, whole.get('totals'), whole.get('frequencies'), onCount), mark }
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

function statisticsOf(
  { parts, counted }: SearchPlan,
  totals: BodyAnswer | undefined,
  frequencies: BodyAnswer | undefined,
  onCount: OnCount,
): CorpusStatistics | null {
  if (totals === undefined || (frequencies === undefined && parts.includes('frequencies'))) return null
  const buckets = (frequencies?.aggregations?.frequency?.buckets ?? []).values()
  const countOf = ({ key, known }: CountedToken) => {
    if (known !== null) return known
    const count = buckets.next().value?.doc_count ?? 0
    if (key !== null) onCount(key, count)
    return count
  }
  const sumOf = (tokens: readonly CountedToken[]) => tokens.reduce((sum, token) => sum + countOf(token), 0)
  return {
    documents: totals.hits?.total?.value ?? 0,
    averageLength: totals.aggregations?.length?.value ?? 0,
    frequency: new Map(counted.map(({ term, tokens }) => [term, sumOf(tokens)])),
  }
}

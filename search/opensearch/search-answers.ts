import type { CorpusStatistics, Leg, SearchAnswer, SearchHit } from '../search-index.js'
import { EngineFailure } from './connection.js'
import { markOf } from './marks.js'
import type { RememberedCounts } from './remembered-counts.js'
import type { CountedTerm, SearchPlan } from './search-bodies.js'

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

/** Reads the answer body by body. Throws `EngineFailure` when every body failed through no fault of its own. */
export function readAnswer(plan: SearchPlan, { responses }: MultiAnswer): SearchAnswer {
  const asked = responses.filter((_, position) => plan.parts[position] !== 'mark' || responses.length === 1)
  if (asked.every(isOutage)) {
    const [first] = asked
    throw new EngineFailure(`opensearch: ${first?.error?.type ?? 'every part failed'}`, false, first?.status ?? null)
  }
  const whole = wholeAnswers(plan, { responses })
  const legs: Partial<Record<Leg, readonly SearchHit[]>> = Object.fromEntries(plan.empty.map((leg) => [leg, []]))
  const failed: Leg[] = []
  for (const part of plan.parts) {
    if (part === 'totals' || part === 'frequencies' || part === 'mark') continue
    const hits = whole.get(part)?.hits?.hits
    if (hits === undefined) failed.push(part)
    else legs[part] = hits.map((hit) => hitOf(part, hit))
  }
  const mark = markOf((whole.get('mark')?.hits?.hits ?? []).map(({ fields }) => fields.id[0]))
  return { legs, failed, statistics: statisticsOf(plan, whole), mark }
}

type BodiesByPart = ReadonlyMap<SearchPlan['parts'][number], BodyAnswer>

/** Returns the answers that have neither failed nor timed out. */
function wholeAnswers({ parts }: SearchPlan, { responses }: MultiAnswer): BodiesByPart {
  return new Map(
    parts.flatMap((part, position) => {
      const answer = responses[position]
      return answer !== undefined && isWhole(answer) ? [[part, answer] as const] : []
    }),
  )
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

function statisticsOf(plan: SearchPlan, responses: BodiesByPart): CorpusStatistics | null {
  const totals = responses.get('totals')
  const frequencies = responses.get('frequencies')
  if (totals === undefined || (frequencies === undefined && plan.parts.includes('frequencies'))) return null
  const buckets = bucketsOf(frequencies)
  const countOf = ({ tokens }: CountedTerm) =>
    tokens.reduce((sum, { known }) => sum + (known ?? buckets.next().value?.doc_count ?? 0), 0)
  return {
    documents: totals.hits?.total?.value ?? 0,
    averageLength: totals.aggregations?.length?.value ?? 0,
    frequency: new Map(plan.counted.map((counted) => [counted.term, countOf(counted)])),
  }
}

/** Returns the counts of the tokens whose count was not known, in their order. */
function bucketsOf(frequencies: BodyAnswer | undefined) {
  return (frequencies?.aggregations?.frequency?.buckets ?? []).values()
}

/** Remembers the tokens that this answer counted, but for those whose count is no other caller's. */
export function rememberCounts(plan: SearchPlan, answer: MultiAnswer, remembered: Pick<RememberedCounts, 'add'>): void {
  const frequencies = wholeAnswers(plan, answer).get('frequencies')
  if (frequencies === undefined) return
  const buckets = bucketsOf(frequencies)
  for (const { key, known } of plan.counted.flatMap(({ tokens }) => tokens)) {
    if (known !== null) continue
    const count = buckets.next().value?.doc_count ?? 0
    if (key !== null) remembered.add(key, count)
  }
}

import { type RawBuilder, sql } from 'kysely'
import type { Reader } from './store.js'
import { firstRecallIdAt, ownedBy, type RecallOwner } from './recalls.js'

/** Parts that a recall may have lacked (`degraded`). */
const PARTS = ['vector', 'keyword', 'entity', 'rerank', 'pending', 'search'] as const
const LEVELS = ['high', 'low', 'none'] as const

/** Figures of some recalls. */
export interface RecallFigures {
  readonly count: number
  /** Milliseconds; 0 without recalls. */
  readonly p50: number
  readonly p95: number
  /** Recalls that returned no memory. */
  readonly empty: number
  readonly degraded: number
  readonly degradedBy: Readonly<Record<(typeof PARTS)[number], number>>
  /** Recalls of versions that kept no confidence are in none of these. */
  readonly confidence: Readonly<Record<(typeof LEVELS)[number], number>>
}

interface RecallStatistics {
  readonly total: RecallFigures
  /** One for each interval. */
  readonly intervals: readonly RecallFigures[]
  /** Figures of the agents with most recalls, up to `MOST_AGENTS`. */
  readonly agents: readonly { readonly agentId: string | null; readonly figures: RecallFigures }[]
}

const MOST_AGENTS = 200

/** Returns how many recalls of agents are kept, and when the last one was, from the index alone but for that one; leaves out agents without any. */
export async function countAgentRecalls(
  reader: Reader,
  agentIds: readonly string[],
): Promise<Map<string, { readonly count: number; readonly lastAt: Date }>> {
  const { rows } = await sql<{ agentId: string; count: number; lastAt: Date }>`
    select a.agent_id as "agentId", counted.count, last.at as "lastAt"
    from unnest(${agentIds as string[]}::text[]) as a(agent_id)
      cross join lateral (
        select count(*)::int as count from recalls r where r.tenant_id = ${reader.tenantId} and r.agent_id = a.agent_id
      ) counted
      cross join lateral (
        select r.at from recalls r where r.tenant_id = ${reader.tenantId} and r.agent_id = a.agent_id order by r.recall_id desc limit 1
      ) last`.execute(reader.db)
  return new Map(rows.map(({ agentId, count, lastAt }) => [agentId, { count, lastAt }]))
}

interface FiguresRow extends Omit<RecallFigures, 'degradedBy' | 'confidence'> {
  readonly interval: number | null
  readonly agentId: string | null
  /** 0 for a row of its own, 1 for a sum: of intervals (2) and of agents (1). */
  readonly summed: number
  readonly parts: readonly number[]
  readonly levels: readonly number[]
}

/**
 * Reads figures of the recalls between each two successive instants (Unix milliseconds), of their agents and of all together. Reads each recall once, from the
 * partitions of their days alone: .4 s for 100,000 recalls, and some 6 s for 1,000,000, of which a quarter is reading the rows.
 */
export async function readRecallStatistics(
  reader: Reader,
  owner: RecallOwner,
  bounds: readonly number[],
): Promise<RecallStatistics> {
  const [from, to] = [bounds[0]!, bounds.at(-1)!]
  const counted = (conditions: readonly RawBuilder<unknown>[]) =>
    sql`array[${sql.join(conditions.map((condition) => sql`count(*) filter (where ${condition})`))}]::int[]`
  const { rows } = await sql<FiguresRow>`
    select interval, agent_id as "agentId", grouping(interval, agent_id) as summed, count(*)::int as count,
      percentile_disc(0.5) within group (order by recall_ms) as p50, percentile_disc(0.95) within group (order by recall_ms) as p95,
      (count(*) filter (where memory_count = 0))::int as empty, count(degraded)::int as degraded,
      ${counted(PARTS.map((part) => sql`degraded ~ ${part}`))} as parts,
      ${counted(LEVELS.map((level) => sql`confidence = ${level}`))} as levels
    from (
      select width_bucket(extract(epoch from r.at)::float8 * 1000, ${bounds as number[]}::float8[]) - 1 as interval,
        r.agent_id, r.recall_ms, r.memory_count, r.degraded, r.confidence
      from recalls r
      where r.tenant_id = ${reader.tenantId} and ${ownedBy(owner)}
        and r.recall_id >= ${firstRecallIdAt(from)}::uuid and r.recall_id < ${firstRecallIdAt(to)}::uuid
    ) r
    group by grouping sets ((interval), (agent_id), ()) order by count desc, "agentId"`.execute(reader.db)
  const intervals = bounds.slice(0, -1).map(() => NO_RECALLS)
  for (const row of rows) if (row.summed === OF_INTERVAL) intervals[row.interval!] = figuresOf(row)
  const total = rows.find(({ summed }) => summed === OF_ALL)
  const agents = rows.filter(({ summed }) => summed === OF_AGENT).slice(0, MOST_AGENTS)
  return {
    total: total === undefined || total.count === 0 ? NO_RECALLS : figuresOf(total),
    intervals,
    agents: agents.map((row) => ({ agentId: row.agentId, figures: figuresOf(row) })),
  }
}

/** Values of `grouping(interval, agent_id)`. */
const OF_INTERVAL = 1
const OF_AGENT = 2
const OF_ALL = 3

function figuresOf({ parts, levels, count, p50, p95, empty, degraded }: FiguresRow): RecallFigures {
  return { count, p50, p95, empty, degraded, degradedBy: named(PARTS, parts), confidence: named(LEVELS, levels) }
}

function named<Name extends string>(names: readonly Name[], counts: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, i) => [name, counts[i] ?? 0])) as Record<Name, number>
}

const NO_RECALLS: RecallFigures = {
  count: 0,
  p50: 0,
  p95: 0,
  empty: 0,
  degraded: 0,
  degradedBy: named(PARTS, []),
  confidence: named(LEVELS, []),
}

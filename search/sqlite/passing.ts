import type { Condition } from './filters.js'
import { countersIn } from './nearest.js'
import type { Scope } from './scope.js'

/** The documents that pass a search's filter, as counters. */
export interface Passing {
  readonly counters: readonly number[]
  /** False where the time was used up before the oldest documents were looked at. */
  readonly isComplete: boolean
}

/** Milliseconds that one search evaluates a caller's condition for a whole tenant, since all searches share one thread. */
export const FILTER_MS = 2_000
/** Documents of the first step. The next has twice or half as many, until a step takes about so many milliseconds. */
const [FIRST_STEP, SMALLEST_STEP, STEP_MS] = [1_024, 32, 20] as const

/** Evaluates the filter for all documents of the tenant, the newest first. */
export function readPassing(scope: Scope): Passing {
  const { connection, tenant, filter, filterMs, isConditional } = scope
  const first = tenant * 2 ** 32
  const [newest] = connection.all<[number | null]>('select max(rowid) - ? from documents where rowid between ? and ?', [
    first,
    first,
    first + 2 ** 32 - 1,
  ])
  const end = isConditional ? performance.now() + filterMs : Infinity
  const sql = `from documents d where d.rowid between ? and ? and ${filter.sql}`
  const counters: number[] = []
  let size: number = FIRST_STEP
  for (let to = newest![0] ?? -1; to >= 0;) {
    const started = performance.now()
    const from = Math.max(0, to - size + 1)
    for (const counter of countersIn(scope, sql, [first + from, first + to])) counters.push(counter)
    const now = performance.now()
    if (from > 0 && now >= end) return { counters, isComplete: false }
    size = now - started < STEP_MS ? 2 * size : Math.max(SMALLEST_STEP, Math.floor(size / 2))
    to = from - 1
  }
  return { counters, isComplete: true }
}

/** Returns the condition that a row is one of those that pass. A plus keeps SQLite from looking each of them up, and matching anew for it. */
export function isPassing({ tenant, passing }: Scope, table: 'd' | 'p'): Condition {
  return {
    sql: `+${table}.rowid in (select ? + value from json_each(?))`,
    binds: [tenant * 2 ** 32, JSON.stringify(passing())],
  }
}

/** Links of the entities that a caller's condition is evaluated for; where there are more, it is evaluated for the tenant, once for all legs. */
const MOST_LINKS = 2_000

/** Returns the cheaper condition for the documents that are linked to entities, a list as JSON. */
export function linkedCondition(scope: Scope, entityIds: string): Condition {
  const [row] = scope.connection.all<[number]>(
    `select count(*) from (
       select 1 from document_entities where tenant = ? and entity_id in (select value from json_each(?)) limit ?)`,
    [scope.tenant, entityIds, MOST_LINKS + 1],
  )
  return row![0] > MOST_LINKS ? isPassing(scope, 'd') : scope.filter
}

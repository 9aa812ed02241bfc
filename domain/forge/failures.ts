import type { StatementGroup, PlacedStatement } from './align.js'
import { endingOf } from './ending.js'
import type { JudgedTrace } from './workflows.js'

/** Memories at the end of a failed run that may say why. */
const LAST_MEMORIES = 3
const MOST_LESSONS = 8
/** Two sentences with this share of their terms in common teach the same. */
const SAME_SHARE = 0.5

/** Returns what the failed runs say went wrong, grouped by what they say; what more runs say comes first. */
export function lessonsOf(failures: readonly JudgedTrace[]): StatementGroup[] {
  const groups: PlacedStatement[][] = []
  for (const [
    trace,
    {
      statements,
      trace: { memories },
    },
  ] of failures.entries()) {
    const last = new Set(memories.slice(-LAST_MEMORIES).map(({ id }) => id))
    for (const [i, statement] of statements.entries()) {
      if (!last.has(statement.memory.id) || endingOf(statement.text, statement.memory.language ?? null) !== -1) continue
      const placed = { statement, trace, place: statements.length < 2 ? 0 : i / (statements.length - 1) }
      const group = groups.find(([first]) => shareInCommon(first!, placed) >= SAME_SHARE)
      if (group) group.push(placed)
      else groups.push([placed])
    }
  }
  return groups.sort((a, b) => b.length - a.length).slice(0, MOST_LESSONS)
}

function shareInCommon({ statement: a }: PlacedStatement, { statement: b }: PlacedStatement): number {
  const other = new Set(b.terms)
  const both = a.terms.filter((term) => other.has(term)).length
  return both / (a.terms.length + b.terms.length - both)
}

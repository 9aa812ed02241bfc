import { readEnding, type Polarity } from './ending.js'
import { statementsOf } from './statements.js'
import type { Trace } from './traces.js'

export type OutcomeLabel = 'success' | 'failure' | 'unknown'

/** Reports on a trace that other tables hold. */
export interface TraceReports {
  /** Outcomes that were given to its memories, or to its run by a skill's outcomes. */
  readonly feedback: { readonly success: number; readonly failure: number }
  /** True when a memory of it has been contradicted or superseded. */
  readonly contradicted: boolean
  /** True when the run recalled the same query again and again. */
  readonly repeatedQuery: boolean
  /** True when other agents were given its memories by recall, and rated none of them a failure. */
  readonly reused: boolean
}

export const NO_REPORTS: TraceReports = {
  feedback: { success: 0, failure: 0 },
  contradicted: false,
  repeatedQuery: false,
  reused: false,
}

type SignalKind = 'feedback' | 'ending' | 'contradiction' | 'repeated_query' | 'reuse'

export interface OutcomeSignal {
  readonly kind: SignalKind
  /** Above 0 towards success, below 0 towards failure. */
  readonly weight: number
}

/** Stored with the trace: the label, and what it comes from. */
export interface Outcome {
  readonly label: OutcomeLabel
  readonly signals: readonly OutcomeSignal[]
}

const SIGNAL_WEIGHTS: Readonly<Record<SignalKind, number>> = {
  feedback: 1,
  ending: 0.9,
  contradiction: -0.7,
  repeated_query: -0.4,
  reuse: 0.3,
}
/** Signals of less weight than this in all say nothing. */
const LEAST_WEIGHT = 0.5
/** Memories at the end of a trace that may say how it ended: notes are written after it, too. */
const LAST_MEMORIES = 3
/** Sentences at the end of these memories that may say it: one memory may tell all of the work, with what went wrong on the way. */
const LAST_STATEMENTS = 4
/** A sentence is about the work when this share of its terms stands in other sentences of the trace. */
const SHARED_TERMS = 0.4

/** Returns whether a trace succeeded: the sum of its signals, each counted once; unknown at a tie or too little weight. */
export function outcomeOf(trace: Pick<Trace, 'stored'>, reports: TraceReports = NO_REPORTS): Outcome {
  const signals: OutcomeSignal[] = []
  const add = (kind: SignalKind, direction: number) => {
    if (direction !== 0) signals.push({ kind, weight: SIGNAL_WEIGHTS[kind] * direction })
  }
  add('feedback', Math.sign(reports.feedback.success - reports.feedback.failure))
  add('ending', endingOfTrace(trace))
  add('contradiction', Number(reports.contradicted))
  add('repeated_query', Number(reports.repeatedQuery))
  add('reuse', Number(reports.reused))
  return { label: labelOf(signals), signals }
}

function labelOf(signals: readonly OutcomeSignal[]): OutcomeLabel {
  const total = (sign: number) => signals.reduce((sum, { weight }) => sum + Math.max(0, sign * weight), 0)
  const [well, badly] = [total(1), total(-1)]
  // Sums of tenths are compared in tenths.
  const difference = Math.round((well - badly) * 10)
  if (Math.max(well, badly) < LEAST_WEIGHT || difference === 0) return 'unknown'
  return difference > 0 ? 'success' : 'failure'
}

/**
 * Returns how the trace ended by its last sentences: the last that firmly speaks of an end; else what the last memory says,
 * if it shares a term with the rest of the trace; else the last that shares several. Small talk ("the phones were down")
 * decides only where nothing else does.
 */
function endingOfTrace({ stored }: Pick<Trace, 'stored'>): Polarity {
  const counts = new Map<string, number>()
  const statements = stored.map(statementsOf)
  for (const { terms } of statements.flat()) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  const told = statements
    .slice(-LAST_MEMORIES)
    .toReversed()
    .flatMap((of, back) => of.toReversed().map((statement) => ({ statement, isLast: back === 0 })))
    .slice(0, LAST_STATEMENTS)
    .flatMap(({ statement: { text, terms, memory }, isLast }) => {
      const shared = terms.filter((term) => counts.get(term)! > 1).length / terms.length
      const ending = readEnding(text, memory.language ?? null)
      return ending.polarity === 0 ? [] : [{ ...ending, isLast, shared }]
    })
  const best = told.find(({ isFirm, shared }) => isFirm || shared >= SHARED_TERMS) ?? told.find(({ isLast }) => isLast)
  const last = told.find(({ isLast, shared }) => isLast && shared > 0)
  return (best?.isFirm ? best : (last ?? best))?.polarity ?? 0
}

import { analyse } from '../text/analysis.js'
import { nameKey } from '../text/memory-text.js'
import { namesIn } from '../text/names/names-in.js'
import { misspellings } from './spelling.js'
import { type Statement, statementsOf } from './statements.js'
import type { Trace } from './traces.js'

/** A trace that has been read: its statements with the numbers of their terms, and all of its features. */
export interface ReadTrace {
  readonly trace: Trace
  readonly statements: readonly ReadStatement[]
  /** Numbers of the distinct terms and names, ascending. */
  readonly features: Uint32Array
}

export interface ReadStatement extends Pick<Statement, 'memory' | 'text'> {
  /** Numbers of distinct terms. */
  readonly terms: Uint32Array
  /** Number of terms that were corrected. */
  readonly misspelled: number
}

/** The features of all traces of a part, and how rare they are. */
export interface Vocabulary {
  readonly traces: readonly ReadTrace[]
  /** Text of each feature; names begin with `NAME`. */
  readonly features: readonly string[]
  /** Positions of the traces that each feature stands in, ascending. */
  readonly holders: readonly Uint32Array[]
  /** Numbers of the terms that names consist of. */
  readonly named: ReadonlySet<number>
}

/** Begins features that are names of entities and tools; no term contains it. */
export const NAME = '\u0000'

/**
 * Traces that are assumed beside those given, so that words which all of a few traces share still count: four traces of
 * one workflow would otherwise have nothing rare in common.
 */
export const ASSUMED_TRACES = 50
/** A feature of one trace connects nothing; it only says by how much the trace differs. */
const SINGLE_WEIGHT = 0.5

/** Reads the traces of one part, with misspelled terms corrected. The result does not depend on their order. */
export function readTraces(given: readonly Trace[]): Vocabulary {
  const traces = given.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const frequencies = new Map<string, number>()
  const raw = traces.map((trace) => {
    const statements = trace.memories.flatMap(statementsOf)
    const names = namesOf(trace)
    const distinct = new Set([...statements.flatMap(({ terms }) => terms), ...names])
    for (const feature of distinct) frequencies.set(feature, (frequencies.get(feature) ?? 0) + 1)
    return { trace, statements, names }
  })
  const corrections = misspellings(frequencies)
  return numbered(raw, (term) => corrections.get(term) ?? term)
}

function namesOf({ memories }: Trace): string[] {
  const names = memories.flatMap(({ content, language, names: linked }) => [
    ...linked,
    ...namesIn(content, null, language ?? null).map(({ name }) => name),
  ])
  return [...new Set(names.map((name) => NAME + nameKey(name)))]
}

function numbered(
  raw: readonly { trace: Trace; statements: readonly Statement[]; names: readonly string[] }[],
  spelled: (term: string) => string,
): Vocabulary {
  const numbers = new Map<string, number>()
  const features: string[] = []
  const holders: number[][] = []
  const numberOf = (feature: string) => {
    let number = numbers.get(feature)
    if (number === undefined) {
      numbers.set(feature, (number = features.length))
      features.push(feature)
      holders.push([])
    }
    return number
  }
  const traces = raw.map(({ trace, statements, names }, position): ReadTrace => {
    const read = statements.map(({ memory, text, terms }) => ({
      memory,
      text,
      terms: Uint32Array.from(new Set(terms.map((term) => numberOf(spelled(term))))),
      misspelled: terms.filter((term) => spelled(term) !== term).length,
    }))
    const own = new Set([...read.flatMap(({ terms }) => [...terms]), ...names.map(numberOf)])
    for (const number of own) holders[number]!.push(position)
    return { trace, statements: read, features: Uint32Array.from(own).sort() }
  })
  const named = features
    .filter((feature) => feature.startsWith(NAME))
    .flatMap((name) => analyse(name.slice(NAME.length), 'en').flatMap((term) => numbers.get(term) ?? []))
  return { traces, features, holders: holders.map((of) => Uint32Array.from(of)), named: new Set(named) }
}

/** Returns the weight of each feature: its inverse frequency. */
export function rarities({ traces, holders }: Vocabulary): Float64Array {
  const all = traces.length + ASSUMED_TRACES
  return Float64Array.from(holders, ({ length }) => Math.log(all / (length + 0.5)) * (length === 1 ? SINGLE_WEIGHT : 1))
}

/**
 * Returns the weights within a cluster of traces: what all of them share tells nothing there, and what some of them share
 * parts them from the others.
 */
export function raritiesAmong({ traces, features }: Vocabulary, positions: readonly number[]): Float64Array {
  const counts = new Float64Array(features.length)
  for (const position of positions) for (const feature of traces[position]!.features) counts[feature]!++
  return counts.map((count) =>
    count === 0 ? 0 : Math.log((positions.length + 1) / (count + 0.5)) * (count === 1 ? SINGLE_WEIGHT : 1),
  )
}

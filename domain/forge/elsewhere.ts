import type { Vocabulary } from './vocabulary.js'

/** Traces that are assumed elsewhere, one in a hundred of which says it: a part may have nothing but one workflow. */
const ASSUMED_ELSEWHERE = 50
const ASSUMED_HOLDERS = 0.5
/** Traces elsewhere that are looked at for a sentence. */
const MOST_LOOKED_AT = 400
/** A sentence elsewhere says the same when it has this share of the terms. */
const SAME_SHARE = 0.67
/** A trace elsewhere that says so many of the groups, and so large a share of them, does the same work. */
const AKIN_GROUPS = 3
const AKIN_SHARE = 0.34
/** A sentence that so many traces elsewhere say is no step, whatever group it came into. */
const SAID_ELSEWHERE = 2

/** Terms that a sentence has without its names, at least, if it is to be found where it is said of others. */
const LEAST_UNNAMED = 2

/** Tells how often the traces of a part that do other work say what a group says. */
export interface Elsewhere {
  /** Returns the rate at which a trace that does other work says it. */
  rateOf(core: readonly number[]): number
  /** Returns whether other work says a statement of these terms too. */
  isSmallTalk(terms: readonly number[]): boolean
}

/** Looks at the traces outside of a cluster; those that say much of what the groups say do the same work. */
export function elsewhere(
  cores: readonly (readonly number[])[],
  cluster: ReadonlySet<number>,
  { traces, holders, named }: Vocabulary,
): Elsewhere {
  const others = traces.length - cluster.size
  /** Returns the positions of traces outside of the cluster that have a sentence of these terms, and what share was looked at. */
  function sayersOf(given: readonly number[]): { saying: number[]; scale: number } {
    const unnamed = given.filter((term) => !named.has(term))
    const terms = unnamed.length < LEAST_UNNAMED ? given : unnamed
    const rarest = terms.reduce((a, b) => (holders[b]!.length < holders[a]!.length ? b : a))
    const outside = holders[rarest]!.filter((position) => !cluster.has(position))
    const wanted = new Set(terms)
    const looked = outside.subarray(0, MOST_LOOKED_AT)
    const saying = [...looked].filter((position) =>
      traces[position]!.statements.some(
        ({ terms: own }) => own.filter((term) => wanted.has(term)).length >= SAME_SHARE * terms.length,
      ),
    )
    return { saying, scale: looked.length === 0 ? 1 : outside.length / looked.length }
  }
  const told = new Map<number, number>()
  for (const core of cores)
    for (const position of sayersOf(core).saying) told.set(position, (told.get(position) ?? 0) + 1)
  const isAkin = (position: number) => (told.get(position) ?? 0) >= Math.max(AKIN_GROUPS, AKIN_SHARE * cores.length)
  const count = (terms: readonly number[]) => {
    const { saying, scale } = sayersOf(terms)
    return saying.filter((position) => !isAkin(position)).length * scale
  }
  return {
    rateOf: (core) =>
      Math.min(
        1,
        Math.max(ASSUMED_HOLDERS / (others + ASSUMED_ELSEWHERE), count(core) / Math.max(others, ASSUMED_ELSEWHERE)),
      ),
    isSmallTalk: (terms) => count(terms) >= SAID_ELSEWHERE,
  }
}

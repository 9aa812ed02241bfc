/** Terms of a query that are looked for at most: a question has some ten, a pasted trace some forty. */
const MOST_TERMS = 64

export interface TellingTerms {
  /** Distinct terms in the order of the query. */
  readonly terms: readonly string[]
  /** Those that a very long query has beside them. */
  readonly leftOut: ReadonlySet<string>
}

/**
 * Returns the terms by which a query is answered: all, or the 64 longest of a query that has more. The rarer a word is the longer it is on
 * average (Zipf, The Psycho-Biology of Language, 1935), and how rare it is among the caller's memories is known only once an engine has
 * counted them, which is most of what a term costs.
 */
export function tellingTerms(analysed: readonly string[]): TellingTerms {
  const distinct = [...new Set(analysed)]
  if (distinct.length <= MOST_TERMS) return { terms: distinct, leftOut: new Set() }
  const leftOut = new Set(distinct.toSorted((a, b) => b.length - a.length).slice(MOST_TERMS))
  return { terms: distinct.filter((term) => !leftOut.has(term)), leftOut }
}

import type { RecallFilter } from './recall-filter.js'
import type { TermGroup } from './text/analysis.js'
import type { Language } from './text/language.js'
import type { TimeReference } from './text/time-reference.js'
import type { TimeZone } from './text/time-zone.js'

/** A query, parsed and analysed once, before anything is looked up: what the searches of all corpora have in common. */
export interface Query {
  readonly text: string
  /** Null where it is uncertain. */
  readonly language: Language | null
  /** Its language, or those that it may be in. */
  readonly languages: readonly Language[]
  /** The words of the text which the scoring counts: those of `tellingWords`. */
  readonly groups: readonly TermGroup[]
  /** The distinct terms of these words. */
  readonly terms: readonly string[]
  /** First terms of the words of a very long text that it is not answered by. */
  readonly leftOut: ReadonlySet<string>
  /** Terms that the keyword leg searches for. */
  readonly keywordTerms: readonly string[]
  /** Narrows what is searched, at the present instant. */
  readonly filter: RecallFilter
  /** Results to return at most. */
  readonly topK: number
}

/** Which statement of a thing a question asks for: the one that holds, the one before it, or the first. */
export type Direction = 'newest' | 'previous' | 'first'

/** A recall request, parsed. Its keyword terms are those of the text and of the dates that it refers to. */
export interface RecallQuery extends Query {
  /** Spellings under which the query may name entities of the tenant. */
  readonly nameKeys: readonly string[]
  /** Times that the clocks of `zone` show. */
  readonly times: readonly TimeReference[]
  readonly zone: TimeZone
  readonly isTemporalQuestion: boolean
  /** Which statement of a thing it asks for; null where its results are not composed to answers. */
  readonly direction: Direction | null
}

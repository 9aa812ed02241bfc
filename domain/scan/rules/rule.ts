import type { Severity } from '../report.js'
import type { FindingCode } from '../finding-codes.js'
import type { Hit } from '../lexicon/find-concepts.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'

export interface Match extends Span {
  /** Instead of the rule's. */
  readonly severity?: Severity
  /** The words that were matched, the action first; none for what is matched as a whole. */
  readonly parts?: readonly Hit[]
  /** The match stands in a string that its command only shows or searches for. */
  readonly isData?: boolean
}

/** Looks for one thing in a text. What it finds is judged by its context: a warning against the very thing is only noted. */
export interface Rule {
  readonly code: FindingCode
  readonly severity: Severity
  /** Completes "Line 12 …": "pipes a download into a shell". */
  readonly says: string
  /** A program acts on it, whatever the text around it says. */
  readonly isCertain?: boolean
  /** It counts in a program too, wherever it stands there. */
  readonly isOfPrograms?: boolean
  /** `field` is the member of the skill that the text stands in. */
  readonly find: (reading: Reading, field?: string) => Iterable<Match>
}

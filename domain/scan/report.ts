import { adviceFor, type FindingCode } from './finding-codes.js'

/** Names the rules that judge. A change to what any of them finds needs another version: what is active is then scanned again. */
export const SCAN_VERSION = '5'

export type Severity = 'critical' | 'warn' | 'info'

export interface Finding {
  readonly code: FindingCode
  readonly severity: Severity
  /** Says for the reviewer what following or rendering the text would do. Never repeats a secret. */
  readonly message: string
  /** Says what the author can do about it. */
  readonly advice: string
  /** The member of the skill: `content`, `tags[2]`, `front_matter.name`, `support_files[0].path`. */
  readonly field: string
  /** Line and column in the field, from 1; null for a finding about the field as a whole. */
  readonly line: number | null
  readonly column: number | null
  /** The words that triggered it, at most `LONGEST_QUOTE` characters; '' for a secret, and for a finding about the field as a whole. */
  readonly quote: string
  /** Says what a language model thinks of the words. The scan gives none, and none changes the verdict. */
  readonly opinion?: Opinion
}

export interface Opinion {
  readonly verdict: 'harmful' | 'harmless' | 'unsure'
  readonly reason: string
  /** Id of the model. */
  readonly model: string
}

/** A finding as a rule tells it: the report adds what an author can do about its code. */
export type Found = Omit<Finding, 'advice'>

export type Verdict = 'clean' | 'flagged' | 'quarantined'

export interface ScanReport {
  /** `SCAN_VERSION` of the rules that judged. */
  readonly version: string
  /** A critical finding quarantines; a warning of what the text would do flags, for a person to decide. */
  readonly verdict: Verdict
  readonly counts: Readonly<Record<Severity, number>>
  readonly findings: readonly Finding[]
}

export const LONGEST_QUOTE = 200

/** A report lists this many findings at most, the gravest first. */
export const MOST_FINDINGS = 100

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warn: 1, info: 2 }

/** Sorts, deduplicates and bounds the findings, and draws the verdict from all of them. */
export function reportOf(found: readonly Found[]): ScanReport {
  const unique = [
    ...new Map(
      found.map((finding) => [
        `${finding.code} ${finding.field} ${finding.line} ${finding.message}`,
        { ...finding, advice: adviceFor(finding.code) },
      ]),
    ).values(),
  ]
  const counts = { critical: 0, warn: 0, info: 0 }
  for (const { severity } of unique) counts[severity]++
  const findings = unique.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MOST_FINDINGS)
  const left = unique.length - findings.length
  if (left > 0)
    findings[MOST_FINDINGS - 1] = {
      code: 'findings_left_out',
      severity: 'info',
      message: `The report is full: ${left + 1} more findings are counted and not listed.`,
      advice: adviceFor('findings_left_out'),
      ...aboutWhole(''),
    }
  return { version: SCAN_VERSION, verdict: verdictOf(unique), counts, findings }
}

/** Codes whose warnings are notes on what a text weighs, and not on what it would do. */
const NOTES: ReadonlySet<FindingCode> = new Set(['personal_data', 'citation_stuffing', 'size'])

/** Returns whether a finding keeps a skill from becoming active by itself: it quarantines or flags it. */
export function stopsSkill({ severity, code }: Finding): boolean {
  return severity === 'critical' || (severity === 'warn' && !NOTES.has(code))
}

function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some(({ severity }) => severity === 'critical')) return 'quarantined'
  return findings.some(stopsSkill) ? 'flagged' : 'clean'
}

/** Returns the place of a finding about a field as a whole. */
export function aboutWhole(field: string): Pick<Finding, 'field' | 'line' | 'column' | 'quote'> {
  return { field, line: null, column: null, quote: '' }
}

import { adviceFor } from './advice.js'

/** Names the rules that judge. A change to what any of them finds needs another version: what is active is then scanned again. */
export const SCAN_VERSION = '4'

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
}

export const FINDING_CODES = [
  'prompt_override',
  'prompt_role',
  'prompt_concealment',
  'prompt_leak',
  'prompt_tool_misuse',
  'prompt_false_report',
  'prompt_replication',
  'prompt_remote_instructions',
  'prompt_markers',
  'harmful_instruction',
  'shell_piped_download',
  'shell_recursive_delete',
  'shell_disk_overwrite',
  'shell_encoded_execution',
  'shell_reverse_shell',
  'shell_fork_bomb',
  'shell_persistence',
  'shell_safeguard_disabled',
  'exfiltration',
  'credential_harvest',
  'dependency_source',
  'harness_command',
  'lure',
  'surveillance',
  'exfiltration_host',
  'exfiltration_image',
  'secret',
  'hidden_invisible',
  'hidden_bidi',
  'hidden_homoglyphs',
  'hidden_comment',
  'hidden_style',
  'hidden_control',
  'unread_code',
  'path_escape',
  'personal_data',
  'citation_stuffing',
  'size',
  'findings_left_out',
] as const
export type FindingCode = (typeof FINDING_CODES)[number]

export type Verdict = 'clean' | 'flagged' | 'quarantined'

export interface ScanReport {
  /** `SCAN_VERSION` of the rules that judged. */
  readonly version: string
  /** A critical finding quarantines. */
  readonly verdict: Verdict
  readonly counts: Readonly<Record<Severity, number>>
  readonly findings: readonly Finding[]
}

export const LONGEST_QUOTE = 200

/** A report lists this many findings at most, the gravest first. */
export const MOST_FINDINGS = 100

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warn: 1, info: 2 }

/** Sorts, deduplicates and bounds the findings, and draws the verdict from all of them. */
export function reportOf(found: readonly Finding[]): ScanReport {
  const unique = [
    ...new Map(
      found.map((finding) => [`${finding.code} ${finding.field} ${finding.line} ${finding.message}`, finding]),
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
      ...aboutWhole('findings_left_out', ''),
    }
  return { version: SCAN_VERSION, verdict: verdictOf(unique), counts, findings }
}

function verdictOf(findings: readonly Finding[]): Verdict {
  if (findings.some(({ severity }) => severity === 'critical')) return 'quarantined'
  return 'clean'
}

/** Returns the members of a finding about a field as a whole, without a place in it. */
export function aboutWhole(code: FindingCode, field: string): Omit<Finding, 'code' | 'severity' | 'message'> {
  return { advice: adviceFor(code), field, line: null, column: null, quote: '' }
}

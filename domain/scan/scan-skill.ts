import { findPersonalData } from '../personal-data/find.js'
import { isRefused } from './context/is-refused.js'
import { type Finding, reportOf, type ScanReport, type Severity } from './report.js'
import { RULES } from './rules/all.js'
import { INJECTION_RULES } from './rules/injection.js'
import { findHiddenText, revealInvisible } from './rules/hidden.js'
import { faultOfPath, faultOfSlug } from './rules/paths.js'
import type { Match, Rule } from './rules/rule.js'
import { findArguments, findIssuedKeys, judgeSecret } from './rules/secrets.js'
import { judgeShape } from './rules/shape.js'
import { MOST_CHARACTERS, type ScannableSkill, type SkillText, textsOf } from './skill.js'
import { decodeAll } from './text/decode.js'
import { foldLeet, foldText } from './text/fold.js'
import { lineAt, lineStartsOf } from './text/lines.js'
import { Reading } from './text/reading.js'

/** Decoded text may hold something encoded again. */
const DEEPEST_DECODING = 3

/**
 * Judges a skill by what following or rendering its texts would do. Pure and deterministic: the same skill has the same report under the
 * same version. A skill with a critical finding is quarantined.
 */
export function scanSkill(skill: ScannableSkill): ScanReport {
  const { texts, isComplete } = textsOf(skill)
  const findings: Finding[] = []
  for (const text of texts) findings.push(...scanText(text))
  if (!isComplete)
    findings.push({
      code: 'size',
      severity: 'critical',
      message: `The skill has more than ${MOST_CHARACTERS} characters of text, or more parts than are scanned.`,
      field: '',
    })
  return reportOf(findings)
}

function* scanText(text: SkillText): Iterable<Finding> {
  const { field } = text
  if (text.kind === 'slug') yield* faultFinding(field, faultOfSlug(text.text), 'slug')
  if (text.kind === 'path') yield* faultFinding(field, faultOfPath(text.text), 'path')
  yield* judgeShape(text)
  const starts = lineStartsOf(text.text)
  const lineOf = (at: number) => `Line ${lineAt(starts, at)}`
  for (const { code, severity, says, at } of findHiddenText(text.text))
    yield { code, severity, message: `${lineOf(at)} ${says}.`, field }
  yield* scanSecrets(field, text.text, lineOf)
  const reading = new Reading(foldText(text.text))
  yield* scanReading(field, reading, 0)
  yield* scanHiddenReadings(field, text.text, reading)
}

function* faultFinding(field: string, fault: string | null, what: string): Iterable<Finding> {
  if (fault !== null) yield { code: 'path_escape', severity: 'critical', message: `The ${what} ${fault}.`, field }
}

/** Scans what is written in invisible characters, or with digits for letters. */
function* scanHiddenReadings(field: string, original: string, reading: Reading): Iterable<Finding> {
  const revealed = revealInvisible(original)
  if (revealed !== null)
    yield* scanReading(
      field,
      new Reading(foldText(revealed), { how: 'written in invisible characters', line: 1, isUnasked: false }),
      1,
    )
  const leet = foldLeet(reading.text)
  if (leet === null) return
  const written = new Set([...judgeProse(field, new Reading(leet.written))].map(({ message }) => message))
  for (const finding of judgeProse(field, new Reading(leet.read))) if (!written.has(finding.message)) yield finding
}

/** Judges the matches of a rule. A line that has one finding of its severity needs no other. */
function* applyRule(field: string, reading: Reading, rule: Rule): Iterable<Finding> {
  const done = new Set<number>()
  for (const match of rule.find(reading)) {
    const line = reading.lineOf(match.start)
    if (done.has(line)) continue
    const finding = findingOf(field, reading, rule, match)
    if (finding.severity === rule.severity) done.add(line)
    yield finding
  }
}

function* judgeProse(field: string, reading: Reading): Iterable<Finding> {
  for (const rule of INJECTION_RULES)
    for (const match of rule.find(reading)) yield findingOf(field, reading, rule, match)
}

function* scanReading(field: string, reading: Reading, depth: number): Iterable<Finding> {
  for (const rule of RULES) yield* applyRule(field, reading, rule)
  if (depth >= DEEPEST_DECODING) return
  for (const { text, how, at, isUnasked } of decodeAll(reading)) {
    const decoded = new Reading(foldText(text), { how, line: reading.lineOf(at), isUnasked })
    const isRefusedAsWhole = isRefused(reading, { start: at, end: at + 1 })
    for (const finding of scanReading(field, decoded, depth + 1))
      yield isRefusedAsWhole ? { ...finding, severity: 'info' } : finding
    yield* scanSecrets(field, text, () => `Line ${reading.lineOf(at)}, ${how},`)
  }
}

function findingOf(field: string, reading: Reading, rule: Rule, match: Match): Finding {
  const where = reading.origin
    ? `Line ${reading.origin.line}, ${reading.origin.how},`
    : `Line ${reading.lineOf(match.start)}`
  const severity = match.severity ?? rule.severity
  if (match.isData || isRefused(reading, match))
    return {
      code: rule.code,
      severity: 'info',
      message: `${where} mentions, as something to refuse or to look for, text that ${rule.says}.`,
      field,
    }
  return { code: rule.code, severity: lowered(severity, reading), message: `${where} ${rule.says}.`, field }
}

/** Lowers findings in what nobody is told to decode: it does no harm by itself. */
function lowered(severity: Severity, reading: Reading): Severity {
  return reading.origin?.isUnasked && severity === 'critical' ? 'warn' : severity
}

function* scanSecrets(field: string, text: string, lineOf: (at: number) => string): Iterable<Finding> {
  for (const { at, what } of [...findIssuedKeys(text), ...findArguments(text)])
    yield { code: 'secret', severity: 'critical', message: `${lineOf(at)} holds ${what}.`, field }
  const kinds = new Set<string>()
  for (const span of findPersonalData(text)) {
    const isSecret = SECRET_KINDS.has(span.kind)
    const what = isSecret ? judgeSecret(text, span) : null
    if (what !== null)
      yield { code: 'secret', severity: 'critical', message: `${lineOf(span.start)} holds ${what}.`, field }
    else if (!isSecret && !kinds.has(span.kind)) {
      kinds.add(span.kind)
      yield {
        code: 'personal_data',
        severity: 'warn',
        message: `${lineOf(span.start)} has personal data (${span.kind}).`,
        field,
      }
    }
  }
}

const SECRET_KINDS: ReadonlySet<string> = new Set(['private_key', 'access_token', 'api_key', 'password'])

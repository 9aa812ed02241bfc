import { codeInMarkdown, codeInText, codeOfFile, isProgramming } from './code/code-texts.js'
import { type CodeReport, scanCode } from './code/scan-code.js'
import { findPersonalData } from '../personal-data/find.js'
import { isRefused, isRefusedBlock } from './context/is-refused.js'
import type { FindingCode } from './finding-codes.js'
import { aboutWhole, type Found, reportOf, type ScanReport, type Severity } from './report.js'
import { RULES } from './rules/all.js'
import { INJECTION_RULES } from './rules/injection.js'
import { addressOf, judgeInstaller } from './rules/hosts.js'
import { findHiddenText, revealInvisible } from './rules/hidden.js'
import { faultOfPath, faultOfSlug } from './rules/paths.js'
import type { Match, Rule } from './rules/rule.js'
import { findArguments, findIssuedKeys, judgeSecret } from './rules/secrets.js'
import { judgeShape } from './rules/shape.js'
import { MOST_CHARACTERS, type ScannableSkill, type SkillText, textsOf } from './skill.js'
import { interpretedCode } from './shell/code.js'
import { type Place, Source } from './source.js'
import type { Span } from './text/chunks.js'
import { decodeAll } from './text/decode.js'
import { foldLeet, foldText } from './text/fold.js'
import { Reading } from './text/reading.js'

/** Decoded text may hold something encoded again. */
const DEEPEST_DECODING = 3

/**
 * Judges a skill by what following or rendering its texts would do. Pure and deterministic: the same skill has the same report under the
 * same version. A skill with a critical finding is quarantined.
 */
export function scanSkill(skill: ScannableSkill): ScanReport {
  const { texts, isComplete } = textsOf(skill)
  const findings: Found[] = []
  for (const text of texts) findings.push(...scanText(text))
  for (const [i, { content, isMedia }] of (skill.support_files ?? []).entries())
    if (content === null && !isMedia)
      findings.push({
        code: 'unread_code',
        severity: 'warn',
        message: 'The file is no text, and neither a picture, a font, a sound nor a PDF: nobody can read what it does.',
        ...aboutWhole(`support_files[${i}].content`),
      })
  if (!isComplete)
    findings.push({
      code: 'size',
      severity: 'critical',
      message: `The skill has more than ${MOST_CHARACTERS} characters of text, or more parts than are scanned.`,
      ...aboutWhole(''),
    })
  return reportOf(findings)
}

/** Files that people and agents read; all others beside a skill may be run. */
const IS_DOCUMENT = /\.(?:mdx?|markdown|txt|rst|adoc|html?)$/i

function* scanText(text: SkillText): Iterable<Found> {
  const { field } = text
  if (text.kind === 'slug') yield* faultFinding(field, faultOfSlug(text.text), 'slug')
  if (text.kind === 'path') yield* faultFinding(field, faultOfPath(text.text), 'path')
  yield* judgeShape(text)
  const isFile = text.kind === 'file'
  const isProgram = isFile && !IS_DOCUMENT.test(text.path!)
  const ending = /\.(\w{1,6})$/.exec(text.path ?? '')?.[1] ?? ''
  const source = new Source(field, text.text, isProgram, isFile && isProgramming(ending))
  for (const { code, severity, says, at } of findHiddenText(text.text))
    yield { code, severity, message: `It ${says}.`, ...source.placeAt(at) }
  yield* scanSecrets(source, text.text, (at) => at)
  const reading = new Reading(foldText(text.text))
  yield* scanReading(source, reading, 0)
  yield* scanHiddenReadings(source, reading)
  yield* scanBlocks(text, source, reading)
}

/** Scans the blocks of code of a text, or a file of code. */
function* scanBlocks(text: SkillText, source: Source, reading: Reading): Iterable<Found> {
  const parts = text.kind === 'file' ? codeOfFile(text.path!, text.text) : codeInMarkdown(text.text)
  if (parts.length === 0) return
  yield* judgeCode(source, reading, scanCode(parts), (span) => source.placeOf(span))
}

/** Bounds how many pieces of code that commands hand over are read in a text. */
const MOST_HANDED = 50

/** Scans the code that the commands of a reading hand to an interpreter, and what was decoded and is code. */
function* scanInterpreted(source: Source, reading: Reading): Iterable<Found> {
  const decoded = reading.origin ? codeInText(reading.text) : []
  const handed = interpretedCode(reading)
    .slice(0, MOST_HANDED)
    .map(({ language, text, start }) => ({ language, code: text, start }))
  for (const part of [...decoded, ...handed])
    yield* judgeCode(source, reading, scanCode([part]), (span) => source.place(reading, span))
}

/** Judges what code does by its context, and scans the commands that it runs. */
function* judgeCode(
  source: Source,
  reading: Reading,
  { deeds, commands }: CodeReport,
  placeOf: (span: Span) => Place,
): Iterable<Found> {
  for (const { code, severity, says, start, end } of deeds) {
    const place = placeOf({ start, end })
    if (!source.isProgram && isCodeRefused(reading, place.line ?? 1))
      yield noted(code, 'It', `code that ${says}`, place)
    else {
      const isPiped = code === 'shell_piped_download' && /\b(?:iex|invoke-expression)\b/i.test(place.quote ?? '')
      const installer = isPiped ? installerIn(reading, place.line ?? 1) : null
      yield { code, severity: installer ?? lowered(severity, reading), message: `It ${says}.`, ...place }
    }
  }
  // What a command that code runs says of itself excuses nothing.
  const program = commands.length > 0 ? new Source(source.field, source.text, true) : source
  for (const { text, at } of commands) {
    const line = placeOf({ start: at, end: at + 1 }).line ?? 1
    if (!source.isProgram && isCodeRefused(reading, line)) continue
    const origin = { how: 'a command that its code runs', line, isUnasked: reading.origin?.isUnasked ?? false }
    yield* scanReading(program, new Reading(foldText(`\`\`\`sh\n${text}\n\`\`\``), origin), DEEPEST_DECODING)
  }
}

/** Judges a program that runs what it downloads in one line as a shell's command is judged: `irm https://… | iex`. */
function installerIn(reading: Reading, line: number): Severity | null {
  const { start, end } = reading.lineSpan(line)
  const address = addressOf(reading.text.slice(start, end))
  return address && judgeInstaller(reading, address)
}

/** Returns whether the text warns of the code in a line. What a comment in a program says of the program counts for nothing. */
function isCodeRefused(reading: Reading, line: number): boolean {
  const span = reading.lineSpan(line)
  return reading.blockAt(span)?.kind === 'code' ? isRefusedBlock(reading, span) : isRefused(reading, span)
}

function* faultFinding(field: string, fault: string | null, what: string): Iterable<Found> {
  if (fault !== null)
    yield {
      code: 'path_escape',
      severity: 'critical',
      message: `The ${what} ${fault}.`,
      ...aboutWhole(field),
    }
}

/** Scans what is written in invisible characters, or with digits for letters. */
function* scanHiddenReadings(source: Source, reading: Reading): Iterable<Found> {
  const revealed = revealInvisible(source.text)
  if (revealed !== null)
    yield* scanReading(
      source,
      new Reading(foldText(revealed), { how: 'written in invisible characters', line: 1, isUnasked: false }),
      1,
    )
  const leet = foldLeet(reading.text)
  if (leet === null) return
  const keyOf = ({ code, line, severity }: Found) => `${code} ${line} ${severity}`
  const written = new Set([...judgeProse(source, new Reading(leet.written))].map(keyOf))
  for (const finding of judgeProse(source, new Reading(leet.read))) if (!written.has(keyOf(finding))) yield finding
}

/** Judges the matches of a rule. A line that has one finding of its severity needs no other. */
function* applyRule(source: Source, reading: Reading, rule: Rule): Iterable<Found> {
  const done = new Set<number>()
  for (const match of rule.find(reading, source.field)) {
    const line = reading.lineOf(match.start)
    if (done.has(line)) continue
    const finding = findingOf(source, reading, rule, match)
    if (finding.severity === rule.severity) done.add(line)
    yield finding
  }
}

function* judgeProse(source: Source, reading: Reading): Iterable<Found> {
  for (const rule of INJECTION_RULES)
    for (const match of rule.find(reading)) yield findingOf(source, reading, rule, match)
}

function* scanReading(source: Source, reading: Reading, depth: number): Iterable<Found> {
  for (const rule of RULES) yield* applyRule(source, reading, rule)
  if (depth >= DEEPEST_DECODING) return
  yield* scanInterpreted(source, reading)
  for (const { text, how, at, isUnasked } of decodeAll(reading)) {
    const decoded = new Reading(foldText(text), { how, line: reading.lineOf(at), isUnasked })
    const isRefusedAsWhole = isRefused(reading, { start: at, end: at + 1 })
    for (const finding of scanReading(source, decoded, depth + 1))
      yield isRefusedAsWhole ? { ...finding, severity: 'info' } : finding
    yield* scanSecrets(source, text, () => source.startOf(reading.lineOf(at)))
  }
}

function findingOf(source: Source, reading: Reading, rule: Rule, match: Match): Found {
  const { code, says } = rule
  const place = source.place(reading, match)
  const what = reading.origin ? `What is ${reading.origin.how}` : 'It'
  const given = lowered(match.severity ?? rule.severity, reading)
  const severity = source.isParsed && !rule.isOfPrograms && !reading.origin && given === 'critical' ? 'warn' : given
  if (!rule.isCertain && (match.isData || isRefused(reading, match))) {
    // A comment in a program may warn of a command or hide one: a person decides.
    if (source.isProgram && !match.isData && severity === 'critical')
      return { code, severity: 'warn', message: `${what} ${says}.`, ...place }
    return noted(code, what, `text that ${says}`, place)
  }
  return { code, severity, message: `${what} ${says}.`, ...place }
}

/** Returns a finding that only notes what a text warns of or looks for. */
function noted(code: FindingCode, what: string, mentioned: string, place: Place): Found {
  return {
    code,
    severity: 'info',
    message: `${what} mentions, as something to refuse or to look for, ${mentioned}.`,
    ...place,
  }
}

/** Lowers findings in what nobody is told to decode: it does no harm by itself. */
function lowered(severity: Severity, reading: Reading): Severity {
  return reading.origin?.isUnasked && severity === 'critical' ? 'warn' : severity
}

/** Finds secrets and personal data in a text; `positionOf` tells where in the source a position of the text stands. */
function* scanSecrets(source: Source, text: string, positionOf: (at: number) => number): Iterable<Found> {
  const secret = (at: number, what: string): Found => ({
    code: 'secret',
    // A password may be made up for an example; a key that an issuer made is none.
    severity: /password|API key/.test(what) ? 'warn' : 'critical',
    message: `It holds ${what}.`,
    ...source.placeAt(positionOf(at)),
    quote: '',
  })
  for (const { at, what } of [...findIssuedKeys(text), ...findArguments(text)]) yield secret(at, what)
  const kinds = new Set<string>()
  for (const span of findPersonalData(text)) {
    const isSecret = SECRET_KINDS.has(span.kind)
    const what = isSecret ? judgeSecret(text, span) : null
    if (what !== null) yield secret(span.start, what)
    else if (!isSecret && !kinds.has(span.kind)) {
      kinds.add(span.kind)
      yield {
        code: 'personal_data',
        severity: 'warn',
        message: `It has personal data (${span.kind}).`,
        ...source.placeAt(positionOf(span.start)),
        quote: '',
      }
    }
  }
}

const SECRET_KINDS: ReadonlySet<string> = new Set(['private_key', 'access_token', 'api_key', 'password'])

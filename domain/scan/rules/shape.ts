import { aboutWhole, type Found } from '../report.js'
import type { SkillText } from '../skill.js'

/** The contract's limit for content, in UTF-8; what is larger is not installed. */
const LARGEST_CONTENT = 40_000
const LONGEST_LINE = 8_000
const LARGEST_SHORT_FIELD = 4_000
const MOST_CITATIONS = 40
const MOST_REPEATS = 8

const CITATION =
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\[(?:mem(?:ory)?|cite|ref|doc|source)[:\s#]\s{0,2}[\w-]{1,60}\]|\[\^?\d{1,4}\]|\u3010[^\u3011\n]{1,40}\u3011/gi

/** Looks at what a text weighs: its size, its lines, and how much of it is citations that nobody will follow. */
export function* judgeShape({ field, text }: SkillText): Iterable<Found> {
  const isContent = field === 'content' || field.startsWith('support_files')
  if (isContent && Buffer.byteLength(text) > LARGEST_CONTENT)
    yield {
      code: 'size',
      severity: field === 'content' ? 'critical' : 'warn',
      message: `The text is larger than ${LARGEST_CONTENT} bytes.`,
      ...aboutWhole(field),
    }
  if (!isContent && text.length > LARGEST_SHORT_FIELD)
    yield {
      code: 'size',
      severity: 'warn',
      message: `The text is longer than ${LARGEST_SHORT_FIELD} characters.`,
      ...aboutWhole(field),
    }
  const long = longLine(text)
  if (long !== null)
    yield {
      code: 'size',
      severity: 'warn',
      message: `The line is longer than ${LONGEST_LINE} characters.`,
      ...aboutWhole(field),
      line: long,
      column: 1,
    }
  const counts = new Map<string, number>()
  let all = 0
  for (const [citation] of text.matchAll(CITATION)) {
    all++
    if (counts.size < 2_000 || counts.has(citation)) counts.set(citation, (counts.get(citation) ?? 0) + 1)
  }
  const repeats = Math.max(
    0,
    ...[...counts].filter(([citation]) => !/^\[\^?\d/.test(citation)).map(([, count]) => count),
  )
  if (all > MOST_CITATIONS || repeats > MOST_REPEATS)
    yield {
      code: 'citation_stuffing',
      severity: 'warn',
      message: `The text has ${all} citations, one of them ${Math.max(1, repeats)} times: more than anybody follows.`,
      ...aboutWhole(field),
    }
}

function longLine(text: string): number | null {
  let line = 1
  for (let start = 0; start <= text.length; line++) {
    const at = text.indexOf('\n', start)
    const end = at === -1 ? text.length : at
    if (end - start > LONGEST_LINE) return line
    start = end + 1
  }
  return null
}

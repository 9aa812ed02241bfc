import type { Finding, ScanReport } from '../scan/report.js'
import { lineAt, lineStartsOf } from '../scan/text/lines.js'
import type { SkillVersion } from './skill.js'
import { mergedLength, plainDescription, quotedText, skillFile } from './skill-file.js'

type Located = Pick<
  SkillVersion,
  'name' | 'slug' | 'description' | 'content' | 'docId' | 'version' | 'contentHash' | 'frontMatter'
>
type Place = Pick<Finding, 'line' | 'column'>

/** Returns the offset in a file of an offset in a text; null for what the file does not have. */
type OffsetInFile = (offset: number) => number | null

/** A text of a skill that its SKILL.md has. */
interface WrittenText {
  readonly starts: readonly number[]
  readonly inFile: OffsetInFile
}

/**
 * Returns a report whose findings in what a SKILL.md has stand at the line and column of that file, as it is written on a disk.
 * The places of others stay those of their field. The file is written once, however many findings there are.
 */
export function locatedReport(report: ScanReport, version: Located): ScanReport {
  if (report.findings.length === 0) return report
  const file = fileOf(version)
  const starts = lineStartsOf(file)
  const texts = writtenTexts(version, file)
  const findings = report.findings.map((finding) => {
    const written = texts[finding.field as keyof typeof texts]
    return written ? { ...finding, ...placeIn(starts, finding, written) } : finding
  })
  return { ...report, findings }
}

function placeIn(fileStarts: readonly number[], { line, column }: Place, { starts, inFile }: WrittenText): Place {
  if (line === null) return { line, column }
  const at = inFile((starts[line - 1] ?? 0) + (column ?? 1) - 1)
  if (at === null) return { line, column }
  const found = lineAt(fileStarts, at)
  return { line: found, column: column === null ? null : at - fileStarts[found - 1]! + 1 }
}

function writtenTexts({ name, description, content, frontMatter }: Located, file: string) {
  const textOf = (text: string, inFile: OffsetInFile): WrittenText => ({ starts: lineStartsOf(text), inFile })
  if (frontMatter !== null) return { content: textOf(content, (offset) => frontMatter.length + offset) }
  return {
    name: textOf(name, inField(file, '  title', name)),
    description: textOf(description, inField(file, 'description', plainDescription(description))),
    content: textOf(content, inBody(file, content)),
  }
}

/** Finds places in a field of the front matter, which stands in quotes on a line of its own. */
function inField(file: string, key: string, written: string): OffsetInFile {
  const before = `\n${key}: "`
  const start = file.indexOf(before) + before.length
  return (offset) => (offset > written.length ? null : start + quotedText(written.slice(0, offset)).length)
}

/** Finds places in the content. What is merged into the front matter is shown where the content begins. */
function inBody(file: string, content: string): OffsetInFile {
  const merged = mergedLength(content)
  const body = content.slice(merged)
  const start = file.length - body.length - (body.endsWith('\n') ? 0 : 1)
  return (offset) => start + Math.max(0, offset - merged)
}

function fileOf({ content, docId, contentHash, frontMatter, ...facts }: Located): string {
  return skillFile({ ...facts, doc_id: docId, content_hash: contentHash, front_matter: frontMatter }, content)
}

import type { Finding, ScanReport } from '../scan/report.js'
import { lineAt, lineStartsOf } from '../scan/text/lines.js'
import type { SkillVersion } from './skill.js'
import { skillFile } from './skill-file.js'

type Located = Pick<
  SkillVersion,
  'name' | 'slug' | 'description' | 'content' | 'docId' | 'version' | 'contentHash' | 'frontMatter'
>

/** Members of a skill that its SKILL.md has. */
const WRITTEN = ['name', 'description', 'content'] as const
type WrittenField = (typeof WRITTEN)[number]

/**
 * Returns a report whose findings in what a SKILL.md has stand at the line and column of that file, as it is written on a disk.
 * The places of others stay those of their field.
 */
export function locatedReport(report: ScanReport, version: Located): ScanReport {
  const mark = unusedMark(fileOf(version))
  const findings = report.findings.map((finding) => ({ ...finding, ...placeInFile(finding, version, mark) }))
  return { ...report, findings }
}

type Place = Pick<Finding, 'line' | 'column'>

/** Finds a place by a mark that is written there with the rest of the file, so that it holds for every layout. */
function placeInFile({ field, line, column }: Finding, version: Located, mark: string): Place {
  if (line === null || !isWritten(field)) return { line, column }
  const text = version[field]
  const offset = (lineStartsOf(text)[line - 1] ?? 0) + (column ?? 1) - 1
  const file = fileOf({ ...version, [field]: `${text.slice(0, offset)}${mark}${text.slice(offset)}` })
  const at = file.indexOf(mark)
  if (at === -1) return { line, column }
  const starts = lineStartsOf(file)
  const found = lineAt(starts, at)
  return { line: found, column: column === null ? null : at - starts[found - 1]! + 1 }
}

function isWritten(field: string): field is WrittenField {
  return (WRITTEN as readonly string[]).includes(field)
}

function fileOf({ content, docId, contentHash, frontMatter, ...facts }: Located): string {
  return skillFile({ ...facts, doc_id: docId, content_hash: contentHash, front_matter: frontMatter }, content)
}

/** Returns a word that a text does not have, nor would have where the word is put into it. */
function unusedMark(text: string): string {
  for (let i = 0; ; i++) if (!text.includes(`place${i}`)) return `place${i}.`
}

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { SkillTexts } from './skill.js'

/**
 * Lines that may differ before the texts count as wholly different. The comparison costs the product of the texts and
 * their differences: two hostile texts of 20,000 lines take 50 ms with this, seconds without a limit.
 */
const MOST_EDITS = 500

interface Side extends SkillTexts {
  readonly version: number
}

/** Returns the unified lines from one version to the next, over all texts of both; empty when they are equal. */
export function diffOf(before: Side, after: Side): string {
  const [from, to] = [readable(before), readable(after)]
  if (from === to) return ''
  const [name, next] = [`version ${before.version}`, `version ${after.version}`]
  const options = { context: 3, maxEditLength: MOST_EDITS, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(name, next, from, to, undefined, undefined, options)
  return patch ?? replaced(name, next, from, to)
}

/** Returns the texts of a version as a reviewer reads them, each line ended. */
function readable({ name, description, summary, domain, goal, tags, content }: SkillTexts): string {
  const fields = { name, description, summary, domain, goal, tags: tags.join(', ') }
  const lines = Object.entries(fields).map(([field, text]) => `${field}: ${text ?? ''}`.trimEnd())
  return [...lines, '', content.replace(/\n?$/, '\n')].join('\n')
}

/** Returns a patch that replaces everything. */
function replaced(name: string, next: string, from: string, to: string): string {
  const linesOf = (text: string, sign: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => sign + line)
  const [removed, added] = [linesOf(from, '-'), linesOf(to, '+')]
  const hunk = `@@ -1,${removed.length} +1,${added.length} @@`
  return [`--- ${name}`, `+++ ${next}`, hunk, ...removed, ...added, ''].join('\n')
}

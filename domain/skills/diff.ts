import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { SkillFile, SkillFolder } from './skill-files.js'
import type { SkillTexts } from './skill.js'

/**
 * Lines that may differ before the texts count as wholly different. The comparison costs the product of the texts and
 * their differences: two hostile texts of 20,000 lines take 50 ms with this, seconds without a limit.
 */
const MOST_EDITS = 500

/** Bytes of a file whose lines a reviewer is shown, and such files of one skill. */
export const LARGEST_SHOWN_FILE = 40_000
export const MOST_SHOWN_FILES = 20

interface Side extends SkillTexts, Pick<SkillFolder, 'frontMatter' | 'files'> {
  readonly version: number
}

/**
 * Returns the unified lines from one version to the next, over all texts and files of both; empty when they are equal. `texts` has, by
 * hash, the files that are shown by their lines; others are named by hash and size.
 */
export function diffOf(before: Side, after: Side, texts: ReadonlyMap<string, string> = new Map()): string {
  return textsDiff(before, after) + filesDiff(before, after, texts)
}

function textsDiff(before: Side, after: Side): string {
  const [from, to] = [readable(before), readable(after)]
  if (from === to) return ''
  const [name, next] = [`version ${before.version}`, `version ${after.version}`]
  const options = { context: 3, maxEditLength: MOST_EDITS, headerOptions: FILE_HEADERS_ONLY }
  const patch = createTwoFilesPatch(name, next, from, to, undefined, undefined, options)
  return patch ?? replaced(name, next, from, to)
}

/** Returns the hashes of the files that differ between two versions. */
export function changedFiles(before: Side, after: Side): string[] {
  return pairsOf(before, after).flatMap(({ from, to }) => [from, to].flatMap((file) => (file ? [file.hash] : [])))
}

interface FilePair {
  readonly path: string
  readonly from: SkillFile | undefined
  readonly to: SkillFile | undefined
}

/** Returns the files that differ, by path, each with what it was and what it is. */
function pairsOf(before: Side, after: Side): FilePair[] {
  const sides = [before, after].map(({ files }) => new Map(files.map((file) => [file.path, file])))
  const paths = [...new Set(sides.flatMap((files) => [...files.keys()]))].sort()
  const pairs = paths.map((path) => ({ path, from: sides[0]!.get(path), to: sides[1]!.get(path) }))
  return pairs.filter(({ from, to }) => from?.hash !== to?.hash || from?.isExecutable !== to?.isExecutable)
}

function filesDiff(before: Side, after: Side, texts: ReadonlyMap<string, string>): string {
  const shown = pairsOf(before, after).map(({ path, from, to }) => {
    const sides = [from, to].map((file) => readableFile(file, texts)) as [string, string]
    const [name, next] = [`version ${before.version}: ${path}`, `version ${after.version}: ${path}`]
    const options = { context: 3, maxEditLength: MOST_EDITS, headerOptions: FILE_HEADERS_ONLY }
    return createTwoFilesPatch(name, next, ...sides, undefined, undefined, options) ?? replaced(name, next, ...sides)
  })
  return shown.join('')
}

/** Returns a file as a reviewer reads it, each line ended; nothing for none. */
function readableFile(file: SkillFile | undefined, texts: ReadonlyMap<string, string>): string {
  if (file === undefined) return ''
  const text = texts.get(file.hash) ?? `${file.size} bytes, ${file.hash}`
  return `${file.isExecutable ? 'executable\n' : ''}${text.replace(/\n?$/, '\n')}`
}

/** Returns the texts of a version as a reviewer reads them, each line ended. */
function readable({ name, description, summary, domain, goal, tags, content, frontMatter }: Side): string {
  const fields = { name, description, summary, domain, goal, tags: tags.join(', ') }
  const lines = Object.entries(fields).map(([field, text]) => `${field}: ${text ?? ''}`.trimEnd())
  const imported = frontMatter === null ? [] : ['front matter:', ...frontMatter.trimEnd().split('\n')]
  return [...lines, ...imported, '', content.replace(/\n?$/, '\n')].join('\n')
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

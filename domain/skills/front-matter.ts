import { isMap, parseDocument } from 'yaml'

export const LONGEST_FRONT_MATTER_BYTES = 16_384

/** Matches what stands before the content of a SKILL.md: a byte order mark, and front matter between its fences. */
const HEAD =
  /^\uFEFF?(?:---[ \t]*(?:\r\n?|\n)(?<yaml>(?:(?!---[ \t]*(?:[\r\n]|$))[^\r\n]*(?:\r\n|\n|\r(?!\n)))*)---[ \t]*(?:\r\n?|\n|$))?/

/** A SKILL.md in its two parts, which make up all of it. */
export interface SkillFileParts {
  readonly frontMatter: string
  readonly content: string
}

/** Divides a SKILL.md; the front matter of one that has none is empty, or its byte order mark. */
export function splitSkillFile(text: string): SkillFileParts {
  const [frontMatter] = HEAD.exec(text)!
  return { frontMatter, content: text.slice(frontMatter.length) }
}

/**
 * Returns why front matter and content, joined, would be split at another place; null where they would not. Whoever loads it would find fields in it that nobody
 * gave as such, or none.
 */
export function joinFault(frontMatter: string, content: string): string | null {
  if (splitSkillFile(frontMatter + content).frontMatter === frontMatter) return null
  return frontMatter.includes('---')
    ? 'Must end with a line break: the content begins on a line of its own.'
    : 'Is empty, and the content begins with a front matter: give that one here.'
}

export type FrontMatterFields = Readonly<Record<string, unknown>>

/** Reads the fields of a front matter with its fences; of an empty one there are none. Returns a sentence when it cannot be read. */
export function readFrontMatter(frontMatter: string): FrontMatterFields | string {
  const match = HEAD.exec(frontMatter)
  if (match === null || match[0].length !== frontMatter.length)
    return 'It does not stand between two lines of three hyphens.'
  const yaml = match.groups!.yaml ?? ''
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false })
  const [error] = document.errors
  if (error) return `It is no YAML: ${error.message.split('\n')[0]!.replace(/:$/, '')}.`
  if (document.contents === null) return {}
  if (!isMap(document.contents)) return 'It has no fields.'
  try {
    return document.toJS({ maxAliasCount: 10 }) as FrontMatterFields
  } catch {
    return 'It repeats itself by aliases.'
  }
}

/** Matches the first line of a front matter. */
const OPENING = /^\uFEFF?---[ \t]*(?:\r\n?|\n)/

/** Returns a front matter with another description, so that what is on the disk says what was reviewed. An empty one stays. */
export function withDescription(frontMatter: string, description: string): string {
  const yaml = HEAD.exec(frontMatter)?.groups!.yaml
  if (yaml === undefined) return frontMatter
  const document = parseDocument(yaml, { logLevel: 'silent', uniqueKeys: false })
  // On one line, since some harnesses read no other.
  const line = document.createNode(description)
  line.type = 'QUOTE_DOUBLE'
  document.set('description', line)
  const at = OPENING.exec(frontMatter)![0].length
  return (
    frontMatter.slice(0, at) +
    document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }) +
    frontMatter.slice(at + yaml.length)
  )
}

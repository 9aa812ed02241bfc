import { stringify } from 'yaml'

/** Facts that the front matter of a skill states. */
export interface SkillFileFacts {
  readonly name: string
  readonly description: string
  readonly version: number
  readonly doc_id: string
  readonly content_hash: string
}

const FENCE = '---\n'

/**
 * Returns the text of a skill's SKILL.md. A final newline is added where the content has none.
 */
export function skillFile(skill: SkillFileFacts, content: string): string {
  return `${frontMatter(skill)}\n${content}${content.endsWith('\n') ? '' : '\n'}`
}

/**
 * Returns the front matter, each field on one line, since some harnesses read no other. Names come from anyone: every
 * text is in double quotes, and what controls, hides or breaks a line for any reader of YAML is escaped.
 */
export function frontMatter({ name, description, version, doc_id, content_hash }: SkillFileFacts): string {
  const fields = { name, description, version, doc_id, content_hash }
  const yaml = stringify(fields, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  })
  return `${FENCE}${yaml.replace(INVISIBLE, escaped)}${FENCE}`
}

const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns the escape of YAML, which has one of eight digits where JSON has two of four. */
function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}

/** Returns the front matter that a file begins with; null when it has none. */
export function frontMatterOf(file: string): string | null {
  const end = file.startsWith(FENCE) ? file.indexOf(`\n${FENCE}`) : -1
  return end === -1 ? null : file.slice(0, end + 1 + FENCE.length)
}

/** Returns the content of a file that `skillFile` made. */
export function contentOf(file: string): string {
  return file.slice((frontMatterOf(file) ?? '').length + 1)
}

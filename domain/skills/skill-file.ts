import { isMap, parseDocument, stringify } from 'yaml'
import { folderNameOf } from './folder-name.js'
import { LONGEST_DESCRIPTION } from './format-fault.js'

/** Facts that the front matter of a skill states. */
export interface SkillFileFacts {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly version: number
  readonly doc_id: string
  readonly content_hash: string
  /** The text before the content as it was imported; null where the service writes one. */
  readonly front_matter: string | null
}

const FENCE = '---\n'

/**
 * Returns the text of a skill's SKILL.md: what was imported byte for byte, else a file of the Agent Skills format. Content that begins with a front matter of its own is written
 * with that one merged into the skill's, so that the file has one. A final newline is added where the content has none.
 */
export function skillFile(skill: SkillFileFacts, content: string): string {
  if (skill.front_matter !== null) return skill.front_matter + content
  const { fields, body } = splitContent(content)
  return `${frontMatter(skill, fields)}\n${body}${body.endsWith('\n') ? '' : '\n'}`
}

/** Returns how many characters of a content `skillFile` merges into the front matter that it writes. */
export function mergedLength(content: string): number {
  return content.length - splitContent(content).body.length
}

/** Fields of the format that only an author gives. */
interface AuthorFields {
  readonly license?: string
  readonly compatibility?: string
  readonly 'allowed-tools'?: string
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * Returns the front matter: the fields of the format, with what the service knows under `metadata`. Each stands on one line, since
 * some harnesses read no other. Names come from anyone: every text is in double quotes. What controls, hides or breaks a line for any
 * reader of YAML is escaped, and so are three hyphens, which some readers take for the end.
 */
export function frontMatter(skill: SkillFileFacts, { metadata, ...given }: AuthorFields = {}): string {
  const { name: title, slug, description, version, doc_id, content_hash } = skill
  const fields = {
    name: folderNameOf(slug),
    description: plainDescription(description),
    ...given,
    metadata: { ...metadata, title, doc_id, version: String(version), content_hash },
  }
  const yaml = stringify(fields, {
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  })
  return `${FENCE}${shown(yaml)}${FENCE}`
}

/** Returns a text as it stands within the quotes of a field of `frontMatter`. */
export function quotedText(text: string): string {
  return shown(JSON.stringify(text).slice(1, -1))
}

function shown(yaml: string): string {
  return yaml.replace(INVISIBLE, escaped).replaceAll('---', '--\\u002d')
}

const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns the escape of YAML, which has one of eight digits where JSON has two of four. */
function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}

/**
 * Returns a description as it stands in a file, and as validators of the format take it: not too long, and without the brackets of tags. One that begins with another bracket would be
 * taken for JSON as it stands on its line, escapes included (openclaw/openclaw, src/markdown/frontmatter.ts).
 */
export function plainDescription(description: string): string {
  const plain = description.replaceAll('<', '‹').replaceAll('>', '›')
  const characters = [...plain.replace(/^(\s*)\{/, '$1｛').replace(/^(\s*)\[/, '$1［')]
  if (characters.length <= LONGEST_DESCRIPTION) return characters.join('')
  const cut = characters.slice(0, LONGEST_DESCRIPTION - 1).join('')
  return `${cut.replace(/\s+\S*$/, '')}…`
}

const OWN_FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n(?<yaml>(?:.*\r?\n)*?)---[ \t]*(?:\r?\n|$)/

/** Tells a content from the front matter that it begins with, where that is one. */
function splitContent(content: string): { readonly fields: AuthorFields; readonly body: string } {
  const own = OWN_FRONT_MATTER.exec(content)
  const fields = own && readFields(own.groups!.yaml!)
  return fields ? { fields, body: content.slice(own[0].length) } : { fields: {}, body: content }
}

const LONGEST_FIELDS = { license: 1_000, compatibility: 500, 'allowed-tools': 10_000 } as const

/** Returns the fields of a front matter that the format has; null for what is none. */
function readFields(yaml: string): AuthorFields | null {
  const document = parseDocument(yaml, { logLevel: 'silent' })
  if (document.errors.length > 0 || !isMap(document.contents)) return null
  const fields: Record<string, unknown> = {}
  for (const [key, longest] of Object.entries(LONGEST_FIELDS)) {
    const text = document.get(key)
    if (typeof text === 'string' && text.trim() !== '' && text.length <= longest) fields[key] = text
  }
  const metadata = document.get('metadata')
  if (!isMap(metadata)) return fields
  const pairs = metadata.items.map(({ key, value }) => [String(key), String(value)] as const)
  return { ...fields, metadata: Object.fromEntries(pairs.filter(([key]) => PLAIN_KEY.test(key))) }
}

const PLAIN_KEY = /^(?=.{1,64}$)[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$/

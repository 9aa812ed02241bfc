import { createHash } from 'node:crypto'
import { folderNameOf } from '../../domain/skills/folder-name.js'
import type { ReadFolder } from './read-folders.js'

/** The fields of a skill as they are written. */
export interface ImportedTexts {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly summary: string | null
  readonly content: string
  readonly domain: string
  readonly front_matter: string
}

const MOST_NAME_BYTES = 200
const MOST_SUMMARY_BYTES = 2_000
/** Domain of what says none. */
const DOMAIN = 'general'

/**
 * Returns the texts of a skill from its folder. A description that is too long stands whole in the front matter, as far as it fits in
 * the summary, and its first sentence is the description.
 */
export function textsOf(folder: ReadFolder, folderName: string, mostDescriptionBytes: number): ImportedTexts {
  const { fields, content, frontMatter } = folder
  const said = textOf(fields.description) ?? firstParagraph(content) ?? folderName
  const description = fitting(said, mostDescriptionBytes)
  return {
    name: fitting(textOf(fields.name) ?? folderName, MOST_NAME_BYTES),
    slug: slugOf(folderName, textOf(fields.name)),
    description,
    summary: description === said ? null : fitting(said, MOST_SUMMARY_BYTES),
    content,
    domain: DOMAIN,
    front_matter: frontMatter,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

/** Returns the first lines that are neither headings, rules nor tags. */
function firstParagraph(content: string): string | null {
  const paragraphs = content.split(/\r?\n[ \t]*\r?\n/).map((text) => text.replace(/^\s*#.*$/gm, '').trim())
  return paragraphs.find((text) => /\p{L}/u.test(text) && !text.startsWith('<')) ?? null
}

/** Returns a name of the format for a folder: its own as far as it goes, else the skill's, else one of its letters' digest. */
function slugOf(folderName: string, name: string | null): string {
  const found = [folderName, name ?? ''].map((text) => folderNameOf(text.normalize('NFKD').replace(/\p{M}/gu, '')))
  return (
    found.find((slug) => slug !== '') ?? `skill-${createHash('sha256').update(folderName).digest('hex').slice(0, 8)}`
  )
}

/** Returns a text cut to a number of bytes: after a sentence, else after a word, with an ellipsis then. */
export function fitting(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text
  const line = text.replace(/\s+/g, ' ')
  const sentences = [...line.matchAll(/[.!?](?=\s|$)|[。！？]/g)].map(({ index }) => line.slice(0, index + 1))
  const whole = sentences.filter((sentence) => Buffer.byteLength(sentence) <= mostBytes).at(-1)
  if (whole !== undefined) return whole
  let cut = ''
  for (const character of line) {
    if (Buffer.byteLength(cut + character) > mostBytes - Buffer.byteLength('…')) break
    cut += character
  }
  const words = cut.replace(/\s\S*$/, '')
  return `${words === '' ? cut : words}…`
}

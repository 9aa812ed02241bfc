import markdownIt from 'markdown-it'
import { nameKey } from '../../domain/text/memory-text.js'
import type { LeftOut, MemoryItem } from './source.js'

/** A tag or a link to a note, as it stands in a text. */
interface Mark {
  readonly kind: 'tags' | 'links to notes'
  readonly name: string
  readonly index: number
}

/** The contract's bounds: links of a memory, code points of an entity's name, and bytes of metadata as JSON. */
const MOST_LINKS = 100
const MOST_NAME = 200
const MOST_METADATA = 16_384

/** Adds to each memory of a note the tags and links of its own part of the text, and counts those that a memory cannot hold. */
export function addMarks(memories: readonly MemoryItem[], text: string, leftOut: LeftOut): MemoryItem[] {
  const marks = marksOf(text)
  let [end, passed] = [0, 0]
  return memories.map((memory) => {
    end = text.indexOf(memory.content, end) + memory.content.length
    const first = passed
    while (passed < marks.length && marks[passed]!.index < end) passed++
    const own = marks.slice(first, passed)
    return addLinks(addTags(memory, namesOf(own, 'tags'), leftOut), namesOf(own, 'links to notes'), leftOut)
  })
}

function namesOf(marks: readonly Mark[], kind: Mark['kind']): string[] {
  return marks.filter((mark) => mark.kind === kind).map(({ name }) => name)
}

function addTags(memory: MemoryItem, names: readonly string[], leftOut: LeftOut): MemoryItem {
  const metadata: Record<string, unknown> = memory.metadata ?? {}
  const tags = new Set(metadata.tags as readonly string[] | undefined)
  let free = MOST_METADATA - Buffer.byteLength(JSON.stringify({ ...metadata, tags: [...tags] }))
  for (const tag of new Set(names)) {
    if (tags.has(tag)) continue
    free -= Buffer.byteLength(JSON.stringify(tag)) + 1
    if (free >= 0) tags.add(tag)
    else leftOut.add('tags')
  }
  return tags.size === 0 ? memory : { ...memory, metadata: { ...metadata, tags: [...tags] } }
}

function addLinks(memory: MemoryItem, names: readonly string[], leftOut: LeftOut): MemoryItem {
  // The service knows an entity by the key of its name, whatever its case; a name without one would have it refuse the memory.
  const byKey = new Map<string, string>()
  for (const name of names) if (!byKey.has(nameKey(name))) byKey.set(nameKey(name), name)
  byKey.delete('')
  const fitting = [...byKey.values()].filter((name) => [...name].length <= MOST_NAME).slice(0, MOST_LINKS)
  leftOut.add('links to notes', byKey.size - fitting.length)
  return fitting.length === 0 ? memory : { ...memory, entity_links: fitting.map((name) => ({ name })) }
}

/** Finds the blocks of a text alone. A definition of a link is read as text, since footnotes look like it. */
const markdown = markdownIt().disable('reference')
markdown.core.ruler.enableOnly(['normalize', 'block'])

/** Returns the tags and links of a text in their order, without those in code. */
function marksOf(text: string): Mark[] {
  if (!/#|\[\[/.test(text)) return []
  const starts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)]
  // The cells of a table say no lines, their rows do.
  return markdown.parse(text, {}).flatMap(({ type, map }) => {
    if (map === null || (type !== 'inline' && type !== 'tr_open')) return []
    const start = starts[map[0]] ?? text.length
    return marksIn(text.slice(start, starts[map[1]]), start)
  })
}

const LINK = /\[\[([^[\]\r\n]+)\]\]/g
/** A tag of HTML, whose attributes may hold colours. */
const HTML = /<[a-z/][^<>]*>/gi
const TAG = new RegExp(
  String.raw`(?<=^>?|\s)#(?!\p{M})([\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{RI}\p{Emoji_Modifier}_/\u200c\u200d-]+)`,
  'gmu',
)
const COLOUR = /^(?:[\da-f]{6}|[\da-f]{8})$/i

function marksIn(block: string, start: number): Mark[] {
  const text = blankCode(block)
  const links = Array.from(text.matchAll(LINK), ({ index, 1: inner }): Mark => {
    return { kind: 'links to notes', name: noteName(inner!), index: index + start }
  })
  const tags = Array.from(
    text.replace(LINK, blanked).replace(HTML, blanked).matchAll(TAG),
    ({ index, 1: name }): Mark => {
      return { kind: 'tags', name: name!, index: index + start }
    },
  )
  return [...links, ...tags.filter(({ name }) => isTag(name))]
    .filter(({ name }) => name !== '')
    .sort((a, b) => a.index - b.index)
}

function isTag(name: string): boolean {
  return /[^\p{Nd}\p{M}\u200c\u200d]/u.test(name) && !COLOUR.test(name)
}

/** Takes the place of what is no text: no white space, which may stand before a tag. */
function blanked(text: string): string {
  return '.'.repeat(text.length)
}

/** Returns a text with its spans of code blanked: each ends at the next run of as many backticks as it begins with. */
function blankCode(text: string): string {
  const runs = [...text.matchAll(/`+/g)]
  const later = new Map<number, number>()
  const ends = runs.map(() => 0)
  for (let i = runs.length - 1; i >= 0; i--) {
    const { length } = runs[i]![0]
    ends[i] = later.get(length) ?? 0
    later.set(length, i)
  }
  const pieces: string[] = []
  let passed = 0
  for (let i = 0; i < runs.length; i++) {
    if (ends[i] === 0) continue
    const from = runs[i]!.index
    i = ends[i]!
    const to = runs[i]!.index + runs[i]![0].length
    pieces.push(text.slice(passed, from), blanked(text.slice(from, to)))
    passed = to
  }
  return [...pieces, text.slice(passed)].join('')
}

/** Ends of files that notes embed and that are no notes. */
const FILES =
  /\.(?:3gp|avif|base|bmp|canvas|csv|docx?|drawio|excalidraw|flac|gif|heic|jpe?g|m4a|mkv|mov|mp[34]|odt|og[agv]|opus|pdf|png|pptx?|svg|tiff?|wav|webm|webp|xlsx?|zip)$/i
/** A template's placeholder, in the place of a name. */
const PLACEHOLDER = /\{\{|<%/

/** Returns the name of the note that a link leads to, without folder, heading and alias; '' where it leads to none. */
function noteName(link: string): string {
  // Within a table the bar before an alias is escaped.
  const target = link.split(/\\?\|/)[0]!.split('#')[0]!
  const name = target
    .slice(target.lastIndexOf('/') + 1)
    .trim()
    .replace(/\.(?:md|markdown)$/i, '')
    .trim()
  return FILES.test(name) || PLACEHOLDER.test(name) ? '' : name
}

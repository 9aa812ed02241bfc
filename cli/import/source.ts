import type { components } from '../../contract/types.js'
import { isBlank } from '../../domain/text/characters.js'

type MemoryFields = components['schemas']['MemoryFields']

/** A memory as a bulk write takes it. */
export type MemoryItem = Pick<MemoryFields, 'content'> & Partial<MemoryFields>

/** One place of a source, such as a conversation or a note. */
export interface Found {
  /** The place, as messages call it. */
  readonly place: string
  /** Its memories, in order; none where nothing in it is a text. */
  readonly memories: readonly MemoryItem[]
  /** Set when the place cannot be read: why. */
  readonly fault?: string
  /** Set for a place that is written all the same: what is wrong with it. */
  readonly warning?: string
  /** Counts what of the place is not written. */
  readonly leftOut?: LeftOut
}

/** Counts what is not written, by kinds in the plural: "images". */
export class LeftOut {
  readonly counts = new Map<string, number>()

  add(kind: string, count = 1): void {
    if (count > 0) this.counts.set(kind, (this.counts.get(kind) ?? 0) + count)
  }

  addAll(other: LeftOut): void {
    for (const [kind, count] of other.counts) this.add(kind, count)
  }
}

/** Fields that the command line sets for every memory of an import. */
export interface SharedFields {
  readonly tags: readonly string[]
  readonly visibility?: MemoryItem['visibility']
}

/** A text of a source, before it is cut into memories. */
interface SourceText extends Pick<
  MemoryItem,
  'memory_type' | 'source_uri' | 'run_id' | 'ts_valid_start' | 'entity_links'
> {
  readonly content: string
  readonly title: string | null
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Longest content and title of a memory, in code points. No text has more of them than it has UTF-16 units. */
const MOST_CONTENT = 10_000
const MOST_TITLE = 200

/** Returns the memories of a text: one, or where it is longer than a memory's content, one for each part. */
export function memoriesOf(text: SourceText, shared: SharedFields): MemoryItem[] {
  const { content, title, tags, metadata, ...fields } = text
  const parts = splitText(content, MOST_CONTENT)
  const all = [...new Set([...tags, ...shared.tags])]
  return parts.map((part, i) => ({
    ...fields,
    content: part,
    ...(title !== null && !isBlank(title) && { title: shorten(title.trim(), MOST_TITLE) }),
    ...(shared.visibility !== undefined && { visibility: shared.visibility }),
    metadata: {
      ...metadata,
      ...(all.length > 0 && { tags: all }),
      ...(parts.length > 1 && { part: i + 1, parts: parts.length }),
    },
  }))
}

function shorten(text: string, most: number): string {
  const points = [...text]
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`
}

/** Where a text may be cut, the best first: between paragraphs, lines, sentences and words. */
const CUTS = [/\n[ \t]*\n\s*/g, /\n/g, /(?<=[.!?。！？])\s+/g, /\s+/g]
/** White space that stays with the part before it: up to its last line end, so that the next part keeps its indentation. */
const SEPARATOR = /(?:\s*\n|\s*)/y

/**
 * Cuts a text into parts of at most `most` UTF-16 units and the white space at their ends, at paragraphs where they are
 * short enough, else at lines, sentences, words, and at last anywhere but within a surrogate pair. Parts are as long as
 * fits, none is blank, and together they are the text. Only white space that is longer than a part is left out.
 */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = []
  let rest = text
  while (rest.trim().length > most) {
    const indent = rest.length - rest.trimStart().length
    SEPARATOR.lastIndex = indent + cutBefore(rest.slice(indent), most)
    SEPARATOR.test(rest)
    parts.push(rest.slice(0, SEPARATOR.lastIndex))
    rest = rest.slice(SEPARATOR.lastIndex)
  }
  if (!isBlank(rest)) parts.push(rest)
  else if (parts.length > 0) parts.push(parts.pop()! + rest)
  return parts.map((part) => (part.length > 2 * most ? part.trim() : part))
}

/** Returns the place to cut, in the second half of what fits so that no part is needlessly short. */
function cutBefore(text: string, most: number): number {
  const head = text.slice(0, most + 1)
  for (const cut of CUTS) {
    const last = [...head.matchAll(cut)].findLast(({ index }) => index > most / 2 && index <= most)
    if (last !== undefined) return last.index
  }
  const before = text.charCodeAt(most - 1)
  return before >= 0xd800 && before <= 0xdbff ? most - 1 : most
}

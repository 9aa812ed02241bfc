import { chunksOf } from './chunks.js'
import { splitSentences } from './sentences.js'

export type BlockKind = 'paragraph' | 'item' | 'heading' | 'code' | 'quote' | 'row' | 'comment'

/** A sentence of prose, a logical line of code, an item's or a row's text. Positions are in the folded text. */
export interface Sentence {
  readonly start: number
  readonly end: number
  readonly block: number
}

/** A part of a text that a reader sees as one thing, and what it stands under. */
export interface Block {
  readonly kind: BlockKind
  readonly start: number
  readonly end: number
  readonly indent: number
  /** Indices of its sentences: the first, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Indices of the headings it stands under, the nearest first. */
  readonly headings: readonly number[]
  /** Says what its fence names, such as `python`; `` for all else. */
  readonly language: string
}

export interface Structure {
  readonly blocks: readonly Block[]
  readonly sentences: readonly Sentence[]
}

interface Line {
  readonly start: number
  readonly end: number
}

const FENCE = /^[ \t>]{0,12}(`{3,}|~{3,})[ \t]{0,8}\{?\.?([\w+#-]{0,20})/
const HEADING = /^ {0,3}(#{1,6})[ \t]+\S/
const ITEM = /^[ \t>]{0,24}(?:[-*+\u2022]|\d{1,3}[.)]|\[[ x]\])[ \t]+\S/
const ROW = /^[ \t]{0,8}\|/
const QUOTE = /^[ \t]{0,3}>/
const INDENTED = /^(?: {4}|\t)/

/** Divides a folded text into blocks of Markdown and their sentences. One pass over the lines. */
export function structureOf(text: string): Structure {
  const blocks: Block[] = []
  const sentences: Sentence[] = []
  const headings: { level: number; sentence: number }[] = []
  const lines = linesOf(text)
  const add = (kind: BlockKind, first: Line, last: Line, language = '') => {
    const from = sentences.length
    const span = { start: first.start, end: last.end }
    const parts = kind === 'code' ? codeLines(text, span) : splitSentences(text, span)
    for (const part of parts) sentences.push({ ...part, block: blocks.length })
    const indent = text.slice(first.start, first.end).search(/\S/)
    const above = headings.map(({ sentence }) => sentence).reverse()
    blocks.push({ ...span, kind, indent, from, to: sentences.length, headings: above, language })
    return from
  }
  for (let i = 0; i < lines.length;) {
    const first = lines[i]!
    const line = text.slice(first.start, Math.min(first.end, first.start + 120))
    const fence = FENCE.exec(line)
    if (fence) {
      const end = closingFence(text, lines, i + 1, fence[1]!)
      if (end > i + 1) add('code', lines[i + 1]!, lines[end - 1]!, fence[2])
      i = end + 1
      continue
    }
    const heading = HEADING.exec(line)
    if (heading || isSetext(text, lines, i)) {
      const level = heading?.[1]?.length ?? 1
      while (headings.length > 0 && headings.at(-1)!.level >= level) headings.pop()
      const sentence = add('heading', first, first)
      headings.push({ level, sentence })
      i += heading ? 1 : 2
      continue
    }
    if (line.trim() === '') i++
    else i = addRun(text, lines, i, line, add)
  }
  return { blocks, sentences }
}

type Add = (kind: BlockKind, first: Line, last: Line) => number

/** Adds the block of prose that begins at a line, with the lines that continue it; returns the line after it. */
function addRun(text: string, lines: readonly Line[], from: number, line: string, add: Add): number {
  const kind: BlockKind = ROW.test(line) ? 'row' : ITEM.test(line) ? 'item' : QUOTE.test(line) ? 'quote' : 'paragraph'
  const isIndented = kind === 'paragraph' && INDENTED.test(line)
  let to = from + 1
  if (kind !== 'row')
    for (; to < lines.length; to++) {
      const next = text.slice(lines[to]!.start, Math.min(lines[to]!.end, lines[to]!.start + 120))
      if (next.trim() === '' || ITEM.test(next) || HEADING.test(next) || FENCE.test(next) || ROW.test(next)) break
      if (isIndented ? !INDENTED.test(next) : kind === 'quote' && !QUOTE.test(next)) break
    }
  add(isIndented ? 'code' : kind, lines[from]!, lines[to - 1]!)
  return to
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  for (let start = 0; start <= text.length;) {
    const at = text.indexOf('\n', start)
    const end = at === -1 ? text.length : at
    lines.push({ start, end })
    start = end + 1
  }
  return lines
}

function closingFence(text: string, lines: readonly Line[], from: number, fence: string): number {
  for (let i = from; i < lines.length; i++) {
    const line = text.slice(lines[i]!.start, Math.min(lines[i]!.end, lines[i]!.start + 80)).replace(/^[ \t>]+/, '')
    if (line.startsWith(fence) && line.replaceAll(fence[0]!, '').trim() === '') return i
  }
  return lines.length
}

function isSetext(text: string, lines: readonly Line[], at: number): boolean {
  const [line, next] = [lines[at]!, lines[at + 1]]
  if (!next || next.end - next.start > 200 || line.start === line.end || line.end - line.start > 120) return false
  return /^(?:={3,}|-{3,})[ \t]*$/.test(text.slice(next.start, next.end)) && /\S/.test(text.slice(line.start, line.end))
}

/** Splits code into logical lines: one that ends with a backslash or a PowerShell backtick goes on in the next. */
function codeLines(text: string, span: Line): Line[] {
  const found: Line[] = []
  let start = span.start
  for (let i = span.start; i <= span.end; i++) {
    if (i < span.end && (text[i] !== '\n' || text[i - 1] === '\\' || (text[i - 1] === '`' && text[i - 2] === ' ')))
      continue
    for (const part of chunksOf({ start, end: i })) found.push(part)
    start = i + 1
  }
  return found
}

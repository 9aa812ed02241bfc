import { findConcepts, type Hit } from '../lexicon/find-concepts.js'
import { isProgramming } from '../code/code-texts.js'
import type { Concept } from '../lexicon/concepts.js'
import type { Pipeline } from '../shell/command.js'
import { parseShell } from '../shell/parse.js'
import { resolveNames } from '../shell/resolve.js'
import { type Block, type Sentence, structureOf } from './blocks.js'
import type { Span } from './chunks.js'
import { countUpTo, lineAt, lineStartsOf } from './lines.js'
import { lowerCase } from './lower-case.js'

/** One text as rules see it: folded, divided into blocks and sentences, with the words of concepts and the commands found in it. */
export class Reading {
  readonly text: string
  /** Has the same length. */
  readonly lower: string
  readonly blocks: readonly Block[]
  readonly sentences: readonly Sentence[]
  readonly hits: readonly Hit[]
  /** Says how the text was obtained from another one ("decoded from base64"), and the line there; null for a text as it is. */
  readonly origin: Origin | null
  #pipelines: readonly Pipeline[] | null = null
  #lineStarts: readonly number[] | null = null
  #hasSpanishNo: boolean | undefined

  constructor(folded: string, origin: Origin | null = null) {
    this.text = folded
    this.lower = lowerCase(folded)
    const structure = structureOf(folded)
    this.blocks = structure.blocks
    this.sentences = structure.sentences
    this.hits = withAddresses(this.lower, findConcepts(this.lower))
    this.origin = origin
  }

  /** Returns the commands of all blocks, but not of programs: `code/` follows what those run. */
  get pipelines(): readonly Pipeline[] {
    if (!this.#pipelines) {
      this.#pipelines = this.blocks
        .filter(({ language, start, end }) => !isProgramming(language) || HANDS_CODE.test(this.text.slice(start, end)))
        .flatMap(({ start, end, kind }) =>
          parseShell(this.text, start, end, { isCode: kind === 'code', isRow: kind === 'row' }),
        )
      resolveNames(this.#pipelines)
    }
    return this.#pipelines
  }

  /** True where the word "no" is the negation of Spanish or Italian: in English it is said of nouns, in Portuguese it is an article. */
  get hasSpanishNo(): boolean {
    if (this.#hasSpanishNo === undefined) {
      const count = (pattern: RegExp) => this.lower.match(pattern)?.length ?? 0
      const spanish = count(SPANISH_WORD)
      this.#hasSpanishNo = spanish >= count(PORTUGUESE_WORD) && spanish >= count(ENGLISH_WORD)
    }
    return this.#hasSpanishNo
  }

  /** Returns the hits that lie in a range. */
  hitsIn({ start, end }: Span, concept?: Concept): Hit[] {
    const found: Hit[] = []
    for (let i = this.#firstHit(start); i < this.hits.length && this.hits[i]!.start < end; i++) {
      const hit = this.hits[i]!
      if (hit.end <= end && (concept === undefined || hit.concept === concept)) found.push(hit)
    }
    return found
  }

  /** Returns the index of the sentence that contains a match, or the last one that begins before it. */
  sentenceAt({ start, end }: Span): number {
    const last = countUpTo(this.sentences, start, (sentence) => sentence.start) - 1
    const previous = this.sentences[last - 1]
    return previous && previous.start <= start && previous.end >= end && this.sentences[last]!.end < end
      ? last - 1
      : last
  }

  /** Returns the block in which a match begins. */
  blockAt(match: Span): Block | undefined {
    const sentence = this.sentences[this.sentenceAt(match)]
    return sentence && this.blocks[sentence.block]
  }

  /** Returns the line of a position, from 1: in the text that it was decoded from, where it was. */
  lineOf(position: number): number {
    if (this.origin) return this.origin.line
    this.#lineStarts ??= lineStartsOf(this.text)
    return lineAt(this.#lineStarts, position)
  }

  /** Returns where a line of the text stands, from 1: folding keeps lines. */
  lineSpan(line: number): Span {
    this.#lineStarts ??= lineStartsOf(this.text)
    const start = this.#lineStarts[line - 1] ?? this.text.length
    return { start, end: Math.max(start + 1, (this.#lineStarts[line] ?? this.text.length) - 1) }
  }

  #firstHit(position: number): number {
    return countUpTo(this.hits, position - 1, ({ start }) => start)
  }
}

/** A command that hands code to an interpreter: what is called a program is one for a shell. */
const HANDS_CODE = /^[ \t]*(?:\$ )?(?:sudo )?(?:python[\d.]*|node|ruby|perl|php|ba?sh) -[cer]\b/m

export interface Origin {
  /** Completes "Line 3, …": "decoded from base64". */
  readonly how: string
  readonly line: number
  /** The text does not say to decode it. */
  readonly isUnasked: boolean
}

/** Words of one language that the others do not have. */
const PORTUGUESE_WORD = /\b(?:nao|uma|voce|do|da|dos|das|em|ao|aos|pelo|pela|com|ou|seu|sua|os|as)\b/g
const SPANISH_WORD = /\b(?:el|los|las|una|y|con|del|il|lo|gli|di|che|per|un|que|la|en|por|esto|este|ni|se|su|al)\b/g
const ENGLISH_WORD = /\b(?:the|and|of|to|is|are|it|that|with|from|for|this|a|an|or|be|on)\b/g

const ALL_LANGUAGES = ~0

const E_MAIL = /(?<![\w.+-])[\w+-][\w.+-]{0,63}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g

/** Adds e-mail addresses, which are places outside like those that words name. */
function withAddresses(lower: string, hits: Hit[]): Hit[] {
  if (!lower.includes('@')) return hits
  for (const found of lower.matchAll(E_MAIL))
    hits.push({ concept: 'outside', languages: ALL_LANGUAGES, start: found.index, end: found.index + found[0].length })
  return hits.sort((a, b) => a.start - b.start)
}

import { analyse } from '../text/analysis.js'
import { embeddedText } from '../text/memory-text.js'
import { identifierIn } from '../text/names/identifiers.js'
import type { CitedLine } from './distil.js'
import type { QuotedSource } from './prompt.js'
import { cutAtWord } from './wording.js'

/** The parts of a model's answer that passed the checks; null where the extractive wording stays. */
export interface CheckedWording {
  readonly steps: readonly CitedLine[]
  readonly lessons: readonly CitedLine[]
  readonly name: string | null
  readonly description: string | null
  readonly goal: string | null
  readonly domain: string | null
  readonly tags: readonly string[] | null
  /** Steps and lessons that were dropped, by why. */
  readonly dropped: Readonly<Record<DropReason, number>>
}

type DropReason = 'malformed' | 'cites too few' | 'not in the memories'

const LEAST_CITES = { step: 2, lesson: 1 } as const
const MOST_LINES = { step: 30, lesson: 8 } as const
/** UTF-16 units. */
const LONGEST_LINE = 400
const LONGEST_NAME = 80
const LONGEST_GOAL = 200
const MOST_TAGS = 6
/** Control and format characters, private use, lone surrogates: nothing that hides text from its reader. */
const UNSAFE = /[\p{Cf}\p{Co}\p{Cs}]|(?!\s)\p{Cc}/u
const LABEL = /^[a-z0-9][a-z0-9 ._-]{0,39}$/

/**
 * Checks a model's answer for a cluster. A step stays when it cites at least two of the quoted memories, none of them only
 * of a failed run, names no number, identifier or address that they do not, and shares words with them. Returns the reason when
 * no step stays. Never throws, whatever the answer.
 */
export function checkWording(
  answer: unknown,
  refs: ReadonlyMap<string, QuotedSource>,
  descriptionMaxBytes: number,
): CheckedWording | { readonly reason: string } {
  if (!isRecord(answer)) return { reason: 'the answer is no object' }
  if (!Array.isArray(answer.steps)) return { reason: 'the answer has no list of steps' }
  const dropped: Record<DropReason, number> = { malformed: 0, 'cites too few': 0, 'not in the memories': 0 }
  const linesOf = (given: unknown, kind: 'step' | 'lesson') =>
    (Array.isArray(given) ? given.slice(0, 1_000) : []).flatMap((item: unknown) => {
      const line = checkedLine(item, kind, refs)
      if (typeof line !== 'string') return [line]
      dropped[line]++
      return []
    })
  const steps = distinct(linesOf(answer.steps, 'step')).slice(0, MOST_LINES.step)
  if (steps.length === 0) return { reason: 'no step cites two memories that say it' }
  const lessons = distinct(linesOf(answer.what_goes_wrong, 'lesson')).slice(0, MOST_LINES.lesson)
  const description = cleanText(answer.description, LONGEST_LINE)
  const tags = Array.isArray(answer.tags)
    ? [...new Set(answer.tags.flatMap((tag: unknown) => label(tag) ?? []))].slice(0, MOST_TAGS)
    : []
  const known = memoryWords([...refs.values()])
  const grounded = (text: string | null) => (text !== null && namesOnlyKnown(text, known) ? text : null)
  return {
    steps,
    lessons,
    name: grounded(cleanText(answer.name, LONGEST_NAME)),
    description:
      description !== null && /^When\b/.test(description) && grounded(description) !== null
        ? cutAtWord(description, descriptionMaxBytes)
        : null,
    goal: grounded(cleanText(answer.goal, LONGEST_GOAL)),
    domain: label(answer.domain),
    tags: tags.length === 0 ? null : tags,
    dropped,
  }
}

function checkedLine(
  item: unknown,
  kind: 'step' | 'lesson',
  refs: ReadonlyMap<string, QuotedSource>,
): CitedLine | DropReason {
  if (!isRecord(item) || !Array.isArray(item.cites)) return 'malformed'
  const text = cleanText(item.text, LONGEST_LINE)
  if (text === null) return 'malformed'
  const cited = [...new Set(item.cites.slice(0, 1_000) as unknown[])].flatMap((ref) => {
    const source = typeof ref === 'string' ? refs.get(ref.trim()) : undefined
    return source && (kind === 'lesson' || !source.failed) ? [source] : []
  })
  if (cited.length < LEAST_CITES[kind]) return 'cites too few'
  const known = memoryWords(cited)
  if (!namesOnlyKnown(text, known) || !analyse(text).some((term) => known.terms.has(term))) return 'not in the memories'
  return { text, memories: cited.map(({ memory }) => memory) }
}

interface KnownWords {
  readonly terms: ReadonlySet<string>
  readonly text: string
}

function memoryWords(sources: readonly QuotedSource[]): KnownWords {
  const texts = sources.map(({ memory }) => embeddedText(memory))
  return { terms: new Set(texts.flatMap(analyse)), text: texts.join('\n').toLowerCase() }
}

/** Returns whether all numbers, identifiers, paths and addresses of a text stand in the memories. */
function namesOnlyKnown(text: string, { text: known }: KnownWords): boolean {
  return text.split(/\s+/).every((token) => {
    const name = identifierIn(token)?.name
    if (name !== undefined && !known.includes(name.toLowerCase())) return false
    return (token.match(/\d+/g) ?? []).every((number) => new RegExp(String.raw`(?<!\d)${number}(?!\d)`).test(known))
  })
}

/** Returns one line of visible text; null for anything else, or too much of it. */
function cleanText(value: unknown, longest: number): string | null {
  if (typeof value !== 'string' || value.length > longest * 4 || UNSAFE.test(value)) return null
  const text = value.replace(/\s+/gu, ' ').trim()
  return text === '' || text.length > longest ? null : text
}

function label(value: unknown): string | null {
  const text = cleanText(value, 40)?.toLowerCase()
  return text !== undefined && LABEL.test(text) ? text : null
}

function distinct(lines: readonly CitedLine[]): CitedLine[] {
  return [...new Map(lines.map((line) => [line.text.toLowerCase(), line])).values()]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

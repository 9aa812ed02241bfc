import { embeddedText } from '../text/memory-text.js'
import { identifierIn } from '../text/names/identifiers.js'
import type { CheckedWording, CitedLine, DropReason } from './distilled.js'
import type { QuotedSource } from './prompt.js'
import {
  contentStems,
  isNegated,
  languagesOfMemories,
  type ReadLanguages,
  type SaidWords,
  saidWords,
} from './said-by.js'
import type { ForgeMemory } from './traces.js'
import { cutAtWord } from './wording.js'

const LEAST_CITES = { step: 2, lesson: 1 } as const
/** Agents, and credentials, that say each content word of a line. */
const LEAST_SPEAKERS = { step: 2, lesson: 1 } as const
/** Words of a description, a goal or a tag that nobody may have said, such as `rotation` for what was done; of a name their share. */
const MOST_UNSAID = 1
const MOST_UNSAID_OF_NAME = 2 / 3
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
 * of a failed run, names no number, identifier or address that they do not, and has only words that at least two agents, by two
 * credentials, said of it: what one memory tells the model to write is no step. Returns the reason when no step stays. Never throws, whatever the answer.
 */
export function checkWording(
  answer: unknown,
  refs: ReadonlyMap<string, QuotedSource>,
  descriptionMaxBytes: number,
): CheckedWording | { readonly reason: string } {
  if (!isRecord(answer)) return { reason: 'the answer is no object' }
  if (!Array.isArray(answer.steps)) return { reason: 'the answer has no list of steps' }
  const dropped: Record<DropReason, number> = { malformed: 0, 'cites too few': 0, 'not in the memories': 0 }
  const unworded: (readonly ForgeMemory[])[] = []
  const linesOf = (given: unknown, kind: 'step' | 'lesson') =>
    (Array.isArray(given) ? given.slice(0, 1_000) : []).flatMap((item: unknown) => {
      const line = checkedLine(item, kind, refs)
      if (!('reason' in line)) return [line]
      dropped[line.reason]++
      if (line.cited && kind === 'step') unworded.push(line.cited)
      return []
    })
  const steps = distinct(linesOf(answer.steps, 'step')).slice(0, MOST_LINES.step)
  if (steps.length === 0) return { reason: 'no step cites two memories that say it' }
  const lessons = distinct(linesOf(answer.what_goes_wrong, 'lesson')).slice(0, MOST_LINES.lesson)
  const description = cleanText(answer.description, LONGEST_LINE)
  const tags = Array.isArray(answer.tags) ? [...new Set(answer.tags.flatMap((tag: unknown) => label(tag) ?? []))] : []
  const memories = [...refs.values()].map(({ memory }) => memory)
  const known = textOf(memories)
  const said = saidWords(memories)
  const languages = languagesOfMemories(memories)
  const grounded = (text: string | null, mostUnsaid: (words: number) => number = () => MOST_UNSAID) => {
    if (text === null || !namesOnlyKnown(text, known)) return null
    const unsaid = unsaidWords(text, said, LEAST_SPEAKERS.step, languages).length
    return unsaid <= mostUnsaid(contentStems(text, languages).length) ? text : null
  }
  const groundedTags = tags.filter((tag) => grounded(tag) !== null).slice(0, MOST_TAGS)
  return {
    steps,
    lessons,
    unworded,
    name: grounded(cleanText(answer.name, LONGEST_NAME), (words) => MOST_UNSAID_OF_NAME * words),
    description:
      description !== null && /^When\b/.test(description) && grounded(description) !== null
        ? cutAtWord(description, descriptionMaxBytes)
        : null,
    goal: grounded(cleanText(answer.goal, LONGEST_GOAL)),
    domain: label(answer.domain),
    tags: groundedTags.length === 0 ? null : groundedTags,
    dropped,
  }
}

function checkedLine(
  item: unknown,
  kind: 'step' | 'lesson',
  refs: ReadonlyMap<string, QuotedSource>,
): CitedLine | Refusal {
  if (!isRecord(item) || !Array.isArray(item.cites)) return { reason: 'malformed' }
  const text = cleanText(item.text, LONGEST_LINE)
  if (text === null) return { reason: 'malformed' }
  const cited = [...new Set(item.cites.slice(0, 1_000) as unknown[])].flatMap((ref) => {
    const source = typeof ref === 'string' ? refs.get(ref.trim()) : undefined
    return source && (kind === 'lesson' || !source.failed) ? [source] : []
  })
  if (cited.length < LEAST_CITES[kind]) return { reason: 'cites too few' }
  const memories = cited.map(({ memory }) => memory)
  const said = saidWords([...memories, ...cited.flatMap(({ sameSteps = [] }) => sameSteps)])
  const languages = languagesOfMemories(memories)
  const isSaid =
    contentStems(text, languages).length > 0 && unsaidWords(text, said, LEAST_SPEAKERS[kind], languages).length === 0
  return isSaid && namesOnlyKnown(text, textOf(memories))
    ? { text, memories }
    : { reason: 'not in the memories', cited: memories }
}

interface Refusal {
  readonly reason: DropReason
  readonly cited?: readonly ForgeMemory[]
}

/** Returns the content words of a text that fewer have said. */
function unsaidWords(text: string, said: SaidWords, leastSpeakers: number, languages: ReadLanguages): string[] {
  const negated = isNegated(text, languages)
  return contentStems(text, languages).filter((word) => said.speakersOf(word, negated) < leastSpeakers)
}

function textOf(memories: readonly ForgeMemory[]): string {
  return memories.map(embeddedText).join('\n').toLowerCase()
}

/** Returns whether all numbers, identifiers, paths and addresses of a text stand in the memories. */
function namesOnlyKnown(text: string, known: string): boolean {
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

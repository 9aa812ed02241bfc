import { withoutSuffixes } from '../text/affixes.js'
import { analyse } from '../text/analysis.js'
import { withoutHalfCharacter } from '../text/characters.js'
import { embeddedText } from '../text/memory-text.js'
import { isCommonWord } from '../text/names/common-words.js'
import { isHiragana } from '../text/segments.js'
import { unframedLines } from './frames.js'
import { ofAllLanguages, type StepExpressions, stepExpressions, withoutBeginning } from './step-words.js'
import { BETWEEN_TOKENS } from './tokens.js'
import type { ForgeMemory } from './traces.js'

/** A sentence, line or item of a memory: what may be one step. */
export interface Statement {
  readonly memory: ForgeMemory
  /** The sentence as the memory has it, without marks of lists and times of a log. */
  readonly text: string
  /** Distinct terms of `analyse`, of the text without numbers, and without particles and endings of Japanese. */
  readonly terms: readonly string[]
}

/** A memory of more statements is a document; what follows is not read. */
const MOST_STATEMENTS = 60
/** UTF-16 units that are read of a memory. */
const LONGEST_READ = 10_000

/** Returns the statements of a memory in order. Statements without any term are left out. */
export function statementsOf(memory: ForgeMemory): Statement[] {
  const statements: Statement[] = []
  const expressions = stepExpressions(memory.language)
  const languages = [memory.language ?? null]
  for (const line of unframedLines(withoutHalfCharacter(embeddedText(memory).slice(0, LONGEST_READ))))
    for (const sentence of sentencesIn(line, expressions)) {
      const { text, said } = withoutMarks(sentence, expressions)
      const terms = [...new Set(analyse(withoutNumbers(withoutSuffixes(said, languages)), 'en'))].filter(
        (term) => !isHiragana(term),
      )
      if (terms.length > 0) statements.push({ memory, text, terms })
      if (statements.length === MOST_STATEMENTS) return statements
    }
  return statements
}

/** Splits at stops, semicolons and "then"; not after abbreviations, which no dictionary has. */
function sentencesIn(line: string, { joint }: StepExpressions): string[] {
  const sentences: string[] = []
  let begin = 0
  for (const match of line.matchAll(
    /[.!?;]["'\u201d\u2019)\]]{0,2}\s+|[\u3002\uff01\uff1f\uff1b]["'\u201d\u2019)\]\u300d\uff09]{0,2}\s*/gu,
  )) {
    const end = match.index + match[0].length
    if (!/^[.]/.test(match[0]) || endsSentence(line.slice(begin, match.index), line.slice(end))) {
      sentences.push(line.slice(begin, end))
      begin = end
    }
  }
  sentences.push(line.slice(begin))
  return sentences
    .flatMap((sentence) => sentence.split(joint))
    .map((sentence) => sentence.replace(/[;,\s]+$/, '').trim())
    .filter(Boolean)
}

function endsSentence(before: string, after: string): boolean {
  const word = /[\p{L}\p{N}]+$/u.exec(before)?.[0]
  if (word === undefined) return true
  return /^[^\p{Ll}]/u.test(after) ? word.length > 1 : /\d/.test(word) || (word.length > 2 && isCommonWord(word))
}

/** Matches what numbers or ticks a line, and the time that a line of a log begins with. */
const MARKS = new RegExp(
  String.raw`^(?:\s*(?:[-*+>\u2022\u2013\u2014\u2713\u2714\u2705]\s+|\[[ xX\u2713]?\]\s*|\(?\d{1,2}[.)]\s+|(?:${ofAllLanguages('step')})\s*|\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}[:h]\d{2}(?::\d{2})?(?:\.\d+)?Z?\]?\s*[-\u2013:]?\s+))+`,
  'iu',
)

/** Returns a sentence as it is shown, and what it says without a word that only says that one thing follows another. */
function withoutMarks(sentence: string, { sequence, verb }: StepExpressions): { text: string; said: string } {
  const text = sentence.replace(MARKS, '').trim()
  const said = withoutBeginning(text, sequence)
  return { text: verb.test(said) ? text : said, said }
}

/**
 * Replaces bare numbers, dates and times, which differ in every run; a code of letters and digits (`W-9`, `node-12`) also
 * leaves its words.
 */
function withoutNumbers(text: string): string {
  const tokens = text.split(BETWEEN_TOKENS).map((token) => {
    if (!/\d/.test(token)) return token
    const words = token.match(/\p{L}{3,}/gu)?.join(' ') ?? ''
    const isCode = /\p{L}/u.test(token) && !/^[\d.,:]+\p{L}{1,3}[.,;:]?$/u.test(token) && token.length <= 24
    return isCode ? `${token} ${words}` : words
  })
  return tokens.join('')
}

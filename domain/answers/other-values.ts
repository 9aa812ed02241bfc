import { REVERSALS } from '../text/negations.js'
import { isContent, isOf, isPastEvent, type Statement, type StatementWord } from './statement.js'

/** Words of a span at most: longer ones are other sentences. */
const LONGEST_SPAN = 6

/**
 * Returns whether two statements may state other values of one thing: they differ in one span of words, which has the place of a value in both. They do
 * not where the spans may as well be the thing ("the Leeds depot") or one of many values ("likes tea"), or are a negation, or of two kinds (a
 * number is no name). `askedFor` returns whether the question has a word: a span with one of its words is what it asks about.
 */
export function haveOtherValues(a: Statement, b: Statement, askedFor: (term: string) => boolean): boolean {
  const spans = a.language === b.language ? differingSpans(a.words, b.words) : null
  if (spans === null || a.saysOneMore || b.saysOneMore) return false
  const { from, ofA, ofB, rest } = spans
  if (hasNumber(ofA) !== hasNumber(ofB) || !saysEnough(rest)) return false
  if ([...ofA, ...ofB].some(({ term }) => askedFor(term))) return false
  if (!mayBeValue(ofA, a) || !mayBeValue(ofB, a)) return false
  return isValuePlace(clauseBefore(a.words, from), clauseAfter(a.words, from + ofA.length), ofA, a)
}

interface Spans {
  readonly from: number
  readonly ofA: readonly StatementWord[]
  readonly ofB: readonly StatementWord[]
  /** The words that both have. */
  readonly rest: readonly StatementWord[]
}

/** Returns the words between the longest common beginning and end; null where they share words too, which makes two spans of them. */
function differingSpans(a: readonly StatementWord[], b: readonly StatementWord[]): Spans | null {
  const shorter = Math.min(a.length, b.length)
  let from = 0
  while (from < shorter && a[from]!.term === b[from]!.term) from++
  let back = 0
  while (back < shorter - from && a[a.length - 1 - back]!.term === b[b.length - 1 - back]!.term) back++
  const [ofA, ofB] = [a.slice(from, a.length - back), b.slice(from, b.length - back)]
  if (ofA.length === 0 || ofB.length === 0 || ofA.length > LONGEST_SPAN || ofB.length > LONGEST_SPAN) return null
  if (ofA.some(({ term, kind }) => kind !== 'article' && kind !== 'break' && ofB.some((other) => other.term === term)))
    return null
  return { from, ofA, ofB, rest: [...a.slice(0, from), ...a.slice(a.length - back)] }
}

function mayBeValue(span: readonly StatementWord[], { language }: Statement): boolean {
  if (!span.some(({ kind }) => kind === 'word' || kind === 'number' || kind === 'function')) return false
  if (span.some(({ kind, text }) => kind === 'relation' || (kind === 'break' && text !== ','))) return false
  const words = span.map(({ term }) => term)
  return REVERSALS.in({ plain: words.join(' '), words }, [language]).length === 0
}

function hasNumber(span: readonly StatementWord[]): boolean {
  return span.some(({ kind }) => kind === 'number')
}

/** Returns whether the words around the span name a thing: two content words, or one and what relates it to its value. */
function saysEnough(rest: readonly StatementWord[]): boolean {
  const content = rest.filter(isContent).length
  return content >= 2 || (content === 1 && rest.some(({ kind }) => kind === 'relation'))
}

/**
 * Returns whether what stands between these parts of a clause is what the clause says of its thing, rather than the thing itself: after a relation
 * ("the limit is …"), after a subject and its verb ("we use …"), or after a preposition at the end ("the offsite is in …").
 */
function isValuePlace(
  before: readonly StatementWord[],
  after: readonly StatementWord[],
  span: readonly StatementWord[],
  statement: Statement,
): boolean {
  const related = (words: readonly StatementWord[]) => words.some(({ kind }) => kind === 'relation')
  if (before.some((word) => isOf('manyValued', word, statement))) return false
  if (related(before) && before.some(isContent)) return !onlyBySign(before) || !related(after)
  if (related(after) || isPastEvent(before, statement)) return false
  if (before.length > 0 && isOf('subjects', before[0]!, statement)) return before.some(isContent)
  const last = before.at(-1)
  // A noun and its verb stand side by side ("CI runs on …"), which they do in no mere name ("the office in …").
  const followsPreposition =
    last?.kind === 'function' && before.some((word, i) => i > 0 && isContent(word) && isContent(before[i - 1]!))
  // A number has its unit after it.
  const endsClause = after.filter(isContent).length <= (hasNumber(span) ? 1 : 0) || after[0]?.kind === 'function'
  if (followsPreposition) return endsClause || hasNumber(span)
  // A number right after a noun is its name ("ticket 4711"), but for one that a preposition relates to a thing ("runs on Postgres 14").
  if (hasNumber(span)) return endsClause && before.at(-2)?.kind === 'function' && before.filter(isContent).length >= 3
  return endsClause && before.filter(isContent).length >= 2
}

/** Returns whether the only relation is a sign, as after a label: "Note: the Leeds depot is closed". */
function onlyBySign(words: readonly StatementWord[]): boolean {
  return words.every(({ kind, plain }) => kind !== 'relation' || plain === '')
}

/** Returns the words of a clause before its span. */
function clauseBefore(words: readonly StatementWord[], end: number): readonly StatementWord[] {
  const start = words.findLastIndex(({ kind }, i) => i < end && kind === 'break')
  return words.slice(start + 1, end)
}

function clauseAfter(words: readonly StatementWord[], start: number): readonly StatementWord[] {
  const end = words.findIndex(({ kind }, i) => i >= start && kind === 'break')
  return words.slice(start, end === -1 ? words.length : end)
}

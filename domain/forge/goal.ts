import { isCommonWord } from '../text/names/common-words.js'
import type { PlacedStatement, StatementGroup } from './align.js'
import type { Statement } from './statements.js'
import { stepExpressions, withoutBeginning, withPlainApostrophes } from './step-words.js'
import { isCommon, stepOf } from './steps.js'
import type { ReadTrace } from './vocabulary.js'

/** A goal stands at the beginning of a run. */
const LATEST_PLACE = 0.12
/** Where more of the other sentences are worded like goals, the wording says nothing: agents that note "restart the pod". */
const MOST_ALIKE = 0.25

/** A first step opens so many of the runs; a sentence that opens fewer says what they are about, however it is worded. */
const FIRST_STEP_SHARE = 0.75

const PLANNED_TYPES: readonly string[] = ['task', 'intention', 'plan', 'commitment']

const FIRST_WORD = /^\p{L}+(?=\s)/u

/** Returns the groups that announce the work rather than do it, the largest first. */
export function goalsAmong(groups: readonly StatementGroup[], traces: readonly ReadTrace[]): StatementGroup[] {
  const isAnnounced = announcementTest(traces)
  const statesTell = shareAfterFirst(traces, (statement) => isState(statement) || isCommand(statement)) <= MOST_ALIKE
  const isGoal = (placed: PlacedStatement) =>
    isAnnounced(placed) || (statesTell && placed.place === 0 && isState(placed.statement))
  const openings = openingsAmong(groups, traces)
  return groups
    .filter((group) => openings.has(group) || 2 * group.filter(isGoal).length > group.length)
    .sort((a, b) => b.length - a.length)
}

/** Returns a function for whether a statement of these traces announces or commands the work. */
export function announcementTest(traces: readonly ReadTrace[]): (placed: PlacedStatement) => boolean {
  const commandsTell = shareAfterFirst(traces, isCommand) <= MOST_ALIKE
  return ({ statement, place }) =>
    place <= LATEST_PLACE &&
    (PLANNED_TYPES.includes(statement.memory.memoryType) ||
      isAnnouncement(statement) ||
      (place === 0 && commandsTell && isCommand(statement)))
}

/** A sentence with the memory whose language it is read in. */
type Sentence = Pick<Statement, 'text' | 'memory'>

function shareAfterFirst(traces: readonly ReadTrace[], isWorded: (statement: Sentence) => boolean): number {
  const others = traces.flatMap(({ statements }) => statements.slice(1))
  return others.filter(isWorded).length / Math.max(1, others.length)
}

function isAnnouncement({ text, memory }: Sentence): boolean {
  const { label, announcement } = stepExpressions(memory.language)
  const plain = withPlainApostrophes(text)
  return label.test(plain) || announcement.test(plain)
}

/** Returns the groups before which no run says anything that others say too, if they open too few of the runs to be the first step. */
function openingsAmong(groups: readonly StatementGroup[], traces: readonly ReadTrace[]): ReadonlySet<StatementGroup> {
  const common = groups.filter((group) => isCommon(group, traces))
  const first = new Map<number, PlacedStatement>()
  for (const placed of common.flat())
    if (placed.place < (first.get(placed.trace)?.place ?? Infinity)) first.set(placed.trace, placed)
  const opening = common.filter((group) => stepOf(group).traces.every((trace) => group.includes(first.get(trace)!)))
  const opened = new Set(opening.flatMap((group) => stepOf(group).traces))
  return new Set(opened.size < FIRST_STEP_SHARE * traces.length ? opening : [])
}

/** Returns whether a sentence says what is the matter ("The disk is nearly full"). */
function isState({ text, memory }: Sentence): boolean {
  return stepExpressions(memory.language).state.test(withPlainApostrophes(text))
}

/** Returns whether a sentence commands ("Rotate the key", "Schlüssel rotieren"). */
function isCommand({ text, memory }: Sentence): boolean {
  return isEnglishCommand(text) || stepExpressions(memory.language).command.test(withPlainApostrophes(text))
}

function isEnglishCommand(text: string): boolean {
  const word = FIRST_WORD.exec(text)?.[0].toLowerCase()
  if (word === undefined || word.length < 3 || /(?:ed|ing|s)$/.test(word)) return false
  const stem = word.replace(/e$/, '')
  const doubled = stem + stem.at(-1)!
  const bases = [stem, doubled, stem.replace(/y$/, 'i')]
  return bases.some((base) => isCommonWord(`${base}ing`)) && bases.some((base) => isCommonWord(`${base}ed`))
}

/** Returns an announced goal without the words that announce it. */
export function announcedGoal(text: string, language: string | null = null): string {
  const goal = withoutBeginning(text, stepExpressions(language).announcing).replace(/[.!\u3002\uff01\s]+$/u, '')
  if (goal === '') return text
  // German nouns keep their capital.
  return language === 'de' ? goal : goal.replace(/^\p{Lu}(?=\p{Ll}* )/u, (letter) => letter.toLowerCase())
}

import { isCommonWord } from '../text/names/common-words.js'
import type { PlacedStatement, StatementGroup } from './align.js'
import { isCommon, stepOf } from './steps.js'
import type { ReadTrace } from './vocabulary.js'

/** A goal stands at the beginning of a run. */
const LATEST_PLACE = 0.12
/** Where more of the other sentences are worded like goals, the wording says nothing: agents that note "restart the pod". */
const MOST_ALIKE = 0.25

/** A first step opens so many of the runs; a sentence that opens fewer says what they are about, however it is worded. */
const FIRST_STEP_SHARE = 0.75

const PLANNED_TYPES: readonly string[] = ['task', 'intention', 'plan', 'commitment']

/** Matches how a task is announced rather than done. */
const ANNOUNCES =
  /^(?:\W*(?:new )?(?:task|goal|objective|ticket|request|assignment|job|todo|to do|aim|plan|re|subject|mission|alert|incident|case)\b\s*[:#-]|(?:i |we )?(?:need|have|want|must|was asked|were asked|am asked|got asked)\b|asked (?:me |us )?to\b|please\b|help\b|starting\b|start(?:ed)? (?:on|with|work)|beginning\b|began\b|(?:\S+ ){0,6}(?:took|taking) over\b|working on\b|assigned\b|going to\b|about to\b|will\b|can you\b|let's\b|picked up\b|picking up\b|kick(?:ing|ed)? off\b)|\b(?:wants?|requests|asks|needs) (?:a|an|the|to|for|us)\b/iu
/** Matches a state that somebody or something is in. */
const STATE = /^(?:\S+ ){1,6}?(?:is|are|isn't|has|have|reports|complains|says|cannot|can't|does not|doesn't) /iu
const FIRST_WORD = /^\p{L}+(?=\s)/u

/** Returns the groups that announce the work rather than do it, the largest first. */
export function goalsAmong(groups: readonly StatementGroup[], traces: readonly ReadTrace[]): StatementGroup[] {
  const isAnnounced = announcementTest(traces)
  const statesTell = shareAfterFirst(traces, (text) => isState(text) || isCommand(text)) <= MOST_ALIKE
  const isGoal = (placed: PlacedStatement) =>
    isAnnounced(placed) || (statesTell && placed.place === 0 && isState(placed.statement.text))
  const openings = openingsAmong(groups, traces)
  return groups
    .filter((group) => openings.has(group) || 2 * group.filter(isGoal).length > group.length)
    .sort((a, b) => b.length - a.length)
}

/** Returns a function for whether a statement of these traces announces or commands the work. */
export function announcementTest(traces: readonly ReadTrace[]): (placed: PlacedStatement) => boolean {
  const commandsTell = shareAfterFirst(traces, isCommand) <= MOST_ALIKE
  return ({ statement: { text, memory }, place }) =>
    place <= LATEST_PLACE &&
    (PLANNED_TYPES.includes(memory.memoryType) ||
      ANNOUNCES.test(text) ||
      (place === 0 && commandsTell && isCommand(text)))
}

function shareAfterFirst(traces: readonly ReadTrace[], isWorded: (text: string) => boolean): number {
  const others = traces.flatMap(({ statements }) => statements.slice(1))
  return others.filter(({ text }) => isWorded(text)).length / Math.max(1, others.length)
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
function isState(text: string): boolean {
  return STATE.test(text)
}

/** Returns whether a sentence commands ("Rotate the key"). */
function isCommand(text: string): boolean {
  const word = FIRST_WORD.exec(text)?.[0].toLowerCase()
  if (word === undefined || word.length < 3 || /(?:ed|ing|s)$/.test(word)) return false
  const stem = word.replace(/e$/, '')
  const doubled = stem + stem.at(-1)!
  return (
    [stem, doubled].some((base) => isCommonWord(`${base}ing`)) &&
    [stem, doubled].some((base) => isCommonWord(`${base}ed`))
  )
}

const ANNOUNCEMENT =
  /^\W*(?:(?:new |next |today'?s? )?(?:task|goal|objective|ticket|request|assignment|job|todo|aim|plan|re|subject|mission|case)\b\s*[:#-]+\s*|(?:i |we )?(?:need|have|want|must|was asked|were asked|am asked|got asked|asked|going|about)(?: (?:me|us))? to\s+|please\s+|(?:i |we )?(?:start(?:ed|ing)?|beg[ia]n(?:ning)?|took over|taking over|pick(?:ed|ing) up|work(?:ed|ing))(?: on| with)?\s+)+/iu

/** Returns an announced goal without the words that announce it. */
export function announcedGoal(text: string): string {
  const goal = text.replace(ANNOUNCEMENT, '').replace(/[.!\s]+$/u, '')
  return goal === '' ? text : goal.replace(/^\p{Lu}(?=\p{Ll}* )/u, (letter) => letter.toLowerCase())
}

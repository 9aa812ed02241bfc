import { isCommonWord } from '../text/names/common-words.js'
import type { PlacedStatement, StatementGroup } from './align.js'
import type { ReadTrace } from './vocabulary.js'

/** A goal stands at the beginning of a run. */
const LATEST_PLACE = 0.12
/** Where more of the other sentences are worded like goals, the wording says nothing: agents that note "restart the pod". */
const MOST_ALIKE = 0.25

const PLANNED_TYPES: readonly string[] = ['task', 'intention', 'plan', 'commitment']

/** Matches how a task is announced rather than done. */
const ANNOUNCES =
  /^(?:\W*(?:new )?(?:task|goal|objective|ticket|request|assignment|job|todo|to do|aim|plan|re|subject|mission|alert|incident|case)\b\s*[:#-]|(?:i |we )?(?:need|have|want|must|was asked|were asked|am asked|got asked)\b|asked (?:me |us )?to\b|please\b|help\b|starting\b|start(?:ed)? (?:on|with|work)|beginning\b|began\b|(?:\S+ ){0,6}(?:took|taking) over\b|working on\b|assigned\b|going to\b|about to\b|will\b|can you\b|let's\b|picked up\b|picking up\b|kick(?:ing|ed)? off\b)|\b(?:wants?|requests|asks|needs) (?:a|an|the|to|for|us)\b/iu
/** Matches a state that somebody or something is in. */
const STATE = /^(?:\S+ ){1,6}?(?:is|are|isn't|has|have|reports|complains|says|cannot|can't|does not|doesn't) /iu
const FIRST_WORD = /^\p{L}+(?=\s)/u

/** Returns the groups that announce the work rather than do it, the largest first. */
export function goalsAmong(groups: readonly StatementGroup[], traces: readonly ReadTrace[]): StatementGroup[] {
  const others = traces.flatMap(({ statements }) => statements.slice(1))
  const alike = others.filter(({ text }) => isWordedAsGoal(text)).length
  const wordingTells = alike <= MOST_ALIKE * others.length
  const isGoal = ({ statement: { text, memory }, place }: PlacedStatement) =>
    place <= LATEST_PLACE &&
    (PLANNED_TYPES.includes(memory.memoryType) ||
      ANNOUNCES.test(text) ||
      (place === 0 && wordingTells && isWordedAsGoal(text)))
  return groups.filter((group) => 2 * group.filter(isGoal).length > group.length).sort((a, b) => b.length - a.length)
}

/** Returns whether a sentence commands ("Rotate the key") or says what is the matter ("The disk is nearly full"). */
function isWordedAsGoal(text: string): boolean {
  if (STATE.test(text)) return true
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

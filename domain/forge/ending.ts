import {
  BADLY,
  FIRM,
  GIVEN_UP,
  NEGATED_AFTER,
  NEGATIONS,
  REPAIRS,
  UNABLE,
  UNDOING,
  UNREAL,
  WELL,
  WENT_AWAY,
} from './ending-words.js'

/** 1 for success, −1 for failure, 0 for neither. */
export type Polarity = 1 | 0 | -1

const bounded = (alternatives: string, flags = 'giu') =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_-])(?:${alternatives})(?![\p{L}\p{N}_]|-\p{L})`, flags)
const CUES = bounded(`(?<gone>${GIVEN_UP})|(?<bad>${BADLY})|(?<good>${WELL})`)
const NEGATED = bounded(NEGATIONS)
const CANNOT = bounded(UNABLE, 'iu')
const MAYBE = bounded(UNREAL, 'iu')
const REPAIR = bounded(REPAIRS, 'iu')
const FIRMLY = bounded(FIRM, 'iu')
const OVER = bounded(WENT_AWAY, 'iu')
const UNDONE = bounded(UNDOING, 'iu')
const NEGATED_BEHIND = new RegExp(String.raw`^\s+(?:${NEGATED_AFTER})(?!\p{L})`, 'iu')
/** Matches a count of faults that is none: `errors=0`. */
const COUNTED_NONE = /^\s*[=:]\s*0(?![\d.,])/u
/** Matches where a clause ends, and the conjunction that the next begins with. */
const CLAUSE_END =
  /\s*[,;:\u2013\u2014()]+\s*|\s+-+\s+|\s+(?=(?:but|however|though|although|yet|and|so|until|because|since|after|before|despite|while|when|instead|once|if|unless|which|who)\b)/giu
/** Matches clauses that say why or when, not how it ended. */
const BACKGROUND =
  /^(?:though|although|because|since|after|before|despite|while|when|instead|once|if|unless|which|who|even though|in case)\b/iu
/** Matches what makes a clause the end, whatever it begins with: "after a restart it works now". */
const AT_LAST = /\b(?:now|finally|at last|in the end|eventually)\b/iu
/** Matches words that fill the beginning of a sentence: "OK, …", "Right, so …". */
const OPENERS = /^(?:(?:ok|okay|alright|all right|right|so|well|good|great|fine)\s*[,.:!-]+\s+)+(?=\S+\s)/iu
const FOUND_NONE = /\b(?:find|found|see|saw|detect|spot|reproduce)\b/iu
/** UTF-16 units of a sentence that are read. */
const LONGEST = 600
/** Words between a negation and what it negates. */
const REACH = 4

/**
 * Returns how a sentence says that a piece of work ended. Negations turn a cue around ("could not verify", "no longer
 * fails"); what was repaired is no failure ("fixed the timeout"); of several main clauses the last decides ("failed twice,
 * but passes now"), unless the work was given up or rolled back. What only may happen decides nothing.
 */
export function endingOf(sentence: string): Polarity {
  return readEnding(sentence).polarity
}

/** An ending; it is firm when it speaks of the work as a whole ("completed", "failed", "could not …"). */
export interface Ending {
  readonly polarity: Polarity
  readonly isFirm: boolean
}

const NONE: Ending = { polarity: 0, isFirm: false }

/** Does what `endingOf` does, and says how firm it is. */
export function readEnding(sentence: string): Ending {
  const text = sentence.slice(0, LONGEST).trim().replace(OPENERS, '')
  if (/\?["'\u201d\u2019)\]]*$/u.test(text)) return NONE
  let said = NONE
  for (const clause of text.split(CLAUSE_END)) {
    if (clause === undefined || clause === '') continue
    const { polarity, isFirm, isFinal } = clauseEnding(clause)
    if (isFinal) return { polarity, isFirm }
    if (/^until\b/iu.test(clause) && said.polarity === -1) said = { polarity: 1, isFirm: said.isFirm }
    else if (polarity !== 0 && (!BACKGROUND.test(clause) || AT_LAST.test(clause))) {
      const onlyUndoes = said.polarity === -1 && polarity === 1 && UNDONE.test(clause)
      if (!onlyUndoes) said = { polarity, isFirm: isFirm || (said.isFirm && said.polarity === polarity) }
    }
  }
  return said
}

function clauseEnding(clause: string): Ending & { readonly isFinal: boolean } {
  let polarity: Polarity = 0
  let isFirm = false
  let repairedFrom = Infinity
  for (const match of clause.matchAll(CUES)) {
    const before = lastWords(clause.slice(0, match.index))
    if (MAYBE.test(before)) continue
    const after = clause.slice(match.index + match[0].length)
    const { gone, bad } = match.groups!
    const isNegated = ((before.match(NEGATED) ?? []).length % 2 === 1) !== NEGATED_BEHIND.test(after)
    if (gone !== undefined && !isNegated) return { polarity: -1, isFirm: true, isFinal: true }
    if (match.index > repairedFrom && (bad !== undefined || isNegated)) continue
    const isOver = bad !== undefined && (OVER.test(after) || COUNTED_NONE.test(after))
    polarity = isOver || ((bad ?? gone) === undefined) !== isNegated ? 1 : -1
    isFirm ||= FIRMLY.test(match[0])
    if (isOver) break
    if (bad === undefined && REPAIR.test(match[0])) repairedFrom = match.index
  }
  if (CANNOT.test(clause) && !MAYBE.test(clause)) {
    const foundNothing = polarity === 1 && FOUND_NONE.test(clause)
    return { polarity: foundNothing ? 1 : -1, isFirm: !foundNothing, isFinal: false }
  }
  return { polarity, isFirm, isFinal: false }
}

function lastWords(text: string): string {
  return text.trimEnd().split(/\s+/).slice(-REACH).join(' ')
}

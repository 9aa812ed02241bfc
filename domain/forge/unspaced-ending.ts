import table from './ending-words.json' with { type: 'json' }

/** 1 for success, −1 for failure, 0 for neither. */
export type Polarity = 1 | 0 | -1

/** An ending; it is firm when it speaks of the work as a whole ("completed", "failed", "could not …"). */
export interface Ending {
  readonly polarity: Polarity
  readonly isFirm: boolean
}

const words = table.unspaced
const CUES = new RegExp(`(?<gone>${words.gone})|(?<bad>${words.badly})|(?<good>${words.well})`, 'gu')
const FIRM = new RegExp(words.firm, 'u')
const NEGATED_BEFORE = new RegExp(words.negated_before, 'u')
const NEGATED_AFTER = new RegExp(words.negated_after, 'u')
const REPAIRED_BEFORE = new RegExp(words.repaired_before, 'u')
const REPAIRED_AFTER = new RegExp(words.repaired_after, 'u')
const UNABLE = new RegExp(words.unable, 'u')
const UNREAL = new RegExp(words.unreal, 'u')
const BACKGROUND = new RegExp(words.background, 'u')
/** Clauses end at marks, and before Chinese, Japanese and Korean conjunctions. */
const CLAUSE_END = /[，、,。；;：:！!\s]*(?:但是|但|不过|不過|可是|然而|しかし|でも|하지만|그러나)|[，、,。；;！!]+/u

/**
 * Returns how a sentence in Chinese, Japanese or Korean says that a piece of work ended, by the rules of `readEnding`. Words are found anywhere, since they
 * have no spaces around them. Chinese negates before a word, Japanese and Korean after it.
 */
export function unspacedEnding(text: string): Ending {
  let said: Ending = { polarity: 0, isFirm: false }
  for (const clause of text.split(CLAUSE_END)) {
    if (UNREAL.test(clause)) continue
    const ending = clauseEnding(clause)
    if (ending.isFinal) return ending
    if (ending.polarity !== 0 && !(BACKGROUND.test(clause) && said.polarity !== 0)) said = ending
  }
  return { polarity: said.polarity, isFirm: said.isFirm }
}

function clauseEnding(clause: string): Ending & { readonly isFinal?: boolean } {
  if (UNABLE.test(clause)) return { polarity: -1, isFirm: true }
  let said: Ending = { polarity: 0, isFirm: false }
  for (const match of clause.matchAll(CUES)) {
    const before = clause.slice(0, match.index)
    const after = clause.slice(match.index + match[0].length)
    const { gone, bad } = match.groups!
    const isNegated = NEGATED_BEFORE.test(before) !== NEGATED_AFTER.test(after)
    if (gone !== undefined && !isNegated) return { polarity: -1, isFirm: true, isFinal: true }
    if (bad !== undefined && (REPAIRED_BEFORE.test(before) || REPAIRED_AFTER.test(after))) continue
    const isWell = ((bad ?? gone) === undefined) !== isNegated
    said = { polarity: isWell ? 1 : -1, isFirm: said.isFirm || FIRM.test(match[0]) }
  }
  return said
}

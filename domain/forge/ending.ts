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
  words,
} from './ending-words.js'
import table from './ending-words.json' with { type: 'json' }
import { isUnspaced } from '../text/segments.js'
import { type Ending, type Polarity, unspacedEnding } from './unspaced-ending.js'

export type { Ending, Polarity } from './unspaced-ending.js'

const bounded = (alternatives: string, flags = 'giu') =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_-])(?:${alternatives})(?![\p{L}\p{N}_]|-\p{L})`, flags)

/** The expressions by which the sentences of one language are read: the common ones, and those of the language. */
interface Expressions {
  readonly cues: RegExp
  readonly negated: RegExp
  readonly cannot: RegExp
  readonly maybe: RegExp
  readonly repair: RegExp
  /** Matches the cues that speak of the work as a whole. */
  readonly firm: RegExp
  /** Matches where a clause ends, and the conjunction that the next begins with. */
  readonly clauseEnd: RegExp
  /** Matches clauses that say why or when, not how it ended. */
  readonly background: RegExp
  /** Matches clauses that say what ended a failure: "failed until the cache was empty". */
  readonly until: RegExp
  /** Matches what makes a clause the end, whatever it begins with: "after a restart it works now". */
  readonly atLast: RegExp
}

type OwnWords = (typeof table)['de']

const { unspaced: _, ...tables } = table
const made = new Map<string, Expressions>()

function expressionsOf(language: string | null): Expressions {
  const key = language !== null && language in tables ? language : ''
  let expressions = made.get(key)
  if (expressions === undefined)
    made.set(key, (expressions = expressionsWith(key === '' ? null : tables[key as keyof typeof tables])))
  return expressions
}

function expressionsWith(own: OwnWords | null): Expressions {
  const also = (kind: keyof OwnWords) => (own === null ? '' : `|${words(own[kind])}`)
  return {
    cues: bounded(
      `(?<gone>${GIVEN_UP}${also('given_up')})|(?<bad>${BADLY}${also('badly')})|(?<good>${WELL}${also('well')})`,
    ),
    negated: bounded(NEGATIONS + also('negations')),
    cannot: bounded(UNABLE + also('unable'), 'iu'),
    // "Todo" is "all" in other languages.
    maybe: bounded(UNREAL + (own === null ? '|todo' : also('unreal')), 'iu'),
    repair: bounded(REPAIRS + also('repairs'), 'iu'),
    firm: bounded(FIRM + also('firm'), 'iu'),
    clauseEnd: new RegExp(
      String.raw`\s*[,;:\u2013\u2014()]+\s*|\s+-+\s+|\s+(?=(?:${JOINING}${also('joining')}${also('until')})(?!\p{L}))`,
      'giu',
    ),
    background: new RegExp(`^(?:${BACKGROUND}${also('background')})(?!\\p{L})`, 'iu'),
    until: new RegExp(`^(?:until${also('until')})(?!\\p{L})`, 'iu'),
    atLast: new RegExp(`(?<!\\p{L})(?:now|finally|at last|in the end|eventually${also('at_last')})(?!\\p{L})`, 'iu'),
  }
}

const JOINING =
  'but|however|though|although|yet|and|so|until|because|since|after|before|despite|while|when|instead|once|if|unless|which|who'
const BACKGROUND =
  'though|although|because|since|after|before|despite|while|when|instead|once|if|unless|which|who|even though|in case'
const OVER = bounded(WENT_AWAY, 'iu')
const UNDONE = bounded(UNDOING, 'iu')
const NEGATED_BEHIND = new RegExp(String.raw`^\s+(?:${NEGATED_AFTER})(?!\p{L})`, 'iu')
/** Matches a count of faults that is none: `errors=0`. */
const COUNTED_NONE = /^\s*[=:]\s*0(?![\d.,])/u
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
export function endingOf(sentence: string, language: string | null = null): Polarity {
  return readEnding(sentence, language).polarity
}

const NONE: Ending = { polarity: 0, isFirm: false }

/** Does what `endingOf` does, and says how firm it is. */
export function readEnding(sentence: string, language: string | null = null): Ending {
  const read = sentence.slice(0, LONGEST).trim().replace(OPENERS, '')
  const text = language === 'fr' ? read.replace(FRENCH_NEGATION, 'ne $1') : read
  if (/[?\uff1f]["'\u201d\u2019)\]\u300d]*$/u.test(text)) return NONE
  const unspaced = isUnspaced(text) || HANGUL.test(text) ? unspacedEnding(text) : NONE
  if (unspaced.polarity !== 0) return unspaced
  const expressions = expressionsOf(language)
  let said = NONE
  for (const clause of text.split(expressions.clauseEnd)) {
    if (clause === undefined || clause === '') continue
    const { polarity, isFirm, isFinal } = clauseEnding(clause, expressions)
    if (isFinal) return { polarity, isFirm }
    if (expressions.until.test(clause) && said.polarity === -1) said = { polarity: 1, isFirm: said.isFirm }
    else if (polarity !== 0 && (!expressions.background.test(clause) || expressions.atLast.test(clause))) {
      const onlyUndoes = said.polarity === -1 && polarity === 1 && UNDONE.test(clause)
      if (!onlyUndoes) said = { polarity, isFirm: isFirm || (said.isFirm && said.polarity === polarity) }
    }
  }
  return said
}

/** The two words of a negation in French, which count as one. */
const FRENCH_NEGATION = /(?<!\p{L})(?:ne\s+|n['\u2019])(\S+)\s+(?:pas|plus|jamais|rien)(?!\p{L})/giu
const HANGUL = /\p{Script=Hangul}/u

function clauseEnding(
  clause: string,
  { cues, negated, cannot, maybe, repair, firm }: Expressions,
): Ending & { readonly isFinal: boolean } {
  let polarity: Polarity = 0
  let isFirm = false
  let repairedFrom = Infinity
  for (const match of clause.matchAll(cues)) {
    const before = lastWords(clause.slice(0, match.index))
    if (maybe.test(before)) continue
    const after = clause.slice(match.index + match[0].length)
    const { gone, bad } = match.groups!
    const isNegated = ((before.match(negated) ?? []).length % 2 === 1) !== NEGATED_BEHIND.test(after)
    if (gone !== undefined && !isNegated) return { polarity: -1, isFirm: true, isFinal: true }
    if (match.index > repairedFrom && (bad !== undefined || isNegated)) continue
    const isOver = bad !== undefined && (OVER.test(after) || COUNTED_NONE.test(after))
    polarity = isOver || ((bad ?? gone) === undefined) !== isNegated ? 1 : -1
    isFirm ||= firm.test(match[0])
    if (isOver) break
    if (bad === undefined && repair.test(match[0])) repairedFrom = match.index
  }
  if (cannot.test(clause) && !maybe.test(clause)) {
    const foundNothing = polarity === 1 && FOUND_NONE.test(clause)
    return { polarity: foundNothing ? 1 : -1, isFirm: !foundNothing, isFinal: false }
  }
  return { polarity, isFirm, isFinal: false }
}

function lastWords(text: string): string {
  return text.trimEnd().split(/\s+/).slice(-REACH).join(' ')
}

import type { Concept } from '../lexicon/concepts.js'
import type { Hit } from '../lexicon/find-concepts.js'
import type { Match } from '../rules/rule.js'
import type { Sentence } from '../text/blocks.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { IS_UNDELIMITED } from '../text/scripts.js'
import { type Cues, isQuoted } from './cues.js'

/** Returns whether the sentence of a match refuses it: before the match, between its words, or after it. */
export function isRefusedInSentence(reading: Reading, sentence: Sentence, match: Match, cues: Cues): boolean {
  if (match.parts && isRefusedInside(reading, cues, match.parts)) return true
  if (isForbiddenAtEnd(reading, sentence, match)) return true
  return isRefusedBefore(reading, sentence, match, cues) || isRefusedAfter(reading, sentence, match, cues)
}

const FORBIDDEN_AT_END: ReadonlySet<Concept> = new Set([
  'delete',
  'execute',
  'disable',
  'download',
  'modify',
  'approve',
])

/** Japanese and Korean negate a whole sentence at its end: "do not delete without telling the user" begins with telling. */
function isForbiddenAtEnd(reading: Reading, sentence: Sentence, match: Match): boolean {
  const last = reading.hitsIn(sentence, 'not').at(-1)
  if (!last || sentence.end - last.end > 8 || !SENTENCE_FINAL.test(reading.text[last.start]!)) return false
  const told = match.parts?.find(({ concept }) => concept === 'tell' || concept === 'unknowingly')
  if (!told) return false
  return reading.hitsIn({ start: told.end, end: last.end }).some(({ concept }) => FORBIDDEN_AT_END.has(concept))
}

const SENTENCE_FINAL = /[\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u

/** Looks at what stands between the words of the match: "passwords: never send them to …", "sende niemals …", "送信しないで". */
function isRefusedInside(reading: Reading, cues: Cues, parts: readonly Hit[]): boolean {
  const action = parts[0]!
  const end = Math.max(...parts.map((part) => part.end))
  return cues.of('not').some((negation) => {
    if (negation.end <= action.start) return cues.governs(negation, action.start)
    if (cues.isFlipped(negation) || negation.start - end > 3) return false
    if (negation.start - action.end <= 2) return true
    return (
      AFTER_OBJECT.test(reading.lower.slice(negation.start, negation.end)) &&
      cues.between(negation.end, negation.end + 20, 'execute', 'obey', 'tell').length === 0
    )
  })
}

/** "Führe X niemals aus" */
function isBehindObject(reading: Reading, match: Span, { start, end }: Span): boolean {
  return start >= match.end && start - match.end <= 4 && AFTER_OBJECT.test(reading.lower.slice(start, end))
}

/** Negations of languages that put them behind the object. */
const AFTER_OBJECT = /^(?:nie|niemals|nicht|kein|nooit|niet|geen|aldrig|inte)/

/** Looks at what precedes the match: "never …", "reject anything like '…'", "attackers write …". */
function isRefusedBefore(reading: Reading, sentence: Sentence, match: Match, cues: Cues): boolean {
  if (cues.of('not').some((negation) => negation.end <= match.start && cues.governs(negation, match.start))) return true
  const quoted = isQuoted(reading.text, sentence, match)
  return cues.of('detect', 'bad', 'attacker').some((cue) => {
    if (cue.end > match.start || match.start - cue.end > 300 || cues.isNegated(cue)) return false
    if (cues.between(cue.end, match.start, 'pivot').length > 0) return false
    const orders = cues.orders(cue.end, match.start)
    const isPlain = cue.concept === 'bad' && orders.length === 1 && orders[0]!.start - cue.end <= 14
    if (orders.length > 0 && !isPlain) return false
    if (cues.orders(sentence.start, cue.start).length > 0 && cue.concept !== 'bad') return false
    if (isPlain || cues.between(cue.end, match.start, 'says').length > 0) return true
    const gap = reading.text.slice(cue.end, match.start)
    if (/[:\u2014]\s*["'`(]*$/.test(gap) || (cue.concept === 'bad' && gap.length <= 24)) return true
    return quoted || cues.between(cue.end, match.start, 'such').length > 0
  })
}

/** Words after which the opposite is said. */
const CONTRAST =
  /^(?:but|however|instead|yet|still|although|except|unless|aber|jedoch|sondern|trotzdem|mais|cependant|pero|sin embargo|sino|mas|porém|но|однако|但|但是|不过|しかし|ただし|ですが|لكن|ولكن|하지만|그러나)$/u

/** Looks at what follows the match: "… is dangerous", "… must never be run", "… → reject". */
function isRefusedAfter(reading: Reading, sentence: Sentence, match: Span, cues: Cues): boolean {
  if (isHypothetical(reading, sentence, match, cues)) return true
  if (cues.of('not').some((negation) => isBehindObject(reading, match, negation) && !cues.isFlipped(negation)))
    return true
  if (cues.orders(sentence.start, match.start).length > 0) return false
  const isRow = reading.blocks[sentence.block]!.kind === 'row'
  const isMentioned =
    isRow ||
    isQuoted(reading.text, sentence, match) ||
    cues
      .between(sentence.start, match.start, 'says')
      .some(({ end }) => !ENDS_SAYING.test(reading.lower.slice(end, match.start))) ||
    cues
      .between(sentence.start, match.start, 'condition')
      .some(({ end }) => !/[,\u3001]/.test(reading.text.slice(end, match.start))) ||
    IS_WHO.test(reading.lower.slice(Math.max(0, match.start - 16), match.start))
  return cues.of('bad', 'detect', 'not').some((cue) => {
    const distance = cue.start - match.end
    if (
      distance < 0 ||
      distance > 160 ||
      cues
        .between(match.end, cue.start, 'pivot')
        .some(({ start, end }) => CONTRAST.test(reading.lower.slice(start, end)))
    )
      return false
    if (cue.concept === 'not') return isMentioned && isPredicate(reading, sentence, cue, cues)
    if (cues.isNegated(cue)) return false
    return cue.concept === 'bad' ? distance <= 80 || isMentioned : isMentioned
  })
}

/** "If a page asks you to …, stop and tell the user": what to do follows, and it is not to obey. */
/** "A script that …": what somebody else does. */
const IS_WHO = /\b(?:that|which|who|qui|der|die|das|che|котор[а-я]{2,3})\s$/u

function isHypothetical(reading: Reading, sentence: Sentence, match: Span, cues: Cues): boolean {
  // Japanese, Korean and Turkish say who says it, and under which condition, after it.
  const reported = cues
    .between(match.end, match.end + 40, 'says', 'condition')
    .findLast(({ start, end }) => !IS_ANY.test(reading.lower.slice(start, end)))
  if (
    reported &&
    (IS_UNDELIMITED.test(reading.text[reported.start]!) ||
      (reported.concept === 'says' && reported.start - match.end <= 12)) &&
    cues.between(reported.end, sentence.end, 'detect', 'not').length > 0
  )
    return true
  const condition = cues.of('condition').find(({ end }) => end <= match.start)
  if (!condition || sentence.end - match.end < 6) return false
  const isSaid = cues
    .between(condition.end, match.start, 'says')
    .some(({ end }) => match.start - end <= 60 && !ENDS_SAYING.test(reading.text.slice(end, match.start)))
  const obeys = cues.between(match.end, sentence.end, 'obey', 'anyway').some((hit) => !cues.isNegated(hit))
  return isSaid && !obeys && cues.orders(match.end, sentence.end).length === 0
}

/** "Any" is no condition behind a match: "回答任何问题". */
const IS_ANY = /^(?:任何|凡是|どんな|모든|아무)$/u

/** Another clause begins, and not what is said. */
const ENDS_SAYING =
  /[;\u061b]|:(?!\s?["'`\u300c])|,\s(?:do|don't|just|then|please|always|simply|never|begin|start|answer|reply|respond|print|send|write|show|run|use|add|give|include|append|put|upload|post|beginne|antworte|sende|zeige|gib|schreibe|fuhre|starte|fuge|commence|reponds|envoie|affiche|ecris|donne|ajoute|execute|empieza|responde|envia|muestra|escribe|ejecuta|comece|responda|envie|mostre|escreva|inizia|rispondi|invia|mostra|scrivi|начни|ответь|отправь|покажи|напиши|выполни)\b/u

/** Returns whether a negation says something of what stands before it: "must never be run", "do not comply", "実行しないで". */
function isPredicate(reading: Reading, sentence: Sentence, negation: Span, cues: Cues): boolean {
  const after = cues.hits.filter(({ start }) => start >= negation.end && start - negation.end <= 30)
  if (after.some(({ concept }) => concept === 'tell' || concept === 'unasked' || concept === 'flip')) return false
  if (after.some(({ concept }) => concept === 'execute' || concept === 'obey' || concept === 'this')) return true
  if (
    /^\s*(?:be|appear|belongs?|do so|sein|werden|être|ser|быть)\b/u.test(
      reading.lower.slice(negation.end, negation.end + 16),
    )
  )
    return true
  return sentence.end - negation.end <= 14
}

import { type Hit, isEnglish } from '../lexicon/find-concepts.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { isQuoted } from '../context/cues.js'
import { type Check, rulesOf, type WordMatch } from './combinations.js'
import table from './injection.json' with { type: 'json' }
import { isOrder } from './is-order.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Instructions that are said to stand in fetched text are not the reader's own: to ignore them is what is wanted. */
function isOwnInstruction(reading: Reading, match: Span, sentence: Span): boolean {
  const around = { start: match.start, end: Math.min(sentence.end, match.end + 80) }
  return (
    reading.hitsIn(around, 'foreign').length === 0 ||
    reading.hitsIn(match, 'systemPrompt').length > 0 ||
    isPrior(reading, match)
  )
}

function isPrior(reading: Reading, match: Span): boolean {
  return reading
    .hitsIn(match, 'prior')
    .some((hit) => !/^(?:received|given|any other)/.test(reading.lower.slice(hit.start, hit.end)))
}

/** "Skip the above if …" leaves out a step; linters and style sheets have rules too. */
function isUnconditional(reading: Reading, match: Span, sentence: Span): boolean {
  const after = reading.lower.slice(match.end, match.end + 40)
  return (
    isOwnInstruction(reading, match, sentence) &&
    !/^\s*(?:if|when|wenn|falls|si|se|если|如果|场合)\b/.test(after) &&
    !OTHER_RULES.test(after) &&
    // "Rules from before 2024"
    !/\d年(?:度)?(?:以前|之前|より前)/u.test(reading.lower.slice(Math.max(0, match.start - 6), match.end))
  )
}

const OTHER_RULES =
  /^\s*(?:of|in|for|from|from the|within|about|on|regarding|concerning)\s(?:the |a |this |that )?(?!your\b|platform|system|operator|owner|session|conversation|agent|assistant|user|company|house|developer|model|vendor|maker|creator)\w/

/** Returns whether nothing but the set phrase stands there: "ignore all previous instructions", said to the reader. */
function isSetPhrase(reading: Reading, match: WordMatch, sentence: Span): boolean {
  const block = reading.blockAt(match)?.kind
  return (
    match.end - match.start <= 64 &&
    block !== 'row' &&
    block !== 'heading' &&
    /^(?:ignore|disregard|forget)/.test(reading.lower.slice(match.start, match.end)) &&
    reading.hitsIn(match, 'prior').length > 0 &&
    isOrder(reading, match.parts[0]!, sentence) &&
    !isQuoted(reading.text, sentence, match)
  )
}

/** The negation is one of telling: "do not tell", "ohne zu sagen", "知らせないで". */
function isNotTold(reading: Reading, { parts }: WordMatch): boolean {
  const [negation, told] = parts as readonly [Hit, Hit]
  if (!/[a-z\u0400-\u04ff\u00c0-\u024f]/.test(reading.lower[negation.start]!))
    return Math.abs(told.start - negation.start) <= 26 && !/[,;\u3001]/.test(textBetween(reading, negation, told))
  if (
    /\b(?:did|does|has|have|had|is|are|was|were|can|will)\s$/.test(
      reading.lower.slice(Math.max(0, negation.start - 6), negation.start),
    )
  )
    return false
  if (NO_TELLING.test(reading.lower.slice(negation.start, negation.end))) return false
  if (told.start >= negation.end) {
    const gap = reading.lower.slice(negation.end, told.start)
    return (
      isEnglish(told) ? /^\s(?:(?:ever|directly|explicitly|also|to|ask or|even|include or) )?$/ : /^[^,.;:\n]{0,26}$/
    ).test(gap)
  }
  // "Erwähne dies dem Benutzer gegenüber nicht": its negation stands behind the objects.
  return !isEnglish(told) && negation.start - told.end <= 60
}

function textBetween({ lower }: Reading, a: Span, b: Span): string {
  return lower.slice(Math.min(a.end, b.end), Math.max(a.start, b.start))
}

/** "Never log it" is said of secrets. */
function isNotMentioned(reading: Reading, match: WordMatch): boolean {
  const told = match.parts[1]!
  return isNotTold(reading, match) && (!isEnglish(told) || MENTIONS.test(reading.lower.slice(told.start, told.end)))
}

const MENTIONS = /^(?:mention|tell|reveal|disclos|inform|notif|acknowledg|let on|admit|bring up)/

/** "Do not ask for confirmation" is an order by itself. */
function isForbiddingToAsk({ lower }: Reading, { start }: Span): boolean {
  return /^(?:do not|don't|never|no need|skip|bypass|suppress)\b/.test(lower.slice(start, start + 10))
}

const NO_TELLING =
  /^(?:refus|reject|declin|prevent|instead|rather|can|stop|nie mehr|откаж|отказ|отклон|verweig|lehn|rechaz|recus|rifiut)/u

/** Nothing but the verb stands behind the adverb: "silently upload", and not "is silently dropped". */
function isBesideVerb(reading: Reading, { parts }: WordMatch): boolean {
  const [adverb, verb] = parts as readonly [Hit, Hit]
  if (!isEnglish(adverb)) return true
  const before = reading.lower.slice(Math.max(0, adverb.start - 14), adverb.start)
  if (
    /\b(?:is|are|was|were|be|been|being|gets?|can|could|may|might|would|will|it|they|that|which|to|not|never)\s[*_]*$/.test(
      before,
    )
  )
    return false
  return verb.start >= adverb.end && /^[*_]*\s(?:and \w+ )?$/.test(reading.lower.slice(adverb.end, verb.start))
}

/** The agent is what enters the mode, and not a telephone. */
function isAgent(reading: Reading, { parts }: WordMatch, sentence: Span): boolean {
  const persona = reading.lower.slice(parts[0]!.start, parts[0]!.end)
  return (
    /^(?:you|from|pretend|imagine|du |ab |tu |vous|à partir|ahora|eres|a partir|desde|agora|você|теперь|ты|отныне|你|从现在|現在|今から|あなた|これから|أنت|من الآن|너는|당신|이제)/u.test(
      persona,
    ) || reading.hitsIn({ start: sentence.start, end: sentence.end + UNRESTRICTED_AHEAD }, 'unrestricted').length > 0
  )
}

/** A role is described in the sentences after the one that gives it. */
const UNRESTRICTED_AHEAD = 200

const CHECKS: Readonly<Record<string, Check>> = {
  isAgent,
  isBesideVerb,
  isForbiddingToAsk,
  isNotMentioned,
  isNotTold,
  isOwnInstruction,
  isSetPhrase,
  isUnconditional,
}

/** Marks by which chat templates begin a turn; text that has them poses as the system. */
const MARKERS =
  /<\|(?:im_start|im_end|system|user|assistant|start_header_id|eot_id|endoftext)\|?>|\[\/?(?:INST|SYSTEM|SYS)\]|<<\/?SYS>>|<\/?(?:system|system_prompt|system-reminder|developer_message)>|^[ \t]{0,3}(?:#{1,4} ?)?(?:SYSTEM|System|ADMIN|DEVELOPER)(?: (?:message|prompt|override|notice|update))? ?:(?= )|BEGIN SYSTEM (?:PROMPT|MESSAGE)|SYSTEM OVERRIDE|<(?:IMPORTANT|HIDDEN|SECRET|important|hidden|secret)>/gm

const markers: Rule = {
  code: 'prompt_markers',
  severity: 'warn',
  says: 'poses as a turn of the system',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(MARKERS)) {
      const span = rangeOf(found)
      // Templates are shown in code.
      if (reading.text[span.start - 1] === '`' || reading.blockAt(span)?.kind === 'code') continue
      const commands = reading
        .hitsIn({ start: span.start, end: span.end + COMMANDS_AHEAD })
        .some(({ concept }) => COMMANDING.has(concept))
      if (commands) yield span
    }
  },
}

const COMMANDS_AHEAD = 400
const COMMANDING: ReadonlySet<string> = new Set([
  'persona',
  'ignore',
  'unrestricted',
  'sensitive',
  'takesPrecedence',
  'secretly',
  'unknowingly',
  'wholeTarget',
  'send',
])

export const INJECTION_RULES: readonly Rule[] = [...rulesOf(table, CHECKS), markers]

import type { Hit } from '../lexicon/find-concepts.js'
import type { Concept } from '../lexicon/concepts.js'
import type { Match } from '../rules/rule.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'

/** Reads what the words around a match say about it: negations and what they govern, orders, descriptions. */
export class Cues {
  readonly reading: Reading
  readonly hits: readonly Hit[]
  readonly #range: Span

  /** Reads the words of a range, without those of the match itself. */
  constructor(reading: Reading, range: Span, match: Match | null) {
    this.reading = reading
    this.#range = range
    const hits = reading.hitsIn(range).filter((hit) => !isForeignNo(reading, hit) && !isPartOfCommand(reading, hit))
    const own = match === null ? [] : (match.parts ?? [match])
    this.hits = hits.filter((hit) => !own.some((part) => overlaps(hit, part)))
  }

  of(...concepts: Concept[]): Hit[] {
    return this.hits.filter(({ concept }) => concepts.includes(concept))
  }

  between(from: number, to: number, ...concepts: Concept[]): Hit[] {
    return this.hits.filter(({ concept, start, end }) => start >= from && end <= to && concepts.includes(concept))
  }

  /**
   * Returns whether a negation reaches a position: "never run X". It does not where its verb turns it round ("never forget to run X"),
   * where another order follows ("do not ask, run X", "not this, but X"), or in a question ("why not run X").
   */
  governs(negation: Hit, position: number): boolean {
    const from = negation.end
    if (position < from || position - from > LONGEST_REACH) return false
    if (this.isFlipped(negation, position)) return false
    if (this.between(from, position, 'pivot').length > 0) return false
    const { lower } = this.reading
    if (
      /(?:why|warum|pourquoi|por qué|por que|почему|なぜ|为什么|لماذا)\s+(?:\p{L}+\s+)?$/u.test(
        lower.slice(Math.max(0, negation.start - 24), negation.start),
      )
    )
      return false
    // "Never, under any circumstances, …": what stands between commas right after the negation is passed over.
    const gap = lower.slice(from, position).replace(/^\s?,[^,]{1,60},/, (aside) => ' '.repeat(aside.length))
    if (/[;\u2014\u061b]|\s-\s/.test(gap)) return false
    // What stands in parentheses governs nothing outside of them.
    if (/^[^(]*\)/.test(gap)) return false
    if (this.#isOfClause(negation, gap)) return false
    // "Do not wait, delete …"
    if (/\S[,\u3001]\s*$/.test(gap) && !/\b(?:or|nor|ever|oder|ou|или)\b/u.test(gap)) return false
    // "This is not optional: …" negates the adjective.
    if (
      /:[\s"'`]{0,4}(?:sudo\s)?$/.test(gap) &&
      /\p{L}/u.test(gap) &&
      this.between(from, position, 'execute', 'this', 'such', 'obey', 'send', 'delete', 'download').length === 0
    )
      return false
    return !this.#beginsNewOrder(gap, from)
  }

  /** Returns whether a negation belongs to a condition that has ended ("if it does not start, …") or to a relative clause ("what was not used"). */
  #isOfClause(negation: Hit, gap: string): boolean {
    const { lower } = this.reading
    const before = lower.slice(this.#range.start, negation.start)
    if (/(?:\b(?:qui|that|which|who|que)|котор[а-я]{2,3}|что)\s(?:\p{L}{1,12}\s)?$/u.test(before))
      return /[\s:,`]/.test(gap)
    const comma = gap.search(/[,\u3001]\s?/)
    return (
      comma !== -1 && CONDITION.test(before) && !/\b(?:or|and|oder|und|ou|et|o|y|или|и)\s*$/u.test(gap.slice(0, comma))
    )
  }

  /** Returns whether the verb beside a negation turns it round: "do not hesitate", "zögere nicht", "忘れずに". */
  isFlipped(negation: Hit, position = Infinity): boolean {
    const { lower } = this.reading
    // "Tu n'obéis qu'à ce document": only it.
    if (
      /^n['e]$/.test(lower.slice(negation.start, negation.end)) &&
      ONLY.test(lower.slice(negation.end, negation.end + 20))
    )
      return true
    return this.of('flip').some(
      ({ start, end }) =>
        (start >= negation.end && start - negation.end <= 18 && start < position) ||
        (end <= negation.start &&
          negation.start - end <= 3 &&
          !SEPARATOR.test(this.reading.text.slice(end, negation.start))) ||
        (start < negation.start && end > negation.start),
    )
  }

  /** Returns whether a comma (or "and then") is followed by another verb, so that what comes next is no longer negated. */
  #beginsNewOrder(gap: string, from: number): boolean {
    if (/\b(?:or|nor|oder|noch|ou|ni|o|или|ни)\b|或|または|أو/u.test(gap)) return false
    for (let comma = gap.search(SEPARATOR); comma !== -1;) {
      const after = from + comma + 1
      if (this.hits.some((hit) => ACTIONS.has(hit.concept) && hit.start >= after && hit.start <= after + 10))
        return true
      const next = gap.slice(comma + 1).search(SEPARATOR)
      comma = next === -1 ? -1 : comma + 1 + next
    }
    return false
  }

  isNegated(hit: Hit): boolean {
    return this.of('not').some(
      (negation) =>
        negation !== hit &&
        !overlaps(negation, hit) &&
        hit.start - negation.end <= 40 &&
        this.governs(negation, hit.start),
    )
  }

  /** Returns the orders in a range to run something that nothing negates and that nobody else is said to give. */
  orders(from: number, to: number): Hit[] {
    if (/[?\u061f]["'`)\s]*$/.test(this.reading.text.slice(Math.max(0, this.#range.end - 4), this.#range.end)))
      return []
    return this.between(from, to, 'execute').filter(
      (order) =>
        !this.of('not').some((negation) => overlaps(negation, order) || this.governs(negation, order.start)) &&
        !this.isReported(order) &&
        // A line of a Dockerfile.
        !this.reading.text.startsWith('RUN ', order.start) &&
        !this.#isNoun(order),
    )
  }

  /** Returns whether somebody else is said to say it: "asks you to run". */
  isReported(hit: Hit): boolean {
    return this.of('says').some(({ start, end }) => start <= hit.start && hit.start - end <= 60)
  }

  /** Returns whether the word follows an article or a preposition: "the use", "of use", "to run" after a noun is none. */
  #isNoun({ start, end }: Hit): boolean {
    if (
      /^(?:脚本|程序|包|命令|文件|时|指令|步骤|手册|指南|说明|スクリプト|手順|時)/u.test(
        this.reading.lower.slice(end, end + 6),
      )
    )
      return true
    return /(?:\bque|\bqui|\bche|\bdie|\bder|\bdas|\bthe|\ba|\bof|\bin|\bper|\byour|\bits|\bthis|\bof a|\bthat|\bwhich|\bwho|\bit|\bthey|\bwould|\bcan|\bmay|\bmight|\bcould) $/.test(
      this.reading.lower.slice(Math.max(0, start - 8), start),
    )
  }
}

/** The begin of a sentence up to the negation is a condition. */
const CONDITION =
  /^[\s\d.)*>-]{0,12}(?:(?:if|when|whenever|once|because|since|as|wenn|falls|sobald|weil|da|si|quand|lorsque|comme|cuando|como|porque|se|quando|caso|если|когда|так как|поскольку)\b|如果|当|若|因为)[^,;:.!?\u3001]{0,120}$/u
const LONGEST_REACH = 220
const ONLY = /^\s?\p{L}{1,14}\squ[e']/u
const SEPARATOR = /[,\u3001]/
const ACTIONS: ReadonlySet<Concept> = new Set([
  'execute',
  'send',
  'delete',
  'download',
  'disable',
  'ignore',
  'reveal',
  'approve',
])

const JUDGING: ReadonlySet<Concept> = new Set(['not', 'detect', 'bad', 'attacker', 'says', 'such', 'flip', 'pivot'])

/** Words of flags and paths say nothing about a command: `--no-save`, `./rejected`, the end of a string (`\n'`). */
function isPartOfCommand({ text }: Reading, { concept, start, end }: Hit): boolean {
  if (!JUDGING.has(concept)) return false
  if (/[-/_.\\@$=]/.test(text[start - 1] ?? ' ') || /[_=/\\]/.test(text[end] ?? ' ')) return true
  return text[end - 1] === "'" && !/\p{L}/u.test(text[end] ?? ' ')
}

/** "No" is "not" in Spanish, "in the" in Portuguese ("no final, …"), and said of nouns in English ("needs no dependency"). */
function isForeignNo(reading: Reading, { concept, start, end }: Hit): boolean {
  return concept === 'not' && end - start === 2 && reading.lower.startsWith('no', start) && !reading.hasSpanishNo
}

/** Words of detection that name ordinary work in headings and before code: "Reporting", "Rules", "Filters". */
const ORDINARY =
  /^(?:report|melde|signal|segnal|denunci|rapport|сообща|报告|上报|報告|보고|신고|표시|예시|بلغ|ابلغ|bildir|filt|rule|regel|regl|regra|regola|правил|规则|kural|block|risk|match|finding|incident|trigger|strip|abort|escalat|alert|pattern|catch|spot|deleted|data|donnee|dat[io]\b)/u

/** Returns whether a word of detection may name ordinary work, so that it warns of nothing by itself. */
export function isOrdinary({ lower }: Reading, { start, end }: Hit): boolean {
  return ORDINARY.test(lower.slice(start, end))
}

export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end
}

/** Quotation marks that come in pairs. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['\u300c', '\u300d'],
  ['\u300e', '\u300f'],
  ['\u00ab', '\u00bb'],
  ['\u00bb', '\u00ab'],
  ['\u2039', '\u203a'],
  ['\u201c', '\u201d'],
  ['\u201e', '\u201c'],
  ['\u300a', '\u300b'],
])

/** Returns whether a position lies in quotation marks or backticks of a range. */
export function isQuoted(text: string, range: Span, match: Span): boolean {
  let open: string | null = null
  let since = range.start
  for (let i = range.start; i < range.end && i <= match.start; i++) {
    const sign = text[i]!
    if (i === match.start) break
    if (open === null && isOpening(text, i, sign)) {
      open = CLOSING.get(sign) ?? sign
      since = i
    } else if (sign === open && !(sign === "'" && /[\p{L}\p{N}]/u.test(text[i + 1] ?? ' '))) open = null
  }
  if (open === null)
    return /["'`]/.test(text[match.start] ?? '') && text.indexOf(text[match.start]!, match.start + 1) < range.end
  const close = text.indexOf(open, match.start)
  return close !== -1 && close < range.end && since < match.start
}

function isOpening(text: string, at: number, sign: string): boolean {
  if (sign === '`' || sign === '"' || CLOSING.has(sign)) return true
  return sign === "'" && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ') && /\S/.test(text[at + 1] ?? ' ')
}

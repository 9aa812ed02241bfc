/**
 * Returns the numbers and codes of a folded text that are written in groups, once more without their separators, as people type them who leave these
 * out: `10.000` as `10000`, `978-3-16-148410-0` as `9783161484100`, `PO-2024-00132` as `po202400132`, `+49 (0)170 1234567` as abroad and at home.
 * Left out are dates, times, decimals, versions, lists and whatever is so short that it would be another number (README.md).
 */
export function joinedNumbers(text: string): JoinedNumber[] {
  if (!HAS_GROUPS.test(text)) return []
  const joined: JoinedNumber[] = []
  for (const { 0: run, index } of text.matchAll(NUMBER))
    for (const form of formsOf(run)) joined.push({ text: form, end: index + run.length })
  if (!CODE_DIGITS.test(text)) return joined
  for (const { 0: code, index } of text.matchAll(CODE)) {
    const whole = code.replace(SEPARATORS, '')
    if (whole.length >= LEAST && whole.length <= MOST_CODE && CODE_DIGITS.test(code) && /[a-z]/i.test(code))
      joined.push({ text: whole.toLowerCase(), end: index + code.length })
  }
  return joined
}

export interface JoinedNumber {
  readonly text: string
  /** Position in the text after the number. */
  readonly end: number
}

/**
 * Returns a folded text with `10,000` as `10000`. Its groups mean nothing alone, so they are no terms: as terms beside the number they made notes with
 * figures look informative, which cost the fleet set .007 in N@5.
 */
export function joinThousands(text: string): string {
  return HAS_COMMA.test(text) ? text.replace(COMMA_THOUSANDS, (run) => run.replaceAll(',', '')) : text
}

const HAS_COMMA = /\d,\d{3}/
const COMMA_THOUSANDS =
  /(?=\d)(?<![\p{L}\p{N}\p{M}_.,:/'-])[1-9]\d{0,2}(?:,\d{3})+(?![\p{L}\p{N}\p{M}_]|[.,:/'-][\p{L}\p{N}])/gu

/** A fast test: most texts have no digits in groups. */
const HAS_GROUPS = /\d(?:[ .,'/_-]|[ -]?\(|\)[ -]?)\d/

/** Digits in groups. Neither part of a word, a decimal or a time, nor of a longer run of another kind. */
const NUMBER =
  /(?=\d)(?<![\p{L}\p{N}\p{M}_.,:/'-])\d+(?:(?:[ .,'/-]|[ -]?\(|\)[ -]?)\d+)+(?![\p{L}\p{N}\p{M}_]|[.,:/'-][\p{L}\p{N}])/gu
const THOUSANDS = /^[1-9]\d{0,2}([.' ])\d{3}(?:\1\d{3})*$/
const DATE = /^(?:\d{4}([-./ ])\d{1,2}\1\d{1,2}|\d{1,2}([-./ ])\d{1,2}\2\d{2,4})(?!\d)/
const YEAR = /^(?:19|20)\d\d$/
const TRUNK_PREFIX = /\(0\)/
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu

/** Least digits of a number whose groups are not thousands, and least characters of a code: shorter ones occur by chance. */
const LEAST = 7
/** Most digits of a number: longer runs are lists. */
const MOST_DIGITS = 20

function formsOf(run: string): string[] {
  const digits = run.replace(SEPARATORS, '')
  if (THOUSANDS.test(run)) return [digits]
  if (digits.length < LEAST || digits.length > MOST_DIGITS || DATE.test(run) || !isOneNumber(run)) return []
  const trunk = run.search(TRUNK_PREFIX)
  if (trunk <= 0) return [digits]
  return [run.slice(trunk), run.replace(TRUNK_PREFIX, '')].map((form) => form.replace(SEPARATORS, ''))
}

/** Returns false for lists, versions and quotients. */
function isOneNumber(run: string): boolean {
  if (run.includes(',')) return false
  const groups = run.split(/\D+/)
  const least = Math.min(...groups.map(({ length }) => length))
  const most = Math.max(...groups.map(({ length }) => length))
  if (run.includes('/')) return groups.length === 2 && most >= 5
  if (run.includes('.')) return least >= 2
  if (run.includes('-') || run.includes('(')) return true
  return groups.every((group) => YEAR.test(group)) ? false : most >= 5 || (least >= 2 && most >= 3)
}

/** Letters and digits in groups, joined by `-`, `_` or `/`, two of which meet between digits; a version has points. */
const CODE =
  /(?=[A-Za-z0-9])(?<![\p{L}\p{N}\p{M}._:/@#+-])[A-Za-z0-9]+(?:[-_/][A-Za-z0-9]+)+(?![\p{L}\p{N}\p{M}]|[._:/@#+-][\p{L}\p{N}])/gu
const CODE_DIGITS = /\d[-_/]\d/
const MOST_CODE = 40

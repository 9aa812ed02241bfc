/** What ends up behind another character when a text is normalised; the last two are halfwidth forms of such marks. */
const LONG_RUN = /(?:(?!\u034f)[\p{M}\uff9e\uff9f]){30}(?=(?!\u034f)[\p{M}\uff9e\uff9f])/gu
/** Characters that are all marks are put in order within a ms. */
const SHORT = 1_000
/** COMBINING GRAPHEME JOINER: no mark is ordered across it. */
const JOINER = '\u034f'

/**
 * As `String.normalize`, of the text in Stream-Safe Text Format (UAX #15 section 13): no more than 30 marks in a row are put in order
 * at a time, since that costs the square of their number (a letter with 120,000 of two kinds took 17 s). No word has as many.
 */
export function normalised(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
  const safe = text.length < SHORT ? text : text.replace(LONG_RUN, `$&${JOINER}`)
  return safe.normalize(form)
}

/** A flag, or a pictograph with its variation, its skin tone and what a joiner binds to it. */
const EMOJI = (() => {
  const one = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})*'
  return `\\p{Regional_Indicator}{2}|${one}(?:\\u200d${one}){0,7}`
})()

/**
 * Matches an emoji, a sign of a currency or of mathematics, or another symbol; not ASCII nor what it composes to with a mark, and not what lines and bars are
 * drawn with.
 */
export const SYMBOL_PATTERN = `${EMOJI}|(?![\\0-\\x7f\\u2260\\u226e\\u226f\\u2500-\\u259f\\u2800-\\u28ff])[\\p{So}\\p{Sc}\\p{Sm}]`

const SYMBOL = new RegExp(`^(?:${SYMBOL_PATTERN})`, 'u')
const VARIATIONS = /[\ufe0f\p{Emoji_Modifier}]/gu
const FIRST_SYMBOL = 0xa2

/** Returns the symbol that a token is, without its variation and its skin tone; null for other tokens. */
export function symbolOf(token: string): string | null {
  if (token.charCodeAt(0) < FIRST_SYMBOL || !SYMBOL.test(token)) return null
  return token.replace(VARIATIONS, '')
}

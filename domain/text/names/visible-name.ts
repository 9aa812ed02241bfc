/** Letters of scripts in which a joiner controls how letters are joined. */
export const JOINED_LETTER =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]$/u
const EMOJI = /^\p{Extended_Pictographic}$/u
/** Matches what may precede a joiner in an emoji: the emoji, its colour or its presentation. */
const EMOJI_END = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u
const ZERO_WIDTH_NON_JOINER = '\u200c'
const ZERO_WIDTH_JOINER = '\u200d'

/**
 * Returns a name as it may be shown to others: on one line, and without format characters (Unicode Cf: overrides of
 * direction, zero-width and invisible characters, soft hyphens, tags), except joiners between letters of scripts that
 * need them and within emoji. May be empty. Its key (`nameKey`) equals that of the given name.
 */
export function visibleName(given: string): string {
  const shown = /\p{Cf}/u.test(given) ? withoutFormat([...given]) : given
  return shown.replace(/\s+/gu, ' ').trim()
}

function withoutFormat(characters: readonly string[]): string {
  return characters.filter((character, i) => !/\p{Cf}/u.test(character) || isVisibleJoiner(characters, i)).join('')
}

function isVisibleJoiner(characters: readonly string[], at: number): boolean {
  const joiner = characters[at]
  const [before = '', after = ''] = [characters[at - 1], characters[at + 1]]
  if (joiner !== ZERO_WIDTH_JOINER && joiner !== ZERO_WIDTH_NON_JOINER) return false
  if (JOINED_LETTER.test(before) && JOINED_LETTER.test(after)) return true
  return joiner === ZERO_WIDTH_JOINER && EMOJI_END.test(before) && EMOJI.test(after)
}

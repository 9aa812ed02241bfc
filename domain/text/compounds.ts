import { WORDS, wordsIn } from './words.js'

/** `pruneCart`, `HTTPServer`: words written together, told apart by their capitals. Longer ones are blobs (base64). */
const LONGEST_COMPOUND = 64
/** Texts without are the most, and are told at once. */
const HAS_COMPOUND = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u
const BEFORE_CAPITAL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

/** The words of one that is written together, as they stand; of any other the word alone. */
export function compoundParts(word: string): string[] {
  return word.length > LONGEST_COMPOUND ? [word] : word.split(BEFORE_CAPITAL)
}

// Words are looked at one by one: an expression that looks for the capitals too costs the square of a long word.

/** The text, with the words of each compound behind it: so that the one is near whatever the other is near. */
export function withCompoundParts(text: string): string {
  if (!HAS_COMPOUND.test(text)) return text
  return text.replace(WORDS, (word) => {
    const parts = compoundParts(word)
    return parts.length === 1 ? word : `${word} ${parts.join(' ')}`
  })
}

/** Those of a text, as they stand. */
export function compoundsIn(text: string): string[] {
  return wordsIn(text).filter((word) => compoundParts(word).length > 1)
}

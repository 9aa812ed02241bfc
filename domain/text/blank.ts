/** Matches a character that can be read: no white space, control or format character, and none that is drawn as nothing. */
const READABLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns true for a text that is empty to whoever reads it. The contract's patterns say the same. */
export function isBlank(text: string): boolean {
  return !READABLE.test(text)
}

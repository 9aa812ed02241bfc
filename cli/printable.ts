/**
 * Control characters but for tab and line feed, and format characters, which turn the direction of a line or hide what stands in it. Joiners stay,
 * which scripts and emoji are written with, and signs of Arabic that are seen.
 */
const STEERS = /(?![\t\n\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Texts come from anyone: what would steer the terminal is shown as a replacement character. */
export function printable(text: string): string {
  return text.replace(STEERS, '\ufffd')
}

/** Escapes them in JSON, which keeps its value: such characters are written as escapes. */
export function printableJson(json: string): string {
  return json.replace(STEERS, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

/**
 * Matches control characters except tab and line feed, and format characters, which can reverse the direction of a line
 * or hide text. Joiners, which scripts and emoji need, and visible Arabic signs are not matched.
 */
const CONTROL_CHARACTERS =
  /(?![\t\n\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Replaces characters that would control the terminal by U+FFFD: texts come from anyone. */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '\ufffd')
}

/** Does the same to a text of several lines, which another system may have ended with a carriage return too. */
export function printableLines(text: string): string {
  return printable(text.replaceAll('\r\n', '\n'))
}

/** Escapes characters that would control the terminal as `\u…`, which keeps the value of the JSON. */
export function printableJson(json: string): string {
  return json.replace(CONTROL_CHARACTERS, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }).join(''),
  )
}

/** Prints a value as JSON that a person reads as well. */
export function printJson(value: unknown): void {
  console.log(printableJson(JSON.stringify(value, null, 2)))
}

import { printable } from '../printable.js'

/** Stands before the rest of a line that is longer than the terminal is wide. */
const CONTINUED = '↪ '

/**
 * Returns a text of anybody as lines that fit the width, each behind the indent. So no line of it begins in the first
 * column, where what the command itself says begins, however long it is and whatever stands at its fold.
 */
export function indentedLines(text: string, width: number, indent = '  '): string[] {
  return printable(text.replaceAll('\r\n', '\n'))
    .replace(/\n+$/, '')
    .split('\n')
    .flatMap((line) => folded(line, width - indent.length).map((part) => indent + part))
}

/** Returns a label, with a text of anybody behind it and further lines of that below it. */
export function labelledLines(label: string, text: string, width: number): string[] {
  const indent = ' '.repeat(LABEL_WIDTH)
  const [first = '', ...others] = indentedLines(text, width, indent)
  return [`${label}:`.padEnd(LABEL_WIDTH) + first.slice(LABEL_WIDTH), ...others]
}

const LABEL_WIDTH = 13

function folded(line: string, width: number): string[] {
  const parts: string[] = []
  let part = ''
  let columns = 0
  for (const character of line.replaceAll('\t', '    ')) {
    const size = columnsOf(character)
    if (columns + size > width && part !== '') {
      parts.push(part)
      part = CONTINUED
      columns = CONTINUED.length
    }
    part += character
    columns += size
  }
  return [...parts, part]
}

/** First code point of the scripts that terminals show two columns wide; others above it count as wide too, and are folded early. */
const FIRST_WIDE = 0x1100

function columnsOf(character: string): number {
  if (/^\p{M}$/u.test(character)) return 0
  return character.codePointAt(0)! < FIRST_WIDE ? 1 : 2
}

import { styleText } from 'node:util'
import { printable } from './printable.js'

const COLORS = [
  [/^\+/, 'green'],
  [/^-/, 'red'],
  [/^@@/, 'cyan'],
] as const

/** Returns the lines of a unified diff for stdout: in colours where it is a terminal that has them. */
export function coloredDiff(diff: string): string {
  return printable(diff)
    .split('\n')
    .map((line) => {
      const color = COLORS.find(([pattern]) => pattern.test(line))?.[1]
      return color === undefined ? line : styleText(color, line)
    })
    .join('\n')
}

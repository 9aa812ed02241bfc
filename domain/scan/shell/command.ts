import type { Span } from '../text/chunks.js'

export interface Word {
  /** The word without quotes and backslashes, with the values that the text gives to its variables. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** The word as the name of a program: in lower case, without its folder. */
  readonly name: string
}

export interface Redirect {
  readonly operator: string
  readonly target: string
}

export interface Simple {
  words: Word[]
  readonly redirects: Redirect[]
  /** The separator before it: `|`, `&&`, `(`, a newline … */
  readonly before: string
  /** The name before the parenthesis in which it stands: `os.system` of `os.system("…")`. */
  readonly callee: string
  start: number
  end: number
  readonly pipeline: Pipeline
  /** The lines of its here-document. */
  heredoc: Span | null
  /** It ends with `&`. */
  isInBackground: boolean
}

export interface Pipeline {
  readonly commands: Simple[]
  readonly parent: Parent | null
}

export interface Parent {
  readonly command: Simple
  readonly kind: 'substitution' | 'string' | 'heredoc'
}

/** Returns the words of a command as one line. */
export function lineOf({ words }: Simple): string {
  return words.map(({ text }) => text).join(' ')
}

/** Returns what a pipeline spans. */
export function spanOf({ commands }: Pipeline): Span {
  const { start } = commands[0]!
  return { start, end: Math.max(start + 1, commands.at(-1)!.end) }
}

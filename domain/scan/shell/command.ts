export interface Word {
  /** The word without quotes and backslashes. */
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
  readonly words: Word[]
  readonly redirects: Redirect[]
  /** The separator before it: `|`, `&&`, `(`, a newline … */
  readonly before: string
  /** The name before the parenthesis in which it stands: `os.system` of `os.system("…")`. */
  readonly callee: string
  start: number
  end: number
  readonly pipeline: Pipeline
}

export interface Pipeline {
  readonly commands: Simple[]
  readonly parent: Parent | null
}

export interface Parent {
  readonly command: Simple
  readonly kind: 'substitution' | 'string' | 'heredoc'
}

import type { Parent, Pipeline, Simple } from './command.js'
import { programName } from './programs.js'

/** Longer commands and pipelines are cut. */
const MOST_WORDS = 300
const MOST_COMMANDS = 40

/** Collects the words of the command that is being read. */
export class Scope {
  current = ''
  command: Simple
  #wordStart = -1
  #wordEnd = -1
  #isQuoted = false
  #redirect: string | null = null
  #pipeline: Pipeline
  readonly #text: string
  readonly #pipelines: Pipeline[]
  readonly #parent: Parent | null

  constructor(text: string, pipelines: Pipeline[], parent: Parent | null) {
    this.#text = text
    this.#pipelines = pipelines
    this.#parent = parent
    this.#pipeline = { commands: [], parent }
    this.command = this.#create('start', '')
  }

  append(at: number, text: string): void {
    if (this.#wordStart === -1) this.#wordStart = at
    this.current += text
    this.#wordEnd = at + text.length
  }

  /** Appends a string between quotes; `text` is what it says, where that is not what stands there. */
  appendString(open: number, close: number, text = this.#text.slice(open + 1, close)): void {
    if (this.#wordStart === -1) this.#wordStart = open
    this.current += text
    this.#wordEnd = close + 1
    this.#isQuoted = true
  }

  /** Counts a substitution as part of the word in which it stands. */
  extendTo(end: number): void {
    this.#wordEnd = Math.max(this.#wordEnd, end)
  }

  endWord(): void {
    if (this.#wordStart === -1) return
    const text = /^\u2014+[A-Za-z]/.test(this.current)
      ? this.current.replace(/^\u2014+/, this.current.length > 4 ? '--' : '-')
      : this.current
    if (this.#redirect !== null) this.command.redirects.push({ operator: this.#redirect, target: text })
    else if (text !== '' || this.#isQuoted) {
      if (this.command.words.length === 0) this.command.start = this.#wordStart
      this.command.words.push({
        text,
        start: this.#wordStart,
        end: this.#wordEnd,
        name: programName(text),
      })
    }
    this.command.end = this.#wordEnd
    this.current = ''
    this.#wordStart = -1
    this.#isQuoted = false
    this.#redirect = null
    if (this.command.words.length >= MOST_WORDS) this.endCommand(';')
  }

  startRedirect(operator: string, at: number, length: number): number {
    if (/^\d$/.test(this.current)) {
      this.current = ''
      this.#wordStart = -1
    } else this.endWord()
    this.#redirect = operator
    return at + length
  }

  endCommand(separator: string, isCall = false): void {
    const callee = isCall ? this.current : ''
    this.endWord()
    if (separator === '&') this.command.isInBackground = true
    const isEmpty = this.command.words.length === 0 && this.command.redirects.length === 0
    // A pipe goes on in the next line.
    if (isEmpty && separator === '\n' && this.command.before === '|') return
    if (!isEmpty && this.#pipeline.commands.at(-1) !== this.command) this.#pipeline.commands.push(this.command)
    if (separator !== '|' || this.#pipeline.commands.length >= MOST_COMMANDS) {
      if (this.#pipeline.commands.length > 0) this.#pipelines.push(this.#pipeline)
      this.#pipeline = { commands: [], parent: this.#parent }
    }
    this.command = this.#create(isEmpty && separator === '\n' ? this.command.before : separator, callee)
  }

  #create(before: string, callee: string): Simple {
    return {
      words: [],
      redirects: [],
      before,
      callee,
      start: 0,
      end: 0,
      pipeline: this.#pipeline,
      heredoc: null,
      isInBackground: false,
    }
  }
}

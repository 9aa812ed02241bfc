import { type Finding, LONGEST_QUOTE } from './report.js'
import type { Span } from './text/chunks.js'
import { lineAt, lineStartsOf } from './text/lines.js'
import type { Reading } from './text/reading.js'

/** The place of a finding. */
export type Place = Pick<Finding, 'field' | 'line' | 'column' | 'quote'>

/** A text of a skill as its author wrote it, in which findings have their places. */
export class Source {
  #starts: readonly number[] | null = null

  constructor(
    readonly field: string,
    readonly text: string,
    /** A file that is run, and not read: what it says of itself excuses nothing. */
    readonly isProgram = false,
    /** A program that is parsed: a command in it counts where the program runs it. */
    readonly isParsed = false,
  ) {}

  /** Returns the place of a position, and quotes the line from there. */
  placeAt(at: number): Place {
    const starts = this.#lineStarts()
    const line = lineAt(starts, at)
    const end = this.text.indexOf('\n', at)
    const words = this.text.slice(at, Math.min(end === -1 ? this.text.length : end, at + LONGEST_QUOTE))
    return { field: this.field, line, column: at - starts[line - 1]! + 1, quote: shown(words) }
  }

  /**
   * Returns the place of a match in a reading of the text, and quotes what was read. Folding keeps lines; where it changed the words of
   * a line, the column is that of the line's first word.
   */
  place(reading: Reading, { start, end }: Span): Place {
    const line = reading.lineOf(start)
    const words = reading.text.slice(start, Math.min(Math.max(end, start + 1), start + 2 * LONGEST_QUOTE))
    const written = this.#lineText(line)
    const at = written.indexOf(words.split('\n', 1)[0]!.trim())
    return {
      field: this.field,
      line,
      column: (at === -1 ? written.search(/\S|$/) : at) + 1,
      quote: shown(words),
    }
  }

  /** Returns the place of a range, and quotes it. */
  placeOf({ start, end }: Span): Place {
    return {
      ...this.placeAt(start),
      quote: shown(this.text.slice(start, Math.min(end, start + 2 * LONGEST_QUOTE))),
    }
  }

  /** Returns where a line begins. */
  startOf(line: number): number {
    return this.#lineStarts()[line - 1] ?? 0
  }

  #lineText(line: number): string {
    return this.text.slice(this.startOf(line), this.#lineStarts()[line] ?? this.text.length)
  }

  #lineStarts(): readonly number[] {
    return (this.#starts ??= lineStartsOf(this.text))
  }
}

/** Returns words on one line, with invisible and control characters replaced by a visible one, and cut. */
function shown(words: string): string {
  const plain = words
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\ufe00-\ufe0f\u{e0000}-\u{e01ef}]/gu, '\ufffd')
    .trim()
  return plain.length > LONGEST_QUOTE ? `${plain.slice(0, LONGEST_QUOTE - 1)}…` : plain
}

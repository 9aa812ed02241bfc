import type { Parent, Pipeline, Simple } from './command.js'
import { Scope } from './scope.js'

export interface ParseOptions {
  /** Comments are skipped and strings may span lines. */
  readonly isCode: boolean
  /** `|` separates cells, and `\|` is a pipe. */
  readonly isRow: boolean
}

const DEEPEST = 4
const LONGEST_STRING = 6_000
const LONGEST_NESTED = 800

/**
 * Reads commands out of a text as a POSIX shell would, near enough to judge them: words without their quotes, pipelines, redirections,
 * substitutions, here-documents, and strings that are scripts themselves. It reads prose too ("run rm -rf / now"), where nothing is
 * certain: an apostrophe is not a quotation mark, and a word may be a command wherever it stands. One pass; strings and substitutions
 * are read again to a fixed depth, so the work is linear in the text. Returns the pipelines of strings and substitutions too.
 */
export function parseShell(text: string, from: number, to: number, options: ParseOptions): Pipeline[] {
  const parser = new Parser(text, options)
  parser.parse(from, to, 0, null, false)
  return parser.pipelines
}

class Parser {
  readonly pipelines: Pipeline[] = []
  readonly #text: string
  readonly #options: ParseOptions

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#options = options
  }

  /** Parses up to `to`, or to the parenthesis that closes a substitution; returns where it stopped. */
  parse(from: number, to: number, depth: number, parent: Parent | null, isSubstitution: boolean): number {
    const scope = new Scope(this.#text, this.pipelines, parent)
    const strings: { start: number; end: number; command: Simple }[] = []
    let heredoc: { delimiter: string; command: Simple } | null = null
    let i = from
    let nested = 0
    while (i < to) {
      const sign = this.#text[i]!
      if (sign === '\\' && !this.#isPathSeparator(i)) {
        i = this.#readEscape(scope, i)
      } else if (sign === "'" || sign === '"') {
        const close = this.#closingQuote(i, to)
        if (close === -1) {
          if (sign === "'") scope.append(i, sign)
          else scope.endWord()
          i++
          continue
        }
        scope.appendString(i, close)
        if (depth < DEEPEST && isScript(this.#text, i + 1, close))
          strings.push({ start: i + 1, end: close, command: scope.command })
        i = close + 1
      } else if (sign === '$' && this.#text[i + 1] === "'" && this.#closingQuote(i + 1, to) !== -1) {
        const close = this.#closingQuote(i + 1, to)
        scope.appendString(i + 1, close, unescaped(this.#text.slice(i + 2, close)))
        if (depth < DEEPEST && isScript(this.#text, i + 2, close))
          strings.push({ start: i + 2, end: close, command: scope.command })
        i = close + 1
      } else if (sign === '$' && /[@*]/.test(this.#text[i + 1] ?? '') && scope.current !== '') {
        // Nothing, unless the script has arguments: `c$@url`.
        i += 2
      } else if (sign === '$' && MAKE_VARIABLE.test(this.#text.slice(i, i + 40))) {
        const [whole, name] = MAKE_VARIABLE.exec(this.#text.slice(i, i + 40))!
        scope.append(i, `$${name}`)
        i += whole.length
      } else if (/[$<>]/.test(sign) && this.#text[i + 1] === '(' && depth < DEEPEST) {
        scope.append(i, '$()')
        i = this.parse(i + 2, to, depth + 1, { command: scope.command, kind: 'substitution' }, true) + 1
        scope.extendTo(Math.min(i, to))
      } else if (sign === '`' && depth < DEEPEST && this.#isSubstituted(i, to)) {
        const close = this.#text.indexOf('`', i + 1)
        scope.append(i, '$()')
        this.parse(i + 1, close, depth + 1, { command: scope.command, kind: 'substitution' }, false)
        scope.extendTo(close + 1)
        i = close + 1
      } else if (sign === '$' && this.#text[i + 1] === '{') {
        i = this.#readExpansion(scope, i, to)
      } else if (sign === '(') {
        nested++
        scope.endCommand('(', true)
        i++
      } else if (sign === ')') {
        if (isSubstitution && nested === 0) break
        nested--
        scope.endCommand(')')
        i++
      } else if (sign === '<' && this.#isHeredoc(i)) {
        const opening = HEREDOC.exec(this.#text.slice(i, i + 60))!
        heredoc = { delimiter: opening[1]!, command: scope.command }
        i += opening[0].length
      } else if (sign === '\n' && heredoc) {
        i = this.#readHeredoc(heredoc, i, to, depth)
        heredoc = null
        scope.endCommand('\n')
      } else i = this.#readSign(scope, i, to, sign)
    }
    scope.endCommand('end')
    for (const { start, end, command } of strings) this.parse(start, end, depth + 1, { command, kind: 'string' }, false)
    return i
  }

  /** Returns whether a backslash is part of a Windows path: `C:\Users`, `.\x`, `\\server`. */
  #isPathSeparator(at: number): boolean {
    const before = this.#text[at - 1] ?? ' '
    if (before === ':') return /[\w*"'\\\s]/.test(this.#text[at + 1] ?? ' ')
    return (before === '.' || before === '%') && /[\w*"'\\]/.test(this.#text[at + 1] ?? '')
  }

  /** Returns whether a command is substituted between backticks. Prose shows commands between them. */
  #isSubstituted(at: number, to: number): boolean {
    if (!this.#options.isCode) return false
    const close = this.#text.slice(at + 1, Math.min(to, at + LONGEST_NESTED)).search(/[`\n]/)
    return close > 0 && this.#text[at + 1 + close] === '`'
  }

  #readEscape(scope: Scope, at: number): number {
    const next = this.#text[at + 1]
    if (next === '\n') {
      // A shell joins the lines; prose has a backslash at the end of a line for a break.
      if (!this.#options.isCode) scope.endWord()
    } else if (next === '|' && this.#options.isRow) scope.endCommand('|')
    else if (next !== undefined) {
      // The rest of a Windows path keeps its separators.
      if (/[A-Z]/.test(next) || scope.current.includes('\\')) scope.append(at, `\\${next}`)
      else scope.append(at, next)
    }
    return at + 2
  }

  #readExpansion(scope: Scope, at: number, to: number): number {
    const close = this.#text.indexOf('}', at)
    if (close === -1 || close >= to || close - at > 60) {
      scope.append(at, '$')
      return at + 1
    }
    const name = this.#text.slice(at + 2, close)
    if (name.startsWith('IFS')) scope.endWord()
    else if (/^\w+:?[-=]/.test(name)) scope.append(at, `\${${name}}`)
    else scope.append(at, `$${/^\w+/.exec(name)?.[0] ?? name}`)
    return close + 1
  }

  #isHeredoc(at: number): boolean {
    return this.#text.startsWith('<<', at) && this.#text[at + 2] !== '<' && HEREDOC.test(this.#text.slice(at, at + 60))
  }

  #readHeredoc(heredoc: { delimiter: string; command: Simple }, at: number, to: number, depth: number): number {
    let end = this.#text.indexOf(`\n${heredoc.delimiter}`, at)
    if (end === -1 || end > to) end = to
    heredoc.command.heredoc = { start: Math.min(at + 1, end), end }
    if (depth < DEEPEST) this.parse(at + 1, end, depth + 1, { command: heredoc.command, kind: 'heredoc' }, false)
    return Math.min(to, end + heredoc.delimiter.length + 1)
  }

  #closingQuote(at: number, to: number): number {
    const quote = this.#text[at]!
    const isInside = /[\p{L}\p{N}]/u.test(this.#text[at - 1] ?? ' ')
    let close = this.#text.indexOf(quote, at + 1)
    while (quote === '"' && close !== -1 && this.#text[close - 1] === '\\') close = this.#text.indexOf(quote, close + 1)
    if (quote === '"' && close !== -1 && this.#text.slice(at, Math.min(close, at + LONGEST_NESTED)).includes('$('))
      close = this.#closeOfNested(at, Math.min(to, at + LONGEST_NESTED)) ?? close
    if (close === -1 || close >= to || close - at > LONGEST_STRING) return -1
    const inner = this.#text.slice(at + 1, Math.min(close, at + 200))
    if (isInside && (close - at > 16 || /\s/.test(inner)) && this.#text[at - 1] !== '=') return -1
    return !this.#options.isCode && inner.includes('\n') && /\n\s*\n/.test(inner) ? -1 : close
  }

  /** Returns where a string ends that has substitutions with strings of their own; null where that is not near. */
  #closeOfNested(at: number, to: number): number | null {
    const open = ['"']
    for (let i = at + 1; i < to; i++) {
      const sign = this.#text[i]!
      const isString = open.at(-1) === '"'
      if (sign === '\\') i++
      else if (sign === '"' && isString) {
        open.pop()
        if (open.length === 0) return i
      } else if (sign === '"' || (!isString && sign === '(')) open.push(sign)
      else if (isString && sign === '$' && this.#text[i + 1] === '(') {
        open.push('(')
        i++
      } else if (sign === ')' && !isString) open.pop()
    }
    return null
  }

  /** Reads what needs no look ahead. */
  #readSign(scope: Scope, at: number, to: number, sign: string): number {
    const next = this.#text[at + 1]
    switch (sign) {
      case ' ':
      case '\t':
      case '\r':
      case '[':
      case ']':
        if (/[[\]]/.test(sign) && scope.current !== '' && !/["']/.test(this.#text[at - 1] ?? '')) scope.append(at, sign)
        else scope.endWord()
        return at + 1
      case ',':
        if (/["']/.test(this.#text[at - 1] ?? '')) scope.endWord()
        else scope.append(at, sign)
        return at + 1
      case '\n':
      case ';':
      case '`':
        scope.endCommand(sign)
        return at + 1
      case '|':
        scope.endCommand(next === '|' ? '||' : this.#options.isRow ? ';' : '|')
        return at + (next === '|' || next === '&' ? 2 : 1)
      case '&':
        if (next === '>') return scope.startRedirect('>', at, 2)
        scope.endCommand(next === '&' ? '&&' : '&')
        return at + (next === '&' ? 2 : 1)
      case '<':
      case '>':
        return this.#readRedirect(scope, at, sign)
      case '{':
        return this.#readBrace(scope, at, to)
      case '}':
        if (scope.current === '') scope.endCommand(';')
        else scope.append(at, sign)
        return at + 1
      case '#':
        if (this.#options.isCode && scope.current === '' && /[\s#]/.test(this.#text[at - 1] ?? '\n'))
          return this.#endOfLine(at, to)
        scope.append(at, sign)
        return at + 1
      default:
        scope.append(at, sign)
        return at + 1
    }
  }

  #readRedirect(scope: Scope, at: number, sign: string): number {
    const tag = /^<\/?[\w!-][^<>\n]{0,120}>/.exec(this.#text.slice(at, at + 124))
    if (sign === '<' && tag && !/\s/.test(tag[0])) {
      scope.append(at, tag[0])
      return at + tag[0].length
    }
    const operator = /^(?:<<<|>>|>\||[<>]&?)/.exec(this.#text.slice(at, at + 3))![0]
    return scope.startRedirect(operator, at, operator.length)
  }

  /** Reads `{rm,-rf,/}` as its words, and a lone brace as the begin of a command. */
  #readBrace(scope: Scope, at: number, to: number): number {
    const list =
      scope.current === '' ? /^\{[^\s{}"']{1,80}\}/.exec(this.#text.slice(at, Math.min(to, at + 84)))?.[0] : undefined
    if (list?.includes(',')) {
      for (const part of list.slice(1, -1).split(',')) {
        scope.append(at, part)
        scope.endWord()
      }
      return at + list.length
    }
    if (scope.current === '') scope.endCommand('{')
    else scope.append(at, '{')
    return at + 1
  }

  #endOfLine(at: number, to: number): number {
    const end = this.#text.indexOf('\n', at)
    return end === -1 || end > to ? to : end
  }
}

/** `$(HOME)`, as make writes variables. */
const MAKE_VARIABLE = /^\$\(([A-Z][A-Z0-9_]{0,30})\)/
const HEREDOC = /^<<-?[ \t]*["']?([A-Za-z_]\w{0,30})["']?/

const ESCAPE = /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|([^]))/gi
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\x1b' }

/** Returns what `$'…'` says. */
function unescaped(text: string): string {
  return text.replace(ESCAPE, (_escape, hex?: string, unicode?: string, octal?: string, sign?: string) => {
    if (sign !== undefined) return CONTROLS[sign] ?? sign
    return String.fromCharCode(octal === undefined ? parseInt(hex ?? unicode ?? '', 16) : parseInt(octal, 8))
  })
}

/** Returns whether a string may be a script: it has spaces, or signs of a shell. */
function isScript(text: string, from: number, to: number): boolean {
  return to - from > 3 && /[\s|;&$(]/.test(text.slice(from, Math.min(to, from + LONGEST_STRING)))
}

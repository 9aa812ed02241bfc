import type { CodeLanguage } from '../code/syntax-tree.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import type { Simple, Word } from './command.js'
import { programIndex } from './invocations.js'

/** Code that a command hands to an interpreter. Its text has the length of its span, whatever a shell takes out of it. */
export interface InterpretedCode extends Span {
  readonly language: CodeLanguage
  readonly text: string
}

const LANGUAGES: readonly (readonly [program: RegExp, language: CodeLanguage])[] = [
  [/^(?:python[\d.]*|pypy\d?|uv)$/, 'python'],
  [/^(?:node|nodejs|deno|bun|tsx)$/, 'javascript'],
  [/^(?:powershell|pwsh)$/, 'powershell'],
  [/^ruby$/, 'ruby'],
]
const ENDINGS: readonly (readonly [file: RegExp, language: CodeLanguage])[] = [
  [/\.py$/, 'python'],
  [/\.(?:[cm]?js|ts)$/, 'javascript'],
  [/\.ps1$/, 'powershell'],
  [/\.rb$/, 'ruby'],
]
const INLINE = /^(?:-c|-e|-r|-p|-pe|--eval|-command|-ec)$/i

/** Returns the code of `python -c "…"`, `node -e '…'`, here-documents and here-strings, and of scripts that a here-document writes. */
export function interpretedCode(reading: Reading): InterpretedCode[] {
  return reading.pipelines.flatMap(({ commands }) =>
    commands.flatMap((command, i) => codeOf(reading, commands, command, i)),
  )
}

function codeOf(reading: Reading, commands: readonly Simple[], command: Simple, at: number): InterpretedCode[] {
  const words = command.words.slice(programIndex(command))
  const language = languageOf(words[0]?.name ?? '')
  const found: InterpretedCode[] = []
  if (language !== null) {
    const flag = words.findIndex(({ text }) => INLINE.test(text))
    const code = flag === -1 ? undefined : words[flag + 1]
    if (code) found.push(inString(reading, code, language))
  }
  if (command.heredoc) {
    const next = commands.slice(at + 1).map(({ words }) => languageOf(words[0]?.name ?? ''))
    const written = command.redirects.map(({ target }) => target).concat(words.map(({ text }) => text))
    const file = ENDINGS.find(([ending]) => written.some((target) => ending.test(target)))?.[1]
    const read = language ?? next.find((one) => one !== null) ?? file
    if (read)
      found.push({
        ...command.heredoc,
        language: read,
        text: reading.text.slice(command.heredoc.start, command.heredoc.end),
      })
  }
  return found
}

function languageOf(program: string): CodeLanguage | null {
  return LANGUAGES.find(([name]) => name.test(program))?.[1] ?? null
}

/** Returns the code in a word. A space stands for the backslash that a shell takes out in double quotes. */
function inString({ text }: Reading, { start, end }: Word, language: CodeLanguage): InterpretedCode {
  const quote = /^\$?["']/.exec(text.slice(start, start + 2))?.[0] ?? ''
  const span = quote === '' ? { start, end } : { start: start + quote.length, end: end - 1 }
  const code = text.slice(span.start, span.end)
  return { ...span, language, text: quote.endsWith('"') ? code.replace(/\\(?=["$`\\])/g, ' ') : code }
}

import type { CodeText } from './code-texts.js'
import type { Expression } from './expression.js'
import { type Deed, judgeProgram } from './deeds.js'
import { followProgram, type ProgramPart } from './flow.js'
import { readJavaScript } from './javascript.js'
import { readPowerShell } from './powershell.js'
import { readPython } from './python.js'
import { readRuby } from './ruby.js'
import { type CodeLanguage, parseCode, type SyntaxNode } from './syntax-tree.js'

const READERS: Readonly<Record<CodeLanguage, (node: SyntaxNode, code: string) => Expression>> = {
  python: readPython,
  javascript: readJavaScript,
  powershell: readPowerShell,
  ruby: readRuby,
}

/** Commands that code runs, with the place where. */
export interface RunCommand {
  readonly text: string
  readonly at: number
}

export interface CodeReport {
  readonly deeds: readonly Deed[]
  readonly commands: readonly RunCommand[]
}

/** Bounds the parts of one program: each sees the variables of all before it. */
const MOST_PARTS = 200

/** Code that code makes is read this deep. */
const DEEPEST = 2

/**
 * Follows the code of a text: parts of one language are one program, each of which sees the variables of those before it. Positions are
 * those of the text.
 */
export function scanCode(parts: readonly CodeText[], depth = 0): CodeReport {
  const deeds: Deed[] = []
  const commands: RunCommand[] = []
  for (const language of Object.keys(READERS) as CodeLanguage[]) {
    const own = parts.filter((part) => part.language === language)
    if (own.length === 0) continue
    const program: ProgramPart[] = []
    for (const [i, { code, start }] of own.entries()) {
      const tree = i < MOST_PARTS ? parseCode(language, code) : null
      if (tree) program.push({ expression: READERS[language](tree, code), offset: start })
      else deeds.push(unread(start))
    }
    const done = judgeProgram(followProgram(program))
    deeds.push(...done.deeds)
    for (const { text, isShell, start } of done.made)
      if (isShell) commands.push({ text, at: start })
      else if (depth < DEEPEST) {
        const inner = scanCode([{ language, code: text, start: 0 }], depth + 1)
        deeds.push(...inner.deeds.map((deed) => ({ ...deed, start, end: start + 1 })))
        commands.push(...inner.commands.map((command) => ({ ...command, at: start })))
      } else deeds.push(unread(start))
  }
  return { deeds, commands }
}

function unread(start: number): Deed {
  return { code: 'unread_code', severity: 'warn', says: 'has code that cannot be read', start, end: start + 1 }
}

import type { Pipeline, Simple, Word } from './command.js'
import { programIndex } from './invocations.js'
import { programName } from './programs.js'

/** Values longer than this are not put in place of their variables; nor does a word become longer. */
const LONGEST = 400
const MOST_NAMES = 500
const DEEPEST = 4
const ASSIGNED = /^\$?([A-Za-z_]\w{0,40})\+?=([^]{1,200})$/
const ASSIGNERS = /^(?:export|declare|local|readonly|typeset|set|\w+=.*)$/
const VARIABLE = /\$\{([A-Za-z_]\w{0,40})(?::?(?:[-=]([^{}]{0,40})|[?+][^{}]{0,40}))?\}|\$(?:env:)?([A-Za-z_]\w{0,40})/g

/**
 * Puts values in place of the names that the text itself gives them: variables (`a=cu; b=rl; $a$b`), what a loop goes through, and
 * aliases, also of one another. A word of several words becomes several. What a command is to find out stays a variable.
 */
export function resolveNames(pipelines: readonly Pipeline[]): void {
  const variables = new Map<string, string>()
  const aliases = new Map<string, string>()
  const commands = pipelines.flatMap((pipeline) => pipeline.commands)
  for (const command of commands) collect(command, variables, aliases)
  for (const command of commands) {
    if (command.words.some(({ text }) => text.includes('$')))
      command.words = command.words.flatMap((word) => reworded(word, expand(word.text, variables)))
    if (aliases.size > 0) followAliases(command, aliases)
  }
}

function collect({ words }: Simple, variables: Map<string, string>, aliases: Map<string, string>): void {
  const [first, second, third] = words
  if (first?.name === 'for' && third?.text === 'in' && second && words.length < 20)
    // Two loops may go through different things under one name.
    variables.set(
      second.text,
      [variables.get(second.text) ?? '', ...words.slice(3).map(({ text }) => text)].join(' ').trim().slice(0, LONGEST),
    )
  for (const [i, { text }] of words.entries()) {
    const assigned = text.includes('=') ? ASSIGNED.exec(text) : null
    // An argument of that form gives no value, or not a second one.
    const isArgument = i > 0 && !ASSIGNERS.test(first!.name) && variables.has(assigned?.[1] ?? '')
    if (!assigned || isArgument || variables.size + aliases.size >= MOST_NAMES) continue
    const [, name = '', value = ''] = assigned
    if (first!.name === 'alias') aliases.set(name, value)
    else if (!value.includes('$(')) variables.set(name, value)
  }
}

function expand(text: string, variables: ReadonlyMap<string, string>): string {
  let read = text
  for (let depth = 0; depth < DEEPEST && read.includes('$'); depth++) {
    const before = read
    read = read.replace(VARIABLE, (whole, defaulted?: string, fallback?: string, name?: string) => {
      const value = variables.get(defaulted ?? name ?? '') ?? fallback
      if (value !== undefined) return value
      return name === 'SHELL' ? 'sh' : whole
    })
    if (read === before) break
    if (read.length > LONGEST) return text
  }
  return read
}

function reworded(word: Word, text: string): Word[] {
  if (text === word.text) return [word]
  if (ASSIGNED.test(word.text)) return [{ ...word, text }]
  return text
    .split(/\s+/)
    .filter((part) => part !== '')
    .map((part) => ({ ...word, text: part, name: programName(part) }))
}

function followAliases(command: Simple, aliases: ReadonlyMap<string, string>): void {
  for (let depth = 0; depth < DEEPEST; depth++) {
    const at = programIndex(command)
    const word = command.words[at]
    const value = word && aliases.get(word.text)
    if (!word || value === undefined || value.split(/\s/, 1)[0] === word.text) return
    command.words = command.words.toSpliced(at, 1, ...reworded(word, value))
  }
}

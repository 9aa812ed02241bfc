import {
  type ArrayNode,
  type DocumentNode,
  evaluate,
  type MemberNode,
  type ObjectNode,
  parse,
  type Token,
  type ValueNode,
} from '@humanwhocodes/momoa'
import { isDeepStrictEqual } from 'node:util'
import { CommandError } from '../failure.js'

const PATH = ['skills', 'load', 'extraDirs'] as const

type Json = Readonly<Record<string, unknown>>
type Container = ObjectNode | ArrayNode

/** Returns the directories that the configuration lists. Throws CommandError when it is not JSON5, or they are no list. */
export function extraDirs(text: string): string[] {
  const { container } = findContainer(parseConfig(text))
  return container.type === 'Object' ? [] : container.elements.map(({ value }) => evaluate(value) as string)
}

/**
 * Returns the text of the configuration with a directory more in `skills.load.extraDirs`. Everything else stays as it is
 * written, comments included; a text without any value becomes a new configuration.
 */
export function addExtraDir(text: string, dir: string): string {
  if (isBlank(text)) return `${JSON.stringify(nest(PATH, [dir]), null, 2)}\n`
  const dirs = extraDirs(text)
  if (dirs.includes(dir)) return text
  const document = parseConfig(text)
  const { container, depth } = findContainer(document)
  const missing = PATH.slice(depth)
  const key = missing.length === 0 ? '' : `${JSON.stringify(missing[0])}: `
  const item: Item = { key, value: missing.length === 0 ? dir : nest(missing.slice(1), [dir]) }
  return checked(text, append(text, document, container, item), [...dirs, dir])
}

/** Returns the text of the configuration without a directory in `skills.load.extraDirs`. */
export function removeExtraDir(text: string, dir: string): string {
  const dirs = isBlank(text) ? [] : extraDirs(text)
  if (!dirs.includes(dir)) return text
  const document = parseConfig(text)
  const list = findContainer(document).container as ArrayNode
  const index = dirs.indexOf(dir)
  const shorter = checked(text, cut(text, document, list.elements[index]!.value), dirs.toSpliced(index, 1))
  return removeExtraDir(shorter, dir)
}

function isBlank(text: string): boolean {
  return text.replace(/^\ufeff/, '').trim() === ''
}

function parseConfig(text: string): DocumentNode {
  try {
    return parse(text.replace(/^\ufeff/, ' '), { mode: 'json5', ranges: true, tokens: true })
  } catch (error) {
    throw new CommandError(`it is not JSON5 (${(error as Error).message})`)
  }
}

/**
 * Returns the list of directories, or else the innermost object on the way to it that exists, and the number of steps
 * that lead there.
 */
function findContainer(document: DocumentNode): { container: Container; depth: number } {
  let node: ValueNode = document.body
  for (let depth = 0; ; depth++) {
    const where = depth === 0 ? 'its value' : PATH.slice(0, depth).join('.')
    if (depth === PATH.length) {
      if (node.type === 'Array') return { container: node, depth }
      throw new CommandError(`${where} is not a list`)
    }
    if (node.type !== 'Object') throw new CommandError(`${where} is not an object`)
    // Of several members with one name, the last one counts.
    const member: MemberNode | undefined = node.members.findLast(
      ({ name }) => (name.type === 'String' ? name.value : name.name) === PATH[depth],
    )
    if (member === undefined) return { container: node, depth }
    node = member.value
  }
}

/** A member of an object, or, with an empty key, an element of a list. */
interface Item {
  readonly key: string
  readonly value: unknown
}

/** Writes an item at the end of an object or list: on a line of its own where the others have one. */
function append(text: string, document: DocumentNode, container: Container, { key, value }: Item): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const isOfLines = text.trimEnd().includes('\n')
  const step = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  const end = container.range![1] - 1
  const last = lastItem(container)
  const hasComma = last !== null && tokenAfter(document, last.end)?.type === 'Comma'
  const ending = hasComma ? ',' : ''
  /** Inserts text, and after the last item the comma that it now needs. */
  const insert = (at: number, added: string) => {
    const from = last?.end ?? at
    return text.slice(0, from) + (last && !hasComma ? ',' : '') + text.slice(from, at) + added + text.slice(at)
  }
  const line = (indent: string) =>
    indent + key + JSON.stringify(value, null, step).replaceAll('\n', newline + indent) + ending + newline
  const closing = lineBefore(text, end)
  if (closing.trim() === '' && end > closing.length)
    return insert(end - closing.length, line(last ? indentOf(text, last.start) : closing + step))
  const outer = indentOf(text, end)
  if (last === null && isOfLines)
    return insert(text.slice(0, end).trimEnd().length, newline + line(outer + step) + outer)
  const at = text.slice(0, end).trimEnd().length
  return insert(at, `${last ? ' ' : ''}${key}${JSON.stringify(value)}${ending}`)
}

function lastItem(container: Container): { start: number; end: number } | null {
  if (container.type === 'Array') {
    const range = container.elements.at(-1)?.value.range
    return range ? { start: range[0], end: range[1] } : null
  }
  const member = container.members.at(-1)
  return member ? { start: member.name.range![0], end: member.value.range![1] } : null
}

/** Removes an element with the comma that it does not need, and its line if nothing else stands there. */
function cut(text: string, document: DocumentNode, element: ValueNode): string {
  const [start, end] = element.range!
  const next = tokenAfter(document, end)
  const previous = document.tokens!.findLast((token) => !isComment(token) && token.range![1] <= start)
  if (next?.type === 'Comma') {
    const stop = next.range![1]
    return cutBlank(text.slice(0, start) + text.slice(end, next.range![0]) + text.slice(stop), start)
  }
  if (previous?.type !== 'Comma') return cutBlank(text.slice(0, start) + text.slice(end), start)
  const [comma, afterComma] = previous.range!
  const between = text.slice(afterComma, start)
  if (between.trim() === '' && !between.includes('\n')) return text.slice(0, comma) + text.slice(end)
  return cutBlank(text.slice(0, comma) + between + text.slice(end), comma + between.length)
}

/** Removes the line around a position if it is blank, or else the blanks that stand there. */
function cutBlank(text: string, at: number): string {
  const before = /[ \t]*$/.exec(text.slice(0, at))![0].length
  const after = /^[ \t]*(\r?\n)?/.exec(text.slice(at))!
  const beginsLine = text[at - before - 1] === '\n'
  if (beginsLine && after[1] !== undefined) return text.slice(0, at - before) + text.slice(at + after[0].length)
  return beginsLine ? text : text.slice(0, at) + text.slice(at + /^[ \t]*/.exec(text.slice(at))![0].length)
}

function tokenAfter(document: DocumentNode, position: number): Token | undefined {
  return document.tokens!.find((token) => !isComment(token) && token.range![0] >= position)
}

function isComment({ type }: Token): boolean {
  return type === 'LineComment' || type === 'BlockComment'
}

function lineBefore(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, at)
}

function indentOf(text: string, at: number): string {
  return /^[ \t]*/.exec(lineBefore(text, at))![0]
}

/** Returns the new text if it differs in the directories alone. Throws rather than break a configuration. */
function checked(before: string, after: string, dirs: readonly string[]): string {
  const expected = evaluate(parseConfig(before)) as Json
  const skills = { ...(expected.skills as Json | undefined) }
  const load = { ...(skills.load as Json | undefined), extraDirs: dirs }
  if (isDeepStrictEqual(evaluate(parseConfig(after)), { ...expected, skills: { ...skills, load } })) return after
  throw new CommandError('it cannot be changed without changing more than skills.load.extraDirs')
}

function nest(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value)
}

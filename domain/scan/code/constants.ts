import type { Call, Expression } from './expression.js'
import { LONGEST_TEXT, productOf, type Value } from './value.js'
import { DECODERS } from './vocabulary.js'

/** Returns whether a call is `Buffer.from(text, "base64")`. */
export function isDecodingBuffer(path: string, args: readonly Value[]): boolean {
  return (
    /(?:^|\.)Buffer\.from$/.test(path) &&
    (args[1]?.texts.some((text) => /^(?:base64|base64url|hex)$/.test(text)) ?? false)
  )
}

/** Returns what a call of a known function makes of constants; null where it is not known. */
export function foldedTexts(call: Call, path: string, callee: Value, args: readonly Value[]): string[] | null {
  const first = args[0]?.texts ?? []
  if (/(?:^|\.)path\.(?:join|resolve)$|^join-path$|(?:^|\.)(?:joinpath|File\.join)$/.test(path))
    return productOf([...(path.endsWith('joinpath') ? [callee.texts] : []), ...args.map(({ texts }) => texts)], '/')
      .texts
  if (/(?:^|\.)expanduser$|(?:^|\.)homedir$|Path\.home$|Dir\.home$/.test(path))
    return first.length > 0 ? first.slice() : ['~']
  for (const [pattern, decode] of DECODERS)
    if (pattern.test(path)) return decode ? [...first, ...callee.texts].slice(0, 4).map(decode) : []
  if (isDecodingBuffer(path, args))
    return first.map((text) => Buffer.from(text, args[1]!.texts[0] as BufferEncoding).toString('latin1'))
  if (/(?:^|\.)(?:chr|fromCharCode|fromCodePoint)$/.test(path))
    return args.every(({ texts }) => texts.length === 1)
      ? [args.map(({ texts }) => String.fromCodePoint(Math.min(0x10ffff, Number(texts[0]) || 32))).join('')]
      : []
  if (/(?:^|\.)join$/.test(path) && call.args.length <= 1) return joinedList(call, callee)
  if (/(?:^|\.)format$/.test(path)) return callee.texts.slice(0, 4).map((template) => filled(template, call, args))
  return null
}

/** Fills the places of a template: `{}`, `{0}`, `{name}`, `%s`, `%(name)s`. One whose value is not known stays. */
function filled(template: string, call: Call, args: readonly Value[]): string {
  let next = 0
  let left = LONGEST_TEXT
  return template
    .replace(/\{(\w{0,40})[^{}]{0,20}\}|%\((\w{1,40})\)s|%s/g, (place, key?: string, name?: string) => {
      const wanted = name ?? key ?? ''
      const index = /^\d{1,2}$/.test(wanted)
        ? Number(wanted)
        : wanted === ''
          ? next++
          : call.args.findIndex((arg) => arg.name === wanted)
      const text = left > 0 ? (args[index]?.texts[0] ?? place) : ''
      left -= text.length
      return text
    })
    .slice(0, LONGEST_TEXT)
}

/** Returns what `"".join(["a", "b"])` and `["a", "b"].join("")` make. */
function joinedList(call: Call, callee: Value): string[] | null {
  const argument = call.args[0]?.value
  const list =
    argument?.kind === 'group'
      ? argument
      : call.callee.kind === 'member' && call.callee.of.kind === 'group'
        ? call.callee.of
        : null
  const separator =
    list === argument ? (callee.texts[0] ?? '') : argument?.kind === 'joined' ? (constantOf(argument) ?? '') : ','
  if (!list || list.kind !== 'group') return null
  const parts = list.parts.map(constantOf)
  return parts.every((part) => part !== null) ? [parts.join(separator).slice(0, LONGEST_TEXT)] : null
}

/** Returns the text of an expression of constants only. */
function constantOf(expression: Expression): string | null {
  if (expression.kind === 'text') return expression.value
  if (expression.kind !== 'joined') return null
  const parts = expression.parts.map(constantOf)
  return parts.every((part) => part !== null) ? parts.join('') : null
}

/** Returns the commands that an argument of a runner spells: a text, or a list of words. */
export function commandsOf(expression: Expression, value: Value): string[] {
  if (expression.kind !== 'group') return [...value.texts]
  // A grammar may wrap a lone value in groups of one part.
  if (expression.parts.length === 1) return commandsOf(expression.parts[0]!, value)
  const words = expression.parts.map(constantOf).map((word) => word ?? 'x')
  return [words.map((word) => (/[\s"']/.test(word) ? `'${word.replaceAll("'", '')}'` : word)).join(' ')]
}

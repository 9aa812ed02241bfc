import type { Argument, Expression } from './expression.js'
import { childOf, type SyntaxNode } from './syntax-tree.js'

/** Reads a syntax tree of Python. */
export function readPython(node: SyntaxNode, code: string): Expression {
  const read = (child: SyntaxNode | undefined): Expression =>
    child ? readPython(child, code) : { kind: 'group', parts: [], start: node.start, end: node.start }
  const readAll = (nodes: readonly SyntaxNode[]) => nodes.filter(({ type }) => type !== 'comment').map(read)
  const textOf = (child: SyntaxNode | undefined) => (child ? code.slice(child.start, child.end) : '')
  const at = { start: node.start, end: node.end }
  switch (node.type) {
    case 'identifier':
      return { kind: 'name', name: textOf(node), ...at }
    case 'integer':
    case 'escape_sequence':
      return { kind: 'text', value: textOf(node), ...at }
    case 'string':
    case 'concatenated_string':
      return { kind: 'joined', parts: stringParts(node, code, read), ...at }
    case 'attribute':
      return { kind: 'member', of: read(childOf(node, 'object')), name: textOf(childOf(node, 'attribute')), ...at }
    case 'subscript': {
      const key = childOf(node, 'subscript')
      const of = read(childOf(node, 'value'))
      if (key?.type === 'slice' && /^\s*:\s*:\s*-1\s*$/.test(textOf(key)))
        return {
          kind: 'call',
          callee: { kind: 'name', name: 'reversed', ...at },
          args: [{ name: null, value: of }],
          ...at,
        }
      return { kind: 'item', of, key: read(key), ...at }
    }
    case 'call':
      return {
        kind: 'call',
        callee: read(childOf(node, 'function')),
        args: argumentsOf(childOf(node, 'arguments'), code),
        ...at,
      }
    case 'binary_operator': {
      const parts = [read(childOf(node, 'left')), read(childOf(node, 'right'))]
      if (node.operator === '/') return callOf('os.path.join', parts, at)
      if (node.operator === '^') return callOf('xor', parts, at)
      if (node.operator === '%') return formatOf(parts, at)
      return { kind: node.operator === '+' ? 'joined' : 'group', parts, ...at }
    }
    case 'comparison_operator':
    case 'not_operator':
      return { kind: 'test', parts: readAll(node.children), ...at }
    case 'dictionary':
      return {
        kind: 'record',
        members: node.children.map((member) =>
          member.type === 'pair'
            ? { name: constantOf(childOf(member, 'key'), code), value: read(childOf(member, 'value')) }
            : { name: null, value: read(member) },
        ),
        ...at,
      }
    case 'lambda':
    case 'function_definition':
      return {
        kind: 'function',
        name: node.type === 'lambda' ? null : textOf(childOf(node, 'name')),
        parameters: parametersOf(childOf(node, 'parameters'), code),
        body:
          node.type === 'lambda'
            ? { kind: 'return', value: read(childOf(node, 'body')), ...at }
            : read(childOf(node, 'body')),
        ...at,
      }
    case 'assignment':
    case 'augmented_assignment':
    case 'for_statement':
    case 'for_in_clause':
    case 'named_expression': {
      const to = read(childOf(node, 'left') ?? childOf(node, 'name'))
      const value = read(childOf(node, 'right') ?? childOf(node, 'value'))
      const body = childOf(node, 'body')
      const assign: Expression = { kind: 'assign', how: node.operator === '+=' ? 'adds' : 'declares', to, value, ...at }
      return body ? { kind: 'group', parts: [assign, read(body)], ...at } : assign
    }
    case 'list_comprehension':
    case 'generator_expression':
    case 'set_comprehension':
    case 'dictionary_comprehension':
      return { kind: 'group', parts: readAll([...node.children].reverse()), ...at }
    case 'as_pattern':
      return {
        kind: 'assign',
        how: 'declares',
        to: read(childOf(node, 'alias')?.children[0]),
        value: read(node.children[0]),
        ...at,
      }
    case 'global_statement':
    case 'nonlocal_statement':
      return { kind: 'outer', names: node.children.map(textOf), ...at }
    case 'return_statement':
    case 'yield':
      return { kind: 'return', value: { kind: 'group', parts: readAll(node.children), ...at }, ...at }
    case 'import_statement':
      return { kind: 'group', parts: node.children.map((name) => aliasOf(name, '', code)), ...at }
    case 'import_from_statement': {
      const module = textOf(childOf(node, 'module_name'))
      const names = node.children.filter(({ field }) => field === 'name')
      return { kind: 'group', parts: names.map((name) => aliasOf(name, `${module}.`, code)), ...at }
    }
    case 'comment':
      return { kind: 'group', parts: [], ...at }
    default:
      return { kind: 'group', parts: readAll(node.children), ...at }
  }
}

type Read = (node: SyntaxNode | undefined) => Expression
type Position = { readonly start: number; readonly end: number }

export function callOf(path: string, values: readonly Expression[], at: Position): Expression {
  return {
    kind: 'call',
    callee: { kind: 'name', name: path, ...at },
    args: values.map((value) => ({ name: null, value })),
    ...at,
  }
}

/** Reads `template % values` as `template.format(values)`. */
function formatOf([template, value]: readonly Expression[], at: Position): Expression {
  const args: Argument[] =
    value?.kind === 'record'
      ? [...value.members]
      : value?.kind === 'group'
        ? value.parts.map((part) => ({ name: null, value: part }))
        : [{ name: null, value: value! }]
  return { kind: 'call', callee: { kind: 'member', of: template!, name: 'format', ...at }, args, ...at }
}

function stringParts(node: SyntaxNode, code: string, read: Read): Expression[] {
  return node.children.flatMap((child): Expression[] => {
    const at = { start: child.start, end: child.end }
    if (child.type === 'string_content')
      return [{ kind: 'text', value: unescaped(code.slice(child.start, child.end)), ...at }]
    if (child.type === 'interpolation') return [read(childOf(child, 'expression') ?? child.children[0])]
    return child.type === 'string' ? [read(child)] : []
  })
}

/** Returns a text without the escapes that spell a character by its number. */
export function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    /\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{4,6})\}?|\\(["'\\nt/])/gi,
    (_, hex?: string, unicode?: string, plain?: string) => {
      if (plain !== undefined) return plain === 'n' ? '\n' : plain === 't' ? '\t' : plain
      const number = parseInt(hex ?? unicode ?? '0', 16)
      return number > 0x10ffff ? '' : String.fromCodePoint(number)
    },
  )
}

function argumentsOf(node: SyntaxNode | undefined, code: string): Argument[] {
  if (!node) return []
  // `join(x for x in y)` has its generator in place of a list of arguments.
  if (node.type === 'generator_expression') return [{ name: null, value: readPython(node, code) }]
  return node.children
    .filter(({ type }) => type !== 'comment')
    .map((child) => {
      const name = child.type === 'keyword_argument' ? childOf(child, 'name') : undefined
      const value = child.type === 'keyword_argument' ? childOf(child, 'value') : child
      return { name: name ? code.slice(name.start, name.end) : null, value: readPython(value ?? child, code) }
    })
}

function parametersOf(node: SyntaxNode | undefined, code: string): string[] {
  return (node?.children ?? []).map((child) => {
    const name = childOf(child, 'name') ?? (child.type === 'identifier' ? child : child.children[0])
    return name ? code.slice(name.start, name.end) : ''
  })
}

function aliasOf(node: SyntaxNode, prefix: string, code: string): Expression {
  const named = node.type === 'aliased_import' ? childOf(node, 'name') : node
  const path = named ? code.slice(named.start, named.end) : ''
  const alias = childOf(node, 'alias')
  const name = alias ? code.slice(alias.start, alias.end) : prefix === '' ? path.split('.')[0]! : path
  return {
    kind: 'alias',
    name,
    path: alias || prefix !== '' ? prefix + path : name,
    start: node.start,
    end: node.end,
  }
}

function constantOf(node: SyntaxNode | undefined, code: string): string | null {
  return node ? bareKey(code.slice(node.start, node.end)) : null
}

/** Returns the key of a record without its quotes, brackets and colons. */
export function bareKey(key: string): string {
  return /[^"'[\]:]+/.exec(key)?.[0] ?? ''
}

import type { Argument, Expression } from './expression.js'
import { bareKey, callOf, unescaped } from './python.js'
import { childOf, type SyntaxNode } from './syntax-tree.js'

/** Reads a syntax tree of Ruby. */
export function readRuby(node: SyntaxNode, code: string): Expression {
  const read = (child: SyntaxNode | undefined): Expression =>
    child ? readRuby(child, code) : { kind: 'group', parts: [], start: node.start, end: node.start }
  const readAll = (nodes: readonly SyntaxNode[]) => nodes.filter(({ type }) => type !== 'comment').map(read)
  const textOf = (child: SyntaxNode | undefined) => (child ? code.slice(child.start, child.end) : '')
  const at = { start: node.start, end: node.end }
  switch (node.type) {
    case 'identifier':
    case 'constant':
    case 'instance_variable':
    case 'global_variable':
    case 'self':
      return { kind: 'name', name: textOf(node), ...at }
    case 'integer':
    case 'string_content':
    case 'simple_symbol':
    case 'escape_sequence':
      return { kind: 'text', value: unescaped(textOf(node)).replace(/^:/, ''), ...at }
    case 'string':
    case 'chained_string':
      return { kind: 'joined', parts: readAll(node.children), ...at }
    case 'subshell':
      return callOf('system', [{ kind: 'joined', parts: readAll(node.children), ...at }], at)
    case 'scope_resolution':
      return { kind: 'member', of: read(childOf(node, 'scope')), name: textOf(childOf(node, 'name')), ...at }
    case 'element_reference': {
      const [object, key] = node.children
      return { kind: 'item', of: read(object), key: read(key), ...at }
    }
    case 'call': {
      const receiver = childOf(node, 'receiver')
      const method = childOf(node, 'method')
      const block = childOf(node, 'block')
      return {
        kind: 'call',
        callee: receiver ? { kind: 'member', of: read(receiver), name: textOf(method), ...at } : read(method),
        args: [
          ...(childOf(node, 'arguments')?.children ?? []).map((child) => argumentOf(child, code)),
          ...(block ? [{ name: null, value: functionOf(block, null, code) }] : []),
        ],
        ...at,
      }
    }
    case 'binary': {
      const parts = [read(childOf(node, 'left')), read(childOf(node, 'right'))]
      if (node.operator === '^') return callOf('xor', parts, at)
      return {
        kind: /^(?:\+|<<|%)$/.test(node.operator) ? 'joined' : /^[&|]{2}$/.test(node.operator) ? 'group' : 'test',
        parts,
        ...at,
      }
    }
    case 'hash':
      return { kind: 'record', members: node.children.map((child) => argumentOf(child, code)), ...at }
    case 'method':
    case 'singleton_method':
    case 'lambda':
      return functionOf(node, textOf(childOf(node, 'name')) || null, code)
    case 'assignment':
    case 'operator_assignment':
      return {
        kind: 'assign',
        how: node.operator === '+=' ? 'adds' : 'sets',
        to: read(childOf(node, 'left')),
        value: read(childOf(node, 'right')),
        ...at,
      }
    case 'return':
      return { kind: 'return', value: { kind: 'group', parts: readAll(node.children), ...at }, ...at }
    case 'comment':
      return { kind: 'group', parts: [], ...at }
    default:
      return { kind: 'group', parts: readAll(node.children), ...at }
  }
}

function functionOf(node: SyntaxNode, name: string | null, code: string): Expression {
  const body = childOf(node, 'body')
  return {
    kind: 'function',
    name,
    parameters: (childOf(node, 'parameters')?.children ?? []).map((child) => {
      const named = childOf(child, 'name') ?? child
      return code.slice(named.start, named.end)
    }),
    body: body ? readRuby(body, code) : { kind: 'group', parts: [], start: node.start, end: node.start },
    start: node.start,
    end: node.end,
  }
}

function argumentOf(node: SyntaxNode, code: string): Argument {
  if (node.type !== 'pair') return { name: null, value: readRuby(node, code) }
  const [key, value] = [childOf(node, 'key'), childOf(node, 'value')]
  return {
    name: key ? bareKey(code.slice(key.start, key.end)) : null,
    value: readRuby(value ?? node, code),
  }
}

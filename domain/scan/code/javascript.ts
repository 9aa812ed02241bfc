import type { Argument, Assign, Expression } from './expression.js'
import { bareKey, callOf, unescaped } from './python.js'
import { childOf, type SyntaxNode } from './syntax-tree.js'

/** Reads a syntax tree of JavaScript or TypeScript. */
export function readJavaScript(node: SyntaxNode, code: string): Expression {
  const read = (child: SyntaxNode | undefined): Expression =>
    child ? readJavaScript(child, code) : { kind: 'group', parts: [], start: node.start, end: node.start }
  const readAll = (nodes: readonly SyntaxNode[]) => nodes.filter(({ type }) => type !== 'comment').map(read)
  const textOf = (child: SyntaxNode | undefined) => (child ? code.slice(child.start, child.end) : '')
  const at = { start: node.start, end: node.end }
  switch (node.type) {
    case 'identifier':
    case 'shorthand_property_identifier':
    case 'this':
      return { kind: 'name', name: textOf(node), ...at }
    case 'number':
    case 'property_identifier':
    case 'escape_sequence':
    case 'string_fragment':
      return { kind: 'text', value: unescaped(textOf(node)), ...at }
    case 'string':
    case 'template_string':
      return {
        kind: 'joined',
        parts: node.children.map((part) =>
          part.type === 'template_substitution' ? read(part.children[0]) : read(part),
        ),
        ...at,
      }
    case 'member_expression':
      return { kind: 'member', of: read(childOf(node, 'object')), name: textOf(childOf(node, 'property')), ...at }
    case 'subscript_expression':
      return { kind: 'item', of: read(childOf(node, 'object')), key: read(childOf(node, 'index')), ...at }
    case 'call_expression':
    case 'new_expression': {
      const args = childOf(node, 'arguments')
      return {
        kind: 'call',
        callee: read(childOf(node, 'function') ?? childOf(node, 'constructor')),
        args: args?.type === 'arguments' ? readAll(args.children).map((value) => ({ name: null, value })) : [],
        ...at,
      }
    }
    case 'binary_expression': {
      const parts = [read(childOf(node, 'left')), read(childOf(node, 'right'))]
      if (node.operator === '+') return { kind: 'joined', parts, ...at }
      if (node.operator === '^') return callOf('xor', parts, at)
      return { kind: /^(?:\|\||&&|\?\?)$/.test(node.operator) ? 'group' : 'test', parts, ...at }
    }
    case 'object':
      return { kind: 'record', members: node.children.flatMap((member) => memberOf(member, code)), ...at }
    case 'arrow_function':
    case 'function_expression':
    case 'function_declaration':
    case 'method_definition':
    case 'generator_function_declaration': {
      const body = childOf(node, 'body')
      const single = childOf(node, 'parameter')
      return {
        kind: 'function',
        name: childOf(node, 'name') ? textOf(childOf(node, 'name')) : null,
        parameters: single ? [textOf(single)] : parametersOf(childOf(node, 'parameters'), code),
        body: body?.type === 'statement_block' ? read(body) : { kind: 'return', value: read(body), ...at },
        ...at,
      }
    }
    case 'variable_declarator':
    case 'assignment_expression':
    case 'augmented_assignment_expression':
    case 'for_in_statement': {
      const to = childOf(node, 'name') ?? childOf(node, 'left')
      const value = read(childOf(node, 'value') ?? childOf(node, 'right'))
      const body = childOf(node, 'body')
      const how = ASSIGNS[node.type] ?? (node.operator === '+=' ? 'adds' : 'sets')
      const assigns = to?.type === 'object_pattern' ? picked(to, value, code) : [assignOf(read(to), value, at, how)]
      return { kind: 'group', parts: body ? [...assigns, read(body)] : assigns, ...at }
    }
    case 'return_statement':
    case 'yield_expression':
      return { kind: 'return', value: { kind: 'group', parts: readAll(node.children), ...at }, ...at }
    case 'import_statement':
      return { kind: 'group', parts: importsOf(node, code), ...at }
    case 'comment':
    case 'type_annotation':
    case 'interface_declaration':
    case 'type_alias_declaration':
      return { kind: 'group', parts: [], ...at }
    default:
      return { kind: 'group', parts: readAll(node.children), ...at }
  }
}

const ASSIGNS: Readonly<Record<string, Assign['how']>> = {
  variable_declarator: 'declares',
  for_in_statement: 'declares',
  assignment_expression: 'sets',
}

function assignOf(
  to: Expression,
  value: Expression,
  at: { readonly start: number; readonly end: number },
  how: Assign['how'] = 'declares',
): Expression {
  return { kind: 'assign', how, to, value, ...at }
}

function memberOf(node: SyntaxNode, code: string): Argument[] {
  if (node.type === 'comment') return []
  if (node.type !== 'pair') {
    const isName = node.type === 'shorthand_property_identifier'
    return [{ name: isName ? code.slice(node.start, node.end) : null, value: readJavaScript(node, code) }]
  }
  const [key, value] = [childOf(node, 'key'), childOf(node, 'value')]
  return [
    {
      name: key ? bareKey(code.slice(key.start, key.end)) : null,
      value: readJavaScript(value ?? node, code),
    },
  ]
}

/** Reads `const { a, b: c } = value` as assignments of the value's members. The value has a name, so that it is followed once. */
function picked(pattern: SyntaxNode, value: Expression, code: string): Expression[] {
  const whole: Expression = { kind: 'name', name: `#${pattern.start}`, start: pattern.start, end: pattern.end }
  const parts = pattern.children.map((part) => {
    const at = { start: part.start, end: part.end }
    const key = childOf(part, 'key') ?? childOf(part, 'left') ?? part
    const name = childOf(part, 'value') ?? key
    return assignOf(
      { kind: 'name', name: code.slice(name.start, name.end), ...at },
      { kind: 'member', of: whole, name: code.slice(key.start, key.end), ...at },
      at,
    )
  })
  return [assignOf(whole, value, { start: pattern.start, end: pattern.end }), ...parts]
}

function parametersOf(node: SyntaxNode | undefined, code: string): string[] {
  return (node?.children ?? []).map((child) => {
    const name = childOf(child, 'pattern') ?? child
    return code.slice(name.start, name.end)
  })
}

function importsOf(node: SyntaxNode, code: string): Expression[] {
  const source = childOf(node, 'source')
  const module = source ? code.slice(source.start + 1, source.end - 1).replace(/^node:/, '') : ''
  const found: Expression[] = []
  const add = (name: SyntaxNode, path: string) =>
    found.push({ kind: 'alias', name: code.slice(name.start, name.end), path, start: name.start, end: name.end })
  for (const clause of node.children.filter(({ type }) => type === 'import_clause'))
    for (const part of clause.children)
      if (part.type === 'identifier') add(part, module)
      else if (part.type === 'namespace_import') add(part.children[0] ?? part, module)
      else
        for (const specifier of part.children) {
          const name = childOf(specifier, 'name') ?? specifier
          add(childOf(specifier, 'alias') ?? name, `${module}.${code.slice(name.start, name.end)}`)
        }
  return found
}

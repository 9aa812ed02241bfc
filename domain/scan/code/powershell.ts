import type { Argument, Expression } from './expression.js'
import { childOf, type SyntaxNode } from './syntax-tree.js'

/** Reads a syntax tree of PowerShell. Names are in lower case, as PowerShell does not tell cases apart. */
export function readPowerShell(node: SyntaxNode, code: string): Expression {
  const read = (child: SyntaxNode | undefined): Expression =>
    child ? readPowerShell(child, code) : { kind: 'group', parts: [], start: node.start, end: node.start }
  const readAll = (nodes: readonly SyntaxNode[]) => nodes.filter(({ type }) => type !== 'comment').map(read)
  const textOf = (child: SyntaxNode | undefined) => (child ? code.slice(child.start, child.end) : '')
  const at = { start: node.start, end: node.end }
  const [first, second, third] = node.children
  switch (node.type) {
    case 'variable':
      return variableOf(textOf(node), at)
    case 'type_literal':
      return {
        kind: 'name',
        name: textOf(node)
          .replace(/^\[(?:System\.)?|\]$/gi, '')
          .toLowerCase(),
        ...at,
      }
    case 'generic_token':
    case 'verbatim_string_characters':
    case 'verbatim_here_string_characters':
    case 'decimal_integer_literal':
    case 'hexadecimal_integer_literal':
      return { kind: 'text', value: textOf(node).replace(/^@?'|'@?$/g, ''), ...at }
    case 'expandable_string_literal':
    case 'expandable_here_string_literal':
      return { kind: 'joined', parts: stringParts(node, code), ...at }
    case 'member_access':
      return { kind: 'member', of: read(first), name: textOf(second).toLowerCase(), ...at }
    case 'invokation_expression':
      return {
        kind: 'call',
        callee: { kind: 'member', of: read(first), name: textOf(second).toLowerCase(), ...at },
        args: (third?.children ?? [])
          .flatMap(({ children }) => children)
          .map((value) => ({ name: null, value: read(value) })),
        ...at,
      }
    case 'element_access':
      return { kind: 'item', of: read(first), key: read(second), ...at }
    case 'additive_expression':
    case 'additive_argument_expression':
    case 'format_expression':
      return { kind: node.children.length > 1 ? 'joined' : 'group', parts: readAll(node.children), ...at }
    case 'comparison_expression':
      return { kind: node.children.length > 1 ? 'test' : 'group', parts: readAll(node.children), ...at }
    case 'pipeline_chain':
      return chainOf(node.children, code)
    case 'assignment_expression':
      return {
        kind: 'assign',
        how: textOf(second).startsWith('+') ? 'adds' : 'declares',
        to: innermost(read(first)),
        value: read(childOf(node, 'value')),
        ...at,
      }
    case 'foreach_statement': {
      const assign: Expression = { kind: 'assign', how: 'declares', to: read(first), value: read(second), ...at }
      return { kind: 'group', parts: [assign, ...readAll(node.children.slice(2))], ...at }
    }
    case 'function_statement':
      return functionOf(node, textOf(first).toLowerCase(), code)
    case 'script_block_expression':
      return functionOf(node, null, code)
    case 'hash_literal_expression':
      return { kind: 'record', members: hashMembers(node, code), ...at }
    case 'flow_control_statement':
      return { kind: 'return', value: { kind: 'group', parts: readAll(node.children), ...at }, ...at }
    case 'command':
      return commandOf(node, null, code)
    case 'comment':
      return { kind: 'group', parts: [], ...at }
    default:
      return { kind: 'group', parts: readAll(node.children), ...at }
  }
}

type Position = { readonly start: number; readonly end: number }

function variableOf(text: string, at: Position): Expression {
  const name = text.replace(/^[$@]\{?|\}$/g, '').toLowerCase()
  const key = /^env:(.+)$/.exec(name)?.[1]
  const environment: Expression = { kind: 'name', name: 'env:', ...at }
  if (key !== undefined)
    return { kind: 'item', of: environment, key: { kind: 'text', value: key.toUpperCase(), ...at }, ...at }
  return { kind: 'name', name: `$${name}`, ...at }
}

/** Splits a string at the variables and expressions in it. */
function stringParts(node: SyntaxNode, code: string): Expression[] {
  const parts: Expression[] = []
  let from = node.start + 1
  const addText = (to: number) => {
    if (to > from) parts.push({ kind: 'text', value: code.slice(from, to).replaceAll('`', ''), start: from, end: to })
  }
  for (const child of node.children) {
    addText(child.start)
    parts.push(readPowerShell(child, code))
    from = child.end
  }
  addText(node.end - 1)
  return parts
}

/** Takes a name out of the groups of one part in which the grammar wraps it. */
function innermost(expression: Expression): Expression {
  let inner = expression
  while (inner.kind === 'group' && inner.parts.length === 1) inner = inner.parts[0]!
  return inner
}

/** Reads `a | b | c`: what a command writes is an argument of the next one. */
function chainOf(commands: readonly SyntaxNode[], code: string): Expression {
  let result: Expression | null = null
  for (const command of commands)
    result = command.type === 'command' ? commandOf(command, result, code) : readPowerShell(command, code)
  return result ?? { kind: 'group', parts: [], start: 0, end: 0 }
}

function commandOf(node: SyntaxNode, input: Expression | null, code: string): Expression {
  const at = { start: node.start, end: node.end }
  const [name, elements] = [childOf(node, 'command_name'), childOf(node, 'command_elements')]
  const args: Argument[] = []
  let parameter: string | null = null
  for (const element of elements?.children ?? []) {
    if (element.type === 'command_argument_sep') continue
    if (element.type === 'command_parameter') {
      parameter = code.slice(element.start + 1, element.end).toLowerCase()
      continue
    }
    args.push({ name: parameter, value: readPowerShell(element, code) })
    parameter = null
  }
  if (input) args.push({ name: null, value: input })
  const callee: Expression = name
    ? { kind: 'name', name: code.slice(name.start, name.end).toLowerCase(), ...at }
    : {
        kind: 'group',
        parts: node.children.filter((child) => child !== elements).map((child) => readPowerShell(child, code)),
        ...at,
      }
  return { kind: 'call', callee, args, ...at }
}

function functionOf(node: SyntaxNode, name: string | null, code: string): Expression {
  const parameters: string[] = []
  const rest: SyntaxNode[] = []
  for (const child of node.children)
    if (/parameter_declaration|param_block/.test(child.type)) collectVariables(child, code, parameters)
    else rest.push(child)
  const body = rest.map((child) => readPowerShell(child, code))
  const at = { start: node.start, end: node.end }
  return {
    kind: 'function',
    name,
    parameters,
    body: { kind: 'return', value: { kind: 'group', parts: body, ...at }, ...at },
    ...at,
  }
}

function collectVariables(node: SyntaxNode, code: string, into: string[]): void {
  if (node.type === 'variable') into.push(code.slice(node.start, node.end).toLowerCase())
  for (const child of node.children) collectVariables(child, code, into)
}

function hashMembers(node: SyntaxNode, code: string): Argument[] {
  if (node.type !== 'hash_entry') return node.children.flatMap((child) => hashMembers(child, code))
  const [key, value] = node.children
  return key && value
    ? [{ name: code.slice(key.start, key.end).toLowerCase(), value: readPowerShell(value, code) }]
    : []
}

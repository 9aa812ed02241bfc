import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Contract } from '../../http/validation/contract.js'
import { TOOLS } from '../../mcp/tools.js'
import type { CallInput, ClientAnswer } from './clients/request.js'

/** An answer of a tool: its structured content, which its text repeats. */
export interface ToolReply {
  readonly isError: boolean
  /* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a tool answers is not known by its type */
  readonly content: any
}

export type Protocol = '2026-07-28' | '2025'

/** Connects the official client, of the current revision of the protocol or of those before. */
export async function connectTools(url: string, key: string, protocol: Protocol = '2026-07-28'): Promise<Client> {
  const mode = protocol === '2025' ? 'legacy' : { pin: protocol }
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { 'x-api-key': key }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
  return client
}

/** Calls a tool. Throws when the text and the structured content of the answer differ, or when it says no latency. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<ToolReply> {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args })
  const [text] = content as { type: string; text: string }[]
  if (text?.text !== JSON.stringify(structuredContent)) throw new Error('the text is not the structured content')
  const latency = (structuredContent as { _latency_ms?: unknown })._latency_ms
  if (!Number.isInteger(latency)) throw new Error('the answer has no integer _latency_ms')
  return { isError, content: structuredContent }
}

/** Returns an answer without the argument that the tool repeats. */
function withoutOwn(answer: Record<string, unknown>, tool: string, op: string): Record<string, unknown> {
  const { echoes } = TOOLS.find(({ name }) => name === tool)!.ops[op]!
  return Object.fromEntries(Object.entries(answer).filter(([key]) => key !== echoes))
}

/** Returns the tool and the op that call an operation. */
function toolOf(operationId: string): { tool: string; op: string; fixed: readonly string[] } | undefined {
  const all = TOOLS.flatMap(({ name, ops }) =>
    Object.entries(ops).map(([op, { operationId, fixed = {} }]) => ({
      tool: name,
      op,
      operationId,
      fixed: Object.keys(fixed),
    })),
  )
  return all.find((one) => one.operationId === operationId)
}

export function isToolOperation(operationId: string): boolean {
  return toolOf(operationId) !== undefined
}

/** Headers of an operation that are arguments of its tool. */
const ARGUMENTS_OF_HEADERS = ['If-Match', 'If-None-Match', 'Idempotency-Key']

/**
 * Calls an operation by its tool, with the parts of a REST request as arguments except for those that the tool gives itself, and checks the answer against the contract. The answer's
 * body is the operation's, without what the tool adds. Where the message itself is refused, the answer is that of the endpoint.
 */
export async function callByTool(
  baseUrl: string,
  operationId: string,
  { params, query, body, headers = {} }: CallInput,
  contract: Contract,
  /* eslint-disable-next-line @typescript-eslint/no-explicit-any -- the operation is known by its name alone */
): Promise<ClientAnswer<any>> {
  const { tool, op, fixed } = toolOf(operationId)!
  const isArgument = ([name]: [string, string]) => ARGUMENTS_OF_HEADERS.includes(name)
  const sent = Object.entries(headers)
  const named = sent.filter(isArgument).map(([name, value]) => [name.toLowerCase().replaceAll('-', '_'), value])
  const { path } = contract.routes.find((route) => route.operationId === operationId)!
  const ofPath = Object.entries(params ?? {}).filter(([name]) => path.includes(`{${name}}`))
  const all = { ...Object.fromEntries(named), ...(body as object), ...query, ...Object.fromEntries(ofPath), op }
  const given = Object.fromEntries(Object.entries(all).filter(([name]) => !fixed.includes(name)))
  const response = await fetch(new URL('/mcp', baseUrl), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...Object.fromEntries(sent.filter((header) => !isArgument(header))),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } }),
  })
  const text = await response.text()
  if (!response.ok) return { status: response.status, headers: response.headers, body: JSON.parse(text).error.data }
  const message = JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!)
  const { _status: status, _latency_ms, _etag, _retry_after_s, _notes, ...rest } = message.result.structuredContent
  if (!Number.isInteger(_latency_ms)) throw new Error(`${tool} ${op} answered without an integer _latency_ms`)
  const isEmpty = [204, 304].includes(status)
  const faults = contract.checkAnswer(operationId, status, isEmpty ? undefined : withoutOwn(rest, tool, op))
  // A tool leaves out what a model need not read, and REST's copy of an error's message.
  if (faults.some((fault) => !fault.includes('must have required property')))
    throw new Error(`${tool} ${op} against the contract: ${faults.join('; ')}`)
  return { status, headers: new Headers(_etag === undefined ? {} : { ETag: _etag }), body: rest }
}

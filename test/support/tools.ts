import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

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

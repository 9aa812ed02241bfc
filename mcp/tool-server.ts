import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { CallOperation } from '../http/operation-caller.js'
import { readPrompt, listPrompts } from './prompts.js'
import { listResources, readResource } from './resources.js'
import { callTool, type ToolAnswer } from './tool-call.js'
import type { ToolFields } from './tool-fields.js'
import { listTools, type ListedTool } from './tool-list.js'

/** Holds all that the answer to one message is made of. */
export interface ToolContext {
  readonly version: string
  readonly fields: ToolFields
  /** The tenant of the key; null for the admin credential. */
  readonly tenantId: string | null
  readonly callOperation: CallOperation
}

const INSTRUCTIONS =
  'Long-term memory that you share with other agents. When a session begins: svc_keystones list, obey the rules, acknowledge them. Before a task: svc_recall search, svc_skills search. After it: svc_memory write what others should know, and feedback on memories that helped or misled. Your tenant and agent follow from your key. An error says what to change; `_retry_after_s` says when to try again.'

let listed: { readonly fields: ToolFields; readonly tools: readonly ListedTool[] } | undefined

function toolsOf(fields: ToolFields): readonly ListedTool[] {
  if (listed?.fields !== fields) listed = { fields, tools: listTools(fields) }
  return listed.tools
}

/** Creates the server of one message. */
export function createToolServer(context: ToolContext): Server {
  const { version, fields } = context
  const server = new Server(
    { name: 'cairn', title: 'cairn: memory for agents', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...toolsOf(fields)] }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const answer = await callTool(params.name, params.arguments ?? {}, fields, context)
    return resultOf(answer)
  })
  server.setRequestHandler('resources/list', () => ({ resources: listResources() }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => ({
    contents: [required(await readResource(uri, context), `There is no resource ${uri.slice(0, 200)}.`)],
  }))
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }) =>
    required(await readPrompt(name, given, context), `There is no prompt ${name.slice(0, 200)}.`),
  )
  return server
}

function resultOf({ isError, content }: ToolAnswer) {
  const text = JSON.stringify(content)
  return { content: [{ type: 'text' as const, text }], structuredContent: content, ...(isError && { isError }) }
}

function required<T>(found: T | null, message: string): T {
  if (found === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  return found
}

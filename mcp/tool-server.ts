import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { SKILLS_EXTENSION_ID } from '@modelcontextprotocol/server/ext/skills'
import { readPrompt, listPrompts } from './prompts.js'
import { listResources, listResourceTemplates, readResource } from './resources.js'
import { handleSkills } from './skill-methods.js'
import type { SkillsContext } from './skills.js'
import { callTool, type ToolAnswer, type ToolContext } from './tool-call.js'
import type { ListedTool } from './tool-list.js'

/** Holds all that the answer to one message is made of. */
interface MessageContext extends ToolContext, SkillsContext {
  readonly version: string
  /** Returns the tools that the caller's trust may call. */
  readonly listTools: () => Promise<readonly ListedTool[]>
  /** Called with an error of the tools' own code, of which the caller is told nothing. */
  readonly onFailure: (error: unknown) => void
}

const INSTRUCTIONS =
  'Long-term memory that you share with other agents. When a session begins: svc_keystones list, obey the rules, acknowledge them. Before a task: svc_recall search, svc_skills search. After it: svc_memory write what others should know, and feedback on memories that helped or misled. Your tenant and agent follow from your key. An error says what to change; `_retry_after_s` says when to try again.'

const CAPABILITIES = {
  tools: {},
  resources: {},
  prompts: {},
  extensions: { [SKILLS_EXTENSION_ID]: { directoryRead: true } },
}

/** Creates the server of one message. */
export function createToolServer(context: MessageContext): Server {
  const { version, onFailure } = context
  const server = new Server(
    { name: 'cairn', title: 'cairn: memory for agents', version },
    { capabilities: CAPABILITIES, instructions: INSTRUCTIONS },
  )
  const answer = <T>(work: () => Promise<T>) => guarded(onFailure, work)
  server.setRequestHandler('tools/list', () => answer(async () => ({ tools: [...(await context.listTools())] })))
  server.setRequestHandler('tools/call', ({ params }) =>
    answer(async () => resultOf(await callTool(params.name, params.arguments ?? {}, context))),
  )
  server.setRequestHandler('resources/list', ({ params }) => answer(() => listResources(params?.cursor, context)))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: listResourceTemplates() }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    answer(async () => ({
      contents: [
        required(await readResource(uri, context), `There is no resource ${uri.slice(0, 200)}.`, {
          uri: uri.slice(0, 2_000),
        }),
      ],
    })),
  )
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) =>
    answer(async () => required(await readPrompt(name, given, context), `There is no prompt ${name.slice(0, 200)}.`)),
  )
  handleSkills(server, context, answer)
  return server
}

/** Rejects with a message that tells nothing: the SDK sends it to the caller. */
async function guarded<T>(onFailure: (error: unknown) => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    onFailure(error)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'An internal error occurred.')
  }
}

function resultOf({ isError, content }: ToolAnswer) {
  const text = JSON.stringify(content)
  return { content: [{ type: 'text' as const, text }], structuredContent: content, ...(isError && { isError }) }
}

function required<T>(found: T | null, message: string, data?: object): T {
  if (found === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, data)
  return found
}

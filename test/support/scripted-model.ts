import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { SCHEMA_RULES } from './model-schema-rules.js'

interface ChatMessage {
  readonly role: string
  readonly content: unknown
}

interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly { readonly function: OfferedFunction }[]
}

interface OfferedFunction {
  readonly name: string
  readonly description?: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** Refusals of a request for its tools: OpenAI refuses all of it for one. */
const REFUSED = SCHEMA_RULES.filter(({ by }) => by.includes('OpenAI'))

interface ScriptedModel {
  /** The base for OPENAI_BASE_URL. */
  readonly url: string
  stop(): void
}

/** Returns the tool to call for a prompt, with its arguments. */
type Script = (prompt: string) => { readonly tool: string; readonly args: object }

/**
 * Starts a model behind an OpenAI-compatible endpoint: it calls one tool for a prompt, and answers with what the tool
 * said. It knows nothing by itself, and calls only tools that the harness offers. It refuses a request whose tools OpenAI's models refuse.
 */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const server = createServer((incoming, outgoing) => {
    void json(incoming).then((body) => {
      const message = refusalOf((body as ChatRequest).tools ?? [])
      if (message !== null) {
        outgoing.writeHead(400, { 'Content-Type': 'application/json' })
        outgoing.end(JSON.stringify({ error: { message, type: 'invalid_request_error', param: 'tools', code: null } }))
        return
      }
      const answer = {
        // Harnesses tell messages and calls apart by their ids.
        id: `chat-${randomUUID()}`,
        object: 'chat.completion',
        created: 1,
        model: 'scripted',
        ...reply(body as ChatRequest),
      }
      outgoing.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  function reply({ messages, tools = [] }: ChatRequest) {
    const last = messages.at(-1)!
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const choice = (finish_reason: string, message: object) => ({
      choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
      usage,
    })
    if (last.role === 'tool') return choice('stop', { content: `The tool said: ${textOf(last)}` })
    const { tool, args } = script(textOf(last))
    if (!tools.some(({ function: { name } }) => name === tool))
      return choice('stop', { content: `There is no ${tool}.` })
    const call = {
      id: `call-${randomUUID()}`,
      type: 'function',
      function: { name: tool, arguments: JSON.stringify(args) },
    }
    return choice('tool_calls', { content: null, tool_calls: [call] })
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function refusalOf(tools: NonNullable<ChatRequest['tools']>): string | null {
  for (const { function: offered } of tools) {
    const tool = { ...offered, inputSchema: offered.parameters ?? { type: 'object' } }
    const broken = REFUSED.find((rule) => rule.broken(tool).length > 0)
    if (broken) return `Invalid schema for function '${tool.name}': ${broken.rule} (${broken.broken(tool).join(', ')}).`
  }
  return null
}

function textOf({ content }: ChatMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

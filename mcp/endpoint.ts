import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import type { IncomingHttpHeaders } from 'node:http'
import { openapiDocument } from '../contract/openapi-document.js'
import { HttpError, type Answer } from '../http/errors.js'
import type { EndpointRequest, MessageEndpoint } from '../http/message-endpoint.js'
import { setSerializedBody } from '../runtime/serialized-body.js'
import { withoutNullArguments } from './absent-arguments.js'
import { createToolServer } from './tool-server.js'
import { ToolFields } from './tool-fields.js'
import { ToolLists } from './tool-list.js'

export interface McpOptions {
  readonly version: string
  /** Host names that a request may be addressed to, beside this machine's own; null for any. */
  readonly allowedHosts: readonly string[] | null
  /** Host names of pages in a browser that may call, beside this machine's own. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Creates the endpoint of the Model Context Protocol, which keeps nothing between two requests: each has a server and a transport of its own,
 * so that no answer can reach another caller. It speaks the protocol's current revision and, to clients that ask for it, those of 2025.
 */
export function createMcpEndpoint({ version, allowedHosts, allowedOrigins }: McpOptions): MessageEndpoint {
  const fields = new ToolFields(openapiDocument())
  const lists = new ToolLists(fields)
  const hosts = allowedHosts && [...localhostAllowedHostnames(), ...allowedHosts]
  const origins = [...localhostAllowedOrigins(), ...allowedOrigins]
  return {
    path: '/mcp',
    name: 'mcp',
    checkHeaders({ host, origin }) {
      // A web page whose own name resolves to this machine can call it from a browser, but cannot forge these two headers.
      const checks = [...(hosts ? [validateHostHeader(host, hosts)] : []), validateOriginHeader(origin, origins)]
      const refused = checks.find(({ ok }) => !ok)
      if (refused) throw new HttpError(403, 'The Host or the Origin of this request is not allowed.')
    },
    async answer(request, callOperation) {
      let failure: unknown
      const onFailure = (error: unknown) => void (failure = error)
      const listTools = async () => lists.of(await request.trust())
      const context = { version, fields, listTools, tenantId: request.tenantId, callOperation, onFailure }
      // Nothing is subscribed to: the SDK refuses it, and no answer stays open.
      const handler = createMcpHandler(() => createToolServer(context), { maxSubscriptions: 0 })
      const response = await handler.fetch(webRequestOf(request), { parsedBody: withoutNullArguments(request.message) })
      // The response may begin before the call has ended.
      const answer = await answerOf(response)
      // The transport answers and logs it. Nobody waits for the answer of an aborted one.
      if (failure !== undefined && !request.signal.aborted) throw failure
      return answer
    },
  }
}

function webRequestOf({ headers, signal }: EndpointRequest): Request {
  return new Request('http://service/mcp', { method: 'POST', headers: plainHeaders(headers), signal })
}

/** Credentials, which the SDK needs not know: it hands the request to whatever handles a message. */
const WITHHELD = ['x-api-key', 'authorization', 'cookie']

function plainHeaders(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers)
    .filter(([name]) => !WITHHELD.includes(name))
    .map(([name, value]) => [name, String(value)])
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  if (text === '') return { status: response.status, headers: {}, body: undefined }
  return {
    status: response.status,
    headers: type === null ? {} : { 'Content-Type': type },
    body: setSerializedBody({}, Buffer.from(text)),
  }
}

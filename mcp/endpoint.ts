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
import { createToolServer } from './tool-server.js'
import { ToolFields } from './tool-fields.js'

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
  const hosts = allowedHosts && [...localhostAllowedHostnames(), ...allowedHosts]
  const origins = [...localhostAllowedOrigins(), ...allowedOrigins]
  return {
    path: '/mcp',
    name: 'mcp',
    checkHeaders({ host, origin }) {
      // A page that has its own name resolve to this machine could reach it from a browser; it cannot forge these two.
      const checks = [...(hosts ? [validateHostHeader(host, hosts)] : []), validateOriginHeader(origin, origins)]
      const refused = checks.find(({ ok }) => !ok)
      if (refused) throw new HttpError(403, 'The Host or the Origin of this request is not allowed.')
    },
    async answer(request, callOperation) {
      requireAnswerable(request)
      const handler = createMcpHandler(
        () => createToolServer({ version, fields, tenantId: request.tenantId, callOperation }),
        { maxSubscriptions: 0 },
      )
      return answerOf(await handler.fetch(webRequestOf(request), { parsedBody: request.message }))
    },
  }
}

/** Methods that keep a connection open: there is nothing to subscribe to. */
const STREAMS = ['subscriptions/listen']

function requireAnswerable({ message }: EndpointRequest): void {
  if (typeof message.method === 'string' && STREAMS.includes(message.method))
    throw new HttpError(405, 'There is nothing to subscribe to.', { headers: { Allow: 'POST' } })
}

function webRequestOf({ headers, signal }: EndpointRequest): Request {
  return new Request('http://service/mcp', { method: 'POST', headers: plainHeaders(headers), signal })
}

/** Credentials stay outside of the protocol's library. */
const WITHHELD = ['x-api-key', 'authorization', 'cookie', 'content-length', 'transfer-encoding', 'connection']

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

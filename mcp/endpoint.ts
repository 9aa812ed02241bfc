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
import type { CallOperation, EndpointRequest, MessageEndpoint } from '../http/message-endpoint.js'
import { setSerializedBody } from '../runtime/json.js'
import { type AnswerForm, BOTH_FORMS, eventsOfJson, formOf, jsonOfEvents, withoutNulls } from './lenient-message.js'
import { refusalOf } from './refusal.js'
import { SkillEntries } from './skill-entries.js'
import { StandingAnswers } from './standing-answers.js'
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
  const standing = new StandingAnswers()
  const entries = new SkillEntries()
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
    refusalOf,
    async answer(request, callOperation) {
      const form = formOf(request.headers.accept)
      const message = withoutNulls(request.message)
      const trust = message.method === 'tools/list' ? await request.trust() : null
      return standing.answerTo(message, [protocolHeaders(request.headers), form, trust], (asked) =>
        answerBySdk({ ...request, message: asked }, form, callOperation),
      )
    },
  }

  async function answerBySdk(
    request: EndpointRequest,
    form: AnswerForm | null,
    callOperation: CallOperation,
  ): Promise<Answer> {
    let failure: unknown
    const onFailure = (error: unknown) => void (failure = error)
    const listTools = async () => lists.of(await request.trust())
    const context = { version, fields, entries, listTools, tenantId: request.tenantId, callOperation, onFailure }
    // Nothing is subscribed to: the SDK refuses it, and no answer stays open.
    const handler = createMcpHandler(() => createToolServer(context), { maxSubscriptions: 0 })
    const response = await handler.fetch(webRequestOf(request, form), { parsedBody: request.message })
    // The response may begin before the call has ended.
    const answer = await answerOf(response, form)
    // The transport answers and logs it. Nobody waits for the answer of an aborted one.
    if (failure !== undefined && !request.signal.aborted) throw failure
    return answer
  }
}

function webRequestOf({ headers, signal }: EndpointRequest, form: AnswerForm | null): Request {
  const accepted = form === null ? {} : { accept: BOTH_FORMS }
  return new Request('http://service/mcp', {
    method: 'POST',
    headers: plainHeaders({ ...headers, ...accepted }),
    signal,
  })
}

/** Returns the headers that the SDK reads of a message. */
function protocolHeaders(headers: IncomingHttpHeaders): [string, unknown][] {
  return Object.entries(headers).filter(([name]) => name.startsWith('mcp-'))
}

/** Credentials, which the SDK needs not know: it hands the request to whatever handles a message. */
const WITHHELD = ['x-api-key', 'authorization', 'cookie']

function plainHeaders(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers)
    .filter(([name]) => !WITHHELD.includes(name))
    .map(([name, value]) => [name, String(value)])
}

async function answerOf(response: Response, form: AnswerForm | null): Promise<Answer> {
  const text = await response.text()
  const { status } = response
  if (text === '') return { status, headers: {}, body: undefined }
  const isEvents = response.headers.get('content-type')?.startsWith(EVENTS) === true
  const becomesEvents = status === 200 && (form === 'events' || (form === 'either' && isEvents))
  const json = isEvents ? jsonOfEvents(text) : text
  return {
    status,
    headers: { 'Content-Type': becomesEvents ? EVENTS : 'application/json' },
    body: setSerializedBody({}, Buffer.from(becomesEvents ? eventsOfJson(json) : json)),
  }
}

const EVENTS = 'text/event-stream'

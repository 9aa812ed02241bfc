import type { IncomingHttpHeaders } from 'node:http'
import { type Answer, answerOfError, HttpError } from './errors.js'
import type { Answering } from './middlewares/answer.js'
import type { CallStep } from './middlewares/middleware.js'
import { startTimer } from './middlewares/request-steps.js'
import type { OperationRequest } from './message-endpoint.js'
import { OperationCall } from './operation-call.js'
import type { RequestContext } from './request-context.js'
import type { Contract } from './validation/contract.js'
import type { Route } from './validation/routes.js'

/** A call by a message. It shares the message's credential and deadline, and nothing that another call could see. */
class MessageCall extends OperationCall {
  readonly method = 'MESSAGE'
  readonly requestId: string
  readonly address: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly headersToSend: Record<string, string> = {}

  constructor({ requestId, address, key, authenticated, headers }: RequestContext, given: IncomingHttpHeaders) {
    super()
    this.headers = { ...agentOf(headers), ...given }
    this.requestId = requestId
    this.address = address
    this.key = key
    this.authenticated = authenticated
  }

  get routePath(): string {
    return this.route.path
  }

  setHeaders(headers: Readonly<Record<string, string>>): void {
    Object.assign(this.headersToSend, headers)
  }
}

interface CallerOptions {
  readonly answering: Answering
  /** Called when work begins that may outlast its message; what it returns is called at its end. */
  readonly onBegin: () => () => void
}

/** Runs the operations that messages ask for, with every step of a REST request that needs no connection. */
export class OperationCaller {
  readonly #routes: ReadonlyMap<string, Route>

  constructor(
    contract: Contract,
    private readonly steps: readonly CallStep[],
    private readonly options: CallerOptions,
  ) {
    this.#routes = new Map(contract.routes.map((route) => [route.operationId, route]))
  }

  /** Throws the signal's reason when the message has passed its deadline or has lost its caller. */
  async call(context: RequestContext, request: OperationRequest): Promise<Answer> {
    context.signal.throwIfAborted()
    const call = new MessageCall(context, request.headers)
    call.route = this.#routes.get(request.operationId)!
    call.operationId = request.operationId
    call.rawParams = request.params
    call.query = request.query
    call.onRelease(this.options.onBegin())
    try {
      const answer = await this.#runInTime(call, context.signal, request.body)
      this.options.answering.record(call, answer.status)
      return { ...answer, headers: { ...call.headersToSend, ...answer.headers } }
    } catch (error) {
      // The message's own deadline and its disconnected caller end the message, not this call.
      if (context.signal.aborted) throw error
      const answer = answerOfError(error, call.requestId)
      this.options.answering.record(call, answer.status, error)
      return { ...answer, headers: { ...call.headersToSend, ...answer.headers } }
    }
  }

  /** Rejects at the operation's deadline; work that ignores the signal runs on, keeps its permit, and its result is dropped. */
  async #runInTime(call: MessageCall, outer: AbortSignal, body: object | undefined): Promise<Answer> {
    const controller = new AbortController()
    call.signal = controller.signal
    const stopTimer = startTimer(call.route, (late) => controller.abort(late))
    const onOuter = () => controller.abort(outer.reason)
    outer.addEventListener('abort', onOuter, { once: true })
    const aborted = new Promise<never>((_, reject) =>
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true }),
    )
    const work = this.#run(call, body).finally(() => call.release())
    try {
      return await Promise.race([work, aborted])
    } finally {
      stopTimer()
      outer.removeEventListener('abort', onOuter)
      call.isAnswered = true
    }
  }

  async #run(call: MessageCall, body: object | undefined): Promise<Answer> {
    if (call.route.takesBody) call.received = { bytes: bytesOf(body ?? {}, call.route), reservation: null }
    for (const step of this.steps) {
      const work = step(call)
      if (work) await work
      if (call.isAnswered) throw call.signal.reason
    }
    return call.answer
  }
}

/** Returns the header that names the acting agent of a message: it acts in all of its calls. */
function agentOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const agent = headers['x-agent-id']
  return agent === undefined ? {} : { 'x-agent-id': agent }
}

function bytesOf(body: object, { bodyLimitBytes: most }: Route): Buffer {
  const bytes = Buffer.from(JSON.stringify(body))
  if (bytes.length > most) throw new HttpError(413, `The body may have at most ${most} bytes.`)
  return bytes
}

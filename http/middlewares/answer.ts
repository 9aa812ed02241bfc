import type { ErrorRequestHandler } from 'express'
import type { AccessLog } from '../access-log.js'
import { type Answer, answerOfError, HttpError } from '../errors.js'
import type { FairAdmission } from '../limits/fair-admission.js'
import type { TransportContext } from '../operation.js'
import { CallerGoneError } from '../request-body.js'
import { type OperationCall, tenantKeyOf } from '../operation-call.js'
import type { RequestContext } from '../request-context.js'
import { sendAnswer as send } from '../send-answer.js'
import { contextOf, type Step } from './middleware.js'

interface AnswerOptions {
  readonly currentContext: () => Pick<TransportContext, 'metrics'>
  readonly accessLog: AccessLog
  /** Milliseconds that the rest of an unread body is still received. */
  readonly lingerMs: number
  /** Returns true when connections are to be closed after their response. */
  readonly isClosing: () => boolean
  /** The permits that callers without an accepted key wait for too, to be refused. Null means no limit. */
  readonly permits: FairAdmission | null
}

/** Status for a caller that disconnected, as nginx writes it: for the log and the metrics only. */
const CLIENT_CLOSED_REQUEST = 499

/** Sends answers and errors, each request's once, and writes its line to the log. */
export class Answering {
  constructor(private readonly options: AnswerOptions) {}

  /** Gives back what the request holds, and sends its answer. */
  readonly sendAnswer: Step = (context) => {
    const { answer } = context
    context.release()
    this.#send(context, answer)
    this.#finish(context, answer.status)
  }

  /** Is the last middleware: whatever another throws comes here. */
  readonly handleError: ErrorRequestHandler = async (error, _request, response, _next) => {
    const context = contextOf(response)
    try {
      context.release()
    } finally {
      this.answerError(await this.#inTurn(error, context), context)
    }
  }

  /**
   * Waits for the turn of a refusal to a caller without an accepted key: what costs next to nothing still costs something, and over many
   * connections all of the thread. Returns the error to answer, which is the queue's own when it is full.
   */
  async #inTurn(error: unknown, context: RequestContext): Promise<unknown> {
    const { permits } = this.options
    const isLimited = error instanceof HttpError && (error.status === 429 || error.status === 503)
    if (!permits || context.authenticated || context.permit || context.isAnswered || isLimited) return error
    const { response } = context
    const gone = new AbortController()
    const leave = () => gone.abort(new CallerGoneError())
    if (response.destroyed) leave()
    response.once('close', leave)
    try {
      const permit = await permits.acquire({
        tenant: tenantKeyOf(null),
        isBulk: false,
        limitsOthers: false,
        signal: gone.signal,
      })
      setImmediate(() => permit.release())
      return error
    } catch (refusal) {
      return refusal
    } finally {
      response.off('close', leave)
    }
  }

  /** Answers with the error unless the request is answered already. What the request holds stays with it. */
  answerError(error: unknown, context: RequestContext): void {
    if (context.isAnswered) return
    const { response, requestId } = context
    if (error instanceof CallerGoneError || response.destroyed)
      return this.#finish(context, CLIENT_CLOSED_REQUEST, error)
    const answer = context.refusalOf(answerOfError(error, requestId))
    if (response.headersSent) response.destroy()
    else this.#send(context, answer)
    this.#finish(context, answer.status, error)
  }

  #send({ request, response, isPublic }: RequestContext, answer: Answer): void {
    if (!isPublic) response.setHeader('Cache-Control', 'no-store')
    send(request, response, answer, { lingerMs: this.options.lingerMs, closeConnection: this.options.isClosing() })
  }

  #finish(context: RequestContext, status: number, failure?: unknown): void {
    context.isAnswered = true
    this.record(context, status, failure)
  }

  /** Records a call in the metrics and writes its one log line, which is the only one that has the failure. */
  record(call: OperationCall, status: number, failure?: unknown): void {
    const seconds = (performance.now() - call.startedAt) / 1_000
    this.options.currentContext().metrics.request(call.operationId, status, seconds)
    this.options.accessLog.write(call, { status, ms: Math.round(seconds * 10_000) / 10, failure })
  }
}

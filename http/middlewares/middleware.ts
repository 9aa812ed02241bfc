import type { RequestHandler, Response } from 'express'
import type { OperationCall } from '../operation-call.js'
import type { RequestContext } from '../request-context.js'

/** One step of a request. A step that throws, or whose promise rejects, ends the request with that error. */
export type Step = (context: RequestContext) => Promise<unknown> | void

/** A step that needs no connection: a tool that calls an operation takes it as well. */
export type CallStep = (call: OperationCall) => Promise<unknown> | void

export function setContext(response: Response, context: RequestContext): void {
  response.locals.context = context
}

/** Returns the context that `beginRequest` made. */
export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext
}

/**
 * Makes an Express middleware of a step; its error goes to the error middleware. A request that was answered meanwhile, because its
 * deadline passed or its caller disconnected, goes no further and gives back what it holds.
 */
export function middlewareOf(step: Step): RequestHandler {
  return async (_request, response, next) => {
    const context = contextOf(response)
    const work = step(context)
    if (work) await work
    if (context.isAnswered) context.release()
    else next()
  }
}

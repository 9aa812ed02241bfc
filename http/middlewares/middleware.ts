import type { RequestHandler, Response } from 'express'
import type { RequestContext } from '../request-context.js'

export function setContext(response: Response, context: RequestContext): void {
  response.locals.context = context
}

/** Returns the context that `beginRequest` made. */
export function contextOf(response: Response): RequestContext {
  return response.locals.context as RequestContext
}

/**
 * Makes an Express middleware of one step. A step that throws, or whose promise rejects, ends in the error middleware. A request that was
 * answered meanwhile, because its deadline passed or its caller disconnected, goes no further and gives back what it holds.
 */
export function step(run: (context: RequestContext) => Promise<unknown> | void): RequestHandler {
  return async (_request, response, next) => {
    const context = contextOf(response)
    const work = run(context)
    if (work) await work
    if (context.isAnswered) context.release()
    else next()
  }
}

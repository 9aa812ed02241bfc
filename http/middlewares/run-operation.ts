import type { RequestHandler } from 'express'
import type { Operations, TransportContext } from '../operation.js'
import { step } from './middleware.js'

/** Runs the operation, and keeps its answer for `sendAnswer`. `onIdentitiesChanged` is called after one that changed keys or agents. */
export function runOperation<Context extends TransportContext>(
  operations: Operations<Context>,
  currentContext: () => Context,
  onIdentitiesChanged: () => void,
): RequestHandler {
  return step(async (context) => {
    const { route, parameters, body, signal, requestId, externalCalls, caller } = context
    const input = { ...parameters, body: body.value, itemFaults: body.itemFaults, signal, requestId, externalCalls }
    const {
      status,
      headers = {},
      body: answered,
    } = await operations[route.operationId]!(currentContext(), caller, input)
    if (route.changesIdentities) onIdentitiesChanged()
    context.answer = { status, headers, body: answered }
  })
}

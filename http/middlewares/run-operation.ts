import type { Operations, TransportContext } from '../operation.js'
import type { CallStep } from './middleware.js'

/** Runs the operation, and keeps its answer for `sendAnswer`. `onIdentitiesChanged` is called after one that changed keys or agents. */
export function runOperation<Context extends TransportContext>(
  operations: Operations<Context>,
  currentContext: () => Context,
  onIdentitiesChanged: () => void,
): CallStep {
  return async (call) => {
    const { route, parameters, body, signal, requestId, externalCalls, caller } = call
    const input = { ...parameters, body: body.value, itemFaults: body.itemFaults, signal, requestId, externalCalls }
    const {
      status,
      headers = {},
      body: answered,
    } = await operations[route.operationId]!(currentContext(), caller, input)
    if (route.changesIdentities) onIdentitiesChanged()
    call.answer = { status, headers, body: answered }
  }
}

import type { FairAdmission } from '../limits/fair-admission.js'
import { NO_BODY } from '../operation-call.js'
import { receiveBody as receive, refuseBody } from '../request-body.js'
import type { Contract } from '../validation/contract.js'
import type { CallStep, Step } from './middleware.js'

/** Receives the body, as soon as there is memory for it. Throws 408, 413, 415, 422 on a route that takes none, and 429 or 503 without memory. */
export function receiveBody(bodyMemory: FairAdmission | null, timeoutMs: number): Step {
  return async (context) => {
    const { request, response, route } = context
    if (!route.takesBody) return refuseBody(request, response, timeoutMs)
    const admissionRequest = { ...context.admissionRequest, isBulk: false }
    const reserve = async (bytes: number) => (await bodyMemory?.acquire(admissionRequest, bytes)) ?? null
    const received = await receive(request, response, { bytes: route.bodyLimitBytes, timeoutMs, reserve })
    context.received = received
    // The response, and with it this context, lives until its last byte is written: a slow reader must not keep the body alive.
    context.onRelease(() => {
      context.received = null
      context.body = NO_BODY
      received.reservation?.release()
    })
  }
}

/**
 * Parses and checks the body, under the permit: parsing occupies the event loop, and takes memory many times the body's bytes. Throws 400
 * for what is not JSON, 422 for what the contract refuses.
 */
export function parseBody(contract: Contract): CallStep {
  return async (call) => {
    const { route, received, signal } = call
    if (received) call.body = await contract.readBody(route, received.bytes, signal)
  }
}

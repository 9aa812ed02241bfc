import type { Admission } from '../limits/admission.js'
import type { FairAdmission, Permit } from '../limits/fair-admission.js'
import type { OperationCall } from '../operation-call.js'
import type { CallStep } from './middleware.js'

/**
 * Waits for a permit: of the tenant, or, on a public route that is not a probe, of all callers without a key. Body memory is always reserved
 * before, and no permit is held while waiting for body memory, so two requests cannot deadlock. Throws 429 when too many requests of the
 * tenant wait already. When the permit does not come in time, throws 429 if the tenant's other requests hold permits, else 503.
 */
export function acquirePermit(admission: Admission | null): CallStep {
  return async (call) => {
    const { security, rateLimiting } = call.route
    if (!admission || security === 'adminKey' || rateLimiting === 'exempt') return
    const permit = await holdPermit(admission.permits, call)
    call.externalCalls = admission.externalCalls(permit, call.admissionRequest)
  }
}

/**
 * Acquires a permit that the call holds to its end, and to the end of the event loop's turn: what a request does in one piece would otherwise
 * be over before the next request of its tenant is admitted, and 32 connections would have 32 pieces done in each turn of their neighbours'.
 */
export async function holdPermit(permits: FairAdmission, call: OperationCall): Promise<Permit> {
  const permit = await permits.acquire(call.admissionRequest)
  call.permit = permit
  call.onRelease(() => setImmediate(() => permit.release()))
  return permit
}

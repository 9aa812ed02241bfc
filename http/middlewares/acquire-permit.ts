import type { Admission } from '../limits/admission.js'
import type { CallStep } from './middleware.js'

/**
 * Waits for a permit on tenant routes. Body memory is always reserved before, and no permit is held while waiting for body memory, so two
 * requests cannot deadlock. Throws 429 when too many requests of the tenant wait already, 503 when the permit does not come in time.
 */
export function acquirePermit(admission: Admission | null): CallStep {
  return async (call) => {
    if (!admission || call.route.security !== 'apiKey') return
    const { admissionRequest } = call
    const permit = await admission.permits.acquire(admissionRequest)
    call.onRelease(() => permit.release())
    call.permit = permit
    call.externalCalls = admission.externalCalls(permit, admissionRequest)
  }
}

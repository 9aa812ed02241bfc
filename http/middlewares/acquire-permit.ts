import type { RequestHandler } from 'express'
import type { Admission } from '../limits/admission.js'
import { step } from './middleware.js'

/**
 * Waits for a permit on tenant routes. Body memory is always reserved before, and no permit is held while waiting for body memory, so two
 * requests cannot deadlock. Throws 429 when too many requests of the tenant wait already, 503 when the permit does not come in time.
 */
export function acquirePermit(admission: Admission | null): RequestHandler {
  return step(async (context) => {
    if (!admission || context.route.security !== 'apiKey') return
    const { admissionRequest } = context
    const permit = await admission.permits.acquire(admissionRequest)
    context.onRelease(() => permit.release())
    context.externalCalls = admission.externalCalls(permit, admissionRequest)
  })
}

import type { Admission } from '../limits/admission.js'
import type { OperationCall } from '../operation-call.js'
import type { WrittenRow } from '../validation/routes.js'
import type { CallStep } from './middleware.js'

/**
 * Lets the writers of one row of a tenant in one after another, in order of arrival: PostgreSQL would make them wait for its lock, each with
 * a connection and a permit. A call that has to wait gives its permit back meanwhile. Throws 429 when too many wait already, or when the turn
 * does not come in time. Writers in other processes are held up by the lock alone.
 */
export function takeTurn(admission: Admission | null): CallStep {
  return async (call) => {
    const { writtenRow } = call.route
    if (!admission || writtenRow === null) return
    const request = { tenant: nameOf(call, writtenRow), isBulk: false, signal: call.signal }
    const turn = admission.turns.tryAcquire(request)
    if (turn !== null) return call.onRelease(() => turn.release())
    const waiting = admission.turns.acquire(request).then((late) => call.onRelease(() => late.release()))
    await (call.permit ? call.permit.pauseDuring(waiting) : waiting)
  }
}

function nameOf({ tenantId, parameters, body }: OperationCall, { row, by }: WrittenRow): string {
  const fields = { ...(body.value as Readonly<Record<string, unknown>> | undefined), ...parameters.params }
  // The admin credential names the tenant.
  const tenant = tenantId ?? fields.tenant_id ?? parameters.query.tenant_id
  // A UUID may be written in either case. Rows of which the names differ in case alone share a turn, which costs their writers little.
  return JSON.stringify([tenant, row, ...by.map((field) => String(fields[field]).toLowerCase())])
}

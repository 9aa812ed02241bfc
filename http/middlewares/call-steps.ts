import type { Principal } from '../../domain/principal.js'
import { jsonList, serializedBodyOf, setSerializedBody } from '../../runtime/json.js'
import { type Authenticator, claimsOf, requireKind, requireOwnTenant, requireTrust, type TenantClaim } from '../auth.js'
import type { Admission } from '../limits/admission.js'
import type { FairAdmission, Permit } from '../limits/fair-admission.js'
import { quotaHeaders, rateLimitedCallerOf, type RateLimiter } from '../limits/rate-limiter.js'
import type { OperationCall } from '../operation-call.js'
import { isReplay, type Operations, type TransportContext } from '../operation.js'
import { isRateClass } from '../rate-class.js'
import type { Contract } from '../validation/contract.js'
import type { Route, Weighing, WrittenRow } from '../validation/routes.js'
import type { CallStep } from './middleware.js'

/** Counts the request and sets the quota headers at once, so that every later response carries them. Throws HttpError 429. */
export function countRequest(rateLimiter: RateLimiter | null): CallStep {
  return async (call) => {
    const { authenticated, route } = call
    if (!rateLimiter || !authenticated) return
    const rateClass = isRateClass(route.rateLimiting) ? route.rateLimiting : null
    const quota = await rateLimiter.admit(rateLimitedCallerOf(authenticated), rateClass)
    if (!quota) return
    call.setHeaders(quotaHeaders(quota))
    if (!quota.allowed) throw rateLimiter.refusal(quota)
    call.quota = quota
  }
}

/** Throws 403 where the operation is for another kind of credential: after the request was counted, so that trying is limited. */
export const requireCredentialKind: CallStep = ({ route, authenticated }) => {
  if (authenticated) requireKind(route, authenticated)
}

/** Parses and checks the parameters of path, query and headers. Throws 422, or 400 for what cannot be read. */
export function checkParameters(contract: Contract): CallStep {
  return (call) => {
    const { route, rawParams: params, query, headers } = call
    call.parameters = contract.checkParameters(route, { params, query, headers })
  }
}

/** Checks what the credential may do before the body is read: a caller that may not do this costs next to nothing. Throws 403. */
export function authorise(authenticator: Authenticator, currentContext: () => TransportContext): CallStep {
  return async (call) => {
    const { route, authenticated, parameters, actingAgent } = call
    if (authenticated?.kind !== 'key') return
    call.caller = await authenticator.principalOf(authenticated.credential, actingAgent)
    currentContext().lastSeenTracker.touch(call.caller)
    requireAllowed(route, call.caller, claimsOf('query', parameters.query))
  }
}

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

/** Has a call that asks for much hold more than one permit. */
export async function weighRequest({ route: { weighing }, body, permit }: OperationCall): Promise<void> {
  if (weighing === null || permit === null) return
  await permit.growTo(weightOf(weighing, body.value as Readonly<Record<string, unknown>>))
}

function weightOf({ of, each, doubledBy }: Weighing, body: Readonly<Record<string, unknown>>): number {
  const asked = Number(body[of]) * (body[doubledBy] === true ? 2 : 1)
  return Math.max(1, Math.ceil(asked / each))
}

/**
 * Finds the principal that the operation runs for, as of now: since its key was first checked, the request may have spent a long time
 * sending its body and waiting for a permit. Lookups are cached for a second, so this rarely queries the database. Throws 401 when the key
 * is no longer accepted, 403 when its principal may no longer do this.
 */
export function reauthenticate(authenticator: Authenticator): CallStep {
  return async (call) => {
    const { route, key, parameters, actingAgent, body } = call
    if (key === null) return
    const authenticated = await authenticator.authenticate(key)
    requireKind(route, authenticated)
    if (route.security !== 'apiKey') return
    const claims = [...claimsOf('query', parameters.query), ...claimsOf('body', body.value)]
    if (authenticated.kind === 'key') {
      call.caller = await authenticator.principalOf(authenticated.credential, actingAgent)
      requireAllowed(route, call.caller, claims)
    } else {
      const missingAt = [route.takesBody ? 'body' : 'query', 'tenant_id']
      call.caller = await authenticator.adminPrincipal(claims, missingAt, actingAgent)
    }
  }
}

/** Throws 403 when a request names a tenant other than its credential's, or needs more trust than the principal has. */
function requireAllowed(route: Route, principal: Principal, claims: readonly TenantClaim[]): void {
  requireOwnTenant(principal, claims)
  requireTrust(route, principal)
}

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

/** Uncounts a request whose answer was replayed for its idempotency key. */
export function uncountReplay(rateLimiter: RateLimiter | null): CallStep {
  return (call) => {
    const { quota, answer } = call
    if (!rateLimiter || !quota || !isReplay(answer.headers)) return
    call.setHeaders(quotaHeaders(rateLimiter.uncount(quota)))
  }
}

/** Items of a list that are serialised one by one. A shorter list is small, as are its items. */
const MANY_ITEMS = 20

/**
 * Serialises an answer that has a long list, item by item, so that other requests go first in between: a hundred explained memories are
 * 650 KB, which would otherwise hold the thread for some 5 ms.
 */
export const serialiseAnswer: CallStep = async ({ answer: { body }, signal }) => {
  if (!hasLongList(body) || serializedBodyOf(body)) return
  const members: string[] = []
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue
    const text = Array.isArray(value)
      ? await jsonList(value as readonly object[], (item) => item, signal)
      : JSON.stringify(value)
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  setSerializedBody(body, Buffer.from(`{${members.join(',')}}`))
}

function hasLongList(body: unknown): body is Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  return Object.values(body).some((value) => Array.isArray(value) && value.length >= MANY_ITEMS)
}

import type { Principal } from '../../domain/principal.js'
import { type Authenticator, claimsOf, requireKind, requireOwnTenant, requireTrust, type TenantClaim } from '../auth.js'
import type { TransportContext } from '../operation.js'
import type { Route } from '../validation/routes.js'
import type { CallStep } from './middleware.js'

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

import type { RateLimitedCaller } from './limits/rate-limiter.js'
import type { AuthenticatedCredential } from './auth.js'

/** Returns the caller whose requests are counted. The admin credential counts as one key without a tenant. */
export function rateLimitedCallerOf(authenticated: AuthenticatedCredential): RateLimitedCaller {
  if (authenticated.kind === 'admin') return { keyId: 'admin', tenantId: null, limits: {} }
  const { keyId, tenantId, rateLimits } = authenticated.credential
  return { keyId, tenantId, limits: rateLimits }
}

/** Returns the name under which a request shares permits. The admin credential has its own, whichever tenant it acts for. */
export function tenantKeyOf(authenticated: AuthenticatedCredential | null): string {
  if (authenticated === null) return 'nobody'
  return authenticated.kind === 'admin' ? 'admin' : `tenant:${authenticated.credential.tenantId}`
}

import type { Caller } from '../limits/rate-limiter.js'
import type { Bearer } from './auth.js'

/** Returns the caller whose requests are counted. The admin credential counts as one key without a tenant. */
export function countedCaller(bearer: Bearer): Caller {
  if (bearer.kind === 'admin') return { keyId: 'admin', tenantId: null, limits: {} }
  const { keyId, tenantId, rateLimits } = bearer.credential
  return { keyId, tenantId, limits: rateLimits }
}

/** Returns the name under which a request shares permits. The admin credential has its own, whichever tenant it acts for. */
export function partyOf(bearer: Bearer | null): string {
  if (bearer === null) return 'nobody'
  return bearer.kind === 'admin' ? 'admin' : `tenant:${bearer.credential.tenantId}`
}

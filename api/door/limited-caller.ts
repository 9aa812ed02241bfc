import type { Caller } from '../limits/rate-limiter.js'
import type { Bearer } from './auth.js'

/** The admin credential is one key, of no tenant. */
export function countedCaller(bearer: Bearer): Caller {
  if (bearer.kind === 'admin') return { keyId: 'admin', tenantId: null, limits: {} }
  const { keyId, tenantId, rateLimits } = bearer.credential
  return { keyId, tenantId, limits: rateLimits }
}

/** With whom a request shares what there is; the admin credential is a party of its own, whichever tenant it acts for. */
export function partyOf(bearer: Bearer | null): string {
  if (bearer === null) return 'nobody'
  return bearer.kind === 'admin' ? 'admin' : `tenant:${bearer.credential.tenantId}`
}

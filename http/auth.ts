import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseApiKey, secretMatches } from '../domain/api-key.js'
import type { Principal } from '../domain/principal.js'
import { lowerTrust } from '../domain/trust.js'
import { requireOwnFleetsAgent } from '../runtime/acting-agent.js'
import type { Clock } from '../runtime/clock.js'
import { ForbiddenError, NotFoundError, TrustError } from '../runtime/errors.js'
import { HttpError, InvalidRequestError } from './errors.js'
import type { AgentIdentity, Credential } from '../store/tenants/credentials.js'
import type { Route } from './validation/routes.js'
import type { Identities } from './identities.js'

/** The credential that a request's key was recognised as. */
export type AuthenticatedCredential =
  { readonly kind: 'admin' } | { readonly kind: 'key'; readonly credential: Credential }

/** A tenant id found in a request, and its location there. */
export interface TenantClaim {
  readonly loc: readonly string[]
  readonly tenantId: unknown
}

interface AuthenticatorOptions {
  readonly identities: Identities
  readonly clock: Clock
  /** Null disables the admin credential. */
  readonly adminKey: string | null
}

/** Refuses a key that was accepted before and is revoked or expired: the log may say whose it is. */
export class SpentKeyError extends HttpError {
  constructor(readonly credential: Credential) {
    super(401, NOT_ACCEPTED)
  }
}

const NOT_ACCEPTED = 'This key is not accepted: it is unknown, revoked or expired.'

/** Stands in for the hash of an unknown key, so that an unknown key id takes as long to refuse as a wrong secret. */
const NO_SECRET = Buffer.alloc(32)

/** Resolves an API key to a `Principal`. Each method is one step, called as soon as its arguments are known. */
export class Authenticator {
  readonly #identities: Identities
  readonly #clock: Clock
  readonly #adminHash: Buffer | null

  constructor({ identities, clock, adminKey }: AuthenticatorOptions) {
    this.#identities = identities
    this.#clock = clock
    this.#adminHash = adminKey === null ? null : sha256(adminKey)
  }

  /** Returns the credential that the key belongs to. Throws 401 for an unaccepted key, `UnavailableError` when the lookup fails. */
  async authenticate(apiKey: string): Promise<AuthenticatedCredential> {
    if (this.#adminHash && timingSafeEqual(sha256(apiKey), this.#adminHash)) return { kind: 'admin' }
    return { kind: 'key', credential: await this.#credentialOf(apiKey) }
  }

  async #credentialOf(apiKey: string): Promise<Credential> {
    const text = parseApiKey(apiKey)
    const credential = text && (await this.#identities.findCredential(text.keyId))
    const matches = secretMatches(text?.secret ?? '', credential?.secretHash ?? NO_SECRET)
    if (!credential || !matches) throw new HttpError(401, NOT_ACCEPTED)
    const isExpired = credential.expiresAt !== null && credential.expiresAt.getTime() <= this.#clock.now()
    if (credential.revokedAt !== null || isExpired) throw new SpentKeyError(credential)
    return credential
  }

  /** Returns the principal that a key acts as. Throws 403 when it may not act for the agent that `X-Agent-ID` names. */
  async principalOf(credential: Credential, actingAgent: string | undefined): Promise<Principal> {
    const { keyId, tenantId, kind, agentId, fleetId, trust } = credential
    if (kind === 'agent') {
      if (actingAgent !== undefined && actingAgent !== agentId) {
        throw new ForbiddenError('X-Agent-ID names another agent than the one this key is bound to.')
      }
      return { tenantId, kind, keyId, agentId, fleetId, trust, fleetless: false }
    }
    if (actingAgent === undefined) {
      return { tenantId, kind, keyId, agentId: null, fleetId, trust, fleetless: fleetId === null }
    }
    const agent = await this.#identities.findAgentIdentity(tenantId, actingAgent)
    if (!agent) throw new ForbiddenError('X-Agent-ID names no registered agent of this tenant.')
    requireOwnFleetsAgent(credential, agent)
    return actingFor(credential, agent)
  }

  /**
   * Returns the admin credential as a principal with trust 3 in the tenant that the request names. Throws 422 at `missingAt` when the
   * request names no tenant, 404 when the tenant does not exist, and 403 when it names an agent: the admin credential acts for none.
   */
  async adminPrincipal(
    claims: readonly TenantClaim[],
    missingAt: readonly string[],
    actingAgent: string | undefined,
  ): Promise<Principal> {
    if (actingAgent !== undefined) throw new ForbiddenError('The admin credential cannot act for an agent.')
    const [first, ...others] = claims
    if (!first) {
      throw InvalidRequestError.at(missingAt, 'The admin credential needs the tenant that it acts for.', 'missing')
    }
    const other = others.find(({ tenantId }) => tenantId !== first.tenantId)
    if (other) throw InvalidRequestError.at(other.loc, 'Differs from the tenant_id of the query.')
    const tenantId = String(first.tenantId)
    if (!(await this.#identities.tenantExists(tenantId))) throw new NotFoundError('Tenant')
    return { tenantId, kind: 'admin', keyId: null, agentId: null, fleetId: null, trust: 3, fleetless: true }
  }
}

function actingFor({ keyId, tenantId, kind, trust }: Credential, agent: AgentIdentity): Principal {
  const { agentId, fleetId } = agent
  return { tenantId, kind, keyId, agentId, fleetId, trust: lowerTrust(trust, agent.trust), fleetless: false }
}

const BEARER_SCHEME = /^bearer(?:$| +(.*))/i

/**
 * Returns the key of a request, sent in `X-API-Key`, as a bearer token in `Authorization`, or in both. Throws 401 when there is none, or
 * two that differ. Other schemes in `Authorization` are ignored: they may be meant for a proxy.
 */
export function apiKeyOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): string {
  const bearerTokens = (headersDistinct.authorization ?? []).flatMap((value) => {
    const match = BEARER_SCHEME.exec(value)
    return match ? [match[1] ?? ''] : []
  })
  const keys = new Set([...(headersDistinct['x-api-key'] ?? []), ...bearerTokens])
  if (keys.size > 1) throw new HttpError(401, 'X-API-Key and Authorization carry two different keys. Send one.')
  const [key] = keys
  if (!key) throw new HttpError(401, 'Send a key in the X-API-Key header, or as Authorization: Bearer.')
  return key
}

/** Throws 403 when the route needs the admin credential and the request came with another one. */
export function requireKind({ security }: Pick<Route, 'security'>, authenticated: AuthenticatedCredential): void {
  if (security === 'adminKey' && authenticated.kind !== 'admin')
    throw new ForbiddenError('This needs the admin credential.')
}

/** Throws 403 when a request names a tenant other than its credential's, which the details then name: whoever has the key may know. */
export function requireOwnTenant(principal: Principal, claims: readonly TenantClaim[]): void {
  if (claims.some(({ tenantId }) => tenantId !== principal.tenantId)) {
    throw new ForbiddenError('tenant_id names another tenant than the one this key belongs to.', {
      details: { tenant_id: principal.tenantId },
    })
  }
}

/** Throws TrustError when the caller has less trust than the contract requires of the operation. */
export function requireTrust({ requiredTrust }: Pick<Route, 'requiredTrust'>, { trust }: Principal): void {
  if (requiredTrust !== null && trust < requiredTrust) throw new TrustError(requiredTrust, trust)
}

/** Returns the `tenant_id` among `values`, as a list of one claim or none. */
export function claimsOf(location: 'query' | 'body', values: unknown): TenantClaim[] {
  const tenantId = (values as { tenant_id?: unknown } | null | undefined)?.tenant_id
  return tenantId === undefined ? [] : [{ loc: [location, 'tenant_id'], tenantId }]
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

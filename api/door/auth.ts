import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseApiKey, secretMatches } from '../../domain/api-key.js'
import type { Principal } from '../../domain/principal.js'
import { lowerTrust } from '../../domain/trust.js'
import type { Clock } from '../../runtime/clock.js'
import { CairnError, ForbiddenError, InvalidArgumentsError, NotFoundError, TrustError } from '../../runtime/errors.js'
import type { AgentIdentity, Credential } from '../../store/tenants/credentials.js'
import type { Route } from '../contract/routes.js'
import { requireOwnFleetsAgent } from '../agents/acting-agent.js'
import type { Identities } from './identities.js'

/** What a presented key turned out to be. */
export type Bearer = { readonly kind: 'admin' } | { readonly kind: 'key'; readonly credential: Credential }

/** A tenant that a request names, and where. */
export interface TenantClaim {
  readonly loc: readonly string[]
  readonly tenantId: unknown
}

export interface AuthenticatorOptions {
  readonly identities: Identities
  readonly clock: Clock
  /** Null: nobody has the admin credential. */
  readonly adminKey: string | null
}

/** Compared where there is no such key, so that an unknown key id takes as long as a wrong secret. */
const NO_SECRET = Buffer.alloc(32)

/** From an `X-API-Key` to a `Principal`: by the credential alone, in the steps in which the door gets to know the request. */
export class Authenticator {
  readonly #identities: Identities
  readonly #clock: Clock
  readonly #adminHash: Buffer | null

  constructor({ identities, clock, adminKey }: AuthenticatorOptions) {
    this.#identities = identities
    this.#clock = clock
    this.#adminHash = adminKey === null ? null : sha256(adminKey)
  }

  /** Returns who has the key. Throws 401 when it is not accepted, `UnavailableError` when that cannot be known. */
  async authenticate(presented: string): Promise<Bearer> {
    if (this.#adminHash && timingSafeEqual(sha256(presented), this.#adminHash)) return { kind: 'admin' }
    return { kind: 'key', credential: await this.#credentialOf(presented) }
  }

  async #credentialOf(presented: string): Promise<Credential> {
    const text = parseApiKey(presented)
    const credential = text && (await this.#identities.findCredential(text.keyId))
    const matches = secretMatches(text?.secret ?? '', credential?.secretHash ?? NO_SECRET)
    const expired = credential?.expiresAt != null && credential.expiresAt.getTime() <= this.#clock.now()
    if (!credential || !matches || credential.revokedAt !== null || expired) {
      throw new CairnError(401, 'This key is not accepted: it is unknown, revoked or expired.')
    }
    return credential
  }

  /** Who a key acts for. Throws 403 when it may not act for the agent that `X-Agent-ID` names. */
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
   * The admin credential as trust 3 of the tenant that the request names. Throws 422 at `missingAt` when it names none, 404
   * when there is no such tenant, 403 when it names an agent: an operator acts as none.
   */
  async adminPrincipal(
    claims: readonly TenantClaim[],
    missingAt: readonly string[],
    actingAgent: string | undefined,
  ): Promise<Principal> {
    if (actingAgent !== undefined) throw new ForbiddenError('The admin credential acts for no agent.')
    const [first, ...others] = claims
    if (!first) {
      throw InvalidArgumentsError.at(missingAt, 'The admin credential says for which tenant it acts.', 'missing')
    }
    const other = others.find(({ tenantId }) => tenantId !== first.tenantId)
    if (other) throw InvalidArgumentsError.at(other.loc, 'Names another tenant than the query.')
    const tenantId = String(first.tenantId)
    if (!(await this.#identities.tenantExists(tenantId))) throw new NotFoundError('Tenant')
    return { tenantId, kind: 'admin', keyId: null, agentId: null, fleetId: null, trust: 3, fleetless: true }
  }
}

function actingFor({ keyId, tenantId, kind, trust }: Credential, agent: AgentIdentity): Principal {
  const { agentId, fleetId } = agent
  return { tenantId, kind, keyId, agentId, fleetId, trust: lowerTrust(trust, agent.trust), fleetless: false }
}

const BEARER = /^bearer(?:$| +(.*))/i

/**
 * Returns the key that a request presents, in `X-API-Key`, as a bearer token in `Authorization`, or in both. Throws 401 for none and
 * for two that differ. Another scheme in `Authorization` is somebody else's, a proxy's say.
 */
export function presentedKey({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): string {
  const bearers = (headersDistinct.authorization ?? []).flatMap((value) => {
    const match = BEARER.exec(value)
    return match ? [match[1] ?? ''] : []
  })
  const keys = new Set([...(headersDistinct['x-api-key'] ?? []), ...bearers])
  if (keys.size > 1) throw new CairnError(401, 'X-API-Key and Authorization name two different keys; send one.')
  const [key] = keys
  if (!key) throw new CairnError(401, 'Send a key in the X-API-Key header, or as Authorization: Bearer.')
  return key
}

/** Throws 403 when the route is the admin credential's and this is another key. */
export function requireKind({ security }: Pick<Route, 'security'>, bearer: Bearer): void {
  if (security === 'adminKey' && bearer.kind !== 'admin') throw new ForbiddenError('This needs the admin credential.')
}

/** Throws 403 when a request names another tenant than its credential's. */
export function requireOwnTenant(principal: Principal, claims: readonly TenantClaim[]): void {
  if (claims.some(({ tenantId }) => tenantId !== principal.tenantId)) {
    throw new ForbiddenError('tenant_id names another tenant than the one this key belongs to.')
  }
}

/** Throws TrustError below the trust that the contract asks of an operation's caller. */
export function requireTrust({ requiredTrust }: Pick<Route, 'requiredTrust'>, { trust }: Principal): void {
  if (requiredTrust !== null && trust < requiredTrust) throw new TrustError(requiredTrust, trust)
}

/** The tenant that these values name. */
export function claimsOf(place: 'query' | 'body', values: unknown): TenantClaim[] {
  const tenantId = (values as { tenant_id?: unknown } | null | undefined)?.tenant_id
  return tenantId === undefined ? [] : [{ loc: [place, 'tenant_id'], tenantId }]
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

import { sql } from 'kysely'
import type { Trust } from '../../domain/trust.js'
import { ConflictError } from '../../runtime/errors.js'
import { audit } from '../audit.js'
import type { Keyset } from '../keyset.js'
import type { System, Writer } from '../store.js'
import { insertAgent } from './agents.js'
import type { TenantRateLimits } from './tenants.js'

/** A stored credential, as authentication needs it: trust and fleet of an agent key are its agent's. */
export interface Credential {
  readonly keyId: string
  readonly tenantId: string
  readonly kind: 'tenant' | 'agent'
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly trust: Trust
  readonly secretHash: Buffer
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** Rate limits of its tenant. */
  readonly rateLimits: TenantRateLimits
}

/** A key as operators see it; never its text. */
export interface ListedKey extends Omit<Credential, 'secretHash' | 'rateLimits'> {
  readonly label: string | null
  readonly createdAt: Date
}

export interface AgentIdentity {
  readonly agentId: string
  readonly fleetId: string | null
  readonly trust: Trust
}

/**
 * Finds a key over all tenants: the key determines the tenant. Returns null for an unknown key and for one of a deleted
 * agent.
 */
export async function findCredential(system: System, keyId: string): Promise<Credential | null> {
  const row = await keys(system)
    .innerJoin('tenants as t', 't.tenant_id', 'k.tenant_id')
    .select(['k.secret_hash', 't.rate_limits'])
    .where('k.key_id', '=', keyId)
    .executeTakeFirst()
  if (!row || row.deleted_at !== null) return null
  return { ...credentialOf(row), secretHash: row.secret_hash, rateLimits: row.rate_limits }
}

/**
 * Finds an agent for authentication, over all tenants. Returns null when the tenant has no such agent or has deleted
 * it.
 */
export async function findAgentIdentity(
  system: System,
  tenantId: string,
  agentId: string,
): Promise<AgentIdentity | null> {
  const row = await system.db
    .selectFrom('agents')
    .select(['fleet_id', 'trust_level'])
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row ? { agentId, fleetId: row.fleet_id, trust: row.trust_level } : null
}

export async function tenantExists(system: System, tenantId: string): Promise<boolean> {
  const row = await system.db
    .selectFrom('tenants')
    .select('tenant_id')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row !== undefined
}

export interface KeyRequest {
  readonly keyId: string
  readonly secretHash: Buffer
  readonly kind: 'tenant' | 'agent'
  readonly agentId: string | null
  /** Null keeps the agent's; none for a new agent or a tenant key. */
  readonly fleetId: string | null
  /** Null keeps the agent's, else 1; 2 for a tenant key. */
  readonly trust: Trust | null
  readonly label: string | null
  readonly expiresAt: Date | null
}

/**
 * Stores a key, with its audit event, and registers its tenant and agent if they are new. Throws ConflictError when the
 * agent exists with another trust or fleet than asked for, or was deleted.
 */
export async function mintKey(writer: Writer, request: KeyRequest): Promise<ListedKey> {
  const { tenantId, db } = writer
  await db
    .insertInto('tenants')
    .values({ tenant_id: tenantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if (request.agentId !== null) await registerOrCheckAgent(writer, request.agentId, request)
  const isTenantKey = request.kind === 'tenant'
  await db
    .insertInto('api_keys')
    .values({
      key_id: request.keyId,
      tenant_id: tenantId,
      kind: request.kind,
      agent_id: request.agentId,
      fleet_id: isTenantKey ? request.fleetId : null,
      trust_level: isTenantKey ? (request.trust ?? 2) : null,
      label: request.label,
      secret_hash: request.secretHash,
      expires_at: request.expiresAt,
    })
    .execute()
  const key = listedKeyOf(await keys(writer).where('k.key_id', '=', request.keyId).executeTakeFirstOrThrow())
  const { keyId, kind, agentId, fleetId, trust, expiresAt } = key
  const details = { kind, agent_id: agentId, fleet_id: fleetId, trust_level: trust, expires_at: expiresAt }
  await audit(writer, key.createdAt, [{ action: 'key.created', subject: { kind: 'key', id: keyId }, details }])
  return key
}

/** Registers the agent, or checks and locks its row, so that a deletion comes before the key or sees it. */
async function registerOrCheckAgent(writer: Writer, agentId: string, request: KeyRequest): Promise<void> {
  const wanted = { displayName: null, fleetId: request.fleetId, trust: request.trust ?? 1 }
  if (await insertAgent(writer, agentId, wanted)) return
  const agent = await writer.db
    .selectFrom('agents')
    .select(['fleet_id', 'trust_level', 'deleted_at'])
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (agent.deleted_at !== null) throw new ConflictError(`Agent ${agentId} was deleted; its id stays reserved.`)
  if (request.trust !== null && request.trust !== agent.trust_level)
    throw new ConflictError(`Agent ${agentId} has a different trust_level; change the agent first.`, {
      details: { trust_level: agent.trust_level },
    })
  if (request.fleetId !== null && request.fleetId !== agent.fleet_id)
    throw new ConflictError(`Agent ${agentId} has a different fleet_id; change the agent first.`, {
      details: { fleet_id: agent.fleet_id },
    })
}

export interface KeyPosition {
  /** ISO 8601. */
  readonly createdAt: string
  readonly keyId: string
}

interface KeyList extends Keyset<KeyPosition> {
  readonly tenantId?: string | undefined
}

/** Lists keys over all tenants, for operators: newest first. */
export async function listKeys(system: System, list: KeyList): Promise<ListedKey[]> {
  let query = keys(system).orderBy('k.created_at', 'desc').orderBy('k.key_id', 'desc').limit(list.limit)
  if (list.tenantId !== undefined) query = query.where('k.tenant_id', '=', list.tenantId)
  if (list.after) {
    const { createdAt, keyId } = list.after
    query = query.where(sql<boolean>`(k.created_at, k.key_id) < (${createdAt}::timestamptz, ${keyId})`)
  }
  return (await query.execute()).map(listedKeyOf)
}

/**
 * Returns the tenant of a key, over all tenants, for operators; null when there is no such key. A key never changes its
 * tenant.
 */
export async function findTenantOfKey({ db }: System, keyId: string): Promise<string | null> {
  const row = await db.selectFrom('api_keys').select('tenant_id').where('key_id', '=', keyId).executeTakeFirst()
  return row?.tenant_id ?? null
}

function keys({ db }: Pick<System, 'db'>) {
  return db
    .selectFrom('api_keys as k')
    .leftJoin('agents as a', (join) =>
      join.onRef('a.tenant_id', '=', 'k.tenant_id').onRef('a.agent_id', '=', 'k.agent_id'),
    )
    .select([
      'k.key_id',
      'k.tenant_id',
      'k.kind',
      'k.agent_id',
      'k.label',
      'k.created_at',
      'k.expires_at',
      'k.revoked_at',
    ])
    .select(['a.deleted_at'])
    .select(sql<string | null>`case when k.kind = 'agent' then a.fleet_id else k.fleet_id end`.as('fleet_id'))
    .select(sql<Trust>`case when k.kind = 'agent' then a.trust_level else k.trust_level end`.as('trust_level'))
}

type KeyRow = Awaited<ReturnType<ReturnType<typeof keys>['execute']>>[number]

function credentialOf(row: KeyRow): Omit<Credential, 'secretHash' | 'rateLimits'> {
  return {
    keyId: row.key_id,
    tenantId: row.tenant_id,
    kind: row.kind,
    agentId: row.agent_id,
    fleetId: row.fleet_id,
    trust: row.trust_level,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }
}

function listedKeyOf(row: KeyRow): ListedKey {
  return { ...credentialOf(row), label: row.label, createdAt: row.created_at }
}

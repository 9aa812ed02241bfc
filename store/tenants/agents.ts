import { type Selectable, sql } from 'kysely'
import type { Trust } from '../../domain/trust.js'
import { ConflictError, ForbiddenError } from '../../runtime/errors.js'
import { audit } from '../audit.js'
import type { Keyset } from '../keyset.js'
import type { Database } from '../schema.js'
import type { Reader, System, Writer } from '../store.js'
import { moveAgentCount } from './counters.js'
import { revokeKeys } from './revoke-keys.js'

export interface Agent {
  readonly tenantId: string
  readonly agentId: string
  readonly displayName: string | null
  readonly fleetId: string | null
  readonly trust: Trust
  readonly createdAt: Date
  readonly lastSeenAt: Date | null
}

interface AgentFields {
  readonly displayName: string | null
  readonly fleetId: string | null
  readonly trust: Trust
}

const COLUMNS = [
  'tenant_id',
  'agent_id',
  'display_name',
  'fleet_id',
  'trust_level',
  'created_at',
  'last_seen_at',
  'deleted_at',
] as const

/** A change of an agent: before and after. */
export interface AgentChange {
  /** Null for a new agent. */
  readonly before: Agent | null
  readonly agent: Agent
}

interface AgentList extends Keyset<string> {
  readonly fleetId?: string | undefined
  /** Limits the list to agents of this fleet and those of none; null: those of none alone. Undefined: all. */
  readonly visibleToFleet?: string | null | undefined
  readonly trust?: Trust | undefined
}

/** Lists registered agents by agent_id. */
export async function listAgents(reader: Reader, list: AgentList): Promise<Agent[]> {
  let query = reader.db
    .selectFrom('agents')
    .select(COLUMNS)
    .where('tenant_id', '=', reader.tenantId)
    .where('deleted_at', 'is', null)
    .orderBy('agent_id')
    .limit(list.limit)
  if (list.fleetId !== undefined) query = query.where('fleet_id', '=', list.fleetId)
  if (list.visibleToFleet !== undefined) {
    const { visibleToFleet } = list
    query = query.where((row) => row.or([row('fleet_id', 'is', null), row('fleet_id', '=', visibleToFleet)]))
  }
  if (list.trust !== undefined) query = query.where('trust_level', '=', list.trust)
  if (list.after !== undefined) query = query.where('agent_id', '>', list.after)
  return (await query.execute()).map(agentOf)
}

function rowOfAgent({ db, tenantId }: Reader, agentId: string) {
  return db
    .selectFrom('agents')
    .select(COLUMNS)
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .where('deleted_at', 'is', null)
}

/** Returns null when there is no such agent or it was deleted. */
export async function findAgent(reader: Reader, agentId: string): Promise<Agent | null> {
  const row = await rowOfAgent(reader, agentId).executeTakeFirst()
  return row ? agentOf(row) : null
}

/** Finds an agent and keeps it from being deleted before this transaction ends. Returns null when there is none. */
export async function shareLockAgent(writer: Writer, agentId: string): Promise<Agent | null> {
  const row = await rowOfAgent(writer, agentId).forKeyShare().executeTakeFirst()
  return row ? agentOf(row) : null
}

/** Registers an agent or replaces its fields. Throws ConflictError when the id belonged to a deleted one. */
export async function putAgent(writer: Writer, agentId: string, fields: AgentFields): Promise<AgentChange> {
  const made = await insertAgent(writer, agentId, fields)
  if (made) return { before: null, agent: made }
  const changed = await patchAgent(writer, agentId, fields)
  if (!changed) throw new ConflictError(`Agent ${agentId} was deleted; its id stays reserved.`)
  return changed
}

/** Changes the given fields. Returns null when there is no such agent. */
export async function patchAgent(
  writer: Writer,
  agentId: string,
  fields: Partial<AgentFields>,
): Promise<AgentChange | null> {
  const before = await lockAgent(writer, agentId)
  if (!before) return null
  const row = await writer.db
    .updateTable('agents')
    .set({
      ...(fields.displayName === undefined ? {} : { display_name: fields.displayName }),
      ...(fields.fleetId === undefined ? {} : { fleet_id: fields.fleetId }),
      ...(fields.trust === undefined ? {} : { trust_level: fields.trust }),
      agent_id: agentId,
    })
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  const agent = agentOf(row)
  await moveAgentCount(writer, before, agent)
  return { before, agent }
}

/**
 * Deletes an agent and revokes its keys; the id stays reserved. Returns the agent as it was, or null when there is no
 * such agent.
 */
export async function deleteAgent(writer: Writer, agentId: string, at: Date): Promise<Agent | null> {
  const before = await lockAgent(writer, agentId)
  if (!before) return null
  const { tenantId, db } = writer
  await db
    .updateTable('agents')
    .set({ deleted_at: at })
    .where('tenant_id', '=', tenantId)
    .where('agent_id', '=', agentId)
    .execute()
  await revokeKeys(writer, { agentId }, at)
  await moveAgentCount(writer, before, null)
  return before
}

/** Locks the agent until this transaction ends, and returns it. */
async function lockAgent(writer: Writer, agentId: string): Promise<Agent | null> {
  const row = await rowOfAgent(writer, agentId).forUpdate().executeTakeFirst()
  return row ? agentOf(row) : null
}

/** Registers an agent, with its count and audit event. Returns null when its id is taken, also by a deleted agent. */
export async function insertAgent(writer: Writer, agentId: string, fields: AgentFields): Promise<Agent | null> {
  const values = { display_name: fields.displayName, fleet_id: fields.fleetId, trust_level: fields.trust }
  const row = await writer.db
    .insertInto('agents')
    .values({ tenant_id: writer.tenantId, agent_id: agentId, ...values })
    .onConflict((conflict) => conflict.doNothing())
    .returning(COLUMNS)
    .executeTakeFirst()
  if (!row) return null
  const agent = agentOf(row)
  await moveAgentCount(writer, null, agent)
  const details = { fleet_id: agent.fleetId, trust_level: agent.trust }
  await audit(writer, agent.createdAt, [
    { action: 'agent.registered', subject: { kind: 'agent', id: agentId }, details },
  ])
  return agent
}

/**
 * Registers the agent that a tenant key's write names for the first time: trust 1 and the fleet of that write. An agent
 * that was registered meanwhile stays as it is. Throws ForbiddenError when it was deleted.
 */
export async function registerAgent(
  writer: Writer,
  { agentId, fleetId }: { readonly agentId: string; readonly fleetId: string | null },
): Promise<{ readonly agent: Agent; readonly isNew: boolean }> {
  const made = await insertAgent(writer, agentId, { displayName: null, fleetId, trust: 1 })
  const agent = made ?? (await findAgent(writer, agentId))
  if (!agent) throw new ForbiddenError(`Agent ${agentId} was deleted.`)
  return { agent, isNew: made !== null }
}

/**
 * Counts the memories of these agents that are not deleted, from the counters and the pending deltas; leaves out agents
 * without any.
 */
export async function countAgentMemories(reader: Reader, agentIds: readonly string[]): Promise<Map<string, number>> {
  const wanted = sql`tenant_id = ${reader.tenantId} and agent_id = any(${agentIds as string[]}::text[]) and status <> 'deleted'`
  const { rows } = await sql<{ agentId: string; count: number }>`
    select agent_id as "agentId", sum(count)::bigint as count from (
      select agent_id, count from memory_counters_by_agent where ${wanted}
      union all select agent_id, delta from memory_counter_deltas where ${wanted}
    ) m group by agent_id`.execute(reader.db)
  return new Map(rows.map(({ agentId, count }) => [agentId, count]))
}

/** Returns when agents wrote the newest of their memories that are not deleted, by index; leaves out agents without any. */
export async function readLastWrites(reader: Reader, agentIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await sql<{ agentId: string; at: Date }>`
    select a.agent_id as "agentId", last.created_at as at
    from unnest(${agentIds as string[]}::text[]) as a(agent_id) cross join lateral (
      select m.created_at from memories m
      where m.tenant_id = ${reader.tenantId} and m.agent_id = a.agent_id and m.status <> 'deleted'
      order by m.id desc limit 1
    ) last`.execute(reader.db)
  return new Map(rows.map(({ agentId, at }) => [agentId, at]))
}

export interface AgentLastSeen {
  readonly tenantId: string
  readonly agentId: string
  readonly at: Date
}

/** Advances last_seen_at of agents of all tenants, in batches after the responses, in the order of the keys. */
export async function touchAgents(system: System, entries: readonly AgentLastSeen[]): Promise<void> {
  if (entries.length === 0) return
  const column = <T>(pick: (entry: AgentLastSeen) => T) => entries.map(pick)
  await sql`
    with seen as (
      select tenant_id, agent_id, max(at) as at
      from unnest(${column((s) => s.tenantId)}::text[], ${column((s) => s.agentId)}::text[],
        ${column((s) => s.at)}::timestamptz[]) as s (tenant_id, agent_id, at)
      group by 1, 2
    ), held as (
      select tenant_id, agent_id, seen.at from agents join seen using (tenant_id, agent_id)
      where last_seen_at is null or last_seen_at < seen.at
      order by 1, 2 for no key update of agents
    )
    update agents a set last_seen_at = held.at from held
    where a.tenant_id = held.tenant_id and a.agent_id = held.agent_id`.execute(system.db)
}

function agentOf(row: Selectable<Database['agents']>): Agent {
  return {
    tenantId: row.tenant_id,
    agentId: row.agent_id,
    displayName: row.display_name,
    fleetId: row.fleet_id,
    trust: row.trust_level,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  }
}

import { type RawBuilder, sql } from 'kysely'
import type { ForgeMemory, Part, Window } from '../../domain/forge/traces.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import { ofStatus } from '../conditions.js'
import { fenced, rowOf } from '../rows-by-id.js'
import { decodeVector } from '../vectors.js'
import type { Reader, Writer } from '../store.js'

/** A trace by what it is made of: the memories of one agent in one run of a fleet. */
export interface TraceKey {
  readonly fleetId: string | null
  readonly runId: string
  readonly agentId: string
}

/** Returns what is equal for equal traces. */
export function traceKey({ fleetId, runId, agentId }: TraceKey): string {
  return JSON.stringify([fleetId, runId, agentId])
}

/** A trace that a run takes, with the number of its memories in the window. */
export interface SelectedTrace extends TraceKey {
  readonly memories: number
}

/** Bounds what a run takes of a part. A trace of more memories than one may have is no run of an agent. */
export interface PartBounds {
  readonly traces: number
  readonly memories: number
  readonly bytes: number
  readonly memoriesOfTrace: number
}

/** UTF-16 units that are read of a memory's text, as many as statements are looked for in. */
const LONGEST_READ = 10_000

/**
 * Returns the condition that memories m may be evidence for a skill at all: `mayEnter` of the domain, but for which part
 * they are. The literals are those of the index `memories_evidence`.
 */
function mayBeEvidence({ from, now }: Window): RawBuilder<boolean> {
  return sql<boolean>`m.run_id is not null and m.agent_id is not null and m.visibility <> 'scope_agent'
    and ${ofStatus('m', LIVE_STATUSES)} and (m.expires_at is null or m.expires_at > ${new Date(now)})
    and m.run_at > ${new Date(from)} and m.run_at <= ${new Date(now)}`
}

/** Returns the parts of a tenant that have memories in the window: its fleets, and null for what the whole tenant sees. */
export async function listParts({ db, tenantId }: Reader, window: Window): Promise<Part[]> {
  const { rows } = await sql<{ fleetId: string; isForAll: boolean; isOwn: boolean }>`
    select m.fleet_id as "fleetId", bool_or(m.visibility = 'scope_org') or m.fleet_id is null as "isForAll",
      bool_or(m.visibility = 'scope_team') and m.fleet_id is not null as "isOwn"
    from memories m where m.tenant_id = ${tenantId} and ${mayBeEvidence(window)}
    group by m.fleet_id order by m.fleet_id collate "C"`.execute(db)
  const fleets = rows.filter(({ isOwn }) => isOwn).map(({ fleetId }) => ({ fleetId }))
  return rows.some(({ isForAll }) => isForAll) ? [...fleets, { fleetId: null }] : fleets
}

export interface Selection {
  /** The newest traces that are within the bounds, in the order of their keys. */
  readonly traces: readonly SelectedTrace[]
  /** Traces and memories of the part in the window, the selected ones included. */
  readonly all: { readonly traces: number; readonly memories: number }
}

/**
 * Selects a part's newest traces within the bounds, by counts alone: those of each agent in equal shares, so that one that
 * stores much, or large texts, leaves room for the others. A run with one memory that only its fleet sees is its
 * fleet's; one that everybody sees is the tenant's. Reads the rows of the window, and returns as many as there are bounds.
 */
export async function selectTraces(
  { db, tenantId }: Reader,
  { fleetId }: Part,
  window: Window,
  bounds: PartBounds,
): Promise<Selection> {
  const rowsOfPart = fleetId === null ? sql`true` : sql`m.fleet_id = ${fleetId}`
  const isOfPart = fleetId === null ? sql`(fleet_id is null or is_for_all)` : sql`not is_for_all`
  const { rows } = await sql<SelectedTrace & { allTraces: number; allMemories: number; isTaken: boolean }>`
    with traces as (
      select m.fleet_id, m.run_id, m.agent_id, max(m.run_at) as newest, count(*) as memories,
        sum(least(octet_length(m.content), ${4 * LONGEST_READ}::int)) as bytes, bool_and(m.visibility = 'scope_org') as is_for_all
      from memories m where m.tenant_id = ${tenantId} and ${rowsOfPart} and ${mayBeEvidence(window)}
      group by m.fleet_id, m.run_id, m.agent_id
    ), of_part as materialized (
      select * from traces where ${isOfPart}
    ), shared as (
      select *, greatest(row_number() over own / ${bounds.traces}::float8, sum(memories) over own / ${bounds.memories}::float8,
        sum(bytes) over own / ${bounds.bytes}::float8) as share
      from of_part where memories <= ${bounds.memoriesOfTrace}
      window own as (partition by agent_id order by newest desc, run_id, fleet_id)
    ), placed as (
      select *, row_number() over fairly as place, sum(memories) over fairly as memories_so_far,
        sum(bytes) over fairly as bytes_so_far
      from shared window fairly as (order by share, newest desc, run_id, agent_id, fleet_id)
    ), taken as (
      select * from placed where place <= ${bounds.traces} and memories_so_far <= ${bounds.memories} and bytes_so_far <= ${bounds.bytes}
    ), counted as (
      select count(*)::int as traces, coalesce(sum(memories), 0)::int as memories from of_part
    )
    select counted.traces as "allTraces", counted.memories as "allMemories", taken.place is not null as "isTaken",
      taken.fleet_id as "fleetId", taken.run_id as "runId", taken.agent_id as "agentId", taken.memories::int as memories
    from counted left join taken on true
    order by taken.fleet_id collate "C", taken.run_id collate "C", taken.agent_id collate "C"`.execute(db)
  const [first] = rows
  return {
    traces: rows
      .filter(({ isTaken }) => isTaken)
      .map(({ fleetId, runId, agentId, memories }) => ({ fleetId, runId, agentId, memories })),
    all: { traces: first!.allTraces, memories: first!.allMemories },
  }
}

/** A memory as evidence, at a version that tells later whether it has changed. */
export type EvidenceMemory = ForgeMemory & { readonly version: number }

/** Returns the memories of these traces that may still be evidence; with the vectors of a model, where it is named. */
export async function readEvidence(
  reader: Reader,
  traces: readonly TraceKey[],
  window: Window,
  model: string | null,
): Promise<EvidenceMemory[]> {
  return readMemories(reader, ofTraces(reader.tenantId, traces), window, model)
}

/** Returns those of the memories with these ids that may be evidence, without vectors. */
export async function readEvidenceByIds(
  reader: Reader,
  ids: readonly string[],
  window: Window,
): Promise<EvidenceMemory[]> {
  const row = rowOf('memories', reader.tenantId, sql`given.id`)
  const given = sql`unnest(${ids as string[]}::uuid[]) as given(id) cross join lateral ${row} m`
  return readMemories(reader, given, window, null)
}

/** Reads the memories m of a join. */
async function readMemories(
  { db, tenantId }: Reader,
  from: RawBuilder<unknown>,
  window: Window,
  model: string | null,
): Promise<EvidenceMemory[]> {
  const { rows } = await sql<Omit<EvidenceMemory, 'vector'> & { vector: Buffer | null }>`
    select m.id, m.version, m.fleet_id as "fleetId", m.agent_id as "agentId", m.run_id as "runId", m.title,
      left(m.content, ${LONGEST_READ}::int) as content, m.language, m.memory_type as "memoryType", m.status, m.visibility,
      m.created_at as "createdAt", m.valid_start as "validStart", m.expires_at as "expiresAt",
      ${credentialOf(tenantId)} as credential,
      array(select distinct l.name from entity_links l where l.tenant_id = m.tenant_id and l.memory_id = m.id order by 1) as names,
      ${model === null ? sql`null` : sql`(select v.vector from vectors v where v.tenant_id = m.tenant_id and v.text_hash = m.text_hash and v.model = ${model})`} as vector
    from ${from} where ${mayBeEvidence(window)}`.execute(db)
  return rows.map((row) => ({ ...row, vector: row.vector && decodeVector(row.vector) }))
}

/**
 * Returns the name of the credential that last wrote the text of a memory m: its key's, or the kind of who has none. What the
 * service itself stored is its agent's. Null where no audit event tells.
 */
function credentialOf(tenantId: string): RawBuilder<string | null> {
  return sql<string | null>`(
    select case when e.actor_key_id is not null then 'key ' || e.actor_key_id
      when e.actor_kind = 'service' then 'agent ' || m.agent_id else e.actor_kind end
    from audit_events e where e.tenant_id = ${tenantId} and e.subject_id = m.id::text
      and (e.action = 'memory.created' or (e.action = 'memory.updated' and e.details -> 'fields' ?| '{content,title}'::text[]))
    order by e.id desc limit 1)`
}

/**
 * Joins the memories m of traces t, which have a place each. Reads each run once, by its index, whatever the statistics say: many
 * agents may share a run, and after a large import PostgreSQL would join all memories of the tenant.
 */
export function ofTraces(tenantId: string, traces: readonly TraceKey[]): RawBuilder<unknown> {
  const given = sql.join(
    [traces.map(({ fleetId }) => fleetId), traces.map(({ runId }) => runId), traces.map(({ agentId }) => agentId)].map(
      (column) => sql`${column}::text[]`,
    ),
  )
  const runs = [...new Set(traces.map(({ runId }) => runId))]
  return sql`unnest(${runs}::text[]) as r(run_id)
    cross join lateral ${fenced(sql`select * from memories
      where tenant_id = ${tenantId} and run_id = r.run_id and status <> 'deleted'`)} m
    join unnest(${given}) with ordinality as t(fleet_id, run_id, agent_id, place)
      on t.run_id = m.run_id and t.agent_id = m.agent_id and t.fleet_id is not distinct from m.fleet_id`
}

/**
 * Locks memories until the transaction ends, and returns true while all of them are as they were read and may be evidence
 * for the part: from here on whoever deletes or changes one waits, and finds what cites it.
 */
export async function lockEvidence(
  { db, tenantId }: Writer,
  cites: readonly { readonly id: string; readonly version: number }[],
  { fleetId }: Part,
  window: Window,
): Promise<boolean> {
  const seenByPart =
    fleetId === null
      ? sql`(m.visibility = 'scope_org' or m.fleet_id is null)`
      : sql`m.fleet_id = ${fleetId} and m.visibility <> 'scope_agent'`
  // Each is locked by its key, in the order of the keys.
  const inOrder = cites.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const { rows } = await sql`
    select from unnest(${inOrder.map(({ id }) => id)}::uuid[], ${inOrder.map(({ version }) => version)}::int[]) as read(id, version)
      cross join lateral (select * from memories where tenant_id = ${tenantId} and id = read.id limit 1 for share) m
    where m.version = read.version and ${mayBeEvidence(window)} and ${seenByPart}`.execute(db)
  return rows.length === cites.length
}

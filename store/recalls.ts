import { type RawBuilder, sql } from 'kysely'
import type { ScoreParts, CandidateSource } from '../domain/ranking/candidate.js'
import type { ConfidenceLevel } from '../domain/answers/confidence.js'
import type { Audience } from '../domain/visibility.js'
import { equal } from './conditions.js'
import { visibleTo } from './memories/audience.js'
import type { Keyset } from './keyset.js'
import type { Reader, System } from './store.js'

/** Explains why a memory was recalled: the factors of its score, and the candidate sources that found it. */
interface RecalledScore {
  readonly memory_id: string
  readonly similarity: number
  readonly score: number
  readonly score_parts: ScoreParts
  readonly legs: readonly CandidateSource[]
}

/** An answered recall: who asked and what was returned, without any text. */
export interface AnsweredRecall {
  readonly tenantId: string
  /** A UUIDv7 with the time `at`. */
  readonly recallId: string
  readonly actorKind: 'agent' | 'tenant' | 'admin'
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly keyId: string | null
  readonly at: Date
  /** Filters of the recall: the request's fields without its texts. */
  readonly request: Readonly<Record<string, unknown>>
  /** Memories that were returned, best first. */
  readonly results: readonly RecalledScore[]
  readonly degraded: string | null
  readonly recallMs: number
  /** Null of a recall that an earlier version answered. */
  readonly confidence: ConfidenceLevel | null
}

/** Returns the first id that a recall of this moment (Unix milliseconds) can have. */
export function firstRecallIdAt(instant: number): string {
  const time = Math.max(0, instant).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/**
 * Stores recalls of all tenants, without memories that were erased since; the partitions of their days must exist. A
 * recall that is stored already stays.
 */
export async function storeRecalls({ db }: System, recalls: readonly AnsweredRecall[]): Promise<void> {
  if (recalls.length === 0) return
  const rows = recalls.map((recall) => ({
    tenant_id: recall.tenantId,
    recall_id: recall.recallId,
    actor_kind: recall.actorKind,
    agent_id: recall.agentId,
    fleet_id: recall.fleetId,
    key_id: recall.keyId,
    at: recall.at,
    request: recall.request,
    results: recall.results,
    degraded: recall.degraded,
    recall_ms: recall.recallMs,
    confidence: recall.confidence,
  }))
  await sql`
    insert into recalls (tenant_id, recall_id, actor_kind, agent_id, fleet_id, key_id, at, request, results, memory_count,
      degraded, recall_ms, confidence)
    select tenant_id, recall_id, actor_kind, agent_id, fleet_id, key_id, at, request, (
        select coalesce(jsonb_agg(result order by place), '[]')
        from jsonb_array_elements(r.results) with ordinality as came(result, place)
          join memories m on m.tenant_id = r.tenant_id and m.id = (result ->> 'memory_id')::uuid
      ), jsonb_array_length(results), degraded, recall_ms, confidence
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(tenant_id text, recall_id uuid, actor_kind text,
      agent_id text, fleet_id text, key_id text, at timestamptz, request jsonb, results jsonb, degraded text, recall_ms real,
      confidence text)
    on conflict do nothing`.execute(db)
}

/** Creates the partition of the day in a recall's id, unless it exists. */
export async function ensureRecallDay({ db }: System, day: string): Promise<void> {
  await sql`select ensure_recall_partition(${day}::date)`.execute(db)
}

/**
 * Drops whole days before this time; returns how many. A partition can be dropped only while nobody reads any: whoever
 * comes after the drop waits with it, so it soon gives up (55P03) instead.
 */
export async function dropRecallsBefore({ db }: System, instant: Date): Promise<number> {
  await sql`set local lock_timeout = '1s'`.execute(db)
  const { rows } = await sql<{ dropped: number }>`
    select drop_recall_partitions(${instant.toISOString().slice(0, 10)}::date) as dropped`.execute(db)
  return rows[0]!.dropped
}

/** A stored recall; `results` are those that the reader may see now. */
export interface RecallRow extends Omit<AnsweredRecall, 'tenantId'> {
  /** Number of memories that were returned. */
  readonly memoryCount: number
}

/** Owner of recalls: anybody (null), one agent, or one key that acts for no agent. */
export type RecallOwner = { readonly agentId: string } | { readonly keyId: string | null } | null

export async function findRecall(
  reader: Reader,
  audience: Audience,
  recallId: string,
  owner: RecallOwner,
): Promise<RecallRow | undefined> {
  const rows = await selectRecalls(reader, audience, sql`r.recall_id = ${recallId} and ${ownedBy(owner)}`)
  return rows[0]
}

interface RecallListing extends Keyset<string> {
  readonly agentId?: string | undefined
  readonly degraded?: boolean | undefined
  /** Exclusive. */
  readonly laterThan?: Date | undefined
  readonly earlierThan?: Date | undefined
}

/** Lists recalls, newest first. */
export async function listRecalls(reader: Reader, audience: Audience, listing: RecallListing): Promise<RecallRow[]> {
  const conditions = [
    ...equal(sql`r.agent_id`, listing.agentId),
    ...(listing.degraded === undefined ? [] : [sql`(r.degraded is not null) = ${listing.degraded}`]),
    ...(listing.laterThan ? [sql`r.at > ${listing.laterThan}`] : []),
    ...(listing.earlierThan ? [sql`r.at < ${listing.earlierThan}`] : []),
    ...(listing.after === undefined ? [] : [sql`r.recall_id < ${listing.after}::uuid`]),
    sql`true order by r.recall_id desc limit ${listing.limit}`,
  ]
  return selectRecalls(reader, audience, sql.join(conditions, sql` and `))
}

async function selectRecalls(reader: Reader, audience: Audience, where: RawBuilder<unknown>): Promise<RecallRow[]> {
  const { rows } = await sql<RecallRow>`
    select r.recall_id as "recallId", r.actor_kind as "actorKind", r.agent_id as "agentId", r.fleet_id as "fleetId",
      r.key_id as "keyId", r.at, r.request, r.memory_count as "memoryCount", r.degraded, r.recall_ms as "recallMs", r.confidence,
      coalesce((
        select jsonb_agg(result order by place)
        from jsonb_array_elements(r.results) with ordinality as came(result, place)
          join memories m on m.tenant_id = r.tenant_id and m.id = (result ->> 'memory_id')::uuid
        where m.status <> 'deleted' and ${visibleTo(audience)}), '[]') as results
    from recalls r where r.tenant_id = ${reader.tenantId} and ${where}`.execute(reader.db)
  return rows
}

export function ownedBy(owner: RecallOwner): RawBuilder<unknown> {
  if (owner === null) return sql`true`
  if ('agentId' in owner) return sql`r.agent_id = ${owner.agentId}`
  return sql`r.agent_id is null and r.key_id is not distinct from ${owner.keyId}`
}

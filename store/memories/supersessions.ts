import { sql } from 'kysely'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import type { Statement } from '../../domain/life/contradictions.js'
import type { SupersessionLink } from '../../domain/life/lineage.js'
import type { Audience } from '../../domain/visibility.js'
import { anyOf, ofStatus } from '../conditions.js'
import type { SupersessionReason } from '../schema.js'
import type { Reader, Writer } from '../store.js'
import { visibleTo } from './audience.js'

export interface Supersession extends SupersessionLink {
  readonly reason: SupersessionReason
  readonly direction: 'canonical' | 'flipped'
  readonly oldStatus: 'outdated' | 'conflicted'
}

export async function recordSupersessions(
  writer: Writer,
  supersessions: readonly Supersession[],
  at: Date,
): Promise<void> {
  if (supersessions.length === 0) return
  const rows = supersessions.map((one) => ({
    old_id: one.oldId,
    new_id: one.newId,
    reason: one.reason,
    direction: one.direction,
    old_status: one.oldStatus,
  }))
  // One parameter for all rows: a bulk write may contradict more rows than a statement takes parameters.
  await sql`
    insert into supersessions (tenant_id, old_id, new_id, reason, direction, old_status, created_at)
    select ${writer.tenantId}, old_id, new_id, reason, direction, old_status, ${at}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(old_id uuid, new_id uuid, reason text, direction text, old_status text)
    on conflict do nothing`.execute(writer.db)
}

/** Returns those of these memories that are live now. */
export async function findLive({ tenantId, db }: Writer, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('memories')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', anyOf(ids))
    .where(ofStatus('memories', LIVE_STATUSES))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

type ClaimKey = Pick<Statement, 'subjectId' | 'predicateKey'>

/**
 * Returns the standing claims with these subjects and predicates, newest last, once no other transaction can add to
 * them: two writers of one claim would otherwise not see each other's row. Expired rows claim nothing. `except` are the
 * writer's own rows.
 */
export async function readClaims(
  writer: Writer,
  keys: readonly ClaimKey[],
  { except, now }: { except: readonly string[]; now: Date },
): Promise<Statement[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.subjectId} ${key.predicateKey}`, key])).entries()].sort()
  await sql`select pg_advisory_xact_lock(hashtextextended(${writer.tenantId} || ' claim ' || key, 0))
    from (select key from unnest(${distinct.map(([key]) => key)}::text[]) as given(key) order by key) ordered`.execute(
    writer.db,
  )
  const { rows } = await sql<Statement>`
    select m.id as "memoryId", m.subject_entity_id as "subjectId", m.predicate_key as "predicateKey",
      m.object_value as object, m.agent_id as "agentId", m.fleet_id as "fleetId", m.visibility,
      (extract(epoch from m.valid_start) * 1000)::float8 as "validStart",
      (extract(epoch from m.valid_end) * 1000)::float8 as "validEnd",
      (extract(epoch from m.run_at) * 1000)::float8 as at
    from unnest(${distinct.map(([, key]) => key.subjectId)}::uuid[], ${distinct.map(([, key]) => key.predicateKey)}::text[])
        as wanted(subject, predicate)
      join memories m on m.tenant_id = ${writer.tenantId} and m.subject_entity_id = wanted.subject
        and m.predicate_key = wanted.predicate
    where ${ofStatus('m', STANDING_STATUSES)} and m.object_value is not null
      and (m.expires_at is null or m.expires_at > ${now}) and m.id <> all(${except as string[]}::uuid[])
    order by m.run_at, m.id`.execute(writer.db)
  return rows
}

/** Number of members of a chain that are read, and of neighbours of each on either side. */
const MAX_CHAIN = 500
/** Number of supersessions between members that are read. */
const MAX_LINKS = 10_000

/**
 * Returns the visible memories that the given one is connected with by supersessions, including itself, and those
 * supersessions.
 */
export async function findChain(
  reader: Reader,
  audience: Audience,
  id: string,
): Promise<{ ids: string[]; supersessionLinks: SupersessionLink[] }> {
  // Each lateral ends in a limit, which keeps the planner from merging it into a join that reads all of the tenant's
  // rows.
  const { rows } = await sql<{ ids: string[]; supersessionLinks: SupersessionLink[] }>`
    with recursive chain as (
      select m.id from memories m
      where m.tenant_id = ${reader.tenantId} and m.id = ${id} and m.status <> 'deleted' and ${visibleTo(audience)}
      union
      select m.id from chain
        cross join lateral (
          (select s.new_id as id from supersessions s where s.tenant_id = ${reader.tenantId} and s.old_id = chain.id limit ${MAX_CHAIN})
          union all
          (select s.old_id from supersessions s where s.tenant_id = ${reader.tenantId} and s.new_id = chain.id limit ${MAX_CHAIN})
        ) beside
        cross join lateral (
          select m.id from memories m where m.tenant_id = ${reader.tenantId} and m.id = beside.id
            and m.status <> 'deleted' and ${visibleTo(audience)} limit 1
        ) m
    ), members as materialized (select id from chain limit ${MAX_CHAIN}),
    links as (
      select s.old_id, s.new_id from members cross join lateral (
        select s.old_id, s.new_id from supersessions s
        where s.tenant_id = ${reader.tenantId} and s.old_id = members.id limit ${MAX_LINKS}
      ) s
      where s.new_id in (select id from members) limit ${MAX_LINKS}
    )
    select coalesce((select array_agg(id) from members), '{}') as ids,
      coalesce((select jsonb_agg(jsonb_build_object('oldId', old_id, 'newId', new_id)) from links), '[]') as "supersessionLinks"`.execute(
    reader.db,
  )
  return rows[0]!
}

import { type RawBuilder, sql } from 'kysely'
import { anyOf } from '../conditions.js'
import { interruptRuns } from '../forge/runs.js'
import { forgetTraces } from '../forge/traces.js'
import { moveBackfillCursors } from '../indexing/index-backfill.js'
import { extendTimeout } from './mentions.js'
import { embeddedText } from '../../domain/text/memory-text.js'
import { forgetAcknowledgements } from '../keystones/acknowledgements.js'
import { forgetActivity } from '../memories/activity.js'
import { forgetAuthor } from '../keystones/keystones.js'
import { audit, type AuditDetails } from '../audit.js'
import { forgetSkillAuthor } from '../skills/authors.js'
import { enqueue } from '../outbox/outbox.js'
import { removeMemories } from '../memories/remove-memories.js'
import type { Reader, System, Writer } from '../store.js'
import { releaseQuota } from '../memories/usage.js'

/** Memories to erase: those of an agent, those about an entity (as subject or linked), or these ids. */
export type ErasureSelector =
  { readonly agentId: string } | { readonly subjectEntityId: string } | { readonly memoryIds: readonly string[] }

/** Counts the selected memories, including deleted ones, whatever their visibility. */
export async function countSelected(reader: Reader, selector: ErasureSelector): Promise<number> {
  const { count } = await reader.db
    .selectFrom('memories as m')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(matchesSelector(reader, selector))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the condition that a row of `memories m` is selected. */
export function matchesSelector({ tenantId }: Reader, selector: ErasureSelector): RawBuilder<boolean> {
  const own = sql<boolean>`m.tenant_id = ${tenantId}`
  if ('agentId' in selector) return sql<boolean>`${own} and m.agent_id = ${selector.agentId}`
  if ('memoryIds' in selector) return sql<boolean>`${own} and m.id = any(${selector.memoryIds as string[]}::uuid[])`
  return sql<boolean>`${own} and (m.subject_entity_id = ${selector.subjectEntityId} or exists (
    select from entity_links l
    where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.entity_id = ${selector.subjectEntityId}))`
}

interface ErasedRows {
  readonly ids: readonly string[]
  readonly textHashes: readonly Buffer[]
}

/** Everything that an erasure has erased, with the skills of which it removed the document. */
interface ErasedSoFar extends ErasedRows {
  readonly skillIds: readonly string[]
}

/** The texts of the rows, by their ids. */
interface ErasedTexts {
  readonly texts: ReadonlyMap<string, string>
}

/**
 * Records what will be erased before anything is, in the audit too; without `isSelected` records only that the erasure
 * has begun, and interrupts the Forge. A repeated request resumes an interrupted erasure: its row is the only record of what was erased already.
 */
export async function beginErasure(
  writer: Writer,
  {
    id,
    at,
    selector,
    isSelected = true,
  }: Pick<Erasure, 'id' | 'at'> & { readonly selector: ErasureSelector; readonly isSelected?: boolean },
): Promise<ErasedRows & { readonly id: string }> {
  const { tenantId, db } = writer
  if (!isSelected) await interruptRuns(writer)
  const asked = JSON.stringify(selector)
  const { rows } = await sql<ErasedRows & { id: string }>`
    with selected as materialized (
      select m.id, m.text_hash from memories m where ${isSelected} and ${matchesSelector(writer, selector)}
    ), known as materialized (
      select id, memory_ids, text_hashes from erasures
      where tenant_id = ${tenantId} and hash = ${UNFINISHED_HASH} and selector = ${asked}::jsonb order by at limit 1 for update
    ), begun as (
      select coalesce((select id from known), ${id}) as id,
        array(select id from selected union select unnest(memory_ids) from known order by 1) as memory_ids,
        array(select text_hash from selected union select unnest(text_hashes) from known) as text_hashes
    )
    insert into erasures (id, tenant_id, at, selector, memory_ids, text_hashes, receipt, hash)
    select id, ${tenantId}, ${at}::timestamptz, ${asked}::jsonb, memory_ids, text_hashes, '{}', ${UNFINISHED_HASH} from begun
    on conflict (id) do update set at = excluded.at, receipt = excluded.receipt, memory_ids = excluded.memory_ids,
      text_hashes = excluded.text_hashes
    returning id, memory_ids as ids, text_hashes as "textHashes"`.execute(db)
  const begun = rows[0]!
  if (!isSelected) return begun
  const details = { ...subjectOf(selector), memory_count: begun.ids.length }
  await audit(writer, at, [{ action: 'erasure.begun', subject: { kind: 'erasure', id: begun.id }, details }])
  return begun
}

/** Returns the audit details that name the subject; for a list of memories only their count is recorded. */
function subjectOf(selector: ErasureSelector): AuditDetails {
  if ('agentId' in selector) return { agent_id: selector.agentId }
  return 'subjectEntityId' in selector ? { subject_entity_id: selector.subjectEntityId } : {}
}

/** Hash of an erasure that has no receipt yet. */
const UNFINISHED_HASH = ''

/**
 * Erases up to `limit` of the selected memories, with every row that refers to them. Their tombstones are in
 * index_pending when this commits; mentions elsewhere are left to `forgetMentions`, which scans all of the tenant's
 * rows.
 */
export async function eraseBatch(
  writer: Writer,
  selector: ErasureSelector,
  { erasureId, at, limit }: { erasureId: string; at: Date; limit: number },
): Promise<ErasedRows & ErasedTexts> {
  const rows = await writer.db
    .selectFrom('memories as m')
    .select(['m.id', 'm.title', 'm.content', 'm.status'])
    .where(matchesSelector(writer, selector))
    .orderBy('m.id')
    .limit(limit)
    .forUpdate()
    .execute()
  const ids = rows.map((row) => row.id)
  const texts = new Map(rows.map((row) => [row.id, embeddedText(row)]))
  if (ids.length === 0) return { ids, textHashes: [], texts }
  const textHashes = await removeMemories(writer, ids, { action: 'memory.erased', at })
  await writer.db
    .deleteFrom('index_pending')
    .where('tenant_id', '=', writer.tenantId)
    .where('kind', 'in', ['vector', 'enrich'])
    .where('entity_id', '=', anyOf(ids))
    .execute()
  await enqueue(writer, 'memory', ids)
  await addLateMemories(writer, erasureId, { ids, textHashes })
  await releaseQuota(writer, rows.filter(({ status }) => status !== 'deleted').length)
  return { ids, textHashes, texts }
}

/** Notes skills whose documents an erasure removed, in the transaction that does. */
export async function noteSkills(
  { db, tenantId }: Writer,
  erasureId: string,
  skillIds: readonly string[],
): Promise<void> {
  if (skillIds.length === 0) return
  await sql`
    update erasures set skill_ids = array(select unnest(skill_ids) union select unnest(${skillIds as string[]}::uuid[]) order by 1)
    where tenant_id = ${tenantId} and id = ${erasureId}`.execute(db)
}

/** Adds memories that were written or changed after the erasure had begun. */
async function addLateMemories(writer: Writer, erasureId: string, { ids, textHashes }: ErasedRows): Promise<void> {
  await sql`
    update erasures set memory_ids = memory_ids || late.ids, text_hashes = text_hashes || late.hashes
    from (
      select array(select unnest(${ids as string[]}::uuid[]) except select unnest(memory_ids)) as ids,
        array(select unnest(${textHashes as Buffer[]}::bytea[]) except select unnest(text_hashes)) as hashes
      from erasures where tenant_id = ${writer.tenantId} and id = ${erasureId}
    ) late
    where tenant_id = ${writer.tenantId} and id = ${erasureId} and (late.ids <> '{}' or late.hashes <> '{}')`.execute(
    writer.db,
  )
}

/**
 * Removes mentions of the memories elsewhere: stored responses of idempotent requests, recalls, usage counts, details
 * of the audit, cursors of a backfill.
 */
export async function forgetMentions(writer: Writer, ids: readonly string[]): Promise<void> {
  const { tenantId, db } = writer
  const uuids = sql`${ids as string[]}::uuid[]`
  const texts = sql`${ids as string[]}::text[]`
  await extendTimeout(writer)
  // Responses are JSON, so an id stands between two quotes. A join, because a list would be searched from its beginning
  // for each part.
  await sql`
    delete from idempotency_keys k using (
      select distinct b.identity, b.route, b.idempotency_key
      from idempotency_keys b cross join lateral string_to_table(b.body, '"') as part join unnest(${texts}) as gone(id) on gone.id = part
      where b.tenant_id = ${tenantId}
    ) naming
    where k.tenant_id = ${tenantId} and k.identity = naming.identity and k.route = naming.route
      and k.idempotency_key = naming.idempotency_key`.execute(db)
  await moveBackfillCursors(writer, ids)
  // Former versions of other memories, which were about an erased entity.
  await db
    .deleteFrom('memory_versions')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`exists (select from unnest(entity_ids) as about(id) where about.id = any(${uuids}))`)
    .execute()
  await db.deleteFrom('memory_usage').where('tenant_id', '=', tenantId).where('memory_id', '=', anyOf(ids)).execute()
  await sql`
    update recalls r set results = (
      select coalesce(jsonb_agg(result order by place), '[]')
      from jsonb_array_elements(r.results) with ordinality as came(result, place)
      where not (result ->> 'memory_id')::uuid = any(${uuids}))
    from (
      select distinct n.recall_id
      from recalls n cross join lateral jsonb_array_elements(n.results) as came(result)
        join unnest(${texts}) as gone(id) on gone.id = came.result ->> 'memory_id'
      where n.tenant_id = ${tenantId}
    ) naming
    where r.tenant_id = ${tenantId} and r.recall_id = naming.recall_id`.execute(db)
  await db
    .updateTable('audit_events')
    .set({ details: '{}' })
    .where('tenant_id', '=', tenantId)
    .where('subject_id', '=', anyOf(ids))
    .where(sql<boolean>`details <> '{}'`)
    .execute()
}

/**
 * Removes the run id from recalls that were limited to a run of which no memory will remain: a caller's name for a run
 * may tell what was in it. Removes how the traces with one of the memories ended, which follows from what they say: the
 * Forge reads it again from those that remain.
 */
export async function forgetRuns(writer: Writer, selector: ErasureSelector): Promise<void> {
  const { tenantId, db } = writer
  await extendTimeout(writer)
  await sql`
    update recalls r set request = request - 'run_id'
    from (
      select m.run_id from memories m where m.tenant_id = ${tenantId} and m.run_id is not null
      group by m.run_id having bool_and(${matchesSelector(writer, selector)})
    ) gone
    where r.tenant_id = ${tenantId} and r.request ->> 'run_id' = gone.run_id`.execute(db)
  await sql`
    delete from forge_traces t using (
      select distinct m.fleet_id, m.run_id, m.agent_id from memories m
      where m.run_id is not null and m.agent_id is not null and ${matchesSelector(writer, selector)}
    ) gone
    where t.tenant_id = ${tenantId} and t.run_id = gone.run_id and t.agent_id = gone.agent_id
      and t.fleet_id is not distinct from gone.fleet_id`.execute(db)
}

/**
 * Removes the settled index_pending rows of the tombstones, so that no row names the memories; returns how many are not settled
 * yet, those of the documents of skills among them.
 */
export async function forgetSettled(
  { db, tenantId }: Writer,
  ids: readonly string[],
  skillIds: readonly string[] = [],
): Promise<number> {
  await db
    .deleteFrom('index_pending')
    .where('tenant_id', '=', tenantId)
    .where('entity_id', '=', anyOf(ids))
    .where('settled_at', 'is not', null)
    .execute()
  const { count } = await db
    .selectFrom('index_pending')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where((row) =>
      row.or([
        row('entity_id', '=', anyOf(ids)),
        row('entity_id', '=', anyOf(skillIds)).and('kind', '=', 'document').and('settled_at', 'is', null),
      ]),
    )
    .executeTakeFirstOrThrow()
  return count
}

export async function findErasure({ db }: System, id: string): Promise<(Erasure & { tenantId: string }) | undefined> {
  return db
    .selectFrom('erasures')
    .select(['id', 'tenant_id as tenantId', 'at', 'selector', 'memory_ids as memoryIds', 'text_hashes as textHashes'])
    .select(['skill_ids as skillIds', 'receipt', 'hash'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Removes what is stored about an agent whose memories are erased: its display name, its recalls, when it wrote what was counted, and which keystones
 * and skills it wrote, received or reviewed, how its traces ended, and what memories were while it was their author.
 */
export async function forgetAgent(writer: Writer, agentId: string): Promise<void> {
  await extendTimeout(writer)
  await writer.db
    .deleteFrom('memory_versions')
    .where('tenant_id', '=', writer.tenantId)
    .where(sql<boolean>`former ->> 'agent_id' = ${agentId}`)
    .execute()
  await forgetActivity(writer, agentId)
  await forgetAuthor(writer, agentId)
  await forgetAcknowledgements(writer, agentId)
  await forgetTraces(writer, agentId)
  await forgetSkillAuthor(writer, agentId)
  await writer.db
    .updateTable('agents')
    .set({ display_name: null })
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .execute()
  await writer.db
    .deleteFrom('recalls')
    .where('tenant_id', '=', writer.tenantId)
    .where('agent_id', '=', agentId)
    .execute()
}

interface Erasure {
  readonly id: string
  readonly at: Date
  readonly selector: Readonly<Record<string, unknown>>
  readonly memoryIds: readonly string[]
  readonly textHashes: readonly Buffer[]
  readonly skillIds: readonly string[]
  readonly receipt: Readonly<Record<string, unknown>>
  readonly hash: string
}

/** Returns what an unfinished erasure has erased so far, or will erase. */
export async function readErased({ db, tenantId }: Reader, id: string): Promise<ErasedSoFar> {
  const row = await db
    .selectFrom('erasures')
    .select(['memory_ids as ids', 'text_hashes as textHashes', 'skill_ids as skillIds'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row
}

/**
 * Ends the erasure with its receipt. The same request begins another erasure afterwards, unless `isOver` is false
 * because something remained. When two requests carried out the same erasure, the first to end writes the receipt;
 * returns the receipt that is stored.
 */
export async function finishErasure<T extends { readonly memory_count: number; readonly complete: boolean }>(
  writer: Writer,
  {
    id,
    at,
    receipt,
    hash,
    isOver = true,
  }: Pick<Erasure, 'id' | 'at' | 'hash'> & { readonly receipt: T; readonly isOver?: boolean },
): Promise<T> {
  const { db, tenantId } = writer
  const finished = await db
    .updateTable('erasures')
    .set({ at, receipt: JSON.stringify(receipt), hash: isOver ? hash : UNFINISHED_HASH })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('hash', '=', UNFINISHED_HASH)
    .executeTakeFirstOrThrow()
  if (finished.numUpdatedRows === 1n) {
    const details = { memory_count: receipt.memory_count, complete: receipt.complete }
    await audit(writer, at, [{ action: 'erasure.finished', subject: { kind: 'erasure', id }, details }])
  }
  const stored = await db
    .selectFrom('erasures')
    .select('receipt')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return stored.receipt as unknown as T
}

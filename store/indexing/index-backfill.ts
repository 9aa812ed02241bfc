import { type RawBuilder, sql } from 'kysely'
import { CORPORA, type Corpus } from '../../domain/corpus.js'
import { lock, LOCKS } from '../locks.js'
import { NOW } from '../conditions.js'
import { findBuild, type IndexBuild, switchTo, UNCLAIMED } from './index-builds.js'
import { enqueue } from '../outbox/outbox.js'
import type { PendingKind } from '../schema.js'
import { CORPUS_ROWS } from '../corpora.js'
import type { System, Writer } from '../store.js'

/** A build that one process works on while it renews the lease. */
export interface ClaimedBuild extends IndexBuild {
  readonly ticket: string
}

/** Time that a backfill stands still when its process dies. */
const NEXT_LEASE = sql<Date>`now() + interval '15 seconds'`
/** Time by which every process has learnt that an index is no longer wanted. */
const DROP_GRACE = sql`interval '5 seconds'`

/**
 * Claims a build that is to be filled, or one whose index is to be removed; returns null when there is none, or another
 * process has it.
 */
export async function claimBuild(system: System, work: 'fill' | 'remove'): Promise<ClaimedBuild | null> {
  const wanted =
    work === 'fill'
      ? sql`state in ('waiting', 'backfilling')`
      : sql`state = 'dropping' and dropped_at < now() - ${DROP_GRACE}`
  const { rows } = await sql<{ id: string; ticket: string }>`
    update index_builds set ticket = gen_random_uuid(), lease = ${NEXT_LEASE}
    where id = (select id from index_builds where ${wanted} and (lease is null or lease < now())
      order by created_at limit 1 for update skip locked)
    returning id, ticket`.execute(system.db)
  const claimed = rows[0]
  const build = claimed && (await findBuild(system, claimed.id))
  return build ? { ...build, ticket: claimed.ticket } : null
}

/** Releases the build, with the reason why it waits. */
export async function releaseBuild({ db }: System, { id, ticket }: ClaimedBuild, error: string | null): Promise<void> {
  await db
    .updateTable('index_builds')
    .set({ ...UNCLAIMED, error })
    .where('id', '=', id)
    .where('ticket', '=', ticket)
    .execute()
}

/** Ends the leases of all builds, for a process that knows itself to be the only worker: they are orphaned. */
export async function releaseOrphanedBuildLeases({ db }: System): Promise<void> {
  await db.updateTable('index_builds').set(UNCLAIMED).where('ticket', 'is not', null).execute()
}

/** Renews the lease; returns false when the build is no longer claimed by this process. */
export async function renewBuild({ db }: System, { id, ticket }: ClaimedBuild): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('index_builds')
    .set({ lease: NEXT_LEASE })
    .where('id', '=', id)
    .where('ticket', '=', ticket)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Moves a build from waiting to backfilling, once no row is claimed any more by a claim from before the index was created;
 * `leaseMs` is how long claims last. The extra seconds allow for claims and a creation that were committed later than
 * their timestamps say. Returns false while there is such a claim, and when the build is no longer claimed by this
 * process.
 */
export async function startBackfill(system: System, build: ClaimedBuild, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await system.db
    .updateTable('index_builds as b')
    .set({ state: 'backfilling', lease: NEXT_LEASE })
    .where('b.id', '=', build.id)
    .where('b.ticket', '=', build.ticket)
    .where('b.state', 'in', ['waiting', 'backfilling'])
    .where('b.made_at', 'is not', null)
    .where(
      sql<boolean>`(b.state = 'backfilling' or not exists (
        select from index_pending p where p.ticket is not null and p.lease > now()
          and p.lease <= b.made_at + (${leaseMs} + 5000) * interval '1 ms'))`,
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** An id less than that of every row. */
const ZERO_UUID = sql<string>`'00000000-0000-0000-0000-000000000000'::uuid`

/** Moves the cursors of backfills off memories that are erased, to the next lower id, which serves as well. */
export async function moveBackfillCursors(writer: Writer, ids: readonly string[]): Promise<void> {
  const { tenantId, db } = writer
  const uuids = sql`${ids as string[]}::uuid[]`
  const below = (column: 'last_id' | 'until_id') => sql`coalesce((
    select m.id from memories m where m.tenant_id = ${tenantId} and m.id <= ${sql.ref(`b.${column}`)} and not m.id = any(${uuids})
    order by m.id desc limit 1), ${ZERO_UUID})`
  await sql`update index_build_tenants b set last_id = ${below('last_id')}, until_id = ${below('until_id')}
    where b.tenant_id = ${tenantId} and b.corpus = 'memories' and (b.last_id = any(${uuids}) or b.until_id = any(${uuids}))`.execute(
    db,
  )
}

export interface TenantBackfill {
  readonly tenantId: string
  readonly corpus: Corpus
  /** Rows up to this id are in the index. */
  readonly lastId: string
  /** Newest row when the tenant was begun: later ones come by jobs, and would be chased for ever. */
  readonly untilId: string
  /** Number of times that the tenant has been begun. */
  readonly rounds: number
}

function newestOf(corpus: Corpus, tenantId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select n.id from ${CORPUS_ROWS[corpus].table} n where n.tenant_id = ${tenantId} order by n.id desc limit 1)`
}

/**
 * Returns the tenant whose backfill is unfinished, else the next one with rows of the first unfinished corpus, else
 * null.
 */
export async function nextTenant(system: System, build: ClaimedBuild): Promise<TenantBackfill | null> {
  for (const corpus of CORPORA) {
    const next = await nextOf(system, build, corpus)
    if (next !== null) return { ...next, corpus }
  }
  return null
}

/** Tenants come in the order of their ids. */
async function nextOf(
  { db }: System,
  { id }: ClaimedBuild,
  corpus: Corpus,
): Promise<Omit<TenantBackfill, 'corpus'> | null> {
  const ofCorpus = sql`build_id = ${id} and corpus = ${corpus}`
  const { rows } = await sql<Omit<TenantBackfill, 'corpus'>>`
    with next as (
      select tenant_id, ${newestOf(corpus, sql`m.tenant_id`)} as until_id from ${CORPUS_ROWS[corpus].table} m
      where tenant_id > coalesce((select max(tenant_id) from index_build_tenants where ${ofCorpus}), '')
        and not exists (select from index_build_tenants where ${ofCorpus} and finished_at is null)
      order by tenant_id limit 1
    ), begun as (
      insert into index_build_tenants (build_id, corpus, tenant_id, until_id)
      select ${id}, ${corpus}, tenant_id, until_id from next
      returning tenant_id, last_id, until_id, rounds
    )
    select tenant_id as "tenantId", last_id as "lastId", until_id as "untilId", rounds from begun
    union all
    select tenant_id, last_id, until_id, rounds from index_build_tenants where ${ofCorpus} and finished_at is null
    limit 1`.execute(db)
  return rows[0] ?? null
}

/** Saves how far a tenant is filled. Returns false when the build is no longer claimed by this process. */
export async function saveBackfillProgress(
  system: System,
  build: ClaimedBuild,
  { tenantId, corpus, lastId, count }: Pick<TenantBackfill, 'tenantId' | 'corpus' | 'lastId'> & { count: number },
): Promise<boolean> {
  if (!(await renewBuild(system, build))) return false
  await system.db
    .updateTable('index_build_tenants')
    .set(({ eb }) => ({ last_id: lastId, rows_done: eb('rows_done', '+', count) }))
    .where((row) => row.and({ build_id: build.id, corpus, tenant_id: tenantId }))
    .execute()
  return true
}

/**
 * Marks a tenant as done and clears its cursor, so that it names no row; or starts it again from the beginning when it
 * is not `complete`. Returns false when the build is no longer claimed by this process.
 */
export async function endTenant(
  system: System,
  build: ClaimedBuild,
  { tenantId, corpus, complete }: Pick<TenantBackfill, 'tenantId' | 'corpus'> & { complete: boolean },
): Promise<boolean> {
  if (!(await renewBuild(system, build))) return false
  const newest = newestOf(corpus, sql`index_build_tenants.tenant_id`)
  await system.db
    .updateTable('index_build_tenants')
    .set(({ eb }) =>
      complete
        ? { finished_at: NOW, last_id: ZERO_UUID, until_id: ZERO_UUID }
        : {
            rounds: eb('rounds', '+', 1),
            rows_done: 0,
            last_id: ZERO_UUID,
            until_id: sql`coalesce(${newest}, until_id)`,
          },
    )
    .where((row) => row.and({ build_id: build.id, corpus, tenant_id: tenantId }))
    .execute()
  return true
}

/** Ends the backfill once every tenant is done: the build is ready, and serves if it switches by itself. */
export async function finishBackfill(system: System, build: ClaimedBuild): Promise<boolean> {
  // Takes the lock before the row, in the same order as a transaction that begins a build.
  await lock(system.db, LOCKS.indexBuilds)
  const { numUpdatedRows } = await system.db
    .updateTable('index_builds')
    .set({ state: 'ready', ready_at: NOW, ...UNCLAIMED, error: null })
    .where((row) => row.and({ id: build.id, ticket: build.ticket, state: 'backfilling' }))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  if (build.autoSwitch) await switchTo(system, build.id)
  return true
}

/**
 * Enqueues the vectors of rows that were filled without. A row is locked before, so that every change of it with a lower `seq` than its
 * vector's has been committed, and the vector's job reads that (store/outbox/README.md, rule 5). Rows that others have locked, or that are
 * gone, are enqueued as changed: their job finds out, and nothing is waited for out of order.
 */
export async function enqueueVectors(
  writer: Writer,
  {
    corpus,
    kinds,
  }: { readonly corpus: Corpus; readonly kinds: { readonly change: PendingKind; readonly vector: PendingKind } },
  ids: readonly string[],
  options: { readonly afterMs: number },
): Promise<void> {
  if (ids.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select id from ${CORPUS_ROWS[corpus].table}
    where tenant_id = ${writer.tenantId} and id = any(${ids as string[]}::uuid[]) and ${CORPUS_ROWS[corpus].isLive}
    order by id for share skip locked`.execute(writer.db)
  const locked = new Set(rows.map(({ id }) => id))
  const others = ids.filter((id) => !locked.has(id))
  await enqueue(writer, kinds.change, others)
  await enqueue(writer, kinds.vector, [...locked], options)
}

export async function failBuild({ db }: System, { id, ticket }: ClaimedBuild, error: string): Promise<void> {
  await db
    .updateTable('index_builds')
    .set({ state: 'failed', error, ...UNCLAIMED })
    .where((row) => row.and({ id, ticket, state: 'backfilling' }))
    .execute()
}

/** Tables whose rows are of one model each: keyed by tenant, another column and the model. */
const OF_MODELS = {
  vectors: {
    column: 'text_hash',
    asText: sql`encode(text_hash, 'hex')`,
    parsed: (key: string) => sql`decode(${key}, 'hex')`,
  },
  analysed_texts: { column: 'memory_id', asText: sql`memory_id::text`, parsed: (key: string) => sql`${key}::uuid` },
} as const

export interface ModelKey {
  readonly table: keyof typeof OF_MODELS
  readonly tenantId: string
  /** Hex digits of a text's hash, or the id of a memory. */
  readonly key: string
  readonly model: string
}

/** Keys that are less than any of their table. */
export const FIRST_KEYS: readonly ModelKey[] = [
  { table: 'vectors', tenantId: '', key: '', model: '' },
  { table: 'analysed_texts', tenantId: '', key: '00000000-0000-0000-0000-000000000000', model: '' },
]

/**
 * Looks through the next `limit` rows of a table after this key and deletes those of the build's model, unless another
 * index has that model. Returns the key to continue after, or null at the end. The lock keeps a build of the same model
 * from beginning meanwhile, and from finding rows that are about to go.
 */
export async function purgeModel(
  system: System,
  build: ClaimedBuild,
  after: ModelKey,
  limit: number,
): Promise<ModelKey | null> {
  const { db } = system
  await lock(db, LOCKS.indexBuilds)
  if (!(await renewBuild(system, build))) return null
  const other = await db
    .selectFrom('index_builds')
    .where('model', '=', build.model)
    .where('state', 'not in', ['failed', 'dropping', 'dropped'])
    .executeTakeFirst()
  if (other) return null
  const { column, asText, parsed } = OF_MODELS[after.table]
  const [table, key] = [sql.table(after.table), sql.ref(column)]
  const { rows } = await sql<Omit<ModelKey, 'table'> & { seen: number }>`
    with page as materialized (
      select tenant_id, ${key}, model from ${table}
      where (tenant_id, ${key}, model) > (${after.tenantId}, ${parsed(after.key)}, ${after.model})
      order by tenant_id, ${key}, model limit ${limit}
    ), gone as (
      delete from ${table} t using page p
      where p.model = ${build.model} and t.tenant_id = p.tenant_id and ${sql.ref(`t.${column}`)} = ${sql.ref(`p.${column}`)}
        and t.model = p.model
    )
    select tenant_id as "tenantId", ${asText} as key, model, count(*) over () as seen from page
    order by tenant_id desc, ${key} desc, model desc limit 1`.execute(db)
  const last = rows[0]
  return last === undefined || last.seen < limit ? null : { ...last, table: after.table }
}

/** Marks the build as dropped, once its index is removed. */
export async function endRemoval({ db }: System, { id, ticket }: ClaimedBuild): Promise<void> {
  await db
    .updateTable('index_builds')
    .set({ state: 'dropped', ...UNCLAIMED })
    .where((row) => row.and({ id, ticket, state: 'dropping' }))
    .execute()
}

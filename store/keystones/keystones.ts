import { sql } from 'kysely'
import {
  compareKeystones,
  type KeystoneAudience,
  type KeystoneDraft,
  type KeystoneReach,
  RULE_BYTES,
} from '../../domain/keystones/keystone.js'
import { equal } from '../conditions.js'
import type { KeystoneChange } from '../schema.js'
import type { Keyset } from '../keyset.js'
import type { Reader, Writer } from '../store.js'

/** A stored keystone. */
export interface Keystone extends KeystoneDraft {
  readonly contentHash: string
  readonly systemMetadata: Record<string, unknown>
  readonly authorAgentId: string | null
  readonly version: number
  readonly revision: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A keystone about to be written; the writer becomes its author. */
type NewKeystone = Pick<Keystone, keyof KeystoneDraft | 'contentHash' | 'systemMetadata'>

/**
 * Locks the tenant's set until the transaction ends. Writers of a tenant's keystones run one after the other, so that
 * what a writer reads after this is what it replaces, versions have no gaps, and revisions follow the order of the
 * commits. Readers do not wait.
 */
export async function lockKeystones({ db, tenantId }: Writer): Promise<void> {
  await db
    .insertInto('keystone_sets')
    .values({ tenant_id: tenantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db.selectFrom('keystone_sets').where('tenant_id', '=', tenantId).forUpdate().execute()
}

/** State of a tenant's set. */
export interface KeystoneState {
  /** Changes with each change of the keystones; 0 when there never was one. */
  readonly revision: number
  /**
   * Id of the transaction of the last change. A database that was restored to an earlier time counts the same revisions
   * again for other keystones; together with this id they never stand for two sets.
   */
  readonly changedBy: string
}

/** Returns the state in the snapshot of the transaction, the same in which it reads keystones. */
export async function readKeystoneState({ db, tenantId }: Reader): Promise<KeystoneState> {
  const row = await db
    .selectFrom('keystone_sets')
    .select(['revision', sql<string>`xmin::text`.as('changedBy')])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row ?? { revision: 0, changedBy: '' }
}

/** Returns all keystones for the audience, in the order in which they are served. */
export async function readKeystones(reader: Reader, { fleetId, agentId }: KeystoneAudience): Promise<Keystone[]> {
  const rows = await ownKeystones(reader)
    .where((where) =>
      where.or([
        where('scope', '=', 'tenant'),
        ...(fleetId === null ? [] : [where.and([where('scope', '=', 'fleet'), where('fleet_id', '=', fleetId)])]),
        ...(agentId === null ? [] : [where.and([where('scope', '=', 'agent'), where('agent_id', '=', agentId)])]),
      ]),
    )
    .execute()
  return rows.map(keystoneOf).sort(compareKeystones)
}

/**
 * Yields every keystone of the tenant, for all audiences, by `doc_id`; reads a few at a time, since all of them may
 * exceed the memory of a process.
 */
export async function* eachKeystone(reader: Reader, atOnce = 100): AsyncGenerator<Keystone> {
  for (let after = ''; ;) {
    const rows = await ownKeystones(reader).where('doc_id', '>', after).orderBy('doc_id').limit(atOnce).execute()
    yield* rows.map(keystoneOf)
    if (rows.length < atOnce) return
    after = rows.at(-1)!.doc_id
  }
}

/** Returns the bytes of the other keystones of this scope, and fleet or agent, together (`weightInBytes`). */
export async function sumBytesOfOthers(
  { db, tenantId }: Reader,
  { docId, scope, fleetId, agentId }: Pick<KeystoneDraft, 'docId' | keyof KeystoneReach>,
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(${RULE_BYTES}::bigint + octet_length(title) + octet_length(content)), 0)::bigint as bytes from keystones
    where ${sql.join(
      [
        sql`tenant_id = ${tenantId} and scope = ${scope} and doc_id <> ${docId}`,
        ...equal(sql`fleet_id`, fleetId ?? undefined),
        ...equal(sql`agent_id`, agentId ?? undefined),
      ],
      sql` and `,
    )}`.execute(db)
  return rows[0]!.bytes
}

export async function findKeystone(reader: Reader, docId: string): Promise<Keystone | null> {
  const row = await ownKeystones(reader).where('doc_id', '=', docId).executeTakeFirst()
  return row ? keystoneOf(row) : null
}

/** Stores a new version of a keystone, replacing `before` when it is given. The caller has locked the set. */
export async function storeKeystone(
  writer: Writer,
  before: Keystone | null,
  keystone: NewKeystone,
  at: Date,
): Promise<Keystone> {
  const { tenantId, db, actor } = writer
  const revision = await nextRevision(writer, before === null ? 1 : 0)
  const values = {
    version: await addVersion(
      writer,
      { ...keystone, authorAgentId: actor.agentId },
      before ? 'updated' : 'created',
      at,
    ),
    revision,
    updated_at: at,
    ...columnsOf(keystone),
    author_agent_id: actor.agentId,
  }
  const row = await db
    .insertInto('keystones')
    .values({ tenant_id: tenantId, doc_id: keystone.docId, created_at: at, ...values })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'doc_id']).doUpdateSet(values))
    .returning(KEYSTONE_COLUMNS)
    .executeTakeFirstOrThrow()
  return keystoneOf(row)
}

/**
 * Deletes a keystone; its versions stay, and the deletion becomes one, whose number is returned. The caller has locked
 * the set.
 */
export async function removeKeystone(writer: Writer, keystone: Keystone, at: Date): Promise<number> {
  await nextRevision(writer, -1)
  await writer.db
    .deleteFrom('keystones')
    .where('tenant_id', '=', writer.tenantId)
    .where('doc_id', '=', keystone.docId)
    .execute()
  return addVersion(writer, { ...keystone, authorAgentId: writer.actor.agentId }, 'deleted', at)
}

/** Increments the revision. The caller has locked the set. */
async function nextRevision({ db, tenantId }: Writer, more: number): Promise<number> {
  const { revision } = await db
    .updateTable('keystone_sets')
    .set((set) => ({ revision: set('revision', '+', 1), rules: set('rules', '+', more) }))
    .where('tenant_id', '=', tenantId)
    .returning('revision')
    .executeTakeFirstOrThrow()
  return revision
}

/** Records a version. Numbers continue after a deletion: a version of a `doc_id` is one text for ever. */
async function addVersion(
  { db, tenantId, actor }: Writer,
  keystone: NewKeystone & { readonly authorAgentId: string | null },
  change: KeystoneChange,
  at: Date,
): Promise<number> {
  const { version } = await db
    .insertInto('keystone_versions')
    .values({
      ...columnsOf(keystone),
      tenant_id: tenantId,
      doc_id: keystone.docId,
      version: sql<number>`(select coalesce(max(version), 0) + 1 from keystone_versions
        where tenant_id = ${tenantId} and doc_id = ${keystone.docId})`,
      change,
      at,
      author_kind: actor.kind,
      author_agent_id: keystone.authorAgentId,
    })
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/** Returns the columns that a keystone and each of its versions have. */
function columnsOf(keystone: NewKeystone) {
  return {
    title: keystone.title,
    content: keystone.content,
    content_hash: keystone.contentHash,
    system_metadata: JSON.stringify(keystone.systemMetadata),
    scope: keystone.scope,
    weight: keystone.weight,
    fleet_id: keystone.fleetId,
    agent_id: keystone.agentId,
  }
}

export interface KeystoneVersion extends Omit<Keystone, 'createdAt' | 'updatedAt' | 'revision'> {
  readonly change: KeystoneChange
  readonly at: Date
  readonly authorKind: 'agent' | 'tenant' | 'admin' | 'service'
}

/** Lists versions, newest first, also of a deleted keystone. */
export async function listVersions(
  { db, tenantId }: Reader,
  docId: string,
  { after, limit }: Keyset<number>,
): Promise<KeystoneVersion[]> {
  let query = db
    .selectFrom('keystone_versions')
    .select([...SHAPE_COLUMNS, 'change', 'at', 'author_kind'])
    .where('tenant_id', '=', tenantId)
    .where('doc_id', '=', docId)
    .orderBy('version', 'desc')
    .limit(limit)
  if (after !== undefined) query = query.where('version', '<', after)
  return (await query.execute()).map((row) => ({
    ...shapeOf(row),
    change: row.change,
    at: row.at,
    authorKind: row.author_kind,
  }))
}

/** Removes an erased agent as the author of keystones. They stay in force, and are served without their author. */
export async function forgetAuthor(writer: Writer, agentId: string): Promise<void> {
  const { db, tenantId } = writer
  await lockKeystones(writer)
  const forget = (table: 'keystones' | 'keystone_versions') =>
    db
      .updateTable(table)
      .set({ author_agent_id: null })
      .where('tenant_id', '=', tenantId)
      .where('author_agent_id', '=', agentId)
      .executeTakeFirst()
  await forget('keystone_versions')
  if ((await forget('keystones')).numUpdatedRows > 0n) await nextRevision(writer, 0)
}

/** Columns that a keystone and each of its versions have. */
const SHAPE_COLUMNS = [
  'scope',
  'fleet_id',
  'agent_id',
  'doc_id',
  'title',
  'content',
  'content_hash',
  'system_metadata',
  'weight',
  'author_agent_id',
  'version',
] as const
const KEYSTONE_COLUMNS = [...SHAPE_COLUMNS, 'revision', 'created_at', 'updated_at'] as const

function ownKeystones({ db, tenantId }: Reader) {
  return db.selectFrom('keystones').select(KEYSTONE_COLUMNS).where('tenant_id', '=', tenantId)
}

type Row = Awaited<ReturnType<ReturnType<typeof ownKeystones>['execute']>>[number]

function keystoneOf(row: Row): Keystone {
  return { ...shapeOf(row), revision: row.revision, createdAt: row.created_at, updatedAt: row.updated_at }
}

function shapeOf(row: Omit<Row, 'revision' | 'created_at' | 'updated_at'>) {
  const reach: KeystoneReach = { scope: row.scope, fleetId: row.fleet_id, agentId: row.agent_id }
  return {
    ...reach,
    docId: row.doc_id,
    title: row.title,
    content: row.content,
    contentHash: row.content_hash,
    systemMetadata: row.system_metadata,
    weight: row.weight,
    authorAgentId: row.author_agent_id,
    version: row.version,
  }
}

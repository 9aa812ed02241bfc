import { sql } from 'kysely'
import type { FieldChanges } from '../../domain/documents/changes.js'
import { fieldsOf } from '../../domain/documents/fields.js'
import { membersOf } from '../../domain/documents/members.js'
import { jsonList } from '../../runtime/json.js'
import { AUDIT_COLUMNS, auditedBy } from '../audit.js'
import { removeUnusedVectors } from '../unused.js'
import { enqueue, ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { Writer } from '../store.js'
import { bytesBefore, DOCUMENT_COLUMNS, type DocumentRow } from './document-row.js'

/**
 * Bytes of JSON that are read of locked documents at once: the 500 of a bulk write could have 128 MB, and parsed twenty
 * times as much.
 */
const MAX_LOCKED_BYTES = 8 * 1024 * 1024

interface LockedDocuments {
  /** Documents that were read, by `doc_id`. */
  readonly locked: Map<string, DocumentRow>
  /**
   * Names of documents that are locked too, but were too large to be read with the others; read them again in further
   * calls.
   */
  readonly unread: ReadonlySet<string>
}

/** Locks the documents with these names, in the order of their names, until the transaction ends. */
export async function lockDocuments(
  writer: Writer,
  collection: string,
  docIds: readonly string[],
): Promise<LockedDocuments> {
  if (docIds.length === 0) return { locked: new Map(), unread: new Set() }
  const { rows } = await sql<Omit<DocumentRow, 'data'> & { data: DocumentRow['data'] | null }>`
    with kept as materialized (
      select * from documents d
      where d.tenant_id = ${writer.tenantId} and d.collection = ${collection} and d.doc_id = any(${docIds as string[]}::text[])
      order by d.doc_id for update
    ), sized as materialized (
      select id, ${bytesBefore(sql`doc_id`)} as before from kept d
    )
    select ${DOCUMENT_COLUMNS} from (
      select k.id, k.collection, k.doc_id, k.fleet_id, case when s.before < ${MAX_LOCKED_BYTES} then k.data end as data, k.text_hash,
        k.version, k.language, k.language_version, k.system_metadata, k.created_at, k.updated_at
      from kept k join sized s using (id)
    ) d`.execute(writer.db)
  const locked = rows.flatMap(({ data, ...row }) => (data === null ? [] : [[row.docId, { ...row, data }] as const]))
  return { locked: new Map(locked), unread: new Set(rows.flatMap(({ data, docId }) => (data === null ? [docId] : []))) }
}

/**
 * Stores new documents of one collection with their fields, members of lists, counts, audit events and index_pending rows, in one
 * statement. Inserts in the order of names, so that concurrent writers do not deadlock. Returns the ids that were
 * stored: when another transaction is inserting a name, the statement waits for it and leaves the document out.
 */
export async function insertDocuments(writer: Writer, documents: readonly DocumentRow[]): Promise<Set<string>> {
  if (documents.length === 0) return new Set()
  const { collection, updatedAt: at } = documents[0]!
  const given = await jsonList(documents, (row) => {
    const { rows: members, stored } = membersOf(row.data)
    return { ...toJson(row), fields: fieldsOf(row.data), members, members_stored: stored }
  })
  const { rows } = await sql<{ id: string }>`
    with given as (
      select * from jsonb_to_recordset(${given}::jsonb) as g(
        id uuid, doc_id text, fleet_id text, data jsonb, text_hash text, system_metadata jsonb, version int, language text, created_at timestamptz,
        fields jsonb, members jsonb, members_stored boolean)
    ), stored as (
      insert into documents (tenant_id, id, collection, doc_id, fleet_id, data, text_hash, system_metadata, version, created_at, updated_at,
        members_stored, members_version, language, language_version)
      select ${writer.tenantId}, id, ${collection}, doc_id, fleet_id, data, decode(text_hash, 'hex'), system_metadata, version, created_at, ${at},
        members_stored, version, language, version
      from given order by doc_id collate "C"
      on conflict (tenant_id, collection, doc_id) do nothing
      returning id, doc_id, fleet_id, version
    ), named as (
      insert into document_fields (tenant_id, document_id, key, collection, value)
      select ${writer.tenantId}, id, field.key, ${collection}, field.value
      from stored join given using (id), jsonb_to_recordset(given.fields) as field(key text, value text)
    ), listed as (
      insert into document_members (tenant_id, document_id, key, collection, value)
      select ${writer.tenantId}, id, member.key, ${collection}, member.value
      from stored join given using (id), jsonb_to_recordset(given.members) as member(key text, value text)
    ), counted as (
      insert into document_counter_deltas (tenant_id, collection, fleet_id, changed_at, delta)
      select ${writer.tenantId}, ${collection}, fleet_id, ${at}, count(*) from stored group by fleet_id
    ), counted_languages as (
      insert into language_counter_deltas (tenant_id, language, delta)
      select ${writer.tenantId}, language, count(*) from stored join given using (id) where language is not null group by language
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, at)}, 'document.created', 'document', id::text,
        jsonb_build_object('collection', ${collection}::text, 'doc_id', doc_id, 'version', version) from stored order by id
    ), pending as (
      insert into index_pending (tenant_id, kind, entity_id) select ${writer.tenantId}, 'document', id from stored order by id
      ${ON_CONFLICT_REQUEUE}
    )
    select id from stored`.execute(writer.db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * A locked document as it is to be stored, and the fields that change. Leaves out the old data: a bulk write has 500 of
 * them.
 */
export interface DocumentChange {
  readonly before: Pick<DocumentRow, 'fleetId' | 'textHash'>
  /** The document at its next version. */
  readonly after: DocumentRow
  readonly fields: FieldChanges
}

/**
 * Changes documents of one collection that the caller has locked: rows, fields, members of lists, counts, audit events
 * and index_pending rows. A document that an earlier version wrote stays without the members that do not change.
 */
export async function updateDocuments(writer: Writer, changes: readonly DocumentChange[], at: Date): Promise<void> {
  if (changes.length === 0) return
  const { tenantId } = writer
  const { collection } = changes[0]!.after
  const given = await jsonList(changes, ({ before, after, fields }) => ({
    ...toJson(after),
    updated_at: after.updatedAt,
    old_fleet_id: before.fleetId,
    fields: fields.written,
    gone: fields.gone,
    members: fields.members.written,
    gone_members: fields.members.gone,
    members_stored: fields.members.stored,
  }))
  await sql`
    with given as (
      select * from jsonb_to_recordset(${given}::jsonb) as g(
        id uuid, doc_id text, fleet_id text, old_fleet_id text, data jsonb, text_hash text, system_metadata jsonb, updated_at timestamptz,
        version int, language text, fields jsonb, gone text[], members jsonb, gone_members jsonb, members_stored boolean)
    ), changed as (
      update documents d set fleet_id = g.fleet_id, data = g.data, text_hash = decode(g.text_hash, 'hex'),
        system_metadata = g.system_metadata, updated_at = g.updated_at, version = g.version, members_version = g.version,
        language = g.language, language_version = g.version,
        members_stored = case when d.members_stored is null then null else g.members_stored end
      from given g where d.tenant_id = ${tenantId} and d.id = g.id
    ), unnamed as (
      delete from document_fields f using given g, unnest(g.gone) as gone(key)
      where f.tenant_id = ${tenantId} and f.document_id = g.id and f.key = gone.key
    ), named as (
      insert into document_fields (tenant_id, document_id, key, collection, value)
      select ${tenantId}, id, field.key, ${collection}, field.value
      from given, jsonb_to_recordset(fields) as field(key text, value text)
      on conflict (tenant_id, document_id, key) do update set value = excluded.value
    ), unlisted as (
      delete from document_members m
      where m.tenant_id = ${tenantId} and m.document_id = any(array(select id from given where gone_members <> '[]'))
        and (m.document_id, m.key, m.value) in (
          select id, gone.key, gone.value from given, jsonb_to_recordset(gone_members) as gone(key text, value text))
    ), listed as (
      insert into document_members (tenant_id, document_id, key, collection, value)
      select ${tenantId}, id, member.key, ${collection}, member.value
      from given, jsonb_to_recordset(members) as member(key text, value text)
      on conflict do nothing
    ), counted as (
      insert into document_counter_deltas (tenant_id, collection, fleet_id, changed_at, delta)
      select ${tenantId}, ${collection}, fleet_id, ${at}, sum(delta) from (
        select fleet_id, 1 as delta from given union all select old_fleet_id, -1 from given
      ) moved group by fleet_id
    ), audited as (
      insert into audit_events ${AUDIT_COLUMNS}
      select ${auditedBy(writer, at)}, 'document.updated', 'document', id::text,
        jsonb_build_object('collection', ${collection}::text, 'doc_id', doc_id, 'version', version) from given order by id
    )
    select 1`.execute(writer.db)
  await enqueue(
    writer,
    'document',
    changes.map(({ after }) => after.id),
  )
  await removeUnusedVectors(writer, leftTexts(changes))
}

function leftTexts(changes: readonly DocumentChange[]): Buffer[] {
  return changes
    .filter(({ before, after }) => !before.textHash.equals(after.textHash))
    .map(({ before }) => before.textHash)
}

/** Deletes a document that the caller has locked; the index learns of it by its index_pending row. */
export async function deleteDocument(writer: Writer, row: DocumentRow, at: Date): Promise<void> {
  const { tenantId } = writer
  const { id, collection, docId, fleetId, version } = row
  await sql`
    with gone as (
      delete from documents where tenant_id = ${tenantId} and id = ${id}
    ), counted as (
      insert into document_counter_deltas (tenant_id, collection, fleet_id, changed_at, delta)
      values (${tenantId}, ${collection}, ${fleetId}, ${at}, -1)
    )
    insert into audit_events ${AUDIT_COLUMNS}
    select ${auditedBy(writer, at)}, 'document.deleted', 'document', ${id}::text,
      ${JSON.stringify({ collection, doc_id: docId, version })}::jsonb`.execute(writer.db)
  await enqueue(writer, 'document', [id])
  await removeUnusedVectors(writer, [row.textHash])
}

function toJson(row: DocumentRow) {
  return {
    id: row.id,
    doc_id: row.docId,
    fleet_id: row.fleetId,
    data: row.data,
    text_hash: row.textHash.toString('hex'),
    system_metadata: row.systemMetadata,
    version: row.version,
    language: row.language,
    created_at: row.createdAt,
  }
}

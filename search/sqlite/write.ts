import { INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import type { IndexChange, IndexDocument, IndexOutcome } from '../search-index.js'
import { storedTerms } from '../terms.js'
import { refusalOf, usableVector } from '../vectors.js'
import type { VisibleRow } from '../../domain/visibility.js'
import { type BlockShape, saveSlots, type SlotChanges, slotOf } from './code-blocks.js'
import { type Connection, bytesOf, rollBack } from './connection.js'
import { type CountChanges, createCountChanges, saveCounts } from './counts.js'
import { tokenOf } from './by-keyword.js'

/**
 * Writes the batch in one transaction, each change under a savepoint: an error caused by a row's content refuses that
 * row, an error of the file or the disk rolls back and throws for the whole batch.
 */
export function write(
  connection: Connection,
  tenantId: string,
  changes: readonly IndexChange[],
  { shape, now }: { readonly shape: BlockShape; readonly now: number },
): IndexOutcome[] {
  connection.exec('begin immediate')
  try {
    const tenant = numberOf(connection, tenantId)
    const batch = { connection, tenant, shape, counts: createCountChanges(), slots: new Map() }
    const outcomes = changes.map((change): IndexOutcome => {
      const reason = refusalOf(change, shape.codec.dimensions) ?? tryChange(batch, change, now)
      return reason === null ? { id: change.id, outcome: 'written' } : { id: change.id, outcome: 'refused', reason }
    })
    saveCounts(connection, tenant, batch.counts)
    saveSlots(connection, tenant, shape, batch.slots)
    connection.exec('commit')
    return outcomes
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

/** Removes tombstones older than `before` (Unix ms); returns their number. */
export function purgeTombstones(connection: Connection, before: number): number {
  return connection.all('delete from documents where tombstoned_at < ? returning rowid', [before]).length
}

/** Errors that a row's content can cause; any other is an outage. */
const ITEM_ERRORS = /^SQLITE_(ERROR|CONSTRAINT|MISMATCH|TOOBIG|RANGE)/

interface Batch {
  readonly connection: Connection
  readonly tenant: number
  readonly shape: BlockShape
  readonly counts: CountChanges
  readonly slots: SlotChanges
}

function tryChange(batch: Batch, change: IndexChange, now: number): string | null {
  const { connection } = batch
  connection.exec('savepoint change')
  try {
    const ofChange = { ...batch, counts: createCountChanges(), slots: new Map() }
    applyChange(ofChange, change, now)
    connection.exec('release change')
    batch.counts.merge(ofChange.counts)
    for (const [rowid, slot] of ofChange.slots) batch.slots.set(rowid, slot)
    return null
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!ITEM_ERRORS.test(code)) throw error
    connection.exec('rollback to change')
    connection.exec('release change')
    return code
  }
}

function applyChange(batch: Batch, { id, seq, document }: IndexChange, now: number): void {
  const { connection, tenant, counts } = batch
  const [existing] = connection.all<[number, number, number | null]>(
    'select rowid, seq, tombstoned_at from documents where tenant = ? and id = ?',
    [tenant, id],
  )
  if (existing !== undefined && existing[1] >= seq) return
  if (existing !== undefined && existing[2] === null) uncount(connection, counts, existing[0])
  const rowid = existing?.[0] ?? nextRowid(connection, tenant)
  clear(batch, rowid)
  if (document === null) putTombstone(connection, { rowid, tenant, id, seq }, now)
  else putDocument(batch, { rowid, tenant, id, seq }, document)
}

interface DocumentKey {
  readonly rowid: number
  readonly tenant: number
  readonly id: string
  readonly seq: number
}

const COLUMNS = ['rowid', 'tenant', 'id', 'seq', ...INDEXED_MEMBERS.map((member) => MEMORY_FIELDS[member].column)]
const UPSERT_DOCUMENT = `insert or replace into documents (${COLUMNS.join(', ')}, word_count)
  values (${COLUMNS.map(() => '?').join(', ')}, ?)`

function putDocument(
  { connection, shape, counts, slots }: Batch,
  { rowid, tenant, id, seq }: DocumentKey,
  document: IndexDocument,
): void {
  const tokens = storedTerms(document.terms).map((term) => tokenOf(tenant, term))
  connection.run(UPSERT_DOCUMENT, [
    ...[rowid, tenant, id, seq],
    ...INDEXED_MEMBERS.map((member) => document[member]),
    document.words,
  ])
  counts.add(1, document, tokens, document.words)
  connection.run('insert into postings (rowid, tokens) values (?, ?)', [rowid, tokens.join(' ')])
  for (const entityId of new Set(document.entityIds)) {
    connection.run('insert into document_entities (tenant, entity_id, document) values (?, ?, ?)', [
      tenant,
      entityId,
      rowid,
    ])
  }
  for (const term of new Set(document.metadataTerms)) {
    connection.run('insert into document_metadata (document, term) values (?, ?)', [rowid, term])
  }
  const vector = usableVector(document.vector)
  if (vector === null) return
  connection.run('insert into vectors (rowid, embedding) values (?, ?)', [rowid, bytesOf(vector)])
  slots.set(rowid, slotOf(shape, document, vector))
}

function putTombstone(connection: Connection, { rowid, tenant, id, seq }: DocumentKey, now: number): void {
  connection.run(
    "insert or replace into documents (rowid, tenant, id, seq, status, tombstoned_at) values (?, ?, ?, ?, 'deleted', ?)",
    [rowid, tenant, id, seq, now],
  )
}

/** Deletes everything of a document except its row. */
function clear({ connection, slots }: Batch, rowid: number): void {
  connection.run('delete from postings where rowid = ?', [rowid])
  connection.run('delete from document_entities where document = ?', [rowid])
  connection.run('delete from document_metadata where document = ?', [rowid])
  if (connection.all('delete from vectors where rowid = ? returning rowid', [rowid]).length > 0) slots.set(rowid, null)
}

/** Takes a document out of the counts, by what the file holds of it. */
function uncount(connection: Connection, counts: CountChanges, rowid: number): void {
  const [row] = connection.all<[string | null, string | null, VisibleRow['visibility'], string, number]>(
    `select d.agent_id, d.fleet_id, d.visibility, p.tokens, d.word_count
     from documents d cross join postings p on p.rowid = d.rowid where d.rowid = ?`,
    [rowid],
  )
  const [agentId, fleetId, visibility, tokens, words] = row!
  counts.add(-1, { agentId, fleetId, visibility }, tokens === '' ? [] : tokens.split(' '), words)
}

function numberOf(connection: Connection, tenantId: string): number {
  connection.run('insert or ignore into tenants (tenant) values (?)', [tenantId])
  const [row] = connection.all<[number]>('select number from tenants where tenant = ?', [tenantId])
  return row![0]
}

function nextRowid(connection: Connection, tenant: number): number {
  const [row] = connection.all<[number]>(
    'update tenants set next_document = next_document + 1 where number = ? returning next_document - 1',
    [tenant],
  )
  return tenant * 2 ** 32 + row![0]
}

import { INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import type { IndexChange, IndexDocument, IndexOutcome } from '../search-index.js'
import { storedTerms } from '../terms.js'
import { refusalOf, usableVector } from '../vectors.js'
import type { VisibleRow } from '../../domain/visibility.js'
import type { Connection } from './connection.js'
import { type CountChanges, createCountChanges, saveCounts } from './counts.js'
import { bytesOf } from './search.js'
import { tokenOf } from './tokens.js'

/**
 * Writes the batch in one transaction, each change under a savepoint: an error caused by a row's content refuses that
 * row, an error of the file or the disk rolls back and throws for the whole batch.
 */
export function write(
  connection: Connection,
  tenantId: string,
  changes: readonly IndexChange[],
  { dimensions, now }: { dimensions: number; now: number },
): IndexOutcome[] {
  connection.exec('begin immediate')
  try {
    const tenant = numberOf(connection, tenantId)
    const counts = createCountChanges()
    const outcomes = changes.map((change): IndexOutcome => {
      const reason = refusalOf(change, dimensions) ?? tryChange({ connection, tenant, counts }, change, now)
      return reason === null ? { id: change.id, outcome: 'written' } : { id: change.id, outcome: 'refused', reason }
    })
    saveCounts(connection, tenant, counts)
    connection.exec('commit')
    return outcomes
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

/** Rolls back. SQLite has already done so itself after some errors (a full disk), and then refuses to do it again. */
function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback')
  } catch {
    return
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
  readonly counts: CountChanges
}

function tryChange({ connection, tenant, counts }: Batch, change: IndexChange, now: number): string | null {
  connection.exec('savepoint change')
  try {
    const ofChange = createCountChanges()
    applyChange({ connection, tenant, counts: ofChange }, change, now)
    connection.exec('release change')
    counts.merge(ofChange)
    return null
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!ITEM_ERRORS.test(code)) throw error
    connection.exec('rollback to change')
    connection.exec('release change')
    return code
  }
}

function applyChange({ connection, tenant, counts }: Batch, { id, seq, document }: IndexChange, now: number): void {
  const [existing] = connection.all<[number, number, number | null]>(
    'select rowid, seq, tombstoned_at from documents where tenant = ? and id = ?',
    [tenant, id],
  )
  if (existing !== undefined && existing[1] >= seq) return
  if (existing !== undefined && existing[2] === null) uncount(connection, counts, existing[0])
  const rowid = existing?.[0] ?? nextRowid(connection, tenant)
  clear(connection, rowid)
  if (document === null) putTombstone(connection, { rowid, tenant, id, seq }, now)
  else putDocument({ connection, tenant, counts }, { rowid, tenant, id, seq }, document)
}

interface DocumentKey {
  readonly rowid: number
  readonly tenant: number
  readonly id: string
  readonly seq: number
}

const COLUMNS = ['rowid', 'tenant', 'id', 'seq', ...INDEXED_MEMBERS.map((member) => MEMORY_FIELDS[member].column)]
const UPSERT_DOCUMENT = `insert or replace into documents (${COLUMNS.join(', ')}, term_count)
  values (${COLUMNS.map(() => '?').join(', ')}, ?)`

function putDocument(
  { connection, counts }: Batch,
  { rowid, tenant, id, seq }: DocumentKey,
  document: IndexDocument,
): void {
  const tokens = storedTerms(document.terms).map((term) => tokenOf(tenant, term))
  connection.run(UPSERT_DOCUMENT, [
    ...[rowid, tenant, id, seq],
    ...INDEXED_MEMBERS.map((member) => document[member]),
    tokens.length,
  ])
  counts.add(1, document, tokens)
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
  putVector(connection, rowid, tenant, usableVector(document.vector))
}

/** Updates an existing vector in place, because vec0 does not reuse the space of a deleted one. */
function putVector(connection: Connection, rowid: number, tenant: number, vector: Float32Array | null): void {
  if (vector === null) return connection.run('delete from vectors where rowid = ?', [rowid])
  const known = connection.all('select 1 from vectors where rowid = ?', [rowid]).length > 0
  if (known) connection.run('update vectors set embedding = ? where rowid = ?', [bytesOf(vector), rowid])
  else {
    const insert = 'insert into vectors (rowid, tenant, embedding) values (?, ?, ?)'
    connection.run(insert, [rowid, tenant, bytesOf(vector)])
  }
}

function putTombstone(connection: Connection, { rowid, tenant, id, seq }: DocumentKey, now: number): void {
  connection.run('delete from vectors where rowid = ?', [rowid])
  connection.run(
    "insert or replace into documents (rowid, tenant, id, seq, status, tombstoned_at) values (?, ?, ?, ?, 'deleted', ?)",
    [rowid, tenant, id, seq, now],
  )
}

/** Deletes everything of a document except its row and its vector. */
function clear(connection: Connection, rowid: number): void {
  connection.run('delete from postings where rowid = ?', [rowid])
  connection.run('delete from document_entities where document = ?', [rowid])
  connection.run('delete from document_metadata where document = ?', [rowid])
}

/** Takes a document out of the counts, by what the file holds of it. */
function uncount(connection: Connection, counts: CountChanges, rowid: number): void {
  const [row] = connection.all<[string | null, string | null, VisibleRow['visibility'], string]>(
    `select d.agent_id, d.fleet_id, d.visibility, p.tokens
     from documents d cross join postings p on p.rowid = d.rowid where d.rowid = ?`,
    [rowid],
  )
  const [agentId, fleetId, visibility, tokens] = row!
  counts.add(-1, { agentId, fleetId, visibility }, tokens === '' ? [] : tokens.split(' '))
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

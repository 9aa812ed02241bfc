import { createHash } from 'node:crypto'
import { INDEXED_MEMBERS, MEMORY_FIELDS } from '../../domain/memory-fields.js'
import { isSameSet, isSameVector } from '../compare-values.js'
import type { Comparison, ExpectedDocument, IdSelection } from '../search-index.js'
import { storedTerms } from '../terms.js'
import { type BlockShape, holdsSlot, slotOf } from './code-blocks.js'
import type { Connection } from './connection.js'
import { tokenOf } from './by-keyword.js'

/** Compares documents with all that the file holds of them, on one snapshot. */
export function compareDocuments(
  connection: Connection,
  tenantId: string,
  expected: readonly ExpectedDocument[],
  shape: BlockShape,
): Comparison[] {
  connection.exec('begin')
  try {
    const tenant = numberOf(connection, tenantId)
    return expected.map((document) =>
      tenant === null ? 'missing' : compareDocument(connection, shape, tenant, document),
    )
  } finally {
    connection.exec('commit')
  }
}

const COLUMNS = INDEXED_MEMBERS.map((member) => MEMORY_FIELDS[member].column)
const SELECT_DOCUMENT = `select rowid, word_count, ${COLUMNS.join(', ')} from documents
  where tenant = ? and id = ? and tombstoned_at is null`

function compareDocument(
  connection: Connection,
  shape: BlockShape,
  tenant: number,
  { id, document, comparesVector }: ExpectedDocument,
): Comparison {
  const [row] = connection.all<[number, number, ...unknown[]]>(SELECT_DOCUMENT, [tenant, id])
  if (row === undefined) return 'missing'
  const [rowid, words, ...columns] = row
  const tokens = storedTerms(document.terms).map((term) => tokenOf(tenant, term))
  const values = (sql: string, ...binds: (number | string)[]) =>
    connection.all<[string]>(sql, binds).map(([value]) => value)
  const vector = vectorOf(connection, rowid)
  const isEqual =
    words === document.words &&
    INDEXED_MEMBERS.every((member, i) => document[member] === columns[i]) &&
    values('select tokens from postings where rowid = ?', rowid)[0] === tokens.join(' ') &&
    isSameSet(
      document.entityIds,
      values('select entity_id from document_entities where document = ? and tenant = ?', rowid, tenant),
    ) &&
    isSameSet(document.metadataTerms, values('select term from document_metadata where document = ?', rowid)) &&
    (!comparesVector || isSameVector(document.vector, vector)) &&
    holdsSlot(connection, shape, rowid, slotOf(shape, document, vector))
  return isEqual ? 'equal' : 'differs'
}

function vectorOf(connection: Connection, rowid: number): Float32Array | null {
  const [row] = connection.all<[Uint8Array]>('select embedding from vectors where rowid = ?', [rowid])
  if (row === undefined) return null
  const bytes = new Uint8Array(row[0])
  return new Float32Array(bytes.buffer, 0, bytes.byteLength >> 2)
}

const LIVE = 'tenant = ? and tombstoned_at is null'

export function listIds(connection: Connection, tenantId: string, selection: IdSelection): string[] {
  const tenant = numberOf(connection, tenantId)
  if (tenant === null) return []
  const ids = (sql: string, ...binds: (number | string)[]) =>
    connection.all<[string]>(`select id from documents where ${LIVE} ${sql}`, [tenant, ...binds]).map(([id]) => id)
  if ('after' in selection) return ids('and id > ? order by id limit ?', selection.after, selection.limit)
  if ('among' in selection)
    return ids('and id in (select value from json_each(?)) order by id', JSON.stringify(selection.among))
  // Orders by the square of the rowid from an offset of the seed on, modulo a prime: a product alone leaves the first rowids in the same place for
  // all small seeds. Reads all of the tenant's documents and keeps the first.
  const offset = offsetOf(selection.seed)
  const hash = `((rowid + ?) % ${PRIME}) * ((rowid + ?) % ${PRIME}) % ${PRIME}`
  return ids(`order by ${hash} limit ?`, offset, offset, selection.sample)
}

const PRIME = 2_147_483_647

/** Spreads seeds over the numbers below the prime. */
function offsetOf(seed: number): number {
  return createHash('sha256').update(String(seed)).digest().readUInt32LE() % PRIME
}

function numberOf(connection: Connection, tenantId: string): number | null {
  return connection.all<[number]>('select number from tenants where tenant = ?', [tenantId])[0]?.[0] ?? null
}

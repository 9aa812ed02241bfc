import type { IndexedColumns } from '../search-index.js'
import { connect, type Connection } from './connection.js'
import { type FileShape, ForeignFileError, SCHEMA_VERSION } from './file-shape.js'
import { placeMark } from './mark.js'

/** Creates the file's tables, with this mark, if it has none. Safe to repeat after a failure. */
export function makeFile({ path, embedderId, dimensions }: FileShape, mark: string): void {
  const connection = connect(path, 'write')
  try {
    connection.exec('begin immediate')
    const [tables] = connection.all<[number]>('select count(*) from sqlite_master')
    if (tables![0] === 0) createTables(connection, { embedderId, dimensions, mark })
    connection.exec('commit')
  } finally {
    connection.close()
  }
}

/**
 * Opens an existing file. Throws SQLite's error for a damaged file, and `ForeignFileError` for one of another origin.
 */
export function openFile({ path, embedderId, dimensions }: FileShape): Connection {
  const connection = connect(path, 'write')
  try {
    inspect(connection, { embedder_id: embedderId, dimensions: `${dimensions}`, schema: `${SCHEMA_VERSION}` })
    // Removes deleted words from the full-text index at once, not with a later merge.
    connection.exec("insert into postings (postings, rank) values ('secure-delete', 1)")
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Reads one row of every table. Throws `ForeignFileError` when they do not belong to this embedder and schema. */
function inspect(connection: Connection, expected: Readonly<Record<string, string>>): void {
  try {
    const found = new Map(connection.all<[string, string]>('select key, value from meta'))
    for (const [key, value] of Object.entries(expected)) {
      if (found.get(key) !== value) throw new ForeignFileError(`the file's ${key} differs`)
    }
    for (const table of ['tenants', 'audiences', 'frequencies', 'documents', 'postings', 'vectors', 'code_blocks']) {
      connection.all(`select * from ${table} limit 1`)
    }
  } catch (error) {
    const missing = (error as { code?: string }).code === 'SQLITE_ERROR'
    throw missing ? new ForeignFileError('a table is missing') : error
  }
}

function createTables(
  connection: Connection,
  { embedderId, dimensions, mark }: { embedderId: string; dimensions: number; mark: string },
): void {
  connection.exec(TABLES)
  const insert = 'insert into meta (key, value) values (?, ?)'
  connection.run(insert, ['embedder_id', embedderId])
  connection.run(insert, ['dimensions', `${dimensions}`])
  connection.run(insert, ['schema', `${SCHEMA_VERSION}`])
  placeMark(connection, mark)
}

const INDEXED_COLUMNS: IndexedColumns<string> = {
  agent_id: 'text',
  fleet_id: 'text',
  visibility: 'text',
  memory_type: 'text',
  status: 'text not null',
  run_id: 'text',
  created_at: 'integer',
  expires_at: 'integer',
  valid_start: 'integer',
  valid_end: 'integer',
}

/**
 * The DDL. A document's rowid is its tenant's number times 2^32 plus a counter, so that a tenant's documents
 * are adjacent and form a range; the same rowid identifies its text in `postings` and its vector in `vectors`.
 * The counts of `tenants`, `audiences` (documents and their terms) and `frequencies` (documents with a token) exclude
 * tombstones. A block's number is its tenant's times 2^32 plus its place (code-blocks.ts).
 */
const TABLES = `
    create table meta (key text primary key, value text not null) without rowid;
    create table tenants (
      number integer primary key,
      tenant text not null unique,
      next_document integer not null default 1,
      next_audience integer not null default 1,
      codes_version integer not null default 0,
      documents integer not null default 0
    );
    create table audiences (
      tenant integer not null,
      audience text not null,
      number integer not null,
      documents integer not null,
      words integer not null,
      primary key (tenant, audience)
    ) without rowid;
    create table frequencies (
      token text not null,
      audience text not null,
      documents integer not null,
      primary key (token, audience)
    ) without rowid;
    create table documents (
      rowid integer primary key,
      tenant integer not null,
      id text not null,
      seq integer not null,
      ${Object.entries(INDEXED_COLUMNS)
        .map(([column, type]) => `${column} ${type},`)
        .join('\n      ')}
      word_count integer not null default 0,
      tombstoned_at integer,
      unique (tenant, id)
    );
    create index tombstones on documents (tombstoned_at) where tombstoned_at is not null;
    create table document_entities (
      tenant integer not null,
      entity_id text not null,
      document integer not null,
      primary key (tenant, entity_id, document)
    ) without rowid;
    create index entities_of_document on document_entities (document);
    create table document_metadata (
      document integer not null,
      term text not null,
      primary key (document, term)
    ) without rowid;
    create virtual table postings using fts5 (tokens, tokenize = "ascii tokenchars '_'");
    create table vectors (rowid integer primary key, embedding blob not null);
    create table code_blocks (
      number integer primary key,
      tenant integer not null,
      version integer not null,
      codes blob not null
    );
    create index code_blocks_by_version on code_blocks (tenant, version);
  `

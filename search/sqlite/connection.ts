import Database from 'libsql'
import { LRUCache } from 'lru-cache'

export type Bind = string | number | null | Uint8Array

/** Number of statements that a connection keeps prepared. Their texts vary with the filter of a search, in more ways than are worth keeping. */
const MAX_PREPARED = 200

/** One connection with its prepared statements. Runs in a worker thread, because every call blocks. */
export interface Connection {
  /** Returns the rows as arrays of columns. */
  all<Row extends readonly unknown[]>(sql: string, binds?: readonly Bind[]): Row[]
  run(sql: string, binds?: readonly Bind[]): void
  exec(sql: string): void
  close(): void
}

/**
 * Opens a connection; one with `role: 'read'` cannot write. Throws SQLite's error for a file that is not a database.
 */
export function connect(path: string, role: 'read' | 'write'): Connection {
  const database = new Database(path)
  const prepared = new LRUCache<string, Database.Statement>({ max: MAX_PREPARED })

  function statement(sql: string): Database.Statement {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = database.prepare(sql)
    prepared.set(sql, made)
    return made
  }

  const connection: Connection = {
    // `all` and never `get`: a statement that is not read to its end keeps its transaction open.
    all: <Row extends readonly unknown[]>(sql: string, binds: readonly Bind[] = []) =>
      statement(sql).raw().all(binds.map(toSqliteValue)) as unknown as Row[],
    run(sql, binds = []) {
      statement(sql).run(binds.map(toSqliteValue))
    },
    exec(sql) {
      database.exec(sql)
    },
    close() {
      prepared.clear()
      database.close()
    },
  }
  try {
    database.exec('pragma busy_timeout = 10000')
    database.exec('pragma journal_mode = wal')
    // Full, because a row that is marked as indexed is never enqueued again: a commit must survive a power cut. One
    // sync per batch.
    database.exec('pragma synchronous = full')
    // Overwrites deleted content, so that an erased text is not left in the file's free pages.
    database.exec('pragma secure_delete = on')
    // 8 MiB: at 100,000 documents, 64 make no search faster, since the pages are in the system's cache as well.
    database.exec('pragma cache_size = -8192')
    database.exec('pragma temp_store = memory')
    if (role === 'read') database.exec('pragma query_only = on')
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

/**
 * Converts a value for libsql, which binds a number as a float (`json_each` and rowids compare with integers) and aborts the process on booleans and on binds that are not in an array.
 */
function toSqliteValue(value: Bind): string | number | bigint | null | Uint8Array {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  return value
}

/** Rolls back. SQLite has already done so itself after some errors (a full disk), and then refuses to do it again. */
export function rollBack(connection: Connection): void {
  try {
    connection.exec('rollback')
  } catch {
    return
  }
}

/** Returns a stored blob as words, without a copy where its alignment allows it. */
export function wordsOf(blob: Uint8Array): Uint32Array {
  const bytes = blob.byteOffset % 4 === 0 ? blob : Uint8Array.from(blob)
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
}

export function bytesOf(values: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

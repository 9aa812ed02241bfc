import type { Connection } from './connection.js'

/** The mark is stored as a tombstone of no tenant that is never purged: no search finds it or counts it. */
const NEVER_PURGED = Number.MAX_SAFE_INTEGER

export function placeMark(connection: Connection, mark: string): void {
  connection.run(
    "insert into documents (rowid, tenant, id, seq, status, tombstoned_at) values (0, 0, ?, 0, 'deleted', ?)",
    [mark, NEVER_PURGED],
  )
}

/** Returns null when there is no mark. Throws when the tables are missing. */
export function readMark(connection: Connection): string | null {
  return connection.all<[string]>('select id from documents where rowid = 0')[0]?.[0] ?? null
}

/** Returns false when the current mark is not one of `known`. */
export function replaceMark(connection: Connection, known: readonly string[], next: string): boolean {
  connection.run('update documents set id = ? where rowid = 0 and id in (select value from json_each(?))', [
    next,
    JSON.stringify(known),
  ])
  return readMark(connection) === next
}

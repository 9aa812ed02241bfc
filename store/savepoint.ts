import { sql } from 'kysely'
import type { Writer } from './store.js'

/** Marks a place in the transaction; the returned function takes back everything since, once. */
export async function savepoint(writer: Writer): Promise<() => Promise<void>> {
  await sql`savepoint here`.execute(writer.db)
  return async () => void (await sql`rollback to savepoint here`.execute(writer.db))
}

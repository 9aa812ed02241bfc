import { sql } from 'kysely'
import type { Writer } from './store.js'

/** Creates a savepoint; the returned function rolls back to it, once. */
export async function createSavepoint(writer: Writer): Promise<() => Promise<void>> {
  await sql`savepoint here`.execute(writer.db)
  return async () => void (await sql`rollback to savepoint here`.execute(writer.db))
}

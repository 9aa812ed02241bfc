import { sql } from 'kysely'
import type { System, Writer } from './store.js'

/** Creates a savepoint; the returned function rolls back to it, once. */
export async function createSavepoint({ db }: Writer | System): Promise<() => Promise<void>> {
  await sql`savepoint here`.execute(db)
  return async () => void (await sql`rollback to savepoint here`.execute(db))
}

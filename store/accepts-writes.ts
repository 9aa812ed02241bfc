import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.js'

/** Returns true on a standby, and where transactions are read-only by default. */
export async function isReadOnly(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ value: string }>`select current_setting('transaction_read_only') as value`.execute(db)
  return rows[0]!.value === 'on'
}

/**
 * Throws the error of PostgreSQL while its disk has less than a megabyte free: a sort that exceeds `work_mem` goes
 * through temporary files, which leave nothing behind, not even a dead row of a catalogue. Takes some 10 ms, so it is
 * meant for a disk that was full a moment ago.
 */
export async function requireDiskSpace(db: Kysely<Database>): Promise<void> {
  await sql`select set_config('work_mem', '64kB', true)`.execute(db)
  await sql`select count(*) from (
    select n, repeat('x', 200) as filler from generate_series(1, 5000) n order by filler, n desc offset 0
  ) sorted`.execute(db)
}

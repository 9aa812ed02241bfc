import type pg from 'pg'

/** Returns true when somebody waits for a lock that the client's open transaction holds. */
export async function isWaitedFor(client: pg.Client): Promise<boolean> {
  // A transaction sees in pg_stat_activity only the connections of its first look at it; pg_locks is read each time.
  const { rows } = await client.query(
    'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
  )
  return rows.length > 0
}

import type pg from 'pg'

/** Returns true when somebody waits for a lock that the client's open transaction holds. */
export async function isWaitedFor(client: pg.Client): Promise<boolean> {
  // A transaction sees in pg_stat_activity only the connections of its first look at it; pg_locks is read each time.
  const { rows } = await client.query(
    'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
  )
  return rows.length > 0
}

/** Counts who waits for a lock that the client's open transaction holds, also behind another who does. */
export async function countWaiters(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`
    with recursive waits as materialized (
      select distinct pid, pg_blocking_pids(pid) as blockers from pg_locks where not granted
    ), waiters as (
      select pid from waits where pg_backend_pid() = any(blockers)
      union select waits.pid from waits join waiters on waiters.pid = any(waits.blockers)
    ) select count(*)::int as count from waiters`)
  return rows[0]!.count
}

import pg from 'pg'

/** Tables that an erasure removes rows from, or writes them anew. */
export const REWRITTEN_TABLES = [
  'memories',
  'entity_links',
  'entities',
  'vectors',
  'near_keys',
  'near_duplicates',
  'supersessions',
  'memory_usage',
  'index_pending',
  'idempotency_keys',
  'recalls',
  'audit_events',
  'erasures',
  'agents',
  'keystones',
  'keystone_versions',
  'keystone_acknowledgements',
] as const

/**
 * Removes the dead rows of these tables, and their entries in indices, on a connection of its own as the login itself: the service's roles
 * do not own the tables. Returns the tables that it did within the time; the others are not the login's, are locked, or took too long.
 * Never throws.
 */
export async function vacuum(url: string, tables: readonly string[], withinMs: number): Promise<string[]> {
  const end = performance.now() + withinMs
  const client = new pg.Client({
    connectionString: url,
    application_name: 'cairn_vacuum',
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => undefined)
  const done: string[] = []
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>(ALLOWED, [tables])
    for (const { name } of rows) {
      const left = Math.floor(end - performance.now())
      if (left <= 0) break
      await client.query(`set statement_timeout = ${left}; set lock_timeout = ${Math.min(left, LOCK_MS)}`)
      // Index entries hold values too, and by default they may stay when there are few.
      const isDone = await client.query(`vacuum (index_cleanup on, truncate off) ${pg.escapeIdentifier(name)}`).then(
        () => true,
        () => false,
      )
      if (isDone) done.push(name)
    }
  } catch {
    // Told of by what is missing.
  } finally {
    await client.end().catch(() => undefined)
  }
  return done
}

const LOCK_MS = 3_000

/** A vacuum of a table that is not the login's own is no error, but a warning. */
const ALLOWED = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
    and (pg_has_role(c.relowner, 'usage') or case when current_setting('server_version_num')::int >= 170000
      then has_table_privilege(c.oid, 'maintain') else false end)
  order by array_position($1, c.relname::text)`

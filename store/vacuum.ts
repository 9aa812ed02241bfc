import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { IS_MAINTAINABLE } from './analyze.js'
import { EndableClient } from './connection.js'
import { LOCKS } from './locks.js'

/** Tables in which an erasure removes or rewrites rows. */
export const REWRITTEN_TABLES = [
  'memories',
  'entity_links',
  'entities',
  'vectors',
  'analysed_texts',
  'near_keys',
  'near_duplicates',
  'supersessions',
  'memory_usage',
  'memory_versions',
  'index_pending',
  'idempotency_keys',
  'recalls',
  'audit_events',
  'erasures',
  'agents',
  'keystones',
  'keystone_versions',
  'keystone_acknowledgements',
  'forge_traces',
  'forge_runs',
  'documents',
  'document_fields',
  'document_members',
  'skills',
  'skill_versions',
  'skill_blobs',
  'skill_files',
  'skill_cites',
  'skill_sources',
  'skill_moves',
  'skill_outcomes',
  'skill_poison',
  'skill_authors',
  'api_keys',
] as const

export interface VacuumOptions {
  readonly withinMs: number
  /** Ends it, with the statement that is under way. */
  readonly signal: AbortSignal
}

/**
 * Removes the dead rows of these tables, and their entries in indices, on a connection of its own as the login itself: the service's roles
 * do not own the tables. One runs at a time, in all processes: each reads the tables of all tenants. Returns the tables that it did within
 * the time; the others are not the login's, are locked, or had no time left. Never throws.
 */
export async function vacuum(
  url: string,
  tables: readonly string[],
  { withinMs, signal }: VacuumOptions,
): Promise<string[]> {
  const end = performance.now() + withinMs
  const client = new EndableClient({
    connectionString: url,
    application_name: 'cairn_vacuum',
    connectionTimeoutMillis: 5_000,
  })
  const close = () => void client.end().catch(() => undefined)
  signal.addEventListener('abort', close, { once: true })
  const done: string[] = []
  try {
    signal.throwIfAborted()
    await client.connect()
    // The server ends the statement of a client that has closed its connection. Not every platform can tell.
    await client.query('set client_connection_check_interval = 1000').catch(() => undefined)
    if (!(await takeTurn(client, end, signal))) return done
    const { rows } = await client.query<{ name: string }>(ALLOWED_TABLES, [tables])
    for (const { name } of rows) {
      const left = Math.floor(end - performance.now())
      if (left <= 0 || signal.aborted) break
      if (await vacuumTable(client, name, left)) done.push(name)
    }
  } catch {
    // The tables missing from the result tell.
  } finally {
    signal.removeEventListener('abort', close)
    await client.end().catch(() => undefined)
  }
  return done
}

/**
 * Waits until no other connection vacuums, and keeps the others waiting until this one is closed. Asks again and again, since a statement
 * that waits has a snapshot, for which the vacuum that it waits for would leave dead rows. Returns false when the time is up.
 */
async function takeTurn(client: pg.Client, end: number, signal: AbortSignal): Promise<boolean> {
  while (performance.now() < end) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [LOCKS.vacuum])
    if (rows[0]!.mine) return true
    await sleep(TURN_MS, undefined, { signal })
  }
  return false
}

async function vacuumTable(client: pg.Client, name: string, withinMs: number): Promise<boolean> {
  try {
    await client.query(`set statement_timeout = ${withinMs}; set lock_timeout = ${Math.min(withinMs, LOCK_TIMEOUT_MS)}`)
    // Index entries hold values too, and by default they may stay when there are few.
    await client.query(`vacuum (index_cleanup on, truncate off) ${pg.escapeIdentifier(name)}`)
    return true
  } catch {
    return false
  }
}

const TURN_MS = 200
const LOCK_TIMEOUT_MS = 3_000

const ALLOWED_TABLES = `
  select c.relname as name from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relname = any($1) and ${IS_MAINTAINABLE}
  order by array_position($1, c.relname::text)`

import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.js'

/** Keys of the service's advisory locks: arbitrary numbers, all different, the same in every process. */
export const LOCKS = {
  /** Compaction of the counters of memories and agents. */
  counters: 7_205_713,
  /** Taken while a build begins or is switched to, and while vectors of no build are deleted. */
  indexBuilds: 7_205_715,
  /** Compaction of the counters of documents. */
  documentCounters: 7_205_717,
  /** The first half of a key whose other half is the tenant: taken by a merge or a split of entities. */
  entityMerges: 7_205_721,
  /** Held while an erasure has the tables vacuumed. */
  vacuum: 7_205_719,
} as const

type Lock = (typeof LOCKS)[keyof typeof LOCKS]

/** Takes the lock until the transaction ends; returns false when another has it. */
export async function tryLock(db: Kysely<Database>, wanted: Lock): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${wanted}::bigint) as mine`.execute(db)
  return rows[0]!.mine
}

/** Takes the lock until the transaction ends, waiting for whoever has it. */
export async function lock(db: Kysely<Database>, wanted: Lock): Promise<void> {
  await sql`select pg_advisory_xact_lock(${wanted}::bigint)`.execute(db)
}

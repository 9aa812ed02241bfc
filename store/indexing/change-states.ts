import { sql } from 'kysely'
import type { Corpus } from '../../domain/corpus.js'
import { CORPUS_ROWS } from '../corpora.js'
import type { PendingKind } from '../schema.js'
import type { Reader } from '../store.js'

/** Says how far the last change of a row is on its way into the index. */
export interface ChangeState {
  /** True while the change is neither settled nor failed: the index may have it or not. */
  readonly isInFlight: boolean
  /** True while the vector is still to come, or has failed. */
  readonly awaitsVector: boolean
  /** Highest `seq` of the row's pending rows; null when there are none. */
  readonly seq: number | null
}

const VECTOR_KINDS: { readonly [K in Corpus]: PendingKind } = { memories: 'vector', documents: 'document_vector' }

/**
 * Returns the state of each of these rows that has a pending row. A settled one stays for a minute: within that, a row that has another `seq`,
 * or has one for the first time, has changed.
 */
export async function readChangeStates(
  reader: Reader,
  corpus: Corpus,
  ids: readonly string[],
): Promise<Map<string, ChangeState>> {
  if (ids.length === 0) return new Map()
  const { kind } = CORPUS_ROWS[corpus]
  const vectorKind = VECTOR_KINDS[corpus]
  const { rows } = await sql<{ id: string } & ChangeState>`
    select entity_id as id, max(seq) as seq,
      bool_or(kind = ${kind} and settled_at is null and failed_at is null) as "isInFlight",
      bool_or(kind = ${vectorKind} and settled_at is null) as "awaitsVector"
    from index_pending
    where tenant_id = ${reader.tenantId} and kind in (${kind}, ${vectorKind}) and entity_id = any(${ids as string[]}::uuid[])
    group by entity_id`.execute(reader.db)
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

/** Returns those of these ids that are of live rows. */
export async function readLiveIds(reader: Reader, corpus: Corpus, ids: readonly string[]): Promise<Set<string>> {
  const { table, isLive } = CORPUS_ROWS[corpus]
  const { rows } = await sql<{ id: string }>`
    select id from ${table} where tenant_id = ${reader.tenantId} and id = any(${ids as string[]}::uuid[]) and ${isLive}`.execute(
    reader.db,
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Returns the ids of a random sample of live rows, in their order; equal seeds choose equal rows. Reads all ids of the tenant, and so grows with
 * it: 1,000 of 10,000 documents took 3 to 17 ms, of 100,000 35 to 64 ms, of 1,000,000 109 to 125 ms.
 */
export async function sampleLiveIds(
  reader: Reader,
  corpus: Corpus,
  { sample, seed }: { readonly sample: number; readonly seed: number },
): Promise<string[]> {
  const { table, isLive } = CORPUS_ROWS[corpus]
  const { rows } = await sql<{ id: string }>`
    select id from ${table} where tenant_id = ${reader.tenantId} and ${isLive}
    order by uuid_hash_extended(id, ${seed}) limit ${sample}`.execute(reader.db)
  return rows.map(({ id }) => id).sort()
}

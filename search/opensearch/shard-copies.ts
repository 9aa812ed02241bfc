import { EngineFailure, type Connection } from './connection.js'

export interface ShardCounts {
  readonly total: number
  readonly successful: number
}

const TIMEOUT_MS = 10_000
const PARTIAL = 'partial_answer'
/** Types of failures that may be a shard's without a copy: of some shards, and of all. */
const MAY_LACK_COPY: readonly (string | null)[] = [PARTIAL, 'search_phase_execution_exception']

/**
 * Throws `EngineFailure` unless every shard has answered. A shard that is on no node at the moment fails nothing: the engine answers
 * from the others, with 200 and `failed: 0`.
 */
export function assertAllAnswered({ total, successful }: ShardCounts): void {
  if (successful < total)
    throw new EngineFailure('opensearch: a shard of the index does not answer', false, null, PARTIAL)
}

/**
 * Returns the failure of a call to all shards, as `incomplete` where no node of the cluster holds a copy of some shard: the node that had it is
 * gone, or its disk. A shard that is being recovered, waits for its turn or may not be allocated has a copy, and comes back as it was.
 */
export async function asLoss(connection: Connection, alias: string, failure: EngineFailure): Promise<EngineFailure> {
  if (!MAY_LACK_COPY.includes(failure.type)) return failure
  try {
    for (const shard of await unassigned(connection, alias))
      if (!(await hasCopy(connection, shard)))
        return new EngineFailure('opensearch: a shard has no copy', false, failure.status, failure.type, 'incomplete')
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
  }
  return failure
}

interface Shard {
  readonly index: string
  readonly shard: string
  readonly prirep: 'p' | 'r'
  readonly state: string
}

async function unassigned(connection: Connection, alias: string): Promise<readonly Shard[]> {
  const query = { format: 'json', h: 'index,shard,prirep,state' }
  const request = { method: 'GET', path: `/_cat/shards/${alias}`, query } as const
  const shards = await connection.call<readonly Shard[]>(request, { timeoutMs: TIMEOUT_MS })
  return shards.filter(({ prirep, state }) => prirep === 'p' && state === 'UNASSIGNED')
}

async function hasCopy(connection: Connection, { index, shard }: Shard): Promise<boolean> {
  const body = { index, shard: Number(shard), primary: true }
  const request = { method: 'POST', path: '/_cluster/allocation/explain', body } as const
  const answer = await connection.call<{ can_allocate?: string }>(request, { timeoutMs: TIMEOUT_MS })
  return answer.can_allocate !== 'no_valid_shard_copy'
}

import type { Fault } from '../../runtime/outage-reasons.js'
import { EngineFailure, type Connection } from './connection.js'

interface Block {
  readonly description: string
  readonly levels: readonly string[]
}
type Blocks = Readonly<Record<string, Block>>

/** The answer of `GET /_cluster/state/blocks`: blocks by their id, of the cluster and of each index. */
export interface BlocksAnswer {
  readonly blocks?: { readonly global?: Blocks; readonly indices?: Readonly<Record<string, Blocks>> }
}

/** The block that the engine sets while a disk is beyond its flood stage. */
const FLOOD_STAGE = '12'

/** Returns null while the alias's index answers and accepts writes, else the fault. Never throws. */
export async function faultOf(connection: Connection, alias: string): Promise<Fault | null> {
  const broken = connection.broken()
  if (broken !== null) return { reason: 'circuit_open', detail: broken }
  try {
    const health = { method: 'GET', path: `/_cluster/health/${alias}`, query: { timeout: '1s' } } as const
    const blocks = { method: 'GET', path: `/_cluster/state/blocks/${alias}` } as const
    const [{ status }, state] = await Promise.all([
      connection.call<{ status: string }>(health, { timeoutMs: 2000 }),
      connection.call<BlocksAnswer>(blocks, { timeoutMs: 2000 }),
    ])
    if (status === 'red') return { reason: 'unreachable', detail: 'opensearch: the index has no primary' }
    return writeBlock(state)
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'opensearch: unknown failure'
    return { reason: error instanceof EngineFailure ? error.reason : 'unreachable', detail }
  }
}

/** Returns what blocks writes to an index or the whole cluster, or null. */
export function writeBlock({ blocks = {} }: BlocksAnswer): Fault | null {
  const all = [blocks.global ?? {}, ...Object.values(blocks.indices ?? {})].flatMap((each) => Object.entries(each))
  const found = all.filter(([, { levels }]) => levels.includes('write'))
  const [id, block] = found.find(([each]) => each === FLOOD_STAGE) ?? found[0] ?? []
  if (id === undefined || block === undefined) return null
  return { reason: id === FLOOD_STAGE ? 'disk_full' : 'read_only', detail: `opensearch: ${block.description}` }
}

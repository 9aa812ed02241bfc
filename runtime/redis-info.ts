import type { Fault } from './outage-reasons.js'

/** Reads the lines `name:value` of Redis' INFO. */
function parseRedisInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : []
    }),
  )
}

/**
 * Share of maxmemory at which Redis counts as full. The rest allows for the buffers of clients: commands are refused
 * before the last bytes are used.
 */
const FULL_SHARE = 0.98

/** The part of a Redis client that tells how its server does. */
export interface AskedRedis {
  info(): Promise<string>
  ping(): Promise<unknown>
}

export interface RedisState {
  readonly info: ReadonlyMap<string, string>
  /** Says why it takes no writes, or null. */
  readonly fault: Fault | null
}

/** Returns what a Redis tells of itself. Rejects when it does not answer. */
export async function askRedis(client: AskedRedis): Promise<RedisState> {
  const [text, savingFault] = await Promise.all([client.info(), findSavingFault(client)])
  const info = parseRedisInfo(text)
  return { info, fault: writeFaultOf(info) ?? savingFault }
}

/**
 * Returns why Redis refuses writes because it cannot save them, or null. It says so to PING too; INFO tells that saving failed, but not
 * whether it is configured to refuse writes then.
 */
async function findSavingFault(client: AskedRedis): Promise<Fault | null> {
  try {
    await client.ping()
    return null
  } catch (error) {
    const { message } = error as Error
    if (!message.startsWith('MISCONF ')) throw error
    return { reason: 'disk_full', detail: `redis: ${message.split('. ')[0]!}` }
  }
}

/** Returns why a Redis of this INFO takes no writes, or null. What it does not say counts as being well. */
function writeFaultOf(info: ReadonlyMap<string, string>): Fault | null {
  const number = (name: string) => Number(info.get(name) ?? 0)
  if (info.get('role') === 'slave') return { reason: 'read_only', detail: 'redis: a replica' }
  const used = number('used_memory') - number('mem_not_counted_for_evict')
  const isFull = number('maxmemory') > 0 && used > FULL_SHARE * number('maxmemory')
  return isFull && info.get('maxmemory_policy') === 'noeviction'
    ? { reason: 'memory_full', detail: `redis: ${used} of ${number('maxmemory')} bytes` }
    : null
}

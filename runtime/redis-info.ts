import type { Fault } from './outage-reasons.js'

/** Reads the lines `name:value` of Redis' INFO. */
export function parseRedisInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\r\n').flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1)] as const] : []
    }),
  )
}

/** Allows for what clients have under way, which comes and goes: commands are refused before the last bytes are used. */
const FULL = 0.98

/** Returns why a Redis of this INFO takes no writes, or null. What it does not say counts as being well. */
export function redisWriteFault(info: ReadonlyMap<string, string>): Fault | null {
  const number = (name: string) => Number(info.get(name) ?? 0)
  if (info.get('role') === 'slave') return { reason: 'read_only', detail: 'redis: a replica' }
  const used = number('used_memory') - number('mem_not_counted_for_evict')
  const isFull = number('maxmemory') > 0 && used > FULL * number('maxmemory')
  return isFull && info.get('maxmemory_policy') === 'noeviction'
    ? { reason: 'memory_full', detail: `redis: ${used} of ${number('maxmemory')} bytes` }
    : null
}

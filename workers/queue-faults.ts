import type { Queue, RedisQueueBackend } from 'bullmq'
import type { Fault, OutageReason } from '../runtime/outage-reasons.js'
import { askRedis, type AskedRedis } from '../runtime/redis-info.js'

/** Beginnings of the errors of a Redis that takes no writes; below, the codes of such a PostgreSQL. */
const WRITE_FAULT_PATTERNS: readonly (readonly [RegExp, OutageReason])[] = [
  [/^(ReplyError: )?OOM /, 'memory_full'],
  [/^(ReplyError: )?MISCONF /, 'disk_full'],
  [/^(ReplyError: )?READONLY /, 'read_only'],
]
const POSTGRES_CODES: ReadonlyMap<unknown, OutageReason> = new Map([
  ['53100', 'disk_full'],
  ['25006', 'read_only'],
])

/** Returns the reason why a call of the queue failed. */
export function reasonOf(error: unknown): OutageReason {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  return (
    POSTGRES_CODES.get(code) ?? WRITE_FAULT_PATTERNS.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreachable'
  )
}

/** Returns why the Redis behind a queue takes no jobs, or null. Rejects when it does not answer. */
export async function redisFault(queue: Queue): Promise<Fault | null> {
  const { connection } = queue.getBackend() as unknown as RedisQueueBackend
  const client = (await connection.client) as unknown as AskedRedis
  // INFO is answered by a connection that takes no other command yet, so a command of the queue's own is asked too.
  const [{ fault }] = await Promise.all([askRedis(client), queue.count()])
  return fault
}

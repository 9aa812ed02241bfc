/**
 * Appends the memory and the event loop's use of each thread of a process to `threads.jsonl` of its working directory, once a second.
 * Loaded with node's `--import`, which threads inherit.
 */
import { appendFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import { isMainThread, threadId, workerData } from 'node:worker_threads'
import { type ThreadMemory, THREADS_FILE } from './thread-memory.js'

const EVERY_MS = 1_000

const role = (workerData as { role?: string } | null)?.role
const thread = isMainThread ? 'main' : (role ?? `thread ${threadId}`)
let last = performance.eventLoopUtilization()

function note(): void {
  const now = performance.eventLoopUtilization()
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
  const malloced = getHeapStatistics().malloced_memory
  const eventLoop = performance.eventLoopUtilization(now, last).utilization
  last = now
  const noted: ThreadMemory = { thread, heapUsed, heapTotal, malloced, external, arrayBuffers, eventLoop }
  appendFileSync(THREADS_FILE, `${JSON.stringify(noted)}\n`)
}

setInterval(note, EVERY_MS).unref()

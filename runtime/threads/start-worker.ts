import { Worker } from 'node:worker_threads'
import { compiledSource } from './compiled-source.js'

export interface WorkerSettings {
  /** The thread's file, which calls `serveTasks`, without its extension. */
  readonly file: URL
  readonly workerData: unknown
  /** Size of the thread's heap at which it is ended, and with it the running task; by default that of the process. */
  readonly maxHeapMb?: number
  /** Size of the part of its heap for new objects, which is collected when it is full; by default V8 lets it grow to 48 MiB. */
  readonly youngHeapMb?: number
}

/** Starts compiled JavaScript in dist/, or TypeScript, which is compiled first. */
export function startWorker({ file, workerData, maxHeapMb, youngHeapMb }: WorkerSettings): Worker {
  const resourceLimits = {
    ...(maxHeapMb && { maxOldGenerationSizeMb: maxHeapMb }),
    ...(youngHeapMb && { maxYoungGenerationSizeMb: youngHeapMb }),
  }
  const isCompiled = import.meta.url.endsWith('.js')
  const url = isCompiled ? new URL(`${file.href}.js`) : compiledSource(new URL(`${file.href}.ts`))
  return new Worker(url, { workerData, resourceLimits, ...(!isCompiled && { execArgv: [] }) })
}

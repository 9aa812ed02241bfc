/** Bytes of one thread; `arrayBuffers` are part of `external`. `eventLoop` is the share of the last second in which its loop was busy. */
export interface ThreadMemory {
  readonly thread: string
  readonly heapUsed: number
  readonly heapTotal: number
  readonly malloced: number
  readonly external: number
  readonly arrayBuffers: number
  readonly eventLoop: number
}

/** Written by `soak-probe.ts`, in the working directory of the process. */
export const THREADS_FILE = 'threads.jsonl'

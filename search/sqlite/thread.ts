import { Worker } from 'node:worker_threads'
import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { TaskMessage, TaskName, TaskReply, Tasks, ThreadSettings } from './protocol.js'

/**
 * One worker thread with one connection to each file, which runs one task after another. A thread that died is
 * restarted by the next task.
 */
export interface Thread {
  /** Starts the thread in advance, which takes a while. */
  warm(): void
  of(corpus: Corpus): CorpusThread
  /** Finishes the queued tasks, closes the files and ends the thread. */
  stop(): Promise<void>
}

/** The thread's tasks for one corpus' file. */
export interface CorpusThread {
  /** Throws `UnavailableError`, or the signal's reason: a task that has not started by then is dropped. */
  run<Name extends TaskName>(name: Name, argument: Tasks[Name][0], signal?: AbortSignal): Promise<Tasks[Name][1]>
}

interface Pending {
  readonly message: TaskMessage
  readonly resolve: (answer: never) => void
  readonly reject: (error: unknown) => void
}

export function createThread(settings: ThreadSettings, onDamage: (corpus: Corpus) => void): Thread {
  const waiting: Pending[] = []
  let worker: Worker | undefined
  let running: Pending | undefined
  let stopped: Promise<void> | undefined

  function spawn(): Worker {
    const spawned = startWorker(settings)
    spawned.on('message', (reply: TaskReply) => {
      const done = running
      running = undefined
      if (reply.ok) done?.resolve(reply.answer as never)
      else {
        if (reply.damaged && done) onDamage(done.message.corpus)
        const reason = reply.code === 'SQLITE_FULL' ? 'disk_full' : 'unreachable'
        done?.reject(new UnavailableError('search', new Error(`sqlite: ${reply.code}`), reason))
      }
      next()
    })
    const died = (cause: Error) => {
      if (worker !== spawned) return
      worker = undefined
      const lost = running
      running = undefined
      lost?.reject(new UnavailableError('search', cause))
      next()
    }
    spawned.on('error', (error) => died(new Error(`sqlite: thread failed: ${error.name}`)))
    spawned.on('exit', (code) => died(new Error(`sqlite: thread ended with ${code}`)))
    return spawned
  }

  function next(): void {
    if (running !== undefined) return
    running = waiting.shift()
    if (running === undefined) return
    worker ??= spawn()
    worker.postMessage(running.message)
  }

  function run<Name extends TaskName>(corpus: Corpus, name: Name, argument: Tasks[Name][0], signal?: AbortSignal) {
    return new Promise<Tasks[Name][1]>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const pending: Pending = {
        message: { corpus, name, argument },
        resolve: (answer) => (signal?.removeEventListener('abort', abort), resolve(answer)),
        reject: (error) => (signal?.removeEventListener('abort', abort), reject(error)),
      }
      function abort() {
        const place = waiting.indexOf(pending)
        if (place >= 0) waiting.splice(place, 1)
        reject(signal!.reason)
      }
      signal?.addEventListener('abort', abort, { once: true })
      waiting.push(pending)
      next()
    })
  }

  async function end(): Promise<void> {
    if (worker === undefined) return
    const ending = worker
    const exited = new Promise((resolve) => ending.once('exit', resolve))
    await run('memories', 'close', null).catch(() => ending.terminate())
    await exited
  }

  return {
    warm() {
      if (stopped === undefined) worker ??= spawn()
    },
    of: (corpus) => ({
      run: (name, argument, signal) =>
        stopped
          ? Promise.reject(new UnavailableError('search', new Error('sqlite: stopped')))
          : run(corpus, name, argument, signal),
    }),
    stop: () => (stopped ??= end()),
  }
}

/**
 * Starts compiled JavaScript in dist/, or TypeScript. Node 20 supports no loader for a thread's first file, so that
 * file is plain JavaScript.
 */
function startWorker(workerData: ThreadSettings): Worker {
  const file = import.meta.url.endsWith('.js') ? './worker.js' : './worker-from-source.mjs'
  return new Worker(new URL(file, import.meta.url), { workerData })
}

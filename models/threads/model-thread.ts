import { Worker } from 'node:worker_threads'
import { ModelCallError } from '../model-call.js'
import type { ThreadReply, ThreadRequest } from './protocol.js'

interface ModelThreadSettings {
  /** Name of the model in messages, such as `local reranker`. */
  readonly what: string
  /** The thread's file, which calls `serveModel`, without its extension. */
  readonly file: URL
  /** The thread's `workerData`. */
  readonly model: object
  /** Milliseconds after which a thread with an unanswered request is considered hung and terminated. Default 30,000. */
  readonly hungMs?: number
  /** Milliseconds between attempts to restart a thread that died. Default 5,000. */
  readonly restartMs?: number
}

/** A model in a thread of its own, since its computation would block the event loop. */
export interface ModelThread<Request, Answer, Facts> {
  readonly facts: Facts
  /**
   * Sends a request. Throws `ModelCallError`: `failing` when the model failed, `unreachable` when its thread ended. A
   * sent request cannot be cancelled, and the thread answers one after another. Waits while a thread that died is being
   * restarted.
   */
  ask(request: Request): Promise<Answer>
  /** False from the end of a thread until another one is ready. */
  isReady(): boolean
  /** Ends the requests in progress with `unreachable`. */
  close(): Promise<void>
}

/**
 * Returns the message for a missing library. npm does not install an optional peer, unless it is requested as a
 * development dependency.
 */
export function needsLibrary(model: string, library: string): string {
  return `local:${model} needs ${library}, which is not installed: ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save --save-dev ${library}`
}

/** Thrown when a model cannot be loaded; the message says why. */
export class UnusableModelError extends Error {
  constructor(
    readonly isLibraryMissing: boolean,
    reason: string,
  ) {
    super(reason)
  }
}

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: ModelCallError) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Loads the model in a thread. Throws UnusableModelError; when a loaded model's thread dies, loading is retried until
 * it succeeds.
 */
export async function startModelThread<Request, Answer, Facts>(
  settings: ModelThreadSettings,
): Promise<ModelThread<Request, Answer, Facts>> {
  const { what, hungMs = 30_000, restartMs = 5_000 } = settings
  const pending = new Map<number, Pending<Answer>>()
  const threadEnded = () => new ModelCallError('unreachable', `The ${what}'s thread ended.`)
  let isClosed = false
  let isReady = false
  let lastId = 0
  let restart: NodeJS.Timeout | undefined
  let starting = start()
  const { facts } = await starting

  function start(): Promise<{ worker: Worker; facts: Facts }> {
    const worker = spawn(settings)
    return new Promise((resolve, reject) => {
      let isDead = false
      const died = () => {
        // An error is followed by the exit event, by which time another thread may be running.
        if (isDead) return
        isDead = true
        const wasThere = isReady
        isReady = false
        for (const { reject: refuse, timer } of pending.values()) {
          clearTimeout(timer)
          refuse(threadEnded())
        }
        pending.clear()
        if (wasThere) restartThread()
        else reject(new UnusableModelError(false, 'its thread ended'))
      }
      worker.on('error', died)
      worker.on('exit', died)
      worker.on('message', (reply: ThreadReply<Answer, Facts>) => {
        switch (reply.kind) {
          case 'ready':
            isReady = !isClosed
            return resolve({ worker, facts: reply.facts })
          case 'unusable':
            reject(new UnusableModelError(reply.isLibraryMissing, reply.reason))
            return void worker.terminate()
          case 'answered':
            return takePending(reply.id)?.resolve(reply.answer)
          case 'failed':
            return takePending(reply.id)?.reject(new ModelCallError('failing', `The ${what} failed (${reply.reason}).`))
        }
      })
    })
  }

  function restartThread(): void {
    if (isClosed) return
    starting = start()
    starting.catch(() => {
      if (!isClosed) restart = setTimeout(restartThread, restartMs).unref()
    })
  }

  function takePending(id: number): Pending<Answer> | undefined {
    const asked = pending.get(id)
    pending.delete(id)
    clearTimeout(asked?.timer)
    return asked
  }

  return {
    facts,
    isReady: () => isReady,
    async ask(request) {
      const ready = await starting.catch(() => null)
      if (ready === null || !isReady) throw threadEnded()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => void ready.worker.terminate(), hungMs).unref()
        pending.set(++lastId, { resolve, reject, timer })
        ready.worker.postMessage({ id: lastId, request } satisfies ThreadRequest<Request>)
      })
    },
    async close() {
      isClosed = true
      isReady = false
      clearTimeout(restart)
      const ready = await starting.catch(() => null)
      await ready?.worker.terminate()
    },
  }
}

/**
 * Starts compiled JavaScript in dist/, or TypeScript. Node 20 supports no loader for a thread's first file, so that
 * file is plain JavaScript.
 */
function spawn({ file, model }: ModelThreadSettings): Worker {
  if (import.meta.url.endsWith('.js')) return new Worker(new URL(`${file.href}.js`), { workerData: model })
  return new Worker(new URL('./from-source.mjs', import.meta.url), { workerData: model, argv: [`${file.href}.ts`] })
}

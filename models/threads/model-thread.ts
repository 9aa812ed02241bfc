import { Worker } from 'node:worker_threads'
import { ModelCallError } from '../model-call.js'
import type { ThreadReply, ThreadRequest } from './protocol.js'

export interface ModelThreadSettings {
  /** In messages, such as `local reranker`. */
  readonly what: string
  /** The thread's file, which calls `serveModel`, without its ending. */
  readonly file: URL
  /** The thread's `workerData`. */
  readonly model: object
  /** A thread that leaves a request unanswered for this long hangs, and is ended. Default 30,000. */
  readonly hungMs?: number
  /** Between tries to start a thread in the place of one that died. Default 5,000. */
  readonly restartMs?: number
}

/** A model in a thread of its own: it computes where it is called, and would block the event loop. */
export interface ModelThread<Request, Answer, Facts> {
  readonly facts: Facts
  /**
   * Throws `ModelCallError`: `failing` when the model did, `unreachable` when its thread ended. What is sent cannot be taken back, and
   * the thread answers one after the other. While another thread starts in the place of one that died, it is waited for.
   */
  ask(request: Request): Promise<Answer>
  /** False from the death of a thread until another one is ready. */
  isThere(): boolean
  /** Ends what is under way as `unreachable`. */
  close(): Promise<void>
}

/** npm passes over an optional peer, unless it is asked for as a development dependency. */
export function needsLibrary(model: string, library: string): string {
  return `local:${model} needs ${library}, which is not installed: ONNXRUNTIME_NODE_INSTALL=skip npm install --no-save --save-dev ${library}`
}

/** Why a model cannot be used. */
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

/** Loads the model. Throws UnusableModelError; later it is loaded again and again until it can be. */
export async function startModelThread<Request, Answer, Facts>(
  settings: ModelThreadSettings,
): Promise<ModelThread<Request, Answer, Facts>> {
  const { what, hungMs = 30_000, restartMs = 5_000 } = settings
  const pending = new Map<number, Pending<Answer>>()
  const gone = () => new ModelCallError('unreachable', `The ${what}'s thread ended.`)
  let isClosed = false
  let isThere = false
  let lastId = 0
  let restart: NodeJS.Timeout | undefined
  let starting = start()
  const { facts } = await starting

  function start(): Promise<{ worker: Worker; facts: Facts }> {
    const worker = spawn(settings)
    return new Promise((resolve, reject) => {
      let isDead = false
      const died = () => {
        // An error is followed by the exit, when another thread may be there already.
        if (isDead) return
        isDead = true
        const wasThere = isThere
        isThere = false
        for (const { reject: refuse, timer } of pending.values()) {
          clearTimeout(timer)
          refuse(gone())
        }
        pending.clear()
        if (wasThere) startAgain()
        else reject(new UnusableModelError(false, 'its thread ended'))
      }
      worker.on('error', died)
      worker.on('exit', died)
      worker.on('message', (reply: ThreadReply<Answer, Facts>) => {
        switch (reply.kind) {
          case 'ready':
            isThere = !isClosed
            return resolve({ worker, facts: reply.facts })
          case 'unusable':
            reject(new UnusableModelError(reply.isLibraryMissing, reply.reason))
            return void worker.terminate()
          case 'answered':
            return take(reply.id)?.resolve(reply.answer)
          case 'failed':
            return take(reply.id)?.reject(new ModelCallError('failing', `The ${what} failed (${reply.reason}).`))
        }
      })
    })
  }

  function startAgain(): void {
    if (isClosed) return
    starting = start()
    starting.catch(() => {
      if (!isClosed) restart = setTimeout(startAgain, restartMs).unref()
    })
  }

  function take(id: number): Pending<Answer> | undefined {
    const asked = pending.get(id)
    pending.delete(id)
    clearTimeout(asked?.timer)
    return asked
  }

  return {
    facts,
    isThere: () => isThere,
    async ask(request) {
      const ready = await starting.catch(() => null)
      if (ready === null || !isThere) throw gone()
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => void ready.worker.terminate(), hungMs).unref()
        pending.set(++lastId, { resolve, reject, timer })
        ready.worker.postMessage({ id: lastId, request } satisfies ThreadRequest<Request>)
      })
    },
    async close() {
      isClosed = true
      isThere = false
      clearTimeout(restart)
      const ready = await starting.catch(() => null)
      await ready?.worker.terminate()
    },
  }
}

/** Compiled in dist/, or TypeScript: Node 20 takes no loader for a thread's first file, so that one is plain JavaScript. */
function spawn({ file, model }: ModelThreadSettings): Worker {
  if (import.meta.url.endsWith('.js')) return new Worker(new URL(`${file.href}.js`), { workerData: model })
  return new Worker(new URL('./from-source.mjs', import.meta.url), { workerData: model, argv: [`${file.href}.ts`] })
}

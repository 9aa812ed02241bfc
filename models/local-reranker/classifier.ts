import { Worker } from 'node:worker_threads'
import { ModelCallError } from '../model-call.js'
import type { LocalClassifier, ThreadReply, ThreadRequest } from './protocol.js'

/** A classifier of pairs in a thread of its own: the runtime computes where it is called, and would block the event loop. */
export interface Classifier {
  /** One logit a text. One request at a time. Throws `ModelCallError`. A thread that died is started anew. */
  score(request: ThreadRequest): Promise<readonly number[]>
  close(): Promise<void>
}

/** Why a classifier cannot be used. */
export class UnusableClassifierError extends Error {
  constructor(
    readonly isLibraryMissing: boolean,
    reason: string,
  ) {
    super(reason)
  }
}

interface Pending {
  readonly resolve: (logits: readonly number[]) => void
  readonly reject: (error: ModelCallError) => void
}

/** Loads the model. Throws UnusableClassifierError. */
export async function startClassifier(model: LocalClassifier): Promise<Classifier> {
  let pending: Pending | undefined
  let thread: Promise<Worker> | undefined = start()
  await thread

  function start(): Promise<Worker> {
    const worker = spawn(model)
    return new Promise((resolve, reject) => {
      let isDead = false
      const died = () => {
        // An error is followed by the exit, when another thread may be there already.
        if (isDead) return
        isDead = true
        thread = undefined
        reject(new UnusableClassifierError(false, 'its thread ended'))
        pending?.reject(gone())
        pending = undefined
      }
      worker.on('error', died)
      worker.on('exit', died)
      worker.on('message', (reply: ThreadReply) => {
        const asked = pending
        switch (reply.kind) {
          case 'ready':
            return resolve(worker)
          case 'unusable':
            void worker.terminate()
            return reject(new UnusableClassifierError(reply.isLibraryMissing, reply.reason))
          case 'scored':
            pending = undefined
            return asked?.resolve(reply.logits)
          case 'failed':
            pending = undefined
            return asked?.reject(new ModelCallError('failing', `The local reranker failed (${reply.reason}).`))
        }
      })
    })
  }

  return {
    async score(request) {
      const worker = await (thread ??= start()).catch(() => {
        throw gone()
      })
      return new Promise((resolve, reject) => {
        pending = { resolve, reject }
        worker.postMessage(request)
      })
    },
    async close() {
      const worker = await thread?.catch(() => undefined)
      await worker?.terminate()
    },
  }
}

function gone(): ModelCallError {
  return new ModelCallError('unreachable', "The local reranker's thread ended.")
}

/** Compiled in dist/, or TypeScript: Node 20 takes no loader for a thread's first file, so that one is plain JavaScript. */
function spawn(workerData: LocalClassifier): Worker {
  const file = import.meta.url.endsWith('.js') ? './thread.js' : './thread-from-source.mjs'
  return new Worker(new URL(file, import.meta.url), { workerData })
}

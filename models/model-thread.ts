import { createTaskThread, TaskError, ThreadEndedError } from '../runtime/threads/task-thread.js'
import { ModelCallError } from './model-call.js'

interface ModelThreadSettings {
  /** Name of the model in messages, such as `local reranker`. */
  readonly what: string
  /** The thread's file, which loads the model and serves `ModelTasks`, without its extension. */
  readonly file: URL
  /** The thread's `workerData`; `library` is what the thread imports. */
  readonly model: { readonly library: string }
  /** Milliseconds after which a thread with an unanswered request is considered hung and terminated. Default 30,000. */
  readonly hungMs?: number
  /** Milliseconds between attempts to restart a thread that died. Default 5,000. */
  readonly restartMs?: number
}

/** The tasks of a model's thread. `facts` are known only once the model is loaded. */
export type ModelTasks<Request, Answer, Facts> = {
  facts: () => Facts
  answer: (request: Request) => Promise<Answer>
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

/**
 * Loads the model in a thread. Throws UnusableModelError; when a loaded model's thread dies, loading is retried until
 * it succeeds.
 */
export async function startModelThread<Request, Answer, Facts>(
  settings: ModelThreadSettings,
): Promise<ModelThread<Request, Answer, Facts>> {
  const { what, file, model, hungMs = 30_000, restartMs = 5_000 } = settings
  const thread = createTaskThread<ModelTasks<Request, Answer, Facts>>({ file, workerData: model, onEnd: restart })
  let isClosed = false
  let isReady = false
  let retry: NodeJS.Timeout | undefined
  let starting = load()
  let facts: Facts
  try {
    facts = await starting
  } catch (error) {
    throw unusable(error, model.library)
  }

  async function load(): Promise<Facts> {
    const loaded = await thread.run('facts', [])
    isReady = !isClosed
    return loaded
  }

  /** Loads the model again; a thread that ended while it loaded is tried again after a while. */
  function restart(): void {
    if (!isReady) return
    isReady = false
    reload()
  }

  function reload(): void {
    if (isClosed) return
    starting = load()
    starting.catch(() => {
      if (!isClosed) retry = setTimeout(reload, restartMs).unref()
    })
  }

  return {
    facts,
    isReady: () => isReady,
    async ask(request) {
      await starting.catch(() => undefined)
      const ended = () => new ModelCallError('unreachable', `The ${what}'s thread ended.`)
      if (!isReady) throw ended()
      try {
        return await thread.run('answer', [request], { timeoutMs: hungMs })
      } catch (error) {
        if (error instanceof TaskError) throw new ModelCallError('failing', `The ${what} failed (${error.code}).`)
        throw ended()
      }
    },
    close() {
      isClosed = true
      isReady = false
      clearTimeout(retry)
      return thread.terminate()
    },
  }
}

function unusable(error: unknown, library: string): UnusableModelError {
  const cause = error instanceof ThreadEndedError ? error.cause : error
  const { code, message } = cause as { code?: string; message: string }
  return new UnusableModelError(code === 'ERR_MODULE_NOT_FOUND' && message.includes(library), message)
}

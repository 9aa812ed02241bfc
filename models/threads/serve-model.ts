import { parentPort } from 'node:worker_threads'
import type { ThreadReply, ThreadRequest } from './protocol.js'

/** A loaded model in its thread. */
interface LoadedModel<Request, Answer, Facts> {
  /** Properties that are known only once the model is loaded. */
  readonly facts: Facts
  answer(request: Request): Promise<Answer>
}

/**
 * Runs a model's thread: loads the model, reports the result, and answers requests. `library` is what `load` imports.
 */
export async function serveModel<Request, Answer, Facts>(
  library: string,
  load: () => Promise<LoadedModel<Request, Answer, Facts>>,
): Promise<void> {
  const send = (reply: ThreadReply<Answer, Facts>) => parentPort!.postMessage(reply)
  try {
    const model = await load()
    parentPort!.on('message', ({ id, request }: ThreadRequest<Request>) => {
      model.answer(request).then(
        (answer) => send({ kind: 'answered', id, answer }),
        // An error's message may quote the input.
        (error: Error) => send({ kind: 'failed', id, reason: error.name }),
      )
    })
    send({ kind: 'ready', facts: model.facts })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    const isLibraryMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(library)
    send({ kind: 'unusable', isLibraryMissing, reason: message })
  }
}

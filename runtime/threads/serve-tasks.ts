import { parentPort } from 'node:worker_threads'
import { ownThreadId } from './cpu-time.js'

/** The tasks of a thread by name. Their arguments and answers are copied from thread to thread. */
export type ThreadTasks = Readonly<Record<string, (...args: never[]) => unknown>>

export interface TaskMessage {
  readonly name: string
  readonly args: readonly unknown[]
}

/** A task's answer, or its error as a code only: messages may quote content. */
export type TaskReply = { readonly ok: true; readonly answer: unknown } | { readonly ok: false; readonly code: string }

/** The first message of a thread, by which its time on the processor is measured. */
export interface ThreadStarted {
  readonly threadId: string | null
}

/**
 * Answers the messages to this thread with its tasks. Called last by the thread's file: what that throws before ends
 * the thread, and is the cause of the error of the tasks that wait for it.
 */
export function serveTasks(tasks: ThreadTasks): void {
  const port = parentPort!
  port.postMessage({ threadId: ownThreadId() } satisfies ThreadStarted)
  port.on('message', ({ name, args }: TaskMessage) => {
    void Promise.resolve()
      .then(() => tasks[name]!(...(args as never[])))
      .then((answer) => port.postMessage({ ok: true, answer } satisfies TaskReply))
      .catch((error: { code?: unknown; name?: string }) => {
        const code = typeof error.code === 'string' ? error.code : (error.name ?? 'unknown')
        port.postMessage({ ok: false, code } satisfies TaskReply)
      })
  })
}

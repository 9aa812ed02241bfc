import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { atCpuLimit, cpuTimeOf } from './cpu-time.js'
import type { TaskMessage, TaskReply, ThreadStarted, ThreadTasks } from './serve-tasks.js'
import { startWorker, type WorkerSettings } from './start-worker.js'

interface TaskThreadSettings extends WorkerSettings {
  /** Called when the thread ends by itself or at its time limit. */
  readonly onEnd?: () => void
}

interface TaskOptions {
  /** A task that waits for its turn is dropped on abort; a running one is finished, and its answer dropped. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds after which the thread is terminated, from when the task is sent to it (and starts it, if need be). The
   * next task starts another.
   */
  readonly timeoutMs?: number
  /**
   * Milliseconds of the processor after which the thread is terminated likewise. A thread that is late since others have
   * the processor goes on. The time begins once the thread has loaded its file.
   */
  readonly cpuMs?: number
}

/** A thread that runs one task after another, in the order of the calls. The first task starts it. */
export interface TaskThread<Tasks extends ThreadTasks> {
  /**
   * Throws `TaskError` when the task throws, `ThreadEndedError` when the thread ends before it answers, and the
   * signal's reason. The tasks behind one whose thread ended run in the next thread.
   */
  run<Name extends keyof Tasks & string>(
    name: Name,
    args: Parameters<Tasks[Name]>,
    options?: TaskOptions,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>>
  /** Returns true while the thread runs, or tasks wait that will start it. */
  isInUse(): boolean
  /** Ends the thread at once, for good. Running, waiting and later tasks throw `ThreadEndedError`. */
  terminate(): Promise<void>
}

/** Thrown when a task throws. `code` is its error's code, or its class: the message may quote content. */
export class TaskError extends Error {
  constructor(readonly code: string) {
    super(`the task failed: ${code}`)
  }
}

/**
 * Thrown when the thread ends before it answers. The cause is what ended it, `code` its code or its class: `THREAD_EXIT`,
 * `THREAD_TIMEOUT`, `THREAD_CPU_LIMIT` and `THREAD_TERMINATED`, or that of what the thread threw.
 */
export class ThreadEndedError extends Error {
  readonly code: string
  constructor(cause: Error & { readonly code?: string }) {
    super('the thread ended', { cause })
    this.code = cause.code ?? cause.name
  }
}

export function createTaskThread<Tasks extends ThreadTasks>(settings: TaskThreadSettings): TaskThread<Tasks> {
  let worker: Worker | undefined
  /** Ids of the threads that have loaded their file, for `cpuTimeOf`. */
  const threadIds = new WeakMap<Worker, string | null>()
  let isTerminated = false
  let last: Promise<unknown> = Promise.resolve()
  let unfinished = 0

  function start(): Worker {
    const started = startWorker(settings)
    started.on('message', (message: ThreadStarted | TaskReply) => {
      if ('threadId' in message) threadIds.set(started, message.threadId)
      else started.emit('reply', message)
    })
    // A thread's error is followed by its exit, by which time another thread may be running.
    started.on('error', () => {
      if (worker !== started) return
      worker = undefined
      settings.onEnd?.()
    })
    started.on('exit', (code) => started.emit('error', threadError('THREAD_EXIT', `exit code ${code}`)))
    return started
  }

  /** Ends a thread whether or not it reacts: what computes in native code ends later. */
  function end(ended: Worker, reason: Error): Promise<unknown> {
    ended.emit('error', reason)
    return ended.terminate()
  }

  async function runNow(message: TaskMessage, { timeoutMs, cpuMs }: TaskOptions): Promise<unknown> {
    if (isTerminated) throw new ThreadEndedError(terminated())
    const asked = (worker ??= start())
    asked.postMessage(message)
    const expire = () => void end(asked, threadError('THREAD_TIMEOUT', `no answer within ${timeoutMs} ms`))
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs).unref()
    const used = () => (threadIds.has(asked) ? cpuTimeOf(asked, threadIds.get(asked)!) : null)
    const exhaust = () => void end(asked, threadError('THREAD_CPU_LIMIT', `${cpuMs} ms of the processor are used up`))
    const budget = cpuMs === undefined ? undefined : atCpuLimit(used, cpuMs, exhaust)
    const reply = await nextReply(asked).finally(() => {
      clearTimeout(timer)
      budget?.stop()
    })
    if (!reply.ok) throw new TaskError(reply.code)
    return reply.answer
  }

  return {
    async run(name, args, { signal, ...limits } = {}) {
      signal?.throwIfAborted()
      const task = last.then(() => {
        signal?.throwIfAborted()
        return runNow({ name, args }, limits)
      })
      unfinished++
      last = task.catch(() => undefined).finally(() => unfinished--)
      return (await (signal ? unlessAborted(task, signal) : task)) as never
    },
    isInUse: () => !isTerminated && (worker !== undefined || unfinished > 0),
    async terminate() {
      isTerminated = true
      const ended = worker
      worker = undefined
      if (ended) await end(ended, terminated())
    },
  }
}

function threadError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

function terminated(): Error {
  return threadError('THREAD_TERMINATED', 'terminated')
}

/** Returns the next message of the thread. Throws when it ends before. */
async function nextReply(worker: Worker): Promise<TaskReply> {
  try {
    const [reply] = await once(worker, 'reply')
    return reply as TaskReply
  } catch (error) {
    throw new ThreadEndedError(error as Error)
  }
}

/** Throws the signal's reason at once when it is aborted before the work is done. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController()
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => Promise.reject(signal.reason))
  try {
    return await Promise.race([work, aborted])
  } finally {
    done.abort()
  }
}

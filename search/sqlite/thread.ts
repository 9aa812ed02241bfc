import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createTaskThread, type TaskError, type ThreadEndedError } from '../../runtime/threads/task-thread.js'
import { isDamage } from './file-shape.js'
import type { IndexTasks, ThreadSettings } from './worker.js'

/** A thread with one connection to each file, which runs one task after another. */
export interface Thread {
  of(corpus: Corpus): CorpusThread
  /** Finishes the queued tasks, closes the files and ends the thread. */
  stop(): Promise<void>
}

/** The arguments of a task after its corpus. */
type TaskArgs<Name extends keyof IndexTasks> =
  Parameters<IndexTasks[Name]> extends [Corpus, ...infer Rest] ? Rest : never

/** The thread's tasks for one corpus' file. */
export interface CorpusThread {
  /** Throws `UnavailableError`, or the signal's reason: a task that has not started by then is dropped. */
  run<Name extends keyof IndexTasks>(
    name: Name,
    args: TaskArgs<Name>,
    signal?: AbortSignal,
  ): Promise<ReturnType<IndexTasks[Name]>>
}

/** New objects of a thread: a search makes some 300 KB, so that a larger heap for them would only make the process larger. */
const YOUNG_HEAP_MB = 12

export function createThread(settings: ThreadSettings, onDamage: (corpus: Corpus) => void): Thread {
  const thread = createTaskThread<IndexTasks>({
    file: new URL('./worker', import.meta.url),
    workerData: settings,
    youngHeapMb: YOUNG_HEAP_MB,
  })
  let stopped: Promise<void> | undefined

  async function run<Name extends keyof IndexTasks>(
    corpus: Corpus,
    name: Name,
    args: TaskArgs<Name>,
    signal: AbortSignal | undefined,
  ) {
    if (stopped) throw new UnavailableError('search', new Error('sqlite: stopped'))
    try {
      return await thread.run(name, [corpus, ...args] as unknown as Parameters<IndexTasks[Name]>, { signal })
    } catch (error) {
      signal?.throwIfAborted()
      if (isDamage(error)) onDamage(corpus)
      throw unavailable(error as TaskError | ThreadEndedError)
    }
  }

  async function end(): Promise<void> {
    if (thread.isInUse()) await thread.run('close', []).catch(() => undefined)
    await thread.terminate()
  }

  return {
    of: (corpus) => ({ run: (name, args, signal) => run(corpus, name, args, signal) }),
    stop: () => (stopped ??= end()),
  }
}

/** Contains a code only: SQLite's messages may quote content. */
function unavailable({ code }: TaskError | ThreadEndedError): UnavailableError {
  const reason = code === 'SQLITE_FULL' ? 'disk_full' : 'unreachable'
  return new UnavailableError('search', new Error(`sqlite: ${code}`), reason)
}

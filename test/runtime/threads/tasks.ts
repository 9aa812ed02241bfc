import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { serveTasks } from '../../../runtime/threads/serve-tasks.js'

if (workerData === 'broken') throw Object.assign(new Error('cannot load'), { code: 'BROKEN' })

let calls = 0
const tasks = {
  echo: (value: unknown) => value,
  /** Counts the calls in this thread. */
  count: () => ++calls,
  wait: (ms: number) => sleep(ms),
  hang: () => {
    for (;;);
  },
  fail: () => {
    throw Object.assign(new Error('a secret'), { code: 'FAULT' })
  },
  exit: () => process.exit(3),
  /** Ends the thread after it has answered. */
  exitSoon: () => void setImmediate(() => process.exit(3)),
  crash: () =>
    new Promise(() =>
      setImmediate(() => {
        throw new TypeError('a bug')
      }),
    ),
  returnFunction: () => () => undefined,
}
export type TestTasks = typeof tasks

serveTasks(tasks)

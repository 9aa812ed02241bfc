import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import { serveTasks } from '../../../runtime/threads/serve-tasks.js'
import { spin } from '../../support/spin.js'

if (workerData === 'broken') throw Object.assign(new Error('cannot load'), { code: 'BROKEN' })

let calls = 0
const tasks = {
  echo: (value: unknown) => value,
  /** Counts the calls in this thread. */
  count: () => ++calls,
  wait: (ms: number) => sleep(ms),
  /** Answers late, without the processor, as a thread does that others keep from it. */
  starve: (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  /** Has the processor for about these milliseconds. */
  spin: (ms: number) => {
    spin(ms)
    return 'done'
  },
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

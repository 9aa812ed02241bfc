import { expect } from 'chai'

import { EventEmitter, once } from 'node:events'
import { createTaskThread, TaskError, ThreadEndedError, type TaskThread } from '../../../runtime/threads/task-thread.js'
import { thrownBy } from '../../support/failures.js'
import { until } from '../../support/states.js'
import type { TestTasks } from './tasks.js'

describe('a task thread', () => {
  const opened: TaskThread<TestTasks>[] = []
  const ends = new EventEmitter()

  function create(workerData: unknown = null): TaskThread<TestTasks> {
    const file = new URL('./tasks', import.meta.url)
    const thread = createTaskThread<TestTasks>({ file, workerData, onEnd: () => ends.emit('end') })
    opened.push(thread)
    return thread
  }
  afterEach(async () => void (await Promise.all(opened.splice(0).map((thread) => thread.terminate()))))

  async function expectEnded(task: Promise<unknown>): Promise<string> {
    const error = await thrownBy(task)
    expect(error).to.be.instanceOf(ThreadEndedError)
    return (error as { cause: Error }).cause.message
  }

  it('runs the tasks one after another, in order, and starts with the first', async () => {
    const thread = create()
    expect(thread.isInUse()).to.equal(false)
    const counts = await Promise.all(Array.from({ length: 5 }, () => thread.run('count', [])))
    expect(counts).to.deep.equal([1, 2, 3, 4, 5])
    expect(await thread.run('echo', [Float32Array.of(1, 2)])).to.deep.equal(Float32Array.of(1, 2))
    expect(thread.isInUse()).to.equal(true)
  })

  it('goes on after a task that throws, and reveals the code of its error only', async () => {
    const thread = create()
    const errors = [await thrownBy(thread.run('fail', [])), await thrownBy(thread.run('returnFunction', []))]
    for (const error of errors) expect(error).to.be.instanceOf(TaskError)
    expect(errors.map((error) => (error as TaskError).code)).to.deep.equal(['FAULT', 'DataCloneError'])
    expect(String((errors[0] as Error).stack)).to.not.match(/secret/)
    expect(await thrownBy(thread.run('echo', [() => undefined]))).to.be.instanceOf(Error)
    expect(await thread.run('count', [])).to.equal(1)
  })

  it('terminates a task at its time limit, and runs those behind it in another thread', async () => {
    const thread = create()
    expect(await thread.run('count', [])).to.equal(1)
    const [hung, next] = [thread.run('hang', [], { timeoutMs: 50 }), thread.run('count', [])]
    expect(await expectEnded(hung)).to.equal('no answer within 50 ms')
    expect(await next).to.equal(1)
  })

  it('terminates a task that has used up its time of the processor', async () => {
    const thread = create()
    expect(await thread.run('count', [])).to.equal(1)
    const [hung, next] = [thread.run('hang', [], { cpuMs: 100 }), thread.run('count', [])]
    expect(await thrownBy(hung)).to.include({ code: 'THREAD_CPU_LIMIT' })
    expect(await next).to.equal(1)
    expect(await thrownBy(create().run('hang', [], { cpuMs: 100 }))).to.include({ code: 'THREAD_CPU_LIMIT' })
  })

  it('keeps a thread that is late without having had the processor, task after task', async () => {
    const thread = create()
    for (const calls of [1, 2]) {
      expect(await thread.run('starve', [400], { cpuMs: 100 })).to.equal('timed-out')
      expect(await thread.run('count', [], { cpuMs: 100 })).to.equal(calls)
    }
  })

  it('gives each task its own time of the processor', async () => {
    const thread = create()
    for (let i = 0; i < 4; i++) expect(await thread.run('spin', [60], { cpuMs: 200 })).to.equal('done')
    expect(await thread.run('count', [])).to.equal(1)
  })

  it('does not count waiting as time of the task', async () => {
    const thread = create()
    await thread.run('count', [])
    const busy = thread.run('wait', [600])
    expect(await thread.run('echo', ['after'], { timeoutMs: 500 })).to.equal('after')
    await busy
  })

  it('runs the tasks behind one that ended the thread in another', async () => {
    const thread = create()
    const tasks = [thread.run('exit', []), thread.run('count', []), thread.run('crash', []), thread.run('count', [])]
    expect(await expectEnded(tasks[0]!)).to.equal('exit code 3')
    expect(await tasks[1]).to.equal(1)
    expect(await expectEnded(tasks[2]!)).to.equal('a bug')
    expect(await thrownBy(tasks[2]!)).to.include({ code: 'TypeError' })
    expect(await tasks[3]).to.equal(1)
  })

  it('says that it has ended, and starts again with the next task', async () => {
    const thread = create()
    const ended = once(ends, 'end')
    await thread.run('exitSoon', [])
    await ended
    expect(thread.isInUse()).to.equal(false)
    expect(await thread.run('count', [])).to.equal(1)
  })

  it('fails every task while its file cannot be loaded, and says why', async () => {
    const thread = create('broken')
    for (const task of [thread.run('count', []), thread.run('count', [])])
      expect(await expectEnded(task)).to.equal('cannot load')
    expect(await thrownBy(thread.run('count', []))).to.include({ code: 'BROKEN' })
  })

  it('drops an aborted task that waits, and finishes one that runs', async () => {
    const thread = create()
    const stop = new AbortController()
    const running = thrownBy(thread.run('count', [], { signal: stop.signal }))
    await until('the thread has started', () => thread.isInUse())
    const waiting = thrownBy(thread.run('count', [], { signal: stop.signal }))
    const behind = thread.run('count', [])
    stop.abort('left')
    expect(await Promise.all([running, waiting])).to.deep.equal(['left', 'left'])
    expect(await behind).to.equal(2)
    expect(await thrownBy(thread.run('count', [], { signal: stop.signal }))).to.equal('left')
  })

  it('ends the running and the waiting tasks when it is terminated', async () => {
    const thread = create()
    const tasks = [thread.run('hang', []), thread.run('count', [])].map(expectEnded)
    await thread.terminate()
    expect(await Promise.all(tasks)).to.deep.equal(['terminated', 'terminated'])
    expect(thread.isInUse()).to.equal(false)
  })
})

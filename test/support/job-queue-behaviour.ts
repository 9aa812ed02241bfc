import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { UnavailableError } from '../../runtime/errors.js'
import { createLogger } from '../../runtime/logger.js'
import type { JobContext, QueueSettings } from '../../workers/context.js'
import type { Jobs } from '../../workers/job.js'
import { createJobQueue, startJobWorker, type JobQueue, type JobWorker } from '../../workers/queue.js'
import { startSchedule } from '../../workers/repeat-jobs.js'
import { startSeverableProxy, type SeverableUrl } from './severable.js'
import { gate, until } from './states.js'

const logger = createLogger('silent')

/**
 * Describes what relay and pool rely on, whatever stores the jobs. `createQueueSettings` returns an empty queue behind the given URL;
 * `endLock` turns a running job into one whose worker has been dead for a while.
 */
export function behavesAsJobQueue(
  serviceUrl: () => string,
  createQueueSettings: (url: string) => QueueSettings,
  forgetAll: (settings: QueueSettings) => Promise<void>,
  endLock: (settings: QueueSettings, id: string) => Promise<void>,
): void {
  let way: SeverableUrl
  let settings: QueueSettings
  let queue: JobQueue
  let workers: JobWorker[]

  beforeEach(async () => {
    way = await startSeverableProxy(serviceUrl())
    settings = createQueueSettings(way.url)
    queue = createJobQueue('indexing', settings, logger)
    workers = []
  })
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop(1_000)))
    await queue.stop()
    await way.cut()
  })

  function work(handler: (name: string, payload: unknown, id: string) => Promise<unknown>, concurrency = 2): JobWorker {
    const worker = startJobWorker('indexing', settings, handler, { concurrency, logger, queue })
    workers.push(worker)
    return worker
  }
  const job = (ids: string[] = [randomUUID()]) => {
    const id = randomUUID()
    return { name: 'indexMemories', id, payload: { tenantId: 'tenant', ticket: id, ids } } as const
  }
  const seen: { name: string; payload: unknown; id: string }[] = []
  const note = (name: string, payload: unknown, id: string) => Promise.resolve(seen.push({ name, payload, id }))
  const wasSeen = (id: string) => seen.some((entry) => entry.id === id)

  it('gives each job with its payload to one worker', async () => {
    const jobs = [job(), job(), job()]
    await queue.add(jobs)
    work(note)
    work(note)
    await until('every job is handled', () => jobs.every(({ id }) => wasSeen(id)))
    const handled = seen.filter(({ id }) => jobs.some((each) => each.id === id))
    expect(handled).to.have.deep.members(jobs)
  })

  it('accepts a job id once', async () => {
    const one = job()
    await queue.add([one])
    await queue.add([one])
    work(note)
    await until(
      'the one job is handled and gone',
      async () => wasSeen(one.id) && (await queue.missing([one.id])).length === 1,
    )
    expect(seen.filter(({ id }) => id === one.id)).to.have.length(1)
  })

  it('knows waiting and running jobs, and none that are done, failed or unknown', async () => {
    const [waiting, good, bad, stranger] = [job(), job(), job(), randomUUID()]
    const [begun, release] = [gate(), gate()]
    await queue.add([good, bad])
    work(async (_name, _payload, id) => {
      if (id === bad.id) throw new Error('no')
      begun.open()
      await release.opened
    }, 1)
    await begun.opened
    await queue.add([waiting])
    expect(await queue.missing([waiting.id, good.id, stranger])).to.deep.equal([stranger])
    release.open()
    await until('every job is gone', async () =>
      expect((await queue.missing([waiting.id, good.id, bad.id])).length).to.equal(3),
    )
  })

  it('waits for the running job when it stops', async () => {
    const [begun, release] = [gate(), gate()]
    let isDone = false
    await queue.add([job()])
    const worker = work(async () => {
      begun.open()
      await release.opened
      isDone = true
    })
    await begun.opened
    const stopped = worker.stop(10_000)
    release.open()
    await stopped
    expect(isDone).to.equal(true)
  })

  it('does not wait forever for a job that does not end', async () => {
    const begun = gate()
    const release = gate()
    await queue.add([job()])
    const worker = work(async () => {
      begun.open()
      await release.opened
    })
    await begun.opened
    await worker.stop(50)
    release.open()
  })

  it('reports that it answers, and that it is unavailable', async () => {
    expect(await queue.health()).to.equal(null)
    await way.cut()
    expect(await queue.health()).to.have.property('reason', 'unreachable')
    const refused = await queue.add([job()]).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(UnavailableError).and.to.include({ dependency: 'queue' })
  })

  it('continues once it is back, queue and workers alike', async () => {
    const [first, second] = [job(), job()]
    work(note)
    await queue.add([first])
    await until('the job is handled', () => wasSeen(first.id))
    await way.cut()
    expect(await queue.health()).to.have.property('reason', 'unreachable')
    await way.restore()
    await until('the queue is healthy', async () => expect(await queue.health()).to.equal(null))
    await queue.add([second])
    await until('the job is handled', () => wasSeen(second.id))
  })

  it('begins to work when it starts after its workers', async () => {
    await way.cut()
    work(note)
    expect(await queue.health()).to.have.property('reason', 'unreachable')
    await way.restore()
    const late = job()
    await until('the queue takes a job again', () =>
      queue.add([late]).then(
        () => true,
        () => false,
      ),
    )
    await until('the job is handled', () => wasSeen(late.id))
  })

  it('continues after it has lost every job', async () => {
    const [lost, next] = [job(), job()]
    await queue.add([lost])
    await forgetAll(createQueueSettings(serviceUrl()))
    expect(await queue.missing([lost.id])).to.deep.equal([lost.id])
    work(note)
    await queue.add([next])
    await until('the job is handled', () => wasSeen(next.id))
    expect(wasSeen(lost.id)).to.equal(false)
  })

  it('removes ids from payloads: of waiting and running jobs, and of jobs of dead workers', async () => {
    const [gone, kept] = [randomUUID(), randomUUID()]
    const [atWork, orphaned, waiting] = [job([gone]), job([gone]), job([gone, kept])]
    const release = gate()
    const begun = new Set<string>()
    await queue.add([atWork, orphaned])
    work(async (name, payload, id) => {
      begun.add(id)
      if (id !== waiting.id) await release.opened
      await note(name, payload, id)
    })
    await until('both jobs have begun', () => expect(begun.size).to.equal(2))
    await queue.add([waiting])
    await endLock(settings, orphaned.id)
    expect(await queue.mentioning([gone])).to.equal(3)
    await queue.forget([gone])
    expect(await queue.mentioning([gone])).to.equal(0)
    expect(await queue.mentioning([kept])).to.equal(1)
    expect(await queue.missing([atWork.id, orphaned.id, waiting.id])).to.deep.equal([])
    release.open()
    await until('both jobs are handled', () => wasSeen(atWork.id) && wasSeen(waiting.id))
    expect(seen.find(({ id }) => id === atWork.id)!.payload).to.deep.include({ ids: [gone] })
    expect(seen.find(({ id }) => id === waiting.id)!.payload).to.deep.include({ ids: [kept] })
  })

  it('repeats exactly the jobs that it was last given, each with its payload', async () => {
    const repeated = (tenantId: string) => ({
      id: `forge-${tenantId}`,
      name: 'tickForge',
      everyMs: 50,
      payload: { tenantId },
    })
    const runs = (tenantId: string) =>
      seen.filter(({ payload }) => (payload as { tenantId?: string }).tenantId === tenantId)
    const [one, two] = [randomUUID(), randomUUID()]
    await queue.repeatOnly([repeated(one), repeated(two)])
    await queue.repeatOnly([repeated(one), repeated(two)])
    work(note)
    await until('both are repeated', () => runs(one).length > 2 && runs(two).length > 2)
    expect(runs(one)[0]).to.deep.include({ name: 'tickForge', payload: { tenantId: one } })
    // Each has the slot in its id, so that nobody runs one twice.
    const ids = runs(one).map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    for (const id of ids) expect(Number(id.slice(id.lastIndexOf(':') + 1))).to.be.closeTo(Date.now(), 60_000)
    await queue.repeatOnly([repeated(one)])
    const isRepeatedOn = async () => {
      const before = runs(one).length
      await until('one is repeated on', () => runs(one).length > before + 2)
    }
    // What was due before may still run, before what is due now.
    await isRepeatedOn()
    const ended = runs(two).length
    await isRepeatedOn()
    expect(runs(two).length).to.equal(ended)
    await queue.repeatOnly([])
  })

  it('has a repeated job again after losing everything', async () => {
    const handled: string[] = []
    const jobs = [{ id: 'outdateMemories', name: 'outdateMemories', everyMs: 50 }]
    await queue.repeatOnly(jobs)
    work((name) => Promise.resolve(handled.push(name)))
    await until('the job has run three times', () => expect(handled.length).to.be.at.least(3))
    await forgetAll(settings)
    const before = handled.length
    await until('the job has run three more times', async () => {
      await queue.repeatOnly(jobs)
      return handled.length >= before + 3
    })
    expect(new Set(handled)).to.deep.equal(new Set(['outdateMemories']))
  })

  describe('that another release has used', () => {
    const HOUR_MS = 3600_000
    let runs: Record<string, number>
    const repeated = (name: string, everyMs: number) => ({
      queue: 'lifecycle' as const,
      repeatedBy: 'queue' as const,
      everyMs,
      run: () => Promise.resolve(void (runs[name] = (runs[name] ?? 0) + 1)),
    })
    /** Runs a release with these jobs until each has run as often as it says, and as many wait for their next time. */
    async function release(jobs: Jobs, expected: Record<string, number>, delayed: number): Promise<void> {
      const lifecycle = createJobQueue('lifecycle', settings, logger)
      const context = { queue: settings, logger, metrics: { job: () => undefined } } as unknown as JobContext
      const schedule = startSchedule(context, jobs)
      try {
        await until('the jobs have run, and wait', async () => {
          expect(runs).to.deep.equal(expected)
          return expect(await lifecycle.counts()).to.deep.equal({ waiting: 0, active: 0, delayed })
        })
      } finally {
        await schedule.stop(1_000)
        await lifecycle.stop()
      }
    }

    it('repeats neither what is gone nor at the former interval, and the rest as before', async () => {
      runs = {}
      const kept = repeated('kept', HOUR_MS)
      const former = { kept, changed: repeated('changed', HOUR_MS), gone: repeated('gone', HOUR_MS) }
      await release(former, { kept: 1, changed: 1, gone: 1 }, 3)
      const later = { kept, changed: repeated('changed', 2 * HOUR_MS), added: repeated('added', HOUR_MS) }
      await release(later, { kept: 1, changed: 2, gone: 1, added: 1 }, 3)
      await release({ kept }, { kept: 1, changed: 2, gone: 1, added: 1 }, 1)
    })
  })
}

import { withTimeout } from '../../runtime/clock.js'
import { listOptedIn } from '../../store/tenants/opted-in.js'
import type { JobContext } from '../context.js'
import { describeFailure } from '../failures.js'
import { type Jobs, triggeredJobs, type TriggeredPayload } from '../job.js'
import { createJobQueue, type JobQueue, startJobWorker } from '../queue.js'
import { keepRepeated, repeat } from '../repeat-jobs.js'
import { takeTurns } from './take-turns.js'

export interface RunningForge {
  /** Lets an active run be released, for up to `limitMs`. */
  stop(limitMs: number): Promise<void>
}

/** Interval in which runs are looked for that wait in PostgreSQL though no job told of them, or whose worker died. */
const LOOK_MS = 5_000
const HOUR_MS = 3600_000

/**
 * Works on the runs of the Forge, one at a time in this process. The queue only says when: runs and the order of their turns stand in
 * PostgreSQL. A job is done once its run is stored, so that no slot of a tenant waits in the queue, unseen, for another's run.
 */
export function startForge(context: JobContext, jobs: Jobs): RunningForge {
  const { logger, store } = context
  const known = new Map(triggeredJobs(jobs))
  const stopping = new AbortController()
  const queue = createJobQueue('forge', context.queue, logger)
  const turns = createTurnTaker(context)

  async function handle(name: string, payload: unknown, id: string): Promise<void> {
    const job = known.get(name)
    if (!job) throw new Error('unknown job')
    try {
      await job.run?.(context, payload as TriggeredPayload, id)
    } catch (error) {
      logger.warn({ job: name, id, failure: describeFailure(error) }, 'a run of the Forge was not stored')
      throw error
    }
    turns.take()
  }

  const worker = startJobWorker('forge', context.queue, handle, { concurrency: 1, logger, queue })
  const loops = [
    repeat(LOOK_MS, stopping.signal, () => Promise.resolve(turns.take())),
    keepRepeated(queue, stopping.signal, async () =>
      (await store.asSystem(listOptedIn)).map(({ tenantId, everyHours }) => ({
        id: schedulerId(tenantId),
        name: 'tickForge',
        everyMs: everyHours * HOUR_MS,
        payload: { tenantId },
      })),
    ),
  ]
  return {
    async stop(limitMs) {
      stopping.abort()
      await Promise.all([worker.stop(limitMs), turns.end(limitMs), ...loops])
      await queue.stop()
    },
  }
}

interface TurnTaker {
  /** Begins to take turns, or looks once more when it has none any more. */
  take(): void
  /** Waits up to `limitMs` for the turn at hand, which the stop of the process interrupts. */
  end(limitMs: number): Promise<void>
}

function createTurnTaker(context: JobContext): TurnTaker {
  let isAsked = false
  let taking: Promise<void> | undefined

  async function takeAll(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await takeTurns(context).catch((error: unknown) =>
        context.logger.warn({ failure: describeFailure(error) }, 'a run of the Forge was interrupted'),
      )
    }
    taking = undefined
  }

  return {
    take() {
      isAsked = true
      taking ??= takeAll()
    },
    end: async (limitMs) => void (await withTimeout(limitMs, Promise.resolve(taking)).catch(() => undefined)),
  }
}

/** Tells the workers of runs that wait; one of which they are told already is told once. */
export async function publishRuns(
  queue: Pick<JobQueue, 'add'>,
  runs: readonly { readonly tenantId: string; readonly runId: string }[],
): Promise<void> {
  if (runs.length === 0) return
  await queue.add(runs.map(({ tenantId, runId }) => ({ name: 'runForge', id: runId, payload: { tenantId } })))
}

/** Returns the id of a tenant's scheduler; a colon would be read as part of the queue's own key. */
function schedulerId(tenantId: string): string {
  return `forge-${encodeURIComponent(tenantId)}`
}

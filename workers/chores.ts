import { setTimeout as sleep } from 'node:timers/promises'
import { describeFailure, isOutage } from './isolate.js'
import { observeJob } from './observe-job.js'
import type { Chore, ChoreName, Chores, JobContext, QueueName } from './jobs.js'

export interface RunningChores {
  /** Resolves when no chore is running any more. */
  stop(): Promise<void>
}

/** Starts each chore of these queues at once, and again every interval after it has ended. */
export function startChores(context: JobContext, chores: Chores, queues: readonly QueueName[]): RunningChores {
  const stopping = new AbortController()
  const loops = (Object.entries(chores) as [ChoreName, Chore][])
    .filter(([, chore]) => queues.includes(chore.queue))
    .map(([name, chore]) => repeat(context, name, chore, stopping.signal))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function repeat(context: JobContext, name: ChoreName, chore: Chore, signal: AbortSignal): Promise<void> {
  let isFailing = false
  while (!signal.aborted) {
    try {
      await observeJob(context, name, () => chore.run(context, signal))
      isFailing = false
    } catch (error) {
      // An outage is logged once, not every second.
      if (!isFailing || !isOutage(error))
        context.logger.warn({ chore: name, failure: describeFailure(error) }, 'chore failed')
      isFailing = true
    }
    await sleep(chore.everyMs, undefined, { signal }).catch(() => undefined)
  }
}

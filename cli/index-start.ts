import { setTimeout as sleep } from 'node:timers/promises'
import { UnavailableError } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import type { SearchIndex } from '../search/search-index.js'
import { enqueueAll } from '../store/outbox/outbox-upkeep.js'
import type { Store } from '../store/store.js'

export interface IndexStart {
  /** Ends what still goes on in the background; a seeding that is broken off begins again with the next start. */
  stop(): Promise<void>
}

export interface IndexStartOptions {
  readonly index: SearchIndex
  readonly store: Store
  readonly logger: Logger
  /** Whether this process enqueues every row when the index is fresh. */
  readonly seeds: boolean
}

const PAUSE_MS = { first: 500, longest: 10_000 }

/**
 * Makes the index if it is missing. An engine that is away does not hold up the start, since writes are taken without it and
 * recall answers from Postgres: it is tried again in the background. A fresh index gets every row of Postgres enqueued there.
 */
export async function startIndex({ index, store, logger, seeds }: IndexStartOptions): Promise<IndexStart> {
  const stopping = new AbortController()
  const { signal } = stopping

  async function started(): Promise<boolean> {
    try {
      await index.start()
      return true
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      logger.warn({ engine: index.engine, failure: causeOf(error) }, 'search engine is away, trying again')
      return false
    }
  }

  /** Once the process runs, nothing about the index ends it. */
  async function startedLater(): Promise<boolean> {
    try {
      return await started()
    } catch (error) {
      logger.error({ engine: index.engine, err: error }, 'the index does not start, trying again')
      return false
    }
  }

  async function seed(): Promise<boolean> {
    try {
      if (!seeds || !index.fresh) return true
      const rows = await enqueueAll(store, { signal })
      await index.seeded()
      if (rows > 0) logger.info({ engine: index.engine, rows }, 'the index is new: every row is enqueued')
      return true
    } catch (error) {
      if (!signal.aborted)
        logger.warn({ engine: index.engine, failure: causeOf(error) }, 'seeding the index failed, trying again')
      return false
    }
  }

  async function repeat(work: () => Promise<boolean>): Promise<void> {
    for (let pause = PAUSE_MS.first; !signal.aborted && !(await work()); pause = Math.min(pause * 2, PAUSE_MS.longest))
      await sleep(pause, undefined, { signal }).catch(() => undefined)
  }

  const atOnce = await started()
  const background = (async () => {
    if (!atOnce) await repeat(startedLater)
    await repeat(seed)
  })()
  return {
    stop: () => {
      stopping.abort()
      return background
    },
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error ? cause.message : (error as Error).message
}

import { randomUUID } from 'node:crypto'
import { freshnessWindow } from '../../domain/forge/traces.js'
import type { ForgeProgress } from '../../domain/forge/run-record.js'
import { claimRun, type ClaimedRun, type DueRun, finishRun, releaseRun, renewRun } from '../../store/forge/runs.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import { describeFailure, isOutage } from '../failures.js'
import { clusterParts } from './cluster-parts.js'
import { createRunRecord, type RunRecord } from './run-record.js'
import type { RunWork } from './run-work.js'
import { createRunModel } from './word-skill.js'
import { LostRunError, writeSkill } from './write-skill.js'

const LEASE_MS = 60_000
/** Times that a run is begun: one that ends its worker again and again is given up. */
const MOST_ATTEMPTS = 3

/**
 * Runs the Forge over one tenant, unless another worker has the run, or has another run of this tenant. A run that an
 * outage interrupts waits for the end of its lease; one that a stop of the process interrupts waits for another worker.
 */
export async function runForge(context: JobContext, { tenantId, runId }: DueRun): Promise<void> {
  const { store, clock, logger } = context
  const { leaseMs = LEASE_MS } = context.forge
  const claim = { runId, owner: randomUUID(), leaseMs, at: new Date(clock.now()) }
  const run = await store.transact({ tenantId }, (writer) => claimRun(writer, claim))
  if (run === null) return
  const lease = keepLease(context, run, leaseMs)
  try {
    await runClaimed(context, run, lease)
  } catch (error) {
    if (context.stopping.aborted) {
      await store.transact({ tenantId }, (writer) => releaseRun(writer, run))
      return
    }
    if (lease.signal.aborted || error instanceof LostRunError) {
      logger.warn({ run: runId, tenantId }, 'another worker has the run of the Forge')
      return
    }
    if (isOutage(error)) throw error
    logger.warn({ run: runId, tenantId, failure: describeFailure(error) }, 'a run of the Forge failed')
    await end(context, run, 'failed', createRunRecord(run.result), describeFailure(error))
  } finally {
    lease.stop()
  }
}

interface Lease {
  /** Aborted when the process stops, or the run belongs to another worker. */
  readonly signal: AbortSignal
  tell(progress: ForgeProgress): void
  stop(): void
}

/** Renews the lease until it is stopped. Between renewals nobody else has the run, as far as one clock tells. */
function keepLease({ store, stopping }: JobContext, run: ClaimedRun, leaseMs: number): Lease {
  const lost = new AbortController()
  let progress: ForgeProgress = {}
  let until = performance.now() + leaseMs
  const renew = async () => {
    const sentAt = performance.now()
    const isMine = await store.transact({ tenantId: run.tenantId }, (writer) =>
      renewRun(writer, run, { leaseMs, progress }),
    )
    if (!isMine) lost.abort(new LostRunError())
    until = sentAt + leaseMs
  }
  const timer = setInterval(() => {
    void renew().catch(() => {
      // Without PostgreSQL the lease runs out, and whoever can reach it takes the run over.
      if (performance.now() > until) lost.abort(new LostRunError())
    })
  }, leaseMs / 4).unref()
  return {
    signal: AbortSignal.any([lost.signal, stopping]),
    tell: (now) => void (progress = now),
    stop: () => clearInterval(timer),
  }
}

async function runClaimed(context: JobContext, run: ClaimedRun, lease: Lease): Promise<void> {
  const { store, clock } = context
  const { tenantId } = run
  // What a dry run would have done is not done: another worker begins it again.
  const record = createRunRecord(run.dryRun ? {} : run.result)
  if (run.attempts > MOST_ATTEMPTS) {
    await end(context, run, 'failed', record, `its worker ended ${MOST_ATTEMPTS} times before it was done`)
    return
  }
  const { skills_factory: settings } = await store.read({ tenantId }, readSettings)
  if (!settings.enabled) {
    await end(context, run, 'failed', record, 'the tenant has switched skills_factory.enabled off')
    return
  }
  const { languageModel, budget } = context.forge
  const work: RunWork = {
    context,
    run,
    settings,
    window: freshnessWindow(clock.now(), settings.forge.freshness_window_days),
    limits: { descriptionMaxBytes: settings.description_max_bytes, contentMaxBytes: settings.body_max_bytes },
    record,
    model: languageModel && createRunModel(languageModel, budget, run.dryRun ? null : run.result.model),
    signal: lease.signal,
    tell: (phase, done, of) => lease.tell({ phase, done, of }),
    resultWith(candidate) {
      const next = createRunRecord({ candidates: [...record.written(), candidate] })
      return next.result(work.model?.record() ?? null)
    },
  }
  await distil(work)
  const hasFailed = record.hasFailed()
  await end(context, run, hasFailed ? 'failed' : 'succeeded', record, hasFailed ? 'every cluster failed' : null, work)
}

/** Clusters part by part, then words and writes the best of all parts. */
async function distil(work: RunWork): Promise<void> {
  const { record, signal, model, run, context } = work
  const chosen = await clusterParts(work)
  for (const [done, { planned, distilled }] of chosen.entries()) {
    signal.throwIfAborted()
    work.tell('writing', done, chosen.length)
    const { memory } = await context.store.read({ tenantId: run.tenantId }, readSettings)
    const wording =
      model && distilled
        ? await model.word(distilled, { policy: memory.pii_policy, limits: work.limits, signal })
        : { skill: null, note: null }
    record.add(await writeSkill(work, planned, wording))
  }
}

async function end(
  context: JobContext,
  run: ClaimedRun,
  state: 'succeeded' | 'failed',
  record: RunRecord,
  error: string | null,
  work?: RunWork,
): Promise<void> {
  const { store, clock, metrics, logger } = context
  const at = new Date(clock.now())
  const result = record.result(work?.model?.record() ?? null)
  const ended = await store.transact({ tenantId: run.tenantId }, (writer) =>
    finishRun(writer, run, { at, state, result, error }),
  )
  if (!ended) throw new LostRunError()
  metrics.forgeRun(state, (at.getTime() - (run.startedAt ?? at).getTime()) / 1_000, result.outcomes ?? {})
  const { tenantId, runId, dryRun } = run
  logger.info({ tenantId, run: runId, dryRun, state, error, outcomes: result.outcomes }, 'the Forge ended a run')
}

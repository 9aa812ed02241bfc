import { randomUUID } from 'node:crypto'
import { freshnessWindow } from '../../domain/forge/traces.js'
import type { CandidateRecord, ForgeProgress } from '../../domain/forge/run-record.js'
import { dayOf } from '../../domain/forge/evidence.js'
import { claimRun, type ClaimedRun, finishRun, keepRun, releaseRun, renewRun } from '../../store/forge/runs.js'
import { type DueRun, othersWait } from '../../store/forge/turns.js'
import { addForgeUse, readForgeTokens } from '../../store/forge/usage.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import { describeFailure, isOutage } from '../failures.js'
import { clusterParts, giveUpParts } from './cluster-parts.js'
import type { PlannedSkill } from './plan-part.js'
import { readDistilled } from './read-distilled.js'
import { createRunRecord, type RunRecord } from './run-record.js'
import { beginTurn } from './run-time.js'
import type { RunWork } from './run-work.js'
import { createRunModel, type DayUse, type Wording } from './word-skill.js'
import { LostRunError, writeSkill } from './write-skill.js'

const LEASE_MS = 60_000
/** Times that a run is begun: one that ends its worker again and again is given up. */
const MOST_ATTEMPTS = 3

/** Ends of a turn: the run is over; it waits because another tenant's run waited; it is another worker's, or must not begin now. */
export type TurnEnd = 'over' | 'passed' | 'another'

/**
 * Gives a run of the Forge over one tenant a turn: until it is over, or another tenant's run waits when a part or a skill of it is done.
 * A run that an outage interrupts waits for the end of its lease; one that a stop of the process interrupts waits for another worker.
 */
export async function runForge(context: JobContext, { tenantId, runId }: DueRun): Promise<TurnEnd> {
  const { store, clock, logger } = context
  const { leaseMs = LEASE_MS } = context.forge
  const claim = { runId, owner: randomUUID(), leaseMs, at: new Date(clock.now()) }
  const run = await store.transact({ tenantId }, (writer) => claimRun(writer, claim))
  if (run === null) return 'another'
  const lease = keepLease(context, run, leaseMs)
  try {
    return await runClaimed(context, run, lease)
  } catch (error) {
    if (context.stopping.aborted) {
      await store.transact({ tenantId }, (writer) => releaseRun(writer, run))
      return 'passed'
    }
    if (lease.signal.aborted || error instanceof LostRunError) {
      logger.warn({ run: runId, tenantId }, 'another worker has the run of the Forge')
      return 'another'
    }
    if (isOutage(error)) throw error
    logger.warn({ run: runId, tenantId, failure: describeFailure(error) }, 'a run of the Forge failed')
    await end(context, run, 'failed', createRunRecord(run.result), describeFailure(error))
    return 'over'
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

async function runClaimed(context: JobContext, run: ClaimedRun, lease: Lease): Promise<TurnEnd> {
  const { skills_factory: settings } = await context.store.read({ tenantId: run.tenantId }, readSettings)
  const work = beginWork(context, run, settings, lease)
  const { record } = work
  if (run.attempts > MOST_ATTEMPTS) {
    const reason = `its worker ended ${MOST_ATTEMPTS} times before it was done`
    await giveUpParts(work, reason)
    await end(context, run, 'failed', record, reason, work)
    return 'over'
  }
  if (!settings.enabled) {
    await end(context, run, 'failed', record, 'the tenant has switched skills_factory.enabled off', work)
    return 'over'
  }
  if (!(await distil(work))) return 'passed'
  const hasFailed = record.hasFailed()
  await end(context, run, hasFailed ? 'failed' : 'succeeded', record, hasFailed ? 'every cluster failed' : null, work)
  return 'over'
}

/** Goes on with what earlier turns of the run have done, none where it begins. */
function beginWork(context: JobContext, run: ClaimedRun, settings: Settings['skills_factory'], lease: Lease): RunWork {
  const { store, clock } = context
  const { languageModel, budget, runMs } = context.forge
  const record = createRunRecord(run.result)
  const model = languageModel && createRunModel(languageModel, budget, dayUse(context, run.tenantId), run.result.model)
  const minutes = Math.min(settings.forge.max_minutes_per_run, runMs / 60_000)
  const time = beginTurn(clock, { spentMs: run.spentMs, minutes, isWorded: model !== null })
  let kept = run.result
  return {
    context,
    run,
    settings,
    window: freshnessWindow(clock.now(), settings.forge.freshness_window_days),
    limits: { descriptionMaxBytes: settings.description_max_bytes, contentMaxBytes: settings.body_max_bytes },
    record,
    time,
    model,
    signal: lease.signal,
    tell: (phase, done, of) => lease.tell({ phase, done, of }),
    resultWith(candidate) {
      const next = createRunRecord(kept)
      const known = new Set<CandidateRecord>(kept.candidates)
      for (const one of [...record.written(), candidate]) if (!known.has(one)) next.add(one)
      return next.result(model?.record() ?? null)
    },
    async keep(chosen) {
      const at = new Date(clock.now())
      const isWaited = await store.asSystem((system) => othersWait(system, run.tenantId, at))
      kept = record.result(model?.record() ?? null)
      const stored = {
        result: kept,
        kept: { skills: chosen.map(({ part, skill }) => ({ part, skill })) },
        spentMs: time.spentMs(),
        passedAt: isWaited ? at : null,
      }
      const isMine = await store.transact({ tenantId: run.tenantId }, (writer) => keepRun(writer, run, stored))
      if (!isMine) throw new LostRunError()
      return isWaited
    },
  }
}

/** Counts what the tenant's runs use of the language model, by days in UTC. */
function dayUse({ store, clock }: JobContext, tenantId: string): DayUse {
  return {
    tokens: () => store.read({ tenantId }, (reader) => readForgeTokens(reader, dayOf(clock.now()))),
    add: ({ input, output }) =>
      store.transact({ tenantId }, (writer) =>
        addForgeUse(writer, dayOf(clock.now()), { calls: 1, inputTokens: input, outputTokens: output }),
      ),
  }
}

/** Clusters part by part, then words and writes the best of all parts. Returns false when the turn is over before. */
async function distil(work: RunWork): Promise<boolean> {
  const { record, signal } = work
  const chosen = await clusterParts(work)
  if (chosen === null) return false
  for (const [done, planned] of chosen.entries()) {
    signal.throwIfAborted()
    work.tell('writing', done, chosen.length)
    record.add(await writeSkill(work, planned, await word(work, planned)))
    const others = chosen.slice(done + 1)
    if (others.length > 0 && (await work.keep(others))) return false
  }
  return true
}

async function word(
  { context, run, model, limits, signal, time, window }: RunWork,
  planned: PlannedSkill,
): Promise<Wording> {
  if (model === null) return { skill: null, note: null }
  const tenant = { tenantId: run.tenantId }
  const { memory } = await context.store.read(tenant, readSettings)
  const read = () => context.store.read(tenant, (reader) => readDistilled(reader, planned, window))
  return model.word(read, { policy: memory.pii_policy, limits, signal, time })
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

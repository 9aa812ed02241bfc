import { randomUUID } from 'node:crypto'
import { freshnessWindow } from '../../domain/forge/traces.js'
import type { ForgeProgress } from '../../domain/forge/run-record.js'
import { isoDay } from '../../domain/text/time-reference.js'
import { claimRun, type ClaimedRun, finishRun, keepRun, releaseRun, renewRun } from '../../store/forge/runs.js'
import { type DueRun, othersWait } from '../../store/forge/turns.js'
import { addUse, readTokens } from '../../store/model-use.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { JobContext } from '../context.js'
import { describeFailure, isOutage } from '../failures.js'
import { clusterParts, giveUpParts, leaveParts } from './cluster-parts.js'
import type { PlannedSkill } from './plan-part.js'
import { readDistilled } from './read-distilled.js'
import { createRunRecord } from './run-record.js'
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
  let work: RunWork | undefined
  try {
    const { skills_factory: settings } = await store.read({ tenantId }, readSettings)
    work = beginWork(context, run, settings, lease)
    return await runClaimed(work)
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
    if (work) await leaveParts(work).catch(throwOutage)
    await end(context, run, { state: 'failed', error: describeFailure(error), work })
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

function throwOutage(error: unknown): void {
  if (isOutage(error)) throw error
}

async function runClaimed(work: RunWork): Promise<TurnEnd> {
  const { context, run, settings } = work
  const fail = async (error: string) => {
    await end(context, run, { state: 'failed', error, work })
    return 'over' as const
  }
  if (run.attempts > MOST_ATTEMPTS) {
    const reason = `its worker ended ${MOST_ATTEMPTS} times before it was done`
    await giveUpParts(work, reason)
    return fail(reason)
  }
  if (!settings.enabled) return fail('the tenant has switched skills_factory.enabled off')
  if (!(await distil(work))) return 'passed'
  if (work.record.hasFailed()) return fail('every cluster failed')
  await end(context, run, { state: 'succeeded', error: null, work })
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
  const isWaited = () => store.asSystem((system) => othersWait(system, run.tenantId, new Date(clock.now())))
  async function keep(chosen: readonly PlannedSkill[], passes: boolean): Promise<boolean> {
    const kept = {
      result: record.keep(model?.record() ?? null),
      kept: { skills: chosen.map(({ part, skill }) => ({ part, skill })) },
      spentMs: time.spentMs(),
      passes,
    }
    if (!(await store.transact({ tenantId: run.tenantId }, (writer) => keepRun(writer, run, kept))))
      throw new LostRunError()
    return passes
  }
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
    keep: async (chosen) => keep(chosen, await isWaited()),
    pass: async (chosen) => (await isWaited()) && keep(chosen, true),
  }
}

/** Counts what the tenant's runs use of the language model, by days in UTC. */
function dayUse({ store, clock }: JobContext, tenantId: string): DayUse {
  return {
    tokens: () => store.read({ tenantId }, (reader) => readTokens(reader, 'forge_usage', isoDay(clock.now()))),
    add: ({ input, output }) =>
      store.transact({ tenantId }, (writer) =>
        addUse(writer, 'forge_usage', isoDay(clock.now()), { calls: 1, input_tokens: input, output_tokens: output }),
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
    if (others.length > 0 && (await work.pass(others))) return false
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
  { state, error, work }: { state: 'succeeded' | 'failed'; error: string | null; work: RunWork | undefined },
): Promise<void> {
  const { store, clock, metrics, logger } = context
  const at = new Date(clock.now())
  const record = work?.record ?? createRunRecord(run.result)
  const result = record.result(work?.model?.record() ?? null)
  const ended = await store.transact({ tenantId: run.tenantId }, (writer) =>
    finishRun(writer, run, { at, state, result, error }),
  )
  if (!ended) throw new LostRunError()
  metrics.forgeRun(state, (at.getTime() - (run.startedAt ?? at).getTime()) / 1_000, result.outcomes ?? {})
  const { tenantId, runId, dryRun } = run
  logger.info({ tenantId, run: runId, dryRun, state, error, outcomes: result.outcomes }, 'the Forge ended a run')
}

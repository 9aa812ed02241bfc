import type { Distilled } from '../../domain/forge/distil.js'
import type { OutcomeLabel } from '../../domain/forge/outcome.js'
import type { PartRecord } from '../../domain/forge/run-record.js'
import type { Part } from '../../domain/forge/traces.js'
import { listParts } from '../../store/forge/evidence.js'
import { lockRun, readLastResult } from '../../store/forge/runs.js'
import { saveTraces } from '../../store/forge/traces.js'
import { confirmSkills } from '../../store/skills/expiry.js'
import { describeFailure, isOutage } from '../failures.js'
import { TaskError, ThreadEndedError } from '../../runtime/threads/task-thread.js'
import type { ForgeResult } from '../../domain/forge/run-record.js'
import { type PlannedSkill, planPart, recordOf } from './plan-part.js'
import { numberOfMemories, type ThreadedPart, thinkThrough } from './part-thread.js'
import type { RunWork } from './run-work.js'
import { LostRunError, passGatesAgain } from './write-skill.js'

/** A skill that will be written, with its memories where a model will word it. */
interface ChosenSkill {
  readonly planned: PlannedSkill
  readonly distilled: Distilled | null
}

/** Number of outcomes of traces that are stored in one transaction. */
const PAGE_TRACES = 1_000

/**
 * Reads and clusters the tenant's parts one after another, and returns the best skills of all of them: as many as the run
 * may still write, those first that the last run deferred. The others are named in the record.
 */
export async function clusterParts(work: RunWork): Promise<readonly ChosenSkill[]> {
  const { context, run, window, record, settings, signal } = work
  const tenant = { tenantId: run.tenantId }
  const parts = await context.store.read(tenant, (reader) => listParts(reader, window))
  const isFirst = deferredIn(run.dryRun ? null : await context.store.read(tenant, readLastResult))
  const most = Math.max(0, settings.forge.max_writes_per_run - record.written().length)
  let chosen: ChosenSkill[] = []
  for (const [done, part] of parts.entries()) {
    signal.throwIfAborted()
    work.tell('clustering', done, parts.length)
    const ranked = [...chosen, ...(await clusterPart(work, part, isFirst, most))].sort((a, b) =>
      compare(a.planned, b.planned, isFirst),
    )
    chosen = ranked.slice(0, most)
    for (const { planned } of ranked.slice(most)) defer(work, planned)
  }
  return chosen
}

type IsFirst = (planned: Pick<PlannedSkill, 'part' | 'skill'>) => boolean

/** Returns true for skills that the last run left out because its writes were used up. */
function deferredIn(last: ForgeResult | null): IsFirst {
  const keyOf = (fleetId: string | null, fingerprint: string) => `${fingerprint} ${fleetId ?? ''}`
  const deferred = new Set(
    (last?.candidates ?? [])
      .filter(({ outcome }) => outcome === 'deferred')
      .map(({ fleet_id, fingerprint }) => keyOf(fleet_id, fingerprint)),
  )
  return ({ part, skill }) => deferred.has(keyOf(part.fleetId, skill.fingerprint))
}

function compare(a: PlannedSkill, b: PlannedSkill, isFirst: IsFirst): number {
  return (
    Number(isFirst(b)) - Number(isFirst(a)) ||
    b.skill.weight - a.skill.weight ||
    (a.skill.fingerprint < b.skill.fingerprint ? -1 : 1)
  )
}

function defer({ record, settings }: RunWork, { part, skill, known }: PlannedSkill): void {
  const reason = `the run's ${settings.forge.max_writes_per_run} writes are used up; it comes first next time`
  record.add({ ...recordOf(part, skill), outcome: 'deferred', doc_id: known?.docId ?? null, reason })
}

/** Clusters one part. A thread that fails, dies or takes too long fails this part alone. */
async function clusterPart(work: RunWork, part: Part, isFirst: IsFirst, most: number): Promise<ChosenSkill[]> {
  const { context, run, window, limits, record, signal } = work
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  let threaded: ThreadedPart
  try {
    const request = { tenantId: run.tenantId, part, window, limits }
    threaded = await thinkThrough(context, request, signal, context.forge.thread)
  } catch (error) {
    if (!(error instanceof TaskError || error instanceof ThreadEndedError)) throw error
    context.logger.warn(
      { run: run.runId, failure: describeFailure(error), code: error.code },
      'a part of the Forge failed',
    )
    record.addPart({ ...emptyPart(part), error: failureOf(error), seconds: seconds() })
    return []
  }
  try {
    await saveOutcomes(work, threaded)
    const chosen = await choose(work, part, threaded, isFirst, most)
    record.addPart({ ...partRecord(part, threaded), seconds: seconds() })
    return chosen
  } catch (error) {
    if (signal.aborted || isOutage(error) || error instanceof LostRunError) throw error
    context.logger.warn({ run: run.runId, failure: describeFailure(error) }, 'a part of the Forge failed')
    record.addPart({
      ...partRecord(part, threaded),
      state: 'failed',
      error: describeFailure(error),
      seconds: seconds(),
    })
    return []
  } finally {
    await threaded.end()
  }
}

function failureOf(error: TaskError | ThreadEndedError): string {
  const { cause } = error
  const isLate = cause instanceof Error && cause.message.startsWith('no answer within')
  return isLate ? `its thread took too long: ${cause.message}` : `its thread ended: ${error.code}`
}

/** Stores how the traces ended; a dry run stores nothing. */
async function saveOutcomes({ context, run }: RunWork, { answer }: ThreadedPart): Promise<void> {
  if (run.dryRun) return
  for (let i = 0; i < answer.traces.length; i += PAGE_TRACES)
    await context.store.transact({ tenantId: run.tenantId }, async (writer) => {
      if (!(await lockRun(writer, run))) throw new LostRunError()
      await saveTraces(writer, run.runId, answer.traces.slice(i, i + PAGE_TRACES))
    })
}

/** Notes of which active skills the work was seen again; a dry run notes nothing. */
async function confirm({ context, run }: RunWork, seen: ReadonlyMap<string, Date>): Promise<void> {
  if (run.dryRun || seen.size === 0) return
  await context.store.transact({ tenantId: run.tenantId }, async (writer) => {
    if (!(await lockRun(writer, run))) throw new LostRunError()
    await confirmSkills(writer, seen)
  })
}

async function choose(
  work: RunWork,
  part: Part,
  { answer, skillAt }: ThreadedPart,
  isFirst: IsFirst,
  most: number,
): Promise<ChosenSkill[]> {
  const { context, run, record, model } = work
  const at = new Date(context.clock.now())
  const plan = await context.store.read({ tenantId: run.tenantId }, (reader) =>
    planPart(reader, part, answer.proposals, at),
  )
  await confirm(work, plan.confirmed)
  // What an earlier worker of this run has written is in the record already.
  const written = new Set(record.written().map(({ doc_id }) => doc_id))
  for (const other of plan.others) if (other.doc_id === null || !written.has(other.doc_id)) record.add(other)
  for (const waiting of plan.waiting)
    if (!written.has(waiting.known.docId)) record.add(await passGatesAgain(work, waiting))
  const ranked = plan.writes.toSorted((a, b) => compare(a, b, isFirst))
  for (const planned of ranked.slice(most)) defer(work, planned)
  const chosen: ChosenSkill[] = []
  for (const [place, planned] of ranked.slice(0, most).entries()) {
    const isWorded = model?.isAvailable() && place < context.forge.budget.calls
    chosen.push({ planned, distilled: isWorded ? await skillAt(planned.skill.position) : null })
  }
  return chosen
}

function emptyPart({ fleetId }: Part): Omit<PartRecord, 'seconds'> {
  return {
    fleet_id: fleetId,
    state: 'failed',
    error: null,
    traces: 0,
    memories: 0,
    left_out: { traces: 0, memories: 0 },
    vectors: false,
    outcomes: { success: 0, failure: 0, unknown: 0 },
    clusters: 0,
    unfit: [],
  }
}

function partRecord(part: Part, { selection, hasVectors, answer }: ThreadedPart): Omit<PartRecord, 'seconds'> {
  const { traces, all } = selection
  const memories = numberOfMemories(traces)
  const labelled = (label: OutcomeLabel) => answer.traces.filter((trace) => trace.label === label).length
  return {
    ...emptyPart(part),
    state: 'succeeded',
    traces: traces.length,
    memories,
    left_out: { traces: all.traces - traces.length, memories: all.memories - memories },
    vectors: hasVectors,
    outcomes: { success: labelled('success'), failure: labelled('failure'), unknown: labelled('unknown') },
    clusters: answer.proposals.length + answer.unfit.reduce((sum, { clusters }) => sum + clusters, 0),
    unfit: answer.unfit,
  }
}

import { keyOfSkill, type LeftWork, leftBy } from '../../domain/forge/left-work.js'
import type { OutcomeLabel } from '../../domain/forge/outcome.js'
import type { ProposedSkill } from '../../domain/forge/proposed-skill.js'
import type { PartRecord } from '../../domain/forge/run-record.js'
import type { Part } from '../../domain/forge/traces.js'
import { listParts } from '../../store/forge/evidence.js'
import { lockRun, readLastResult } from '../../store/forge/runs.js'
import { saveTraces } from '../../store/forge/traces.js'
import { confirmSkills } from '../../store/skills/expiry.js'
import { describeFailure, isOutage } from '../failures.js'
import { TaskError, ThreadEndedError } from '../../runtime/threads/task-thread.js'
import { createPartTimes } from './part-times.js'
import { type PlannedSkill, planPart, recordOf } from './plan-part.js'
import { numberOfMemories, type ThreadedPart, thinkThrough, TIME_LIMIT_MS } from './part-thread.js'
import type { RunWork } from './run-work.js'
import { LostRunError, passGatesAgain } from './write-skill.js'

/** Number of outcomes of traces that are stored in one transaction. */
const PAGE_TRACES = 1_000

/**
 * Reads and clusters those of the tenant's parts that earlier turns of the run have not done, one after another, and returns the best
 * skills of all parts: as many as the run may still write, those first that the last run deferred. The others are named in
 * the record, as are the parts that the time of the run does not suffice for. Returns null when the turn is over before.
 */
export async function clusterParts(work: RunWork): Promise<readonly PlannedSkill[] | null> {
  const { record, settings, signal, time } = work
  const most = Math.max(0, settings.forge.max_writes_per_run - record.writtenCount())
  const left = await readLeft(work)
  const parts = await listUndone(work, left)
  let chosen = best(work, [], await chooseKept(work), { left, most })
  for (const [done, part] of parts.entries()) {
    signal.throwIfAborted()
    work.tell('clustering', done, parts.length)
    const found = time.leftForPartsMs() > 0 ? await clusterPart(work, part) : null
    if (found === null) leave(work, parts.slice(done), left)
    else chosen = best(work, chosen, found, { left, most })
    if (await work.keep(chosen)) return null
    if (found === null) break
  }
  return chosen
}

/** Records as failed the part at which the run's workers ended, and leaves those behind it for the next run. */
export async function giveUpParts(work: RunWork, error: string): Promise<void> {
  const left = await readLeft(work)
  const [first, ...others] = await listUndone(work, left)
  if (first) work.record.addPart({ ...emptyPart(first), error, seconds: 0 })
  leave(work, others, left)
}

/** Leaves for the next run all parts that this one has not done. */
export async function leaveParts(work: RunWork): Promise<void> {
  const left = await readLeft(work)
  leave(work, await listUndone(work, left), left)
}

async function readLeft({ context, run }: RunWork): Promise<LeftWork> {
  return leftBy(run.dryRun ? {} : await context.store.read({ tenantId: run.tenantId }, readLastResult))
}

/** Returns the parts that the run has not done yet, in the order of their turns. */
async function listUndone({ context, run, window, record }: RunWork, left: LeftWork): Promise<Part[]> {
  const done = new Set(record.parts().map(({ fleet_id }) => fleet_id))
  const parts = await context.store.read({ tenantId: run.tenantId }, (reader) => listParts(reader, window))
  return left.inTurn(parts).filter(({ fleetId }) => !done.has(fleetId))
}

/** Leaves parts for the next run, with what the last one has deferred of them. */
function leave({ record }: RunWork, parts: readonly Part[], left: LeftWork): void {
  for (const part of parts) {
    record.addPart({ ...emptyPart(part), state: 'left', seconds: 0 })
    left.deferredOf(part).forEach(record.add)
  }
}

/** Returns the best of the skills that were chosen and those that were found, and names the others in the record. */
function best(
  work: RunWork,
  chosen: readonly PlannedSkill[],
  found: readonly PlannedSkill[],
  { left, most }: { readonly left: LeftWork; readonly most: number },
): readonly PlannedSkill[] {
  const isFirst = ({ part, skill }: PlannedSkill) => Number(left.isDeferred(part, skill))
  const ranked = [...chosen, ...found].sort(
    (a, b) =>
      isFirst(b) - isFirst(a) ||
      b.skill.weight - a.skill.weight ||
      (a.skill.fingerprint < b.skill.fingerprint ? -1 : 1),
  )
  for (const planned of ranked.slice(most)) defer(work, planned)
  return ranked.slice(0, most)
}

function defer({ record, settings }: RunWork, { part, skill, known }: PlannedSkill): void {
  const reason = `the run's ${settings.forge.max_writes_per_run} writes are used up; it comes first next time`
  record.add({ ...recordOf(part, skill), outcome: 'deferred', doc_id: known?.docId ?? null, reason })
}

/**
 * Clusters one part. What fails in reading it, in its thread, or in comparing what it found fails this part alone. Returns null when the
 * part took too long because others of the run were before it: next time it comes first, and has the whole time.
 */
async function clusterPart(work: RunWork, part: Part): Promise<readonly PlannedSkill[] | null> {
  const { context, run, window, limits, record, signal, time } = work
  const startedAt = performance.now()
  const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10
  const { timeoutMs = TIME_LIMIT_MS } = context.forge.thread ?? {}
  const times = createPartTimes()
  let threaded: ThreadedPart | undefined
  try {
    const within = Math.min(timeoutMs, time.leftForPartsMs())
    const request = { tenantId: run.tenantId, part, window, limits, timeoutMs: within, times }
    const done = (threaded = await thinkThrough(context, request, signal, context.forge.thread))
    await times.spend('store', () => saveOutcomes(work, done))
    const chosen = await times.spend('compare', () => choose(work, part, done.answer.proposals))
    record.addPart({ ...partRecord(part, done), seconds: seconds() })
    context.logger.info({ tenantId: run.tenantId, run: run.runId, ms: times.inMs() }, 'the Forge ended a part')
    return chosen
  } catch (error) {
    if (signal.aborted || isOutage(error) || error instanceof LostRunError) throw error
    const code = isOfThread(error) ? error.code : null
    if (code === 'THREAD_TIMEOUT' && record.parts().length > 0 && time.leftForPartsMs() <= 0) return null
    const failure = describeFailure(error)
    context.logger.warn({ run: run.runId, failure, code }, 'a part of the Forge failed')
    record.addPart({
      ...(threaded ? partRecord(part, threaded) : emptyPart(part)),
      state: 'failed',
      error: isOfThread(error) ? failureOf(error) : failure,
      seconds: seconds(),
    })
    return []
  }
}

function isOfThread(error: unknown): error is TaskError | ThreadEndedError {
  return error instanceof TaskError || error instanceof ThreadEndedError
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

/**
 * Looks again at what earlier turns of the run have found and not written: the catalogue may have changed meanwhile. What a worker has
 * written before it died is in the record, and still among what was kept.
 */
async function chooseKept(work: RunWork): Promise<PlannedSkill[]> {
  const kept = new Map<string | null, { readonly part: Part; readonly skills: ProposedSkill[] }>()
  const written = new Set(work.record.listedWritten().map((record) => keyOfSkill(record.fleet_id, record.fingerprint)))
  for (const { part, skill } of work.run.kept.skills ?? []) {
    if (written.has(keyOfSkill(part.fleetId, skill.fingerprint))) continue
    const ofPart = kept.get(part.fleetId) ?? { part, skills: [] }
    ofPart.skills.push(skill)
    kept.set(part.fleetId, ofPart)
  }
  const chosen: PlannedSkill[] = []
  for (const { part, skills } of kept.values()) chosen.push(...(await choose(work, part, skills)))
  return chosen
}

/** Returns those of a part's proposals that are to be written, and records what comes of the others. */
async function choose(
  work: RunWork,
  part: Part,
  proposals: readonly ProposedSkill[],
): Promise<readonly PlannedSkill[]> {
  const { context, run, record } = work
  const at = new Date(context.clock.now())
  const plan = await context.store.read({ tenantId: run.tenantId }, (reader) => planPart(reader, part, proposals, at))
  await confirm(work, plan.confirmed)
  // What an earlier worker of this run has written is in the record already.
  const written = new Set(record.listedWritten().map(({ doc_id }) => doc_id))
  for (const other of plan.others) if (other.doc_id === null || !written.has(other.doc_id)) record.add(other)
  for (const waiting of plan.waiting)
    if (!written.has(waiting.known.docId)) record.add(await passGatesAgain(work, waiting))
  return plan.writes
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

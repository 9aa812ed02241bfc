import type { Distilled } from '../../domain/forge/distilled.js'
import { freeSlug } from '../../domain/forge/describe.js'
import type { CandidateRecord } from '../../domain/forge/run-record.js'
import { gateResults } from '../../domain/skills/gates.js'
import type { SkillOrigin, SkillTarget } from '../../domain/skills/skill.js'
import { type Candidate, type CandidateOutcome, proposeCandidate } from '../../services/skills/propose-candidate.js'
import { lockEvidence } from '../../store/forge/evidence.js'
import { readSlugsLike } from '../../store/forge/known-skills.js'
import { findSkill } from '../../store/skills/read-skills.js'
import { lockRun, saveResult } from '../../store/forge/runs.js'
import type { Writer } from '../../store/store.js'
import { describeFailure, isOutage } from '../failures.js'
import { type PlannedSkill, recordOf, type WaitingSkill } from './plan-part.js'
import { isWritten } from './run-record.js'
import type { RunWork } from './run-work.js'
import type { Wording } from './word-skill.js'

/** Thrown when the run belongs to another worker by now. */
export class LostRunError extends Error {
  constructor() {
    super('another worker has the run')
  }
}

/** Ends a transaction of a dry run with what it would have done. */
class DryRunEnd extends Error {
  constructor(readonly record: CandidateRecord) {
    super('dry run')
  }
}

/**
 * Stores a skill as a candidate in a transaction of its own, together with its line in the run's record: a run that
 * another worker takes over writes nothing twice. A dry run takes the same way, and rolls back.
 */
export async function writeSkill(work: RunWork, planned: PlannedSkill, wording: Wording): Promise<CandidateRecord> {
  const base = { ...recordOf(planned.part, planned.skill), wording_note: wording.note }
  const given: RecordBase = {
    ...base,
    ...(wording.skill && { wording: 'model' }),
    doc_id: planned.known?.docId ?? null,
  }
  return transactRecord(work, given, async (writer) => {
    const { kind: outcome, docId, reason } = await proposeIn(writer, work, planned, wording.skill)
    return { ...given, outcome, doc_id: docId, reason: reason ?? heldBy(work, planned) }
  })
}

type RecordBase = Omit<CandidateRecord, 'outcome' | 'reason'>

/** Works in a transaction that nobody else's run can have meanwhile; a failure of its own becomes the record's. */
async function transactRecord(
  { context, run, record, model, time }: RunWork,
  given: RecordBase,
  change: (writer: Writer) => Promise<CandidateRecord>,
): Promise<CandidateRecord> {
  try {
    return await context.store.transact({ tenantId: run.tenantId }, async (writer) => {
      if (!(await lockRun(writer, run))) throw new LostRunError()
      const changed = await change(writer)
      if (run.dryRun) throw new DryRunEnd(changed)
      if (isWritten(changed)) {
        const result = record.resultAfterWriting(changed, model?.record() ?? null)
        await saveResult(writer, run, { result, spentMs: time.spentMs() })
      }
      return changed
    })
  } catch (error) {
    if (error instanceof DryRunEnd) return error.record
    if (error instanceof LostRunError || isOutage(error)) throw error
    context.logger.warn({ run: run.runId, failure: describeFailure(error) }, 'a candidate of the Forge failed')
    return { ...given, outcome: 'failed', reason: describeFailure(error) }
  }
}

/** Looks at the gates of a candidate that waits with the same evidence: settings and the time may have changed. */
export async function passGatesAgain(work: RunWork, { part, skill, known }: WaitingSkill): Promise<CandidateRecord> {
  const { context } = work
  const given = { ...recordOf(part, skill), doc_id: known.docId }
  return transactRecord(work, given, async (writer) => {
    const version = (await findSkill(writer, known.docId))?.waiting
    if (!version?.origin || !version.evidence) return { ...given, outcome: 'unchanged', reason: null }
    const { origin, evidence } = version
    const options = { at: new Date(context.clock.now()), settings: work.settings }
    const { kind: outcome, reason } = await proposeCandidate(
      writer,
      { ...version, origin, evidence, sources: [] },
      options,
    )
    return { ...given, outcome, reason }
  })
}

async function proposeIn(
  writer: Writer,
  work: RunWork,
  planned: PlannedSkill,
  worded: Distilled | null,
): Promise<CandidateOutcome> {
  const { part, skill, known, target } = planned
  if (!(await lockEvidence(writer, readMemories(planned), part, work.window)))
    return { kind: 'held', docId: known?.docId ?? null, reason: 'its evidence changed while the run was under way' }
  const { name, description, summary, content, domain, goal, tags } = worded ?? skill
  const candidate: Candidate = {
    name,
    slug: known?.slug ?? (await slugOf(writer, planned)),
    description,
    summary,
    content,
    domain,
    goal,
    tags,
    fleetId: part.fleetId,
    // A cluster with one more run has another fingerprint, and stays the skill that it was.
    fingerprint: known?.fingerprint ?? skill.fingerprint,
    sketch: skill.sketch,
    cites: (worded?.cites ?? skill.cites.map(({ id }) => id)).toSorted(),
    sources: skill.sources.map(({ id }) => id),
    origin: originOf(work, planned),
    evidence: evidenceOf(planned),
    target: target && targetOf(target),
  }
  return proposeCandidate(writer, candidate, { at: new Date(work.context.clock.now()), settings: work.settings })
}

/** Returns the memories that a skill has words of, each once. */
function readMemories({ skill: { cites, sources } }: Pick<PlannedSkill, 'skill'>): PlannedSkill['skill']['cites'] {
  return [...new Map([...cites, ...sources].map((memory) => [memory.id, memory])).values()]
}

async function slugOf(writer: Writer, { skill }: PlannedSkill): Promise<string> {
  const taken = await readSlugsLike(writer, skill.slug)
  return freeSlug(skill.slug, skill.fingerprint, (slug) => taken.has(slug))
}

function targetOf({ docId, targetContentHash, previousVersion }: NonNullable<PlannedSkill['target']>): SkillTarget {
  return { doc_id: docId, target_content_hash: targetContentHash, previous_version: previousVersion }
}

function originOf({ run }: RunWork, { skill }: PlannedSkill): SkillOrigin {
  const { clusterSize, distinctAgents, windowStart, windowEnd } = skill.figures
  const at = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString())
  return {
    agent_id: null,
    run_id: run.runId,
    cluster_size: clusterSize,
    distinct_agents: distinctAgents,
    distinct_credentials: skill.distinctCredentials,
    window_start: at(windowStart),
    window_end: at(windowEnd),
  }
}

/** Returns the figures that a reviewer sees, and the steps in the words of memories, by which a later run compares. */
function evidenceOf({ skill }: PlannedSkill): Record<string, unknown> {
  const { clusterSize, distinctAgents, successShare, failures, unknown } = skill.figures
  return {
    runs: clusterSize,
    agents: distinctAgents,
    credentials: skill.distinctCredentials,
    failed_runs: failures,
    unknown_runs: unknown,
    success_share: successShare,
    steps: skill.steps.map(({ text }) => text),
    digest: skill.digest,
  }
}

/** Returns the gates that this evidence does not pass, whatever the scan will say; null when there are none. */
function heldBy(work: RunWork, planned: PlannedSkill): string | null {
  const { target } = planned
  const facts = {
    origin: originOf(work, planned),
    scanState: 'clean',
    poisonedBy: null,
    kind: target === null ? 'create' : 'update',
    target: target && targetOf(target),
    targetContentHash: target?.targetContentHash ?? null,
  } as const
  const failed = gateResults(facts, work.settings.forge, work.context.clock.now()).filter(({ passed }) => !passed)
  return failed.length === 0 ? null : `held: ${failed.map(({ reason }) => reason).join('; ')}`
}

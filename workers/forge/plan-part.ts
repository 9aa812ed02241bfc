import { stepsIn } from '../../domain/forge/content.js'
import { nearestWork } from '../../domain/forge/fingerprint.js'
import type { ProposedSkill } from '../../domain/forge/proposed-skill.js'
import type { CandidateRecord } from '../../domain/forge/run-record.js'
import { type ActiveSkill, planRevision, type RevisionPlan } from '../../domain/forge/revision.js'
import type { Part } from '../../domain/forge/traces.js'
import { type KnownSkill, readExtractedSteps, readKnownSkills } from '../../store/forge/known-skills.js'
import { findPoison } from '../../store/skills/poison.js'
import { readActiveSkills } from '../../store/skills/read-skills.js'
import type { Reader } from '../../store/store.js'

/** A skill that the run will write, unless better ones use up its writes. */
export interface PlannedSkill {
  readonly part: Part
  readonly skill: ProposedSkill
  /** The version of the same work that waits, which this one replaces. */
  readonly known: KnownSkill | null
  readonly target: Extract<RevisionPlan, { kind: 'update' }>['target'] | null
}

/** A candidate that waits with the evidence of now: its gates are looked at again. */
export interface WaitingSkill {
  readonly part: Part
  readonly skill: ProposedSkill
  readonly known: KnownSkill
}

interface PartPlan {
  /** The best first. */
  readonly writes: readonly PlannedSkill[]
  readonly waiting: readonly WaitingSkill[]
  /** Proposals that are not written, with the reason. */
  readonly others: readonly CandidateRecord[]
  /** Times of the newest evidence of the work of active skills, by their names. */
  readonly confirmed: ReadonlyMap<string, Date>
}

const PAGE = 100

/**
 * Decides which of a part's proposals change the catalogue: not what waits with the same evidence, what an active skill
 * says already, or what was rejected and is in its cool-off. All of it before any model is asked.
 */
export async function planPart(
  reader: Reader,
  part: Part,
  proposals: readonly ProposedSkill[],
  at: Date,
): Promise<PartPlan> {
  const known = new Set(await readKnownSkills(reader, part.fleetId))
  const active = await readActiveNear(reader, part, proposals)
  const writes: PlannedSkill[] = []
  const unchanged: WaitingSkill[] = []
  const others: CandidateRecord[] = []
  const confirmed = new Map<string, Date>()
  for (const skill of proposals) {
    const revision = planRevision({ ...skill, part }, active)
    if (revision.kind !== 'create') {
      const docId = docIdOf(revision)
      const seenAt = Math.max(skill.figures.windowEnd ?? 0, confirmed.get(docId)?.getTime() ?? 0)
      confirmed.set(docId, new Date(seenAt))
    }
    const waiting = nearestWork(skill, [...known])
    if (waiting) known.delete(waiting)
    const leave = (outcome: CandidateRecord['outcome'], docId: string | null, reason: string | null) =>
      others.push({ ...recordOf(part, skill), outcome, doc_id: docId, reason })
    if (waiting && waiting.status !== 'candidate') {
      leave('unchanged', waiting.docId, 'a reviewer has it; new evidence waits for the decision')
      continue
    }
    if (waiting?.digest === skill.digest) {
      unchanged.push({ part, skill, known: waiting })
      continue
    }
    const revised =
      revision.kind === 'create' ? null : (active.find(({ docId }) => docId === docIdOf(revision)) ?? null)
    const work = { ...skill, fleetId: part.fleetId, source: 'forge', authorAgentId: null } as const
    const poison = await findPoison(reader, work, at, revised)
    if (revision.kind === 'covered') leave('covered', revision.docId, 'the active skill has all of its steps')
    else if (poison)
      leave('held', poison.docId, `${poison.docId} was rejected; held until ${poison.until.toISOString()}`)
    else writes.push({ part, skill, known: waiting, target: revision.kind === 'update' ? revision.target : null })
  }
  return { writes, waiting: unchanged, others, confirmed }
}

function docIdOf(revision: Exclude<RevisionPlan, { kind: 'create' }>): string {
  return revision.kind === 'covered' ? revision.docId : revision.target.docId
}

/** Returns the part of a record that does not depend on what came of the skill. */
export function recordOf(
  { fleetId }: Part,
  { fingerprint, figures }: ProposedSkill,
): Omit<CandidateRecord, 'outcome' | 'doc_id' | 'reason'> {
  const { clusterSize, distinctAgents } = figures
  return {
    fleet_id: fleetId,
    fingerprint,
    runs: clusterSize ?? 0,
    agents: distinctAgents ?? 0,
    wording: 'extracted',
    wording_note: null,
  }
}

type ComparedSkill = ActiveSkill & { readonly content: string }

/** Reads the active skills of the fleet page by page, and keeps those that are about the work of a proposal. */
async function readActiveNear(
  reader: Reader,
  part: Part,
  proposals: readonly ProposedSkill[],
): Promise<readonly ComparedSkill[]> {
  const found: ComparedSkill[] = []
  for (let after: string | undefined; ;) {
    const page = await readActiveSkills(reader, {
      fleetId: part.fleetId,
      limit: PAGE,
      ...(after !== undefined && { after }),
    })
    const near = page.filter((skill) => proposals.some((proposal) => nearestWork(proposal, [skill])))
    const extracted = await readExtractedSteps(
      reader,
      near.map(({ docId }) => docId),
    )
    for (const { fleetId, ...skill } of near)
      found.push({ ...skill, part: { fleetId }, steps: extracted.get(skill.docId) ?? stepsIn(skill.content) })
    if (page.length < PAGE) return found
    after = page.at(-1)!.docId
  }
}

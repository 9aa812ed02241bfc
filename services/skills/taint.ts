import { isWaiting, type SkillVersion, targetOf } from '../../domain/skills/skill.js'
import { lockCitingSkills, removeCites } from '../../store/skills/cites.js'
import type { LockedSkill } from '../../store/skills/read-skills.js'
import { insertVersion, moveVersion, setReason } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { deactivate, publish } from './publish.js'

/** Event by which a cited memory lost its worth as evidence. */
type EvidenceLoss = 'changed' | 'deleted' | 'erased'

export interface TaintCount {
  /** Skills that were put back for review. */
  readonly reviewed: number
  /** Skills that left service, since none of their evidence is left. */
  readonly withdrawn: number
}

/**
 * Puts the skills that cite these memories back for review, in the transaction that changes, deletes or erases the
 * memories. An active version stays served meanwhile, since otherwise one author could take a skill from everybody; it
 * leaves service when all of its evidence is erased. What is erased is cited no more.
 */
export async function taintSkills(
  writer: Writer,
  memoryIds: readonly string[],
  loss: EvidenceLoss,
  at: Date,
): Promise<TaintCount> {
  const gone = new Set(memoryIds)
  const count = { reviewed: 0, withdrawn: 0 }
  for (const skill of await lockCitingSkills(writer, memoryIds)) {
    const cited = [skill.active, skill.waiting].some((version) => version?.cites.some((id) => gone.has(id)))
    if (loss === 'erased') await removeCites(writer, skill.id, memoryIds)
    if (cited) count[await taintSkill(writer, skill, { gone, loss, at })]++
  }
  return count
}

interface Taint {
  readonly gone: ReadonlySet<string>
  readonly loss: EvidenceLoss
  readonly at: Date
}

async function taintSkill(writer: Writer, skill: LockedSkill, taint: Taint): Promise<keyof TaintCount> {
  const [active, waiting] = [skill.active, skill.waiting].map((version) => version && lossOf(version, taint))
  if (waiting) await taintWaiting(writer, waiting, taint)
  else if (active && skill.waiting)
    await setReason(writer, skill.waiting, `of the active version ${reasonOf(active, taint)}`, taint.at)
  if (!active) return 'reviewed'
  const { version, left } = active
  if (taint.loss === 'erased' && left.length === 0) {
    const to = skill.waiting ? 'deprecated' : 'quarantined'
    await deactivate(writer, version, { to, reason: ALL_ERASED, at: taint.at })
    return 'withdrawn'
  }
  if (taint.loss === 'erased') await publish(writer, { ...version, cites: left })
  const cites = taint.loss === 'changed' ? version.cites : left
  if (!skill.waiting)
    await reviewAgain(writer, skill, { ...version, cites }, { reason: reasonOf(active, taint), at: taint.at })
  return 'reviewed'
}

interface LostEvidence {
  readonly version: SkillVersion
  readonly lost: number
  readonly left: readonly string[]
}

function lossOf(version: SkillVersion, { gone }: Taint): LostEvidence | null {
  const left = version.cites.filter((id) => !gone.has(id))
  return left.length === version.cites.length ? null : { version, lost: version.cites.length - left.length, left }
}

const ALL_ERASED = 'all of its evidence was erased'

function reasonOf({ version, lost }: LostEvidence, { loss }: Taint): string {
  return `${lost} of the ${version.cites.length} cited memories ${lost === 1 ? 'was' : 'were'} ${loss}`
}

async function taintWaiting(writer: Writer, waiting: LostEvidence, taint: Taint): Promise<void> {
  const { version, left } = waiting
  const { loss, at } = taint
  if (loss === 'erased' && left.length === 0 && isWaiting(version.status))
    await moveVersion(writer, version, { to: 'quarantined', reason: ALL_ERASED, at })
  else await setReason(writer, version, reasonOf(waiting, taint), at)
}

/** Makes a copy of the active version wait for a reviewer. */
async function reviewAgain(
  writer: Writer,
  { lastVersion }: LockedSkill,
  active: SkillVersion,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<void> {
  const copy = { ...active, version: lastVersion + 1, status: 'staged', kind: 'update' } as const
  await insertVersion(writer, { ...copy, target: targetOf(active), reason, createdAt: at }, null)
}

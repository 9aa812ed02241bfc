import { type SkillVersion, targetOf } from '../../domain/skills/skill.js'
import { lockCitingSkills } from '../../store/skills/cites.js'
import type { LockedSkill } from '../../store/skills/read-skills.js'
import { insertVersion, setReason } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { publish } from './publish.js'

/** Event by which a cited memory lost its worth as evidence. */
type EvidenceLoss = 'changed' | 'deleted' | 'erased'

/**
 * Puts the skills that cite these memories back for review, in the transaction that changes or deletes the memories. An
 * active version stays served meanwhile, since otherwise one author could take a skill from everybody.
 */
export async function taintSkills(
  writer: Writer,
  memoryIds: readonly string[],
  loss: Exclude<EvidenceLoss, 'erased'>,
  at: Date,
): Promise<void> {
  const gone = new Set(memoryIds)
  for (const skill of await lockCitingSkills(writer, memoryIds)) await taintSkill(writer, skill, { gone, loss, at })
}

interface Taint {
  readonly gone: ReadonlySet<string>
  readonly loss: EvidenceLoss
  readonly at: Date
}

/** Puts a locked skill back for review whose served or waiting version cites what is lost. Returns whether one does. */
export async function taintSkill(writer: Writer, skill: LockedSkill, taint: Taint): Promise<boolean> {
  const [active, waiting] = [skill.active, skill.waiting].map((version) => version && lossOf(version, taint))
  if (waiting) await setReason(writer, waiting.version, reasonOf(waiting, taint), taint.at)
  else if (active && skill.waiting)
    await setReason(writer, skill.waiting, `in the active version, ${reasonOf(active, taint)}`, taint.at)
  if (!active) return Boolean(waiting)
  const { version, left } = active
  if (taint.loss === 'erased') await publish(writer, { ...version, cites: left })
  const cites = taint.loss === 'changed' ? version.cites : left
  if (!skill.waiting)
    await reviewAgain(writer, skill, { ...version, cites }, { reason: reasonOf(active, taint), at: taint.at })
  return true
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

function reasonOf({ version, lost }: LostEvidence, { loss }: Taint): string {
  return `${lost} of the ${version.cites.length} cited memories ${lost === 1 ? 'was' : 'were'} ${loss}`
}

/** Makes a copy of the active version wait for a reviewer. */
async function reviewAgain(
  writer: Writer,
  { lastVersion }: LockedSkill,
  active: SkillVersion,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<void> {
  const copy = { ...active, version: lastVersion + 1, status: 'staged', kind: 'update' } as const
  await insertVersion(writer, { ...copy, target: targetOf(active), reason, createdAt: at })
}

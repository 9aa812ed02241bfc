import { type LostWords, readLostWords, type WordedVersion } from '../../domain/skills/lost-words.js'
import { skillDocId, type SkillVersion } from '../../domain/skills/skill.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { lockSkillsFrom, readOwnSources, readSourceTexts, removeSources } from '../../store/skills/cites.js'
import {
  forgetGoneSkills,
  lockNamingSkills,
  readNamingVersions,
  removeVersions,
} from '../../store/erasure/erase-skills.js'
import { type LockedSkill, readVersions } from '../../store/skills/read-skills.js'
import { moveVersion, removeSkill } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { withdraw } from './publish.js'
import { taintSkill } from './taint.js'

/** The ids of skills that an erasure has changed. */
export interface ErasedSkills {
  /** Skills that wait for a review, since they cited what was erased. */
  readonly reviewed: readonly string[]
  /** Skills of which the version that was served, or waited, had words of what was erased, and is gone. */
  readonly withdrawn: readonly string[]
}

export interface EraseOptions {
  readonly at: Date
  readonly signal: AbortSignal
}

/**
 * Takes the words of erased memories out of skills, in the transaction that erases the memories: removes each version that has
 * words which stand in no memory that is left, and the whole skill when none that is served or waits remains. The Forge makes it
 * anew from what is left. A skill without lost words cites the memories no more, and waits for a review while it stays served.
 * `erased` has the texts of the memories by their ids.
 */
export async function eraseEvidence(
  writer: Writer,
  erased: ReadonlyMap<string, string>,
  options: EraseOptions,
): Promise<ErasedSkills> {
  const slices = new Slices({ signal: options.signal })
  const ids = [...erased.keys()]
  const reviewed: string[] = []
  const withdrawn: string[] = []
  for (const skill of await lockSkillsFrom(writer, ids)) {
    const gone = await readOwnSources(writer, skill.id, ids)
    const versions = await readVersions(writer, skill.id)
    await removeSources(writer, skill.id, gone)
    const left = await readSourceTexts(writer, skill.id)
    const words = await slices.run(readLostWords({ erased: gone.map((id) => erased.get(id)!), left }))
    const lost = await slices.run(versionsThatLose(versions, new Set(gone), words))
    const { isWithdrawn, rest } = await eraseVersions(writer, skill, lost, {
      ...options,
      isNameLost: isOfForge(skill) && words.losesSlug(skill.slug),
    })
    if (isWithdrawn) withdrawn.push(skill.id)
    const isReviewed = rest && (await taintSkill(writer, rest, { gone: new Set(gone), loss: 'erased', at: options.at }))
    if (isReviewed) reviewed.push(skill.id)
  }
  return { reviewed, withdrawn }
}

/**
 * Selects the versions that lose words, or all of what they cite. What agents and people wrote of a skill of theirs is their own, also
 * where the Forge revised it; of a skill of the Forge, they revised its words.
 */
function* versionsThatLose(
  versions: readonly SkillVersion[],
  gone: ReadonlySet<string>,
  words: LostWords,
): Yielding<SkillVersion[]> {
  const lost: SkillVersion[] = []
  for (const version of versions.filter((one) => one.source === 'forge' || isOfForge(one)))
    if (isWithoutEvidence(version, gone) || (yield* words.losesVersion(version satisfies WordedVersion)))
      lost.push(version)
  return lost
}

function isOfForge({ docId }: Pick<SkillVersion, 'docId'>): boolean {
  return docId.startsWith(skillDocId('forge', ''))
}

function isWithoutEvidence({ cites }: SkillVersion, gone: ReadonlySet<string>): boolean {
  return cites.length > 0 && cites.every((id) => gone.has(id))
}

/**
 * Removes what the Forge has made that has one of these names, whatever it cites, as `eraseEvidence` does. Returns the ids of the
 * skills whose served or waiting version went.
 */
export async function eraseNamingSkills(
  writer: Writer,
  names: readonly string[],
  { at }: EraseOptions,
): Promise<readonly string[]> {
  const withdrawn: string[] = []
  const prefix = skillDocId('forge', '')
  for (const skill of await lockNamingSkills(writer, names, prefix)) {
    const naming = new Set(await readNamingVersions(writer, skill.id, names, prefix))
    const lost = (await readVersions(writer, skill.id)).filter(({ version }) => naming.has(version))
    const isNameLost = naming.has(0)
    const { isWithdrawn } = await eraseVersions(writer, skill, lost, { at, isNameLost })
    if (isWithdrawn) withdrawn.push(skill.id)
  }
  return withdrawn
}

/** Takes the names of the Forge's skills that are gone out of what the service has recorded. */
export async function forgetGoneSkillNames(writer: Writer): Promise<void> {
  await forgetGoneSkills(writer, skillDocId('forge', ''))
}

interface ErasedVersions {
  /** True when the version that was served or waited went: it is served, found and shown no more when this commits. */
  readonly isWithdrawn: boolean
  /** The rest of the skill, or null. */
  readonly rest: LockedSkill | null
}

/**
 * Removes versions of a locked skill with all that they say, and the skill when none is left that is served or waits, or when its
 * name goes.
 */
async function eraseVersions(
  writer: Writer,
  skill: LockedSkill,
  lost: readonly SkillVersion[],
  { at, isNameLost }: { readonly at: Date; readonly isNameLost: boolean },
): Promise<ErasedVersions> {
  if (lost.length === 0 && !isNameLost) return { isWithdrawn: false, rest: skill }
  const leave = async (version: SkillVersion | null) => {
    if (version === null || !(isNameLost || lost.some((one) => one.version === version.version))) return version
    await moveVersion(writer, version, { to: 'deprecated', reason: ERASED, at })
    return null
  }
  const [active, waiting] = [await leave(skill.active), await leave(skill.waiting)]
  if (!active) await withdraw(writer, skill.docId, at)
  const isWithdrawn = active !== skill.active || waiting !== skill.waiting
  const latest = active ?? waiting
  if (latest) {
    await removeVersions(writer, skill.id, lost)
    return { isWithdrawn, rest: { ...skill, active, waiting, latest } }
  }
  await removeSkill(writer, skill, at)
  return { isWithdrawn, rest: null }
}

const ERASED = 'its words were erased'

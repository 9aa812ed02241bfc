import { type BoundFleets, boundFleetOf, isInBounds } from '../../domain/skills/fleet-bound.js'
import { withoutEvidence } from '../../domain/skills/skill-document.js'
import { SKILLS_COLLECTION, type SkillVersion } from '../../domain/skills/skill.js'
import { NotFoundError } from '../../runtime/errors.js'
import { findNewestOf, findSkill, type SkillState } from '../../store/skills/read-skills.js'
import type { Reader } from '../../store/store.js'
import { isOwn } from './write-skill.js'

interface Asker {
  readonly agentId: string | null
  readonly trust: number
  readonly bounds: BoundFleets
}

/**
 * Returns the version of a skill whose verdict the caller may read: for a reviewer what waits, is served or is newest; for an author the own one
 * that waits or is newest; for anybody else the active one. Throws NotFoundError when there is none.
 */
export async function readVerdict(reader: Reader, docId: string, asker: Asker): Promise<SkillVersion> {
  const skill = await findSkill(reader, docId)
  if (!skill || !isSeen(skill, asker.bounds)) throw new NotFoundError('Skill')
  const { waiting, active, latest } = skill
  if (asker.trust >= 3) return waiting ?? active ?? latest
  const own = waiting && isOwn(waiting, asker.agentId) ? waiting : await findNewestOf(reader, skill.id, asker.agentId)
  const found = own ?? active
  if (!found) throw new NotFoundError('Skill')
  return own ? found : { ...found, scan: withoutEvidence(found.scan) }
}

function isSeen({ docId, fleetId, active, latest }: SkillState, bounds: BoundFleets): boolean {
  const { source } = active ?? latest
  return isInBounds(bounds, boundFleetOf({ collection: SKILLS_COLLECTION, docId, fleetId, data: { source } }))
}

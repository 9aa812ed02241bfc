import type { Principal } from '../../domain/principal.js'
import { NotFoundError } from '../../runtime/errors.js'
import { lockSkill } from '../../store/skills/read-skills.js'
import { removeSkill } from '../../store/skills/write-skills.js'
import type { SkillContext } from './context.js'
import { withdraw } from './publish.js'
import { requireTrust } from '../access/trust.js'

/**
 * Deletes a skill for good, with all its versions; what was rejected of it stays in the poison table. Throws TrustError
 * below trust 3: an agent cannot take a skill from everybody. `requireVersion` gets what is served.
 */
export async function deleteSkill(
  { store, clock }: SkillContext,
  principal: Principal,
  docId: string,
  requireVersion: (served: { readonly id: string; readonly version: number } | null) => void,
): Promise<void> {
  requireTrust(principal, 3, 'Deleting a skill needs trust level 3.')
  await store.transact(principal, async (writer) => {
    const skill = await lockSkill(writer, docId)
    if (!skill) throw new NotFoundError('Skill')
    requireVersion(skill.active && { id: skill.id, version: skill.active.version })
    const at = new Date(clock.now())
    await withdraw(writer, docId, at)
    await removeSkill(writer, skill, at)
  })
}

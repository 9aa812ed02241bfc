import type { Principal } from '../../domain/principal.js'
import { isAccepted } from '../../domain/skills/overruling.js'
import { ROLLED_BACK_FROM } from '../../domain/skills/reviews.js'
import { type SkillVersion, targetOf } from '../../domain/skills/skill.js'
import { ConflictError, NotFoundError } from '../../runtime/errors.js'
import { lockCited } from '../../store/skills/cites.js'
import { wasServed } from '../../store/skills/history.js'
import { findSkill, findVersion, lockSkill, type SkillState } from '../../store/skills/read-skills.js'
import { insertVersion, moveVersion, type NewVersion } from '../../store/skills/write-skills.js'
import type { Reader } from '../../store/store.js'
import type { SkillContext } from './context.js'
import { publish } from './publish.js'
import {
  refusalOfScan,
  requireSeen,
  requireUnchanged,
  type Review,
  type ReviewRequest,
  scanNow,
} from './reviewed-version.js'
import { saveVerdict } from './settle-scan.js'
import { storedVersion } from './write-skill.js'

interface RollbackRequest extends ReviewRequest {
  /** The version whose texts are served again. */
  readonly version: number
}

/**
 * Makes the texts of an earlier version the newest version, which is active at once; what waits stays in the inbox.
 * Throws NotFoundError for an unknown skill or version, ConflictError for a version that was never out of service in
 * good order, when the scan refuses it, or when the skill moves meanwhile.
 */
export async function rollbackSkill(
  context: SkillContext,
  principal: Principal,
  request: RollbackRequest,
  signal: AbortSignal,
): Promise<Review> {
  const seen = await context.store.read(principal, async (reader) =>
    requireRestorable(reader, await findSkill(reader, request.docId), request.version),
  )
  requireSeen(seen.version, request)
  const report = await scanNow(context, principal, seen.version, signal)
  if (!isAccepted(seen.version, report)) throw refusalOfScan(seen.version, report)
  const at = new Date(context.clock.now())
  const version = await context.store.transact(principal, async (writer) => {
    await lockCited(writer, seen.version.cites)
    const skill = await lockSkill(writer, request.docId)
    const { version: old, active } = await requireRestorable(writer, skill, request.version)
    requireUnchanged(old, seen.version)
    if (active?.version !== seen.active?.version) throw new ConflictError('The skill was changed meanwhile.')
    const restored: NewVersion = {
      ...old,
      version: skill!.lastVersion + 1,
      status: 'active',
      kind: active ? 'update' : 'create',
      target: active && targetOf(active),
      reason: request.reason ?? `version ${old.version} again`,
      createdAt: at,
    }
    if (active)
      await moveVersion(writer, active, { to: 'deprecated', reason: `replaced by version ${restored.version}`, at })
    await insertVersion(writer, restored)
    const stored = storedVersion(restored, skill!.createdAt)
    const judged = await saveVerdict(writer, stored, { report, at })
    await publish(writer, judged)
    return judged
  })
  return { version, previousStatus: seen.version.status, detail: `Version ${request.version} is served again.` }
}

async function requireRestorable(
  reader: Reader,
  skill: SkillState | null,
  number: number,
): Promise<{ version: SkillVersion; active: SkillVersion | null }> {
  if (!skill) throw new NotFoundError('Skill')
  const version = await findVersion(reader, skill.id, number)
  if (!version) throw new NotFoundError('Version')
  const { active, waiting } = skill
  if (!ROLLED_BACK_FROM.includes(version.status))
    throw new ConflictError(
      `Version ${number} is ${version.status}; this takes one that is ${ROLLED_BACK_FROM.join(' or ')}.`,
      {
        details: { doc_id: skill.docId, from: version.status, to: 'active' },
      },
    )
  if (!(await wasServed(reader, skill.id, number)))
    throw new ConflictError(`Version ${number} was never active: nobody has approved it.`, {
      details: { doc_id: skill.docId, version: number },
    })
  if (version.source === 'forge' && version.evidence?.steps !== undefined && version.cites.length === 0)
    throw new ConflictError(`All evidence of version ${number} was erased.`, {
      details: { doc_id: skill.docId, version: number },
    })
  if (waiting?.status === 'quarantined' && waiting.contentHash === version.contentHash)
    throw new ConflictError(`The content of version ${number} is quarantined; restore or reject it first.`, {
      details: { doc_id: skill.docId, version: waiting.version },
    })
  return { version, active }
}

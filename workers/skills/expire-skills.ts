import { DAY_MS } from '../../domain/text/time-reference.js'
import { deactivate } from '../../services/skills/publish.js'
import { type DueVersion, findHeldCandidates, findUnconfirmedSkills } from '../../store/skills/expiry.js'
import { type LockedSkill, lockSkillById } from '../../store/skills/read-skills.js'
import { moveVersion } from '../../store/skills/write-skills.js'
import type { System, Writer } from '../../store/store.js'
import type { JobContext } from '../context.js'

/** A way for versions to end by age. */
interface Expiry {
  readonly days: number
  find(system: System, before: Date, limit: number): Promise<DueVersion[]>
  /** Ends the version if it is still the one that was found. */
  end(writer: Writer, skill: LockedSkill, version: number, at: Date): Promise<unknown>
}

const HELD_CANDIDATES: Expiry = {
  days: 60,
  find: findHeldCandidates,
  async end(writer, { waiting }, version, at) {
    if (waiting?.version !== version || waiting.status !== 'candidate') return
    await moveVersion(writer, waiting, { to: 'deprecated', reason: 'held for 60 days', at })
  },
}

const UNCONFIRMED_SKILLS: Expiry = {
  days: 90,
  find: findUnconfirmedSkills,
  async end(writer, { active }, version, at) {
    if (active?.version !== version) return
    await deactivate(writer, active, { to: 'stale', reason: 'no fresh evidence for 90 days', at })
  },
}

const ROWS = 500

/**
 * Ends candidates that a gate has held for 60 days, and takes active skills of the Forge out of service of which there was
 * no fresh evidence for 90 days: a reviewer may restore these.
 */
export async function expireSkills({ store, clock }: JobContext, signal: AbortSignal): Promise<void> {
  const at = new Date(clock.now())
  for (const { days, find, end } of [HELD_CANDIDATES, UNCONFIRMED_SKILLS]) {
    const before = new Date(at.getTime() - days * DAY_MS)
    for (let found = ROWS; found === ROWS && !signal.aborted;) {
      const due = await store.asSystem((system) => find(system, before, ROWS))
      for (const { tenantId, skillId, version } of due) {
        if (signal.aborted) return
        await store.transact({ tenantId }, async (writer) => {
          const skill = await lockSkillById(writer, skillId)
          if (skill) await end(writer, skill, version, at)
        })
      }
      found = due.length
    }
  }
}

import type { components } from '../../contract/types.js'
import { hoursOf, priorityReasons } from '../../domain/skills/priority.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import { rankedOf, type StoredPlace } from '../../store/skills/inbox-place.js'

/** Returns why a version stands where it does in the inbox, by what counted when it got its place. */
export function presentPriority(
  version: SkillVersion,
  stored: StoredPlace,
  now: number,
): components['schemas']['SkillPriority'] {
  const { waitingSince: since, isRanked } = stored
  const reasons = priorityReasons(
    isRanked ? rankedOf(version, stored) : null,
    { since, deferredAt: version.deferredAt },
    now,
  )
  return { hours: hoursOf(reasons), reasons }
}

import type { SkillSource, SkillStatus } from './skill.js'

/** Counts what became of an author's skills: each version once, by the last decision on it. */
export interface AuthorRecord {
  /** Versions that a reviewer approved. What becomes active without a review does not count. */
  readonly approved: number
  readonly rejected: number
  /** Versions that the scan or a reviewer quarantined, as long as no reviewer says otherwise. */
  readonly quarantined: number
}

export const NO_RECORD: AuthorRecord = { approved: 0, rejected: 0, quarantined: 0 }

/** Who wrote a skill: the Forge, an agent, or a key that names none. */
export interface SkillAuthor {
  readonly isForge: boolean
  /** '' for none. */
  readonly agentId: string
}

/** Returns who wrote a version. The Forge is one author, whichever agents its evidence is from. */
export function authorOf(version: {
  readonly source: SkillSource
  readonly authorAgentId: string | null
}): SkillAuthor {
  const isForge = version.source === 'forge'
  return { isForge, agentId: isForge ? '' : (version.authorAgentId ?? '') }
}

/** Returns what a move of a version adds to the record of its author; null when it is no decision about the author's work. */
export function decisionOf(
  from: SkillStatus | null,
  to: SkillStatus,
  { isReviewed }: { readonly isReviewed: boolean },
): AuthorRecord | null {
  if (from === 'staged' && to === 'active') return isReviewed ? { ...NO_RECORD, approved: 1 } : null
  if (to === 'quarantined' && from !== 'quarantined') return { ...NO_RECORD, quarantined: 1 }
  if (from === 'quarantined' && to === 'staged') return { ...NO_RECORD, quarantined: -1 }
  if (from === 'quarantined' && to === 'rejected') return { ...NO_RECORD, rejected: 1, quarantined: -1 }
  if (from === 'staged' && to === 'rejected') return { ...NO_RECORD, rejected: 1 }
  return null
}

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

/** A move of a version, and whether a reviewer made it. */
export interface JudgedMove {
  readonly from: SkillStatus | null
  readonly to: SkillStatus
  readonly isReviewed: boolean
}

/** Returns false for a move after which a version counts as before: it leaves, or goes with its refused copy, which is the same work. */
export function isDecision({ from, to }: JudgedMove): boolean {
  return from !== to && to !== 'deprecated' && to !== 'stale' && !(from === 'active' && to === 'rejected')
}

/** Returns as what a version counts in the record of its author, by the last decision on it; null for not at all. */
export function countedAs({ from, to, isReviewed }: JudgedMove): keyof AuthorRecord | null {
  if (to === 'rejected' || to === 'quarantined') return to
  return from === 'staged' && to === 'active' && isReviewed ? 'approved' : null
}

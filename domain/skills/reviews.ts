import type { SkillStatus } from './skill.js'

/** Something that a reviewer may do with a version: the statuses that it may have, and the one that it gets. */
interface ReviewRule {
  readonly from: readonly SkillStatus[]
  readonly to: SkillStatus
  /** True when it is scanned again first, and refused with critical findings that nobody overrules. */
  readonly isScanned: boolean
  /** True when it takes also what waits and could not be scanned, which then goes on by its verdict. */
  readonly takesFailed?: true
  /** A sentence for the reviewer on what was done. */
  readonly done: string
}

export const REVIEWS = {
  approve: { from: ['staged'], to: 'active', isScanned: true, done: 'It is active.' },
  reject: {
    from: ['staged', 'quarantined'],
    to: 'rejected',
    isScanned: false,
    done: 'The service accepts nothing like it until the cool-off ends.',
  },
  quarantine: { from: ['staged'], to: 'quarantined', isScanned: false, done: 'It is quarantined.' },
  defer: { from: ['staged'], to: 'staged', isScanned: false, done: 'It is at the end of the inbox.' },
  restore: {
    from: ['quarantined', 'stale'],
    to: 'staged',
    isScanned: true,
    takesFailed: true,
    done: 'It was scanned again.',
  },
  overrule: {
    from: ['quarantined'],
    to: 'staged',
    isScanned: true,
    done: 'It waits for a review, with this reason beside what the scan found.',
  },
  retire: { from: ['active'], to: 'deprecated', isScanned: false, done: 'It is out of service.' },
} as const satisfies Record<string, ReviewRule>
export type ReviewName = keyof typeof REVIEWS

/** An edit takes a version that waits for a review, and leaves one. */
export const EDIT = { from: ['staged'], to: 'staged' } as const

/** Statuses of versions that may be served again by a rollback. */
export const ROLLED_BACK_FROM: readonly SkillStatus[] = ['deprecated', 'stale']

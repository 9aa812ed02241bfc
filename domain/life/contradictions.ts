import { nameKey } from '../text/memory-text.js'
import type { Trust } from '../trust.js'
import type { Visibility } from '../visibility.js'

/** Predicates of which a subject has one value at a time; `current_*` and `preferred_*` beside them. In snake_case. */
const SINGLE_VALUED = new Set(
  `lives_in located_in address works_at works_for employer role title manager reports_to spouse married_to status state owner
  version port url email phone birthday age timezone language price deadline due_date`.split(/\s+/),
)

/** The predicate in snake_case: "worksAt", "works at" and "Works-At" are `works_at`. */
export function predicateKey(predicate: string): string {
  return predicate
    .normalize('NFKC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

export function isSingleValued(key: string): boolean {
  return SINGLE_VALUED.has(key) || key.startsWith('current_') || key.startsWith('preferred_')
}

/** What a memory says of its subject: a triple, for whom and for how long. Times are Unix milliseconds; null is open. */
export interface Claim {
  readonly memoryId: string
  readonly subjectId: string
  readonly predicateKey: string
  readonly object: string
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: Visibility
  readonly validStart: number | null
  readonly validEnd: number | null
  /** valid_start, else when it was written: of two that contradict each other, the earlier is the older. */
  readonly at: number
}

export interface Displacement {
  readonly oldId: string
  readonly newId: string
  /** What becomes of the older one; both become conflicted where the writer may not displace another agent's row. */
  readonly oldStatus: 'outdated' | 'conflicted'
  /** `flipped`: what was just written is the older of the two. */
  readonly direction: 'canonical' | 'flipped'
}

/**
 * What the claims just written do to those that stand, and to one another in their order (decisions.md §3): same subject and
 * single-valued predicate, other object, overlapping validity, same audience, unless it is told otherwise which are in conflict.
 * `standing` holds none of `written`.
 */
export function displacementsOf(
  written: readonly Claim[],
  standing: readonly Claim[],
  trust: Trust,
  areInConflict: (a: Claim, b: Claim) => boolean = contradict,
): Displacement[] {
  const displacements: Displacement[] = []
  let stands = [...standing]
  for (const claim of written) {
    let isOutdated = false
    for (const other of stands.filter((other) => areInConflict(claim, other))) {
      const isNewer = claim.at >= other.at
      const [older, newer] = isNewer ? [other, claim] : [claim, other]
      // A writer may always put its own row behind; another agent's only at trust 2.
      const mayDisplace = older === claim || other.agentId === claim.agentId || trust >= 2
      displacements.push({
        oldId: older.memoryId,
        newId: newer.memoryId,
        oldStatus: mayDisplace ? 'outdated' : 'conflicted',
        direction: isNewer ? 'canonical' : 'flipped',
      })
      if (!mayDisplace) continue
      if (isNewer) stands = stands.filter((one) => one !== other)
      else isOutdated = true
    }
    if (!isOutdated) stands.push(claim)
  }
  return displacements
}

function contradict(a: Claim, b: Claim): boolean {
  return (
    a.subjectId === b.subjectId &&
    a.predicateKey === b.predicateKey &&
    isSingleValued(a.predicateKey) &&
    nameKey(a.object) !== nameKey(b.object) &&
    speakAtOnce(a, b)
  )
}

/** Whether they speak to the same audience of a time that they share: others cannot be in conflict. */
export function speakAtOnce(a: Claim, b: Claim): boolean {
  return overlap(a, b) && isSameAudience(a, b)
}

function overlap(a: Claim, b: Claim): boolean {
  const startsBefore = (start: number | null, end: number | null) => start === null || end === null || start < end
  return startsBefore(a.validStart, b.validEnd) && startsBefore(b.validStart, a.validEnd)
}

function isSameAudience(a: Claim, b: Claim): boolean {
  if (a.visibility !== b.visibility) return false
  switch (a.visibility) {
    case 'scope_org':
      return true
    case 'scope_team':
      return a.fleetId === b.fleetId
    case 'scope_agent':
      return a.agentId === b.agentId
  }
}

import { nameKey } from '../text/memory-text.js'
import type { Trust } from '../trust.js'
import type { Visibility } from '../visibility.js'

/** The predicate in snake_case: "worksAt", "works at" and "Works-At" are `works_at`. */
export function predicateKey(predicate: string): string {
  return predicate
    .normalize('NFKC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
}

const ENDS_IN_WORD = /[\p{L}\p{N}]$/u

/**
 * Whether a subject has one value at a time of a predicate in snake_case, by the setting `memory.single_valued_predicates`: in any
 * spelling, and a `*` at the end stands for anything.
 */
export function singleValuedBy(predicates: readonly string[]): (key: string) => boolean {
  const keys = new Set<string>()
  const beginnings: string[] = []
  for (const predicate of predicates) {
    if (!predicate.endsWith('*')) keys.add(predicateKey(predicate))
    else {
      const stem = predicate.slice(0, -1)
      beginnings.push(predicateKey(stem) + (ENDS_IN_WORD.test(stem) ? '' : '_'))
    }
  }
  return (key) => keys.has(key) || beginnings.some((beginning) => key.startsWith(beginning))
}

/** What a memory says of its subject, of a single-valued predicate: a triple, for whom and for how long. Times are Unix milliseconds; null is open. */
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
 * predicate, other object, overlapping validity, same audience, unless it is told otherwise which are in conflict.
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

import { nameKey } from '../text/memory-text.js'
import type { Trust } from '../trust.js'
import type { Visibility } from '../visibility.js'

/** Returns the predicate in snake_case: "worksAt", "works at" and "Works-At" are `works_at`. */
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
 * Returns a test for predicates (in snake_case) of which a subject has one value at a time, from the setting
 * `memory.single_valued_predicates`. Any spelling counts, and a trailing `*` stands for anything.
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

/**
 * A memory's statement about its subject with a single-valued predicate: a triple, its audience and its validity. Times
 * are Unix milliseconds; null is open.
 */
export interface Statement {
  readonly memoryId: string
  readonly subjectId: string
  readonly predicateKey: string
  readonly object: string
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: Visibility
  readonly validStart: number | null
  readonly validEnd: number | null
  /** valid_start, else the time of writing: of two statements that contradict each other, the earlier is the older. */
  readonly at: number
}

export interface SupersessionPlan {
  readonly oldId: string
  readonly newId: string
  /**
   * The older memory's new status. Both become conflicted where the writer may not supersede another agent's memory.
   */
  readonly oldStatus: 'outdated' | 'conflicted'
  /** `flipped` when the memory that was just written is the older of the two. */
  readonly direction: 'canonical' | 'flipped'
}

/**
 * Returns which memories supersede or conflict with which: the new statements, in order, against the
 * existing ones and one another. By default two conflict when they have the same subject and predicate, another object,
 * overlapping validity and the same audience; `areInConflict` replaces that rule. `standing` contains none of
 * `written`.
 */
export function planSupersessions(
  written: readonly Statement[],
  standing: readonly Statement[],
  trust: Trust,
  areInConflict: (a: Statement, b: Statement) => boolean = areContradictory,
): SupersessionPlan[] {
  const plans: SupersessionPlan[] = []
  let current = [...standing]
  for (const statement of written) {
    let isOutdated = false
    for (const other of current.filter((other) => areInConflict(statement, other))) {
      const isNewer = statement.at >= other.at
      const [older, newer] = isNewer ? [other, statement] : [statement, other]
      // A writer may always supersede its own memory; another agent's only at trust 2.
      const maySupersede = older === statement || other.agentId === statement.agentId || trust >= 2
      plans.push({
        oldId: older.memoryId,
        newId: newer.memoryId,
        oldStatus: maySupersede ? 'outdated' : 'conflicted',
        direction: isNewer ? 'canonical' : 'flipped',
      })
      if (!maySupersede) continue
      if (isNewer) current = current.filter((one) => one !== other)
      else isOutdated = true
    }
    if (!isOutdated) current.push(statement)
  }
  return plans
}

function areContradictory(a: Statement, b: Statement): boolean {
  return (
    a.subjectId === b.subjectId &&
    a.predicateKey === b.predicateKey &&
    nameKey(a.object) !== nameKey(b.object) &&
    mayConflict(a, b)
  )
}

/** Returns whether two statements have the same audience and overlapping validity: others cannot conflict. */
export function mayConflict(a: Statement, b: Statement): boolean {
  return overlap(a, b) && isSameAudience(a, b)
}

function overlap(a: Statement, b: Statement): boolean {
  const startsBefore = (start: number | null, end: number | null) => start === null || end === null || start < end
  return startsBefore(a.validStart, b.validEnd) && startsBefore(b.validStart, a.validEnd)
}

function isSameAudience(a: Statement, b: Statement): boolean {
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

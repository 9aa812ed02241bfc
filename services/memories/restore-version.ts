import { enrichmentOf } from '../../domain/enrichment/record.js'
import type { CallerStatus } from '../../domain/life/status-moves.js'
import { GIVEN_MEMBERS, type GivenMember, type Memory, nameOf } from '../../domain/memory-fields.js'
import type { MemoryStatus } from '../../domain/memory.js'
import { isSameValue, type MemoryChange } from './memory-change.js'

/** Members that a restore leaves as they are: who sees a memory is decided now, and its weight is what it has earned. */
const LEFT: readonly GivenMember[] = ['weight', 'visibility', 'status']
const RESTORED = GIVEN_MEMBERS.filter((member) => !LEFT.includes(member))

interface RestoreOptions {
  /** The subject of the version, if the caller sees such an entity now. */
  readonly knownSubjects: ReadonlyMap<string, string>
  readonly now: Date
}

/**
 * Returns the change that gives a row what callers gave a version of it. Values that the service inferred are not given by anybody: they are
 * left to it. A status that callers may not set stays; whether the move is allowed is for the change to decide.
 */
export function changeToVersion(row: Memory, version: Memory, { knownSubjects, now }: RestoreOptions): MemoryChange {
  const { subjectEntityId: subject, expiresAt } = version
  const isUnknown = subject !== null && !knownSubjects.has(subject)
  const wanted: Memory = {
    ...version,
    ...(isUnknown && { subjectEntityId: null, predicate: null, objectValue: null }),
    ...(expiresAt !== null && expiresAt <= now && { expiresAt: row.expiresAt }),
  }
  const change: Record<string, unknown> = {}
  for (const member of RESTORED) {
    const value = givenValue(wanted, member)
    if (!isSameValue(value, givenValue(row, member))) change[member] = value
  }
  if (version.status !== row.status && isCallers(version.status)) change.status = version.status
  return change
}

/** Returns what a caller gave of a field; null where the service inferred it. */
function givenValue(memory: Memory, member: GivenMember): unknown {
  if (member === 'memoryType') return memory.typeGiven ? memory.memoryType : null
  const inferred: readonly string[] = enrichmentOf(memory.systemMetadata)?.inferred ?? []
  return inferred.includes(nameOf(member)) ? null : memory[member]
}

/** Statuses that the service alone sets. */
const SERVICE_STATUSES: readonly MemoryStatus[] = ['outdated', 'conflicted', 'deleted']

function isCallers(status: MemoryStatus): status is CallerStatus {
  return !SERVICE_STATUSES.includes(status)
}

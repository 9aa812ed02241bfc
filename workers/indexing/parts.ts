import type { Space } from '../../domain/space.js'
import type { FailedTry } from '../../store/outbox/outbox.js'

/** Rows of a batch by their result. */
export interface Parts<T> {
  readonly done: readonly T[]
  readonly failures: readonly FailedTry[]
}

/** Tenant and corpus of the rows. */
export interface InSpace {
  readonly tenantId: string
  readonly space: Space
}

export function ofIds<T extends { id: string }>(rows: readonly T[], wanted: readonly { id: string }[]): T[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

export function without<T extends { id: string }>(rows: readonly T[], unwanted: readonly { id: string }[]): T[] {
  const ids = new Set(unwanted.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

import type { Corpus } from '../../domain/corpus.js'
import type { FailedAttempt } from '../../store/outbox/outbox.js'

/** Rows of a batch by their result. */
export interface StepResult<T> {
  readonly done: readonly T[]
  readonly failures: readonly FailedAttempt[]
}

/** Tenant and corpus of the rows. */
export interface TenantCorpus {
  readonly tenantId: string
  readonly corpus: Corpus
}

export function ofIds<T extends { id: string }>(rows: readonly T[], wanted: readonly { id: string }[]): T[] {
  const ids = new Set(wanted.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

export function without<T extends { id: string }>(rows: readonly T[], unwanted: readonly { id: string }[]): T[] {
  const ids = new Set(unwanted.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

export type Dependency = 'postgres' | 'search' | 'queue' | 'embedder' | 'language model' | 'reranker'

export const OUTAGE_REASONS = [
  'unreachable',
  'circuit_open',
  'damaged',
  'incomplete',
  'disk_full',
  'memory_full',
  'read_only',
  'wrong_role',
  'busy',
] as const
/**
 * Why a dependency cannot be used. `disk_full`, `memory_full` and `read_only` mean that it answers but takes no writes,
 * `busy` that this process had no free connection in time.
 */
export type OutageReason = (typeof OUTAGE_REASONS)[number]

/** The current fault of a dependency. */
export interface Fault {
  readonly reason: OutageReason
  /** Detail for logs: kinds and codes, never a caller's text. */
  readonly detail: string
}

/** Returns true when the dependency still answers reads. */
export function answersReads(reason: OutageReason): boolean {
  return reason === 'disk_full' || reason === 'memory_full' || reason === 'read_only'
}

const NAMES: { readonly [K in Dependency]: string } = {
  postgres: 'PostgreSQL',
  search: 'search engine',
  queue: 'job queue',
  embedder: 'embedder',
  'language model': 'language model',
  reranker: 'reranker',
}

/** Returns the message for callers and operators: what is wrong, and what ends it. */
export function outageMessage(dependency: Dependency, reason: OutageReason): string {
  const name = NAMES[dependency]
  switch (reason) {
    case 'unreachable':
      return `The service cannot reach its ${dependency} right now.`
    case 'circuit_open':
      return `The service's ${name} keeps failing; its circuit breaker is open and retries it automatically.`
    case 'damaged':
      return `The files of the service's ${name} are damaged: another index is being built to replace them, and recall reports "search" as degraded until then.`
    case 'incomplete':
      return `The index of the service's ${name} is incomplete or not created yet: a worker with the indexing queue builds it, so start one where none runs; recall reports "search" as degraded until then.`
    case 'disk_full':
      return `The disk of the service's ${name} is full: it takes no writes until space is freed on it.`
    case 'memory_full':
      return `The memory of the service's ${name} is full: it takes no writes until it has more, or holds less.`
    case 'read_only':
      return `The service's ${name} is read-only: it takes no writes until an operator makes it writable or names the primary.`
    case 'busy':
      return `The service is busy: no connection to its ${name} was free in time.`
    case 'wrong_role':
      return `The service refuses to use its ${name}: connections do not have the role that separates tenants.`
  }
}

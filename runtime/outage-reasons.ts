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
 * Why a dependency cannot be worked with. `disk_full`, `memory_full` and `read_only` say that it answers and takes no writes, `busy` that
 * this process did not come to it.
 */
export type OutageReason = (typeof OUTAGE_REASONS)[number]

/** Describes what is wrong with a dependency at this moment. */
export interface Fault {
  readonly reason: OutageReason
  /** For logs: kinds and codes, never a text of a caller's. */
  readonly detail: string
}

/** Returns true when the dependency still answers what only reads. */
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

/** Says to callers and operators what is wrong, and what ends it. */
export function outageMessage(dependency: Dependency, reason: OutageReason): string {
  const name = NAMES[dependency]
  switch (reason) {
    case 'unreachable':
      return `The service cannot reach its ${dependency} right now.`
    case 'circuit_open':
      return `The service's ${name} keeps failing and is left alone for a moment; it is tried again by itself.`
    case 'damaged':
      return `The files of the service's ${name} are damaged: another index is filled in their place, and recall says that "search" is missing until then.`
    case 'incomplete':
      return `The index of the service's ${name} is not made yet or lacks something: a worker with the indexing queue makes it or fills another, so start one where none runs; recall says that "search" is missing until then.`
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

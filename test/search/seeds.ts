import type { RecallFilter } from '../../domain/recall-filter.js'
import { RECALL_STATUSES } from '../../domain/memory.js'
import type { Audience, VisibleRow } from '../../domain/visibility.js'
import type { IndexChange, IndexDocument, Leg, SearchAnswer } from '../../search/search-index.js'

export const DIMENSIONS = 8
export const NOW = 1_700_000_000_000

/** Returns a unit vector with these leading values. */
export function unit(...values: number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from({ length: DIMENSIONS }, (_, i) => (values[i] ?? 0) / length)
}

export function document(fields: Partial<IndexDocument> = {}): IndexDocument {
  return {
    agentId: 'alice',
    fleetId: null,
    visibility: 'scope_org',
    memoryType: 'fact',
    status: 'active',
    runId: null,
    createdAt: NOW - 1000,
    expiresAt: null,
    validStart: null,
    validEnd: null,
    terms: ['word'],
    entityIds: [],
    metadataTerms: [],
    vector: null,
    words: fields.terms?.length ?? 1,
    ...fields,
  }
}

/** Returns changes with rising sequences from 1 on, named by their keys. */
export function changes(documents: Readonly<Record<string, Partial<IndexDocument>>>): IndexChange[] {
  return Object.entries(documents).map(([id, fields], i) => ({ id, seq: i + 1, document: document(fields) }))
}

export function filter(fields: Partial<RecallFilter> = {}): RecallFilter {
  return { audience: { kind: 'shared', agentId: null, fleets: 'all' }, now: NOW, statuses: RECALL_STATUSES, ...fields }
}

/** A filter with every condition but the audience's. */
export const EVERY_CONDITION: Required<Omit<RecallFilter, 'audience' | 'expression' | 'languages' | 'knownAt'>> = {
  now: 1000,
  statuses: ['active'],
  memoryTypes: ['fact'],
  fleetIds: ['red'],
  agentId: 'bob',
  runId: 'r',
  createdAfter: 1,
  createdBefore: 2,
  validAt: 3,
  authoredFleets: [],
  condition: {
    kind: 'and',
    of: [
      { kind: 'terms', anyOf: ['["k","3v"]'] },
      { kind: 'terms between', from: { term: '["k","2', includes: false }, to: { term: '["k","25"]', includes: true } },
      { kind: 'or', of: [{ kind: 'entities', anyOf: ['e'] }, { kind: 'has entity' }] },
      { kind: 'not', of: { kind: 'times', column: 'created_at', from: { value: 1, includes: true } } },
      { kind: 'column', column: 'run_id', anyOf: ['r'] },
      { kind: 'has', column: 'valid_start' },
      { kind: 'valid at', instant: 3 },
    ],
  },
}

export function ids(answer: SearchAnswer, leg: Leg): string[] {
  return (answer.legs[leg] ?? []).map((hit) => hit.id)
}

/** Returns the fleets in which the audience's agent has `scope_team` rows. */
export function authoredFleetsOf(audience: Audience, rows: Iterable<VisibleRow>): string[] {
  if (audience.kind === 'nobody' || audience.agentId === null) return []
  const own = [...rows].filter((row) => row.agentId === audience.agentId && row.visibility === 'scope_team')
  return [...new Set(own.flatMap(({ fleetId }) => fleetId ?? []))]
}

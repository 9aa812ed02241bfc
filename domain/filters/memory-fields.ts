import { CALLER_MEMORY_TYPES, MEMORY_STATUSES, SERVICE_MEMORY_TYPES } from '../memory.js'
import type { MemoryColumn } from './expression.js'
import { type ColumnRule, type FilterFields, NAME } from './read-filter.js'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function oneOf(names: readonly string[], storedAs = (name: string) => name): ColumnRule {
  return {
    is: 'text',
    must: `Must be one of these: ${names.join(', ')}.`,
    stored: (text) => (names.includes(text) ? storedAs(text) : null),
  }
}

/** The fields of a memory that a filter may name. */
export const MEMORY_FILTER_FIELDS = {
  keysOf: 'metadata',
  columns: {
    tags: NAME,
    memory_type: oneOf([...CALLER_MEMORY_TYPES, ...SERVICE_MEMORY_TYPES], (type) =>
      type === 'semantic' ? 'fact' : type,
    ),
    status: oneOf(MEMORY_STATUSES),
    agent_id: NAME,
    fleet_id: NAME,
    run_id: NAME,
    entity_id: {
      is: 'text',
      must: 'Must be the id of an entity, a UUID.',
      stored: (text) => (UUID.test(text) ? text.toLowerCase() : null),
    },
    created_at: { is: 'time' },
    ts_valid_start: { is: 'time' },
    ts_valid_end: { is: 'time' },
    valid_at: { is: 'interval' },
  } satisfies Record<MemoryColumn | 'valid_at', ColumnRule>,
} as const satisfies FilterFields

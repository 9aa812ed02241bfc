import type { Lean, LeanRow } from './lean-answer.js'

const VALIDITY = ['ts_valid_start', 'ts_valid_end', 'expires_at']

const OF_MEMORY = ['id', 'content', 'memory_type', 'agent_id', 'created_at']

export const MEMORY: LeanRow = {
  keys: [...OF_MEMORY, 'score', 'title', 'metadata', ...VALIDITY, 'status'],
  usual: { status: 'active' },
}
/** A memory after feedback, which moves its weight. */
export const RATED_MEMORY: LeanRow = { ...MEMORY, keys: [...MEMORY.keys, 'weight'] }
export const MEMORY_PAGE: Lean = { page: ['next_cursor'], rows: { items: MEMORY } }
/** A memory that a recall found, with what is folded under it. */
const RECALLED: LeanRow = {
  ...MEMORY,
  keys: [...MEMORY.keys, 'content_length', 'copies', 'earlier', 'later'],
  rows: { copies: { keys: ['count', 'agent_ids'] } },
}
export const RECALL: Lean = {
  page: ['recall_id', 'left_out', 'confidence', 'summary', 'degraded', 'not_compared'],
  rows: { memories: RECALLED },
}
/** Which memory took the place of which. */
export const LINEAGE: Lean = { page: [], rows: { items: { ...MEMORY, keys: [...MEMORY.keys, 'supersedes_id'] } } }
export const BULK: Lean = { page: ['created', 'duplicates', 'errors', 'results'], rows: {} }

/** A document that was written: the caller has its data. */
export const DOCUMENT: LeanRow = { keys: ['collection', 'doc_id', 'version', 'updated_at'] }
const FOUND_DOCUMENT: LeanRow = { keys: ['collection', 'doc_id', 'score', 'data', 'updated_at'] }
export const DOCUMENT_PAGE: Lean = { page: ['next_cursor'], rows: { items: FOUND_DOCUMENT } }
export const DOCUMENT_SEARCH: Lean = {
  page: ['truncated', 'degraded', 'not_compared'],
  rows: { results: FOUND_DOCUMENT },
}

/** A skill in a list: its text is read alone, by the one who follows it. */
const SKILL: LeanRow = {
  keys: ['doc_id', 'score', 'data', 'updated_at'],
  rows: { data: { keys: ['name', 'description', 'summary', 'domain', 'tags'] } },
}
export const SKILL_PAGE: Lean = { page: ['next_cursor'], rows: { items: SKILL } }
export const SKILL_SEARCH: Lean = { page: ['truncated', 'degraded', 'not_compared'], rows: { results: SKILL } }

/** A skill that waits for a decision. A reviewer reads what speaks for it and against it. */
const CARD: LeanRow = {
  keys: [
    ...['doc_id', 'version', 'name', 'description', 'summary', 'content', 'domain', 'goal', 'kind', 'source', 'status'],
    ...['reason', 'tags', 'scan', 'gates', 'evidence', 'cites', 'target', 'fleet_id', 'author_agent_id'],
    ...['priority', 'author_record', 'deferred_at', 'created_at'],
  ],
  rows: { scan: { keys: ['state', 'findings'] }, priority: { keys: ['reasons'] } },
}
export const INBOX_PAGE: Lean = { page: ['total', 'next_cursor'], rows: { items: CARD } }

const RULE = ['doc_id', 'title', 'content', 'scope', 'weight', 'fleet_id', 'agent_id']
export const KEYSTONE: LeanRow = { keys: [...RULE, 'version'] }
export const KEYSTONE_PAGE: Lean = { page: ['count'], rows: { items: { keys: RULE } } }

export const ENTITY_PAGE: Lean = {
  page: ['next_cursor'],
  rows: { items: { keys: ['id', 'name', 'entity_type', 'memory_count'] } },
}

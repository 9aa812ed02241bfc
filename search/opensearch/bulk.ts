import type { IndexChange, IndexDocument, IndexedColumns, IndexOutcome } from '../search-index.js'
import { storedTerms } from '../terms.js'
import { EngineFailure, reasonOfBlock } from './connection.js'
import { documentKey, storedKeyword, tenantToken } from './keywords.js'
import { readerFields } from './readers.js'
import { vectorColumns } from './vector-columns.js'

/**
 * Returns the lines of one `_bulk`, two for each change. A tombstone is a document too: its version rejects changes
 * that arrive late.
 */
export function bulkLines(
  tenantId: string,
  changes: readonly IndexChange[],
  { now, dimensions }: { readonly now: number; readonly dimensions: number },
): object[] {
  const routing = tenantToken(tenantId)
  return changes.flatMap(({ id, seq, document }) => {
    const key = documentKey(tenantId, id)
    return [
      { index: { _id: key, routing, version: seq, version_type: 'external' } },
      {
        tenant_id: storedKeyword(tenantId),
        id: storedKeyword(id),
        ...(document === null ? { status: 'deleted', tombstoned_at: now } : fieldsOf(tenantId, document)),
        ...vectorColumns(document?.vector ?? null, key, dimensions),
      },
    ]
  })
}

/** OpenSearch treats null as a missing field. */
function fieldsOf(tenantId: string, document: IndexDocument): object {
  const terms = storedTerms(document.terms)
  const readers = readerFields(tenantId, document, terms)
  return {
    agent_id: keywordOrNull(document.agentId),
    fleet_id: keywordOrNull(document.fleetId),
    visibility: document.visibility,
    memory_type: document.memoryType,
    status: document.status,
    run_id: keywordOrNull(document.runId),
    created_at: document.createdAt,
    expires_at: document.expiresAt,
    valid_start: document.validStart,
    valid_end: document.validEnd,
    readers: readers.readers,
    terms: readers.terms.join(' '),
    fleet_terms: readers.fleetTerms.join(' '),
    term_count: terms.length,
    word_count: document.words,
    entity_ids: document.entityIds.map(storedKeyword),
    metadata_terms: document.metadataTerms.map(storedKeyword),
  } satisfies IndexedColumns & Record<string, unknown>
}

function keywordOrNull(value: string | null): string | null {
  return value === null ? null : storedKeyword(value)
}

export interface BulkAnswer {
  readonly items: readonly {
    readonly index: { readonly status: number; readonly error?: { readonly type?: string; readonly reason?: string } }
  }[]
}

/**
 * Reads every item. 409 means that the document is as new or newer: done. Throws `EngineFailure` when an item met an
 * outage (429, 503, a missing or blocked index); any other error is the item's own, reported by its type only, since
 * its text may quote the document.
 */
export function readOutcomes(changes: readonly IndexChange[], { items }: BulkAnswer): IndexOutcome[] {
  return changes.map(({ id }, position) => {
    const item = items[position]?.index
    if (item === undefined) throw new EngineFailure('opensearch left an item of a bulk call unanswered', false)
    const type = item.error?.type ?? 'unknown'
    if (item.status < 300 || item.status === 409) return { id, outcome: 'written' }
    if (isOutage(item.status, type))
      throw new EngineFailure(
        `opensearch: item ${item.status} ${type}`,
        false,
        item.status,
        type,
        reasonOfBlock(type, item.error?.reason),
      )
    return { id, outcome: 'refused', reason: `${item.status} ${type}` }
  })
}

function isOutage(status: number, type: string): boolean {
  return [429, 502, 503, 504].includes(status) || OUTAGES.has(type)
}

const OUTAGES: ReadonlySet<string> = new Set([
  'index_not_found_exception',
  'index_closed_exception',
  'cluster_block_exception',
])

import { indexedTerms } from '../domain/text/memory-text.js'
import { metadataTerm, type IndexChange, type IndexDocument } from '../search/search-index.js'
import type { IndexedMemory } from '../store/indexing/index-rows.js'

/** A memory as the index holds it. */
export function indexDocument(memory: IndexedMemory, vector: Float32Array | null): IndexDocument {
  return {
    agentId: memory.agentId,
    fleetId: memory.fleetId,
    visibility: memory.visibility,
    memoryType: memory.memoryType,
    status: memory.status,
    runId: memory.runId,
    createdAt: memory.createdAt.getTime(),
    expiresAt: memory.expiresAt?.getTime() ?? null,
    validStart: memory.validStart?.getTime() ?? null,
    validEnd: memory.validEnd?.getTime() ?? null,
    terms: indexedTerms(memory),
    entityIds: memory.entityIds,
    metadataTerms: metadataTerms(memory.metadata),
    vector: usable(vector),
  }
}

/** The same change for an index with other vectors. */
export function withVector(change: IndexChange, vector: Float32Array | null): IndexChange {
  return { ...change, document: change.document && { ...change.document, vector: usable(vector) } }
}

/** Zeros are no vector. */
function usable(vector: Float32Array | null): Float32Array | null {
  return vector && vector.some((value) => value !== 0) ? vector : null
}

function metadataTerms(metadata: Record<string, unknown>): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => (isScalar(value) ? [metadataTerm(key, value)] : []))
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

import { BM25 } from '../../domain/ranking/bm25.js'

export interface IndexShape {
  readonly embedderId: string
  readonly dimensions: number
  readonly shards: number
  /** Undefined: one copy as soon as there is a second node. */
  readonly replicas: number | undefined
}

/** The body that creates the index, already behind its alias. */
export function indexBody(shape: IndexShape, alias: string) {
  return {
    settings: { index: settings(shape), similarity: { memories: SIMILARITY } },
    mappings: {
      dynamic: 'strict',
      _meta: { embedder_id: shape.embedderId, dimensions: shape.dimensions },
      // Postgres holds the truth and a rebuild reads it there: the index gives ids, versions and scores only.
      _source: { enabled: false },
      _routing: { required: true },
      properties: properties(shape.dimensions),
    },
    aliases: { [alias]: {} },
  }
}

/** Memories are short: domain/ranking/bm25.ts says why these are not the textbook's values. */
const SIMILARITY = { type: 'BM25', ...BM25 }

function settings({ shards, replicas }: IndexShape) {
  return {
    number_of_shards: shards,
    ...(replicas === undefined ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas }),
    // An erasure merges away every deleted document, not only where there are many.
    merge: { policy: { expunge_deletes_allowed: 0 } },
    knn: true,
    // Said explicitly: left to its default, an index that nobody searches stops refreshing, and `refresh=wait_for` would wait
    // for up to a second.
    refresh_interval: '200ms',
  }
}

function properties(dimensions: number) {
  const keyword = { type: 'keyword' }
  // Times are Unix milliseconds; `date` would refuse nothing more and prints what nobody reads.
  const time = { type: 'long' }
  return {
    tenant_id: keyword,
    id: keyword,
    agent_id: keyword,
    fleet_id: keyword,
    visibility: keyword,
    memory_type: keyword,
    status: keyword,
    run_id: keyword,
    created_at: time,
    expires_at: time,
    valid_start: time,
    valid_end: time,
    // Already analysed (domain/text): stems joined by spaces, each with its tenant (keywords.ts).
    terms: { type: 'text', analyzer: 'whitespace', similarity: 'memories', index_options: 'freqs' },
    term_count: { type: 'integer' },
    entity_ids: keyword,
    metadata_terms: keyword,
    vector: {
      type: 'knn_vector',
      dimension: dimensions,
      // Lucene's is the one engine without native libraries. `cosinesimil` refuses zero vectors, asked or stored; vectors are
      // unit vectors, so the inner product is the cosine.
      method: {
        name: 'hnsw',
        engine: 'lucene',
        space_type: 'innerproduct',
        parameters: { m: 16, ef_construction: 128 },
      },
    },
    tombstoned_at: time,
  }
}

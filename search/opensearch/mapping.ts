import { BM25 } from '../../domain/ranking/lexical.js'
import type { IndexedColumns } from '../search-index.js'

export interface IndexShape {
  readonly embedderId: string
  readonly dimensions: number
  readonly shards: number
  /** Undefined: one replica as soon as there is a second node. */
  readonly replicas: number | undefined
}

/** Returns the request body that creates the index together with its alias. */
export function indexBody(shape: IndexShape, alias: string) {
  return {
    settings: { index: settings(shape), similarity: { memories: SIMILARITY }, analysis: ANALYSIS },
    mappings: {
      dynamic: 'strict',
      _meta: { embedder_id: shape.embedderId, dimensions: shape.dimensions },
      // Postgres is the source of truth, and a rebuild reads from there: the index only returns ids, versions and
      // scores.
      _source: { enabled: false },
      _routing: { required: true },
      properties: properties(shape.dimensions),
    },
    aliases: { [alias]: {} },
  }
}

/** Memories are short: domain/ranking/lexical.ts explains why these differ from the textbook's values. */
const SIMILARITY = { type: 'BM25', ...BM25 }

/**
 * A query gives the tokens of one term separated by `|`: they take one position, so that Lucene scores them as synonyms,
 * all with the rarity of the most frequent one. Lucene's tokenizer would split them after 255 characters.
 */
const ANALYSIS = {
  tokenizer: { forms: { type: 'whitespace', max_token_length: 4096 } },
  filter: { forms: { type: 'pattern_capture', preserve_original: false, patterns: ['([^|]+)'] } },
  analyzer: { forms: { type: 'custom', tokenizer: 'forms', filter: ['forms'] } },
}

function settings({ shards, replicas }: IndexShape) {
  return {
    number_of_shards: shards,
    ...(replicas === undefined ? { auto_expand_replicas: '0-1' } : { number_of_replicas: replicas }),
    merge: {
      policy: {
        // An erasure merges away every deleted document, not only in segments with many of them.
        expunge_deletes_allowed: 0,
        // A search visits every segment, so few are kept, of documents too (../README.md has figures); writes pay for it.
        segments_per_tier: 4,
        floor_segment: '64mb',
      },
    },
    // A refresh merges segments below the floor and waits for that; what is written becomes searchable at most a second later.
    merge_on_flush: { max_full_flush_merge_wait_time: '1s' },
    knn: true,
    // Set explicitly: with the default, an index that nobody searches stops refreshing, and `refresh=wait_for` would
    // wait for up to a second.
    refresh_interval: '200ms',
  }
}

function properties(dimensions: number) {
  const keyword = { type: 'keyword' }
  // Times are Unix milliseconds; `date` would validate nothing more.
  const time = { type: 'long' }
  // Already analysed (domain/text): stems joined by spaces, each prefixed with its tenant and audience (readers.ts).
  const terms = {
    type: 'text',
    analyzer: 'whitespace',
    search_analyzer: 'forms',
    similarity: 'memories',
    index_options: 'freqs',
  }
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
    readers: keyword,
    terms,
    fleet_terms: terms,
    term_count: { type: 'integer' },
    word_count: { type: 'integer' },
    entity_ids: keyword,
    metadata_terms: keyword,
    // Every document has a vector, a placeholder where `lacks_vector` is true (vector-columns.ts).
    vector: {
      type: 'knn_vector',
      dimension: dimensions,
      // Lucene's engine is the only one without native libraries. The inner product of unit vectors is the cosine.
      method: {
        name: 'hnsw',
        engine: 'lucene',
        space_type: 'innerproduct',
        parameters: { m: 16, ef_construction: 128 },
      },
    },
    lacks_vector: { type: 'boolean' },
    tombstoned_at: time,
  } satisfies IndexedColumns & Record<string, unknown>
}

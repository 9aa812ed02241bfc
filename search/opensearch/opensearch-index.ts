import type { Corpus } from '../../domain/corpus.js'
import type { Clock } from '../../runtime/clock.js'
import type { ClientLog } from '../../runtime/logger.js'
import { indexSlug } from '../index-name.js'
import type { ObserveEngine } from '../observe-index.js'
import type {
  IndexChange,
  IndexOutcome,
  SearchAnswer,
  SearchIndex,
  SearchRequest,
  CorpusIndex,
  TenantIndex,
} from '../search-index.js'
import { combineCorpora } from '../corpora.js'
import { refusalOf } from '../vectors.js'
import { bulkLines, readOutcomes, type BulkAnswer } from './bulk.js'
import { compareDocuments, type EntryPage, listIds } from './compare.js'
import { connect, EngineFailure, toUnavailable, type Connection } from './connection.js'
import { faultOf } from './health.js'
import { documentKey, storedKeyword, tenantToken } from './keywords.js'
import { indexBody, type IndexShape } from './mapping.js'
import { placeMarks, readMarks, replaceMarks } from './marks.js'
import { assertAllAnswered, type ShardCounts } from './shard-copies.js'
import { RememberedCounts } from './remembered-counts.js'
import { readAnswer, type MultiAnswer } from './search-answers.js'
import { planSearch } from './search-bodies.js'
import { purgeTombstones } from './tombstones.js'

interface OpenSearchOptions {
  readonly url: string
  /** Prefix of the name of everything that this service stores in the cluster. */
  readonly prefix: string
  readonly embedderId: string
  readonly dimensions: number
  /** Distinguishes indexes of one embedder (`indexSlug`). */
  readonly generation: string
  readonly shards?: number
  readonly replicas?: number
  /** Timeout of a search. Writes wait for a refresh and get 30 s. */
  readonly timeoutMs?: number
  readonly logger?: ClientLog
  readonly clock?: Clock | undefined
  readonly observe?: ObserveEngine | undefined
}

/**
 * Increased with every change of the mapping or the analysis (domain/text): each version has its own index and alias.
 */
const SCHEMA = 10
const WRITE_TIMEOUT_MS = 30_000

/**
 * Creates the shared engine: each corpus of each index has an alias of its own, so that processes never mix two models
 * or two builds.
 */
export function createOpenSearchIndex(options: OpenSearchOptions): SearchIndex {
  return combineCorpora((corpus) => createCorpusIndex(corpus, options), options.observe)
}

function createCorpusIndex(corpus: Corpus, options: OpenSearchOptions): CorpusIndex {
  const { url, prefix, embedderId, dimensions, generation, timeoutMs = 3000, logger } = options
  const shape: IndexShape = { embedderId, dimensions, shards: options.shards ?? 2, replicas: options.replicas }
  const aliasOf = (schema: number) => `${prefix}-${corpus}-${indexSlug(embedderId, dimensions, generation)}-v${schema}`
  const nameOf = (schema: number) => `${aliasOf(schema)}-index`
  const [alias, name] = [aliasOf(SCHEMA), nameOf(SCHEMA)]
  const connection = connect(url, logger)
  const counts = new RememberedCounts({ clock: options.clock })

  return {
    engine: 'opensearch',
    make: (mark) =>
      mapOutages(async () => {
        const created = await createIndex(connection, name, indexBody(shape, alias))
        if (created) logger?.info({ index: name }, 'search index created')
        await placeMarks({ connection, alias, dimensions }, mark)
      }),
    marks: () => mapOutages(() => readMarks(connection, alias)),
    remark: (known, next) => mapOutages(() => replaceMarks({ connection, alias, dimensions }, known, next)),
    for: (tenantId) => tenantIndex({ connection, alias, counts, dimensions, timeoutMs, tenantId }),
    purgeTombstones: (before) => mapOutages(() => purgeTombstones(connection, alias, before, WRITE_TIMEOUT_MS)),
    expunge: () =>
      mapOutages(async () => {
        const query = { only_expunge_deletes: 'true', wait_for_completion: 'false' }
        await connection.call({ method: 'POST', path: `/${alias}/_forcemerge`, query }, { timeoutMs: WRITE_TIMEOUT_MS })
      }),
    health: () => faultOf(connection, alias),
    describe: () =>
      mapOutages(async () => ({ name: alias, documents: await countDocuments(connection, alias, timeoutMs) })),
    remove: () =>
      mapOutages(async () => {
        for (let schema = 1; schema <= SCHEMA; schema++) await removeIndex(connection, nameOf(schema))
      }).finally(() => connection.close()),
    stop: () => connection.close(),
  }
}

interface TenantBinding {
  readonly connection: Connection
  readonly alias: string
  readonly counts: RememberedCounts
  readonly dimensions: number
  readonly timeoutMs: number
  readonly tenantId: string
}

function tenantIndex({ connection, alias, counts, dimensions, timeoutMs, tenantId }: TenantBinding): TenantIndex {
  return {
    search: (request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> =>
      mapOutages(async () => {
        // A body gets less time than the call, so that a slow leg is named and the others still answer.
        const plan = planSearch(tenantId, request, Math.ceil(timeoutMs * 0.8), counts)
        const answer = await connection.callGuarded<MultiAnswer>(
          { method: 'POST', path: `/${alias}/_msearch`, lines: plan.lines },
          { timeoutMs, signal },
        )
        return readAnswer(plan, answer, counts)
      }),
    write: (changes: readonly IndexChange[], signal?: AbortSignal): Promise<IndexOutcome[]> =>
      mapOutages(async () => {
        const refusals = changes.map((change) => refusalOf(change, dimensions))
        const sent = changes.filter((_, position) => refusals[position] === null)
        const outcomes = sent.length === 0 ? [] : await writeBulk(sent, signal)
        const next = outcomes.values()
        return changes.map(({ id }, position): IndexOutcome => {
          const reason = refusals[position]
          return reason ? { id, outcome: 'refused', reason } : next.next().value!
        })
      }),
    countOf: (ids: readonly string[]): Promise<number> =>
      mapOutages(async () => {
        const live = { must_not: [{ exists: { field: 'tombstoned_at' } }] }
        const body = {
          query: { bool: { filter: [{ ids: { values: ids.map((id) => documentKey(tenantId, id)) } }], ...live } },
        }
        const request = {
          method: 'POST',
          path: `/${alias}/_count`,
          query: { routing: tenantToken(tenantId) },
          body,
        } as const
        const { count, _shards } = await connection.call<{ count: number; _shards: ShardCounts }>(request, {
          timeoutMs,
        })
        assertAllAnswered(_shards)
        return count
      }),
    count: () => mapOutages(() => countDocuments(connection, alias, WRITE_TIMEOUT_MS, tenantId)),
    compare: (expected, signal) => mapOutages(() => compareDocuments(searchTenant(signal), tenantId, expected)),
    listIds: (selection, signal) => mapOutages(() => listIds(searchTenant(signal), tenantId, selection)),
  }

  /** Returns a function that searches the tenant's shard and fails unless that has answered completely. */
  function searchTenant(signal: AbortSignal | undefined) {
    return async (body: object): Promise<EntryPage> => {
      const query = { routing: tenantToken(tenantId) }
      const request = { method: 'POST', path: `/${alias}/_search`, query, body } as const
      const page = await connection.call<EntryPage>(request, { timeoutMs: WRITE_TIMEOUT_MS, signal })
      assertAllAnswered(page._shards)
      return page
    }
  }

  async function writeBulk(changes: readonly IndexChange[], signal: AbortSignal | undefined): Promise<IndexOutcome[]> {
    const answer = await connection.call<BulkAnswer>(
      {
        method: 'POST',
        path: `/${alias}/_bulk`,
        // Without require_alias, a write to a deleted index would create one with a guessed mapping.
        query: { refresh: 'wait_for', require_alias: 'true' },
        lines: bulkLines(tenantId, changes, { now: Date.now(), dimensions }),
      },
      { timeoutMs: WRITE_TIMEOUT_MS, signal },
    )
    return readOutcomes(changes, answer)
  }
}

/** Returns true when this call created it. Of many concurrent processes one creates it and the others find it. */
async function createIndex(connection: Connection, name: string, body: object): Promise<boolean> {
  try {
    await connection.call({ method: 'PUT', path: `/${name}`, body }, { timeoutMs: WRITE_TIMEOUT_MS })
    return true
  } catch (error) {
    if (!(error instanceof EngineFailure && error.type === 'resource_already_exists_exception')) throw error
    const query = { wait_for_status: 'yellow', timeout: '20s' }
    await connection.call({ method: 'GET', path: `/_cluster/health/${name}`, query }, { timeoutMs: WRITE_TIMEOUT_MS })
    return false
  }
}

async function removeIndex(connection: Connection, name: string): Promise<void> {
  try {
    await connection.call({ method: 'DELETE', path: `/${name}` }, { timeoutMs: WRITE_TIMEOUT_MS })
  } catch (error) {
    if (!(error instanceof EngineFailure && error.type === 'index_not_found_exception')) throw error
  }
}

/** Counts the documents of one tenant, or of all. */
async function countDocuments(
  connection: Connection,
  alias: string,
  timeoutMs: number,
  tenantId?: string,
): Promise<number> {
  const filter = tenantId === undefined ? [] : [{ term: { tenant_id: storedKeyword(tenantId) } }]
  const body = { query: { bool: { filter, must_not: [{ exists: { field: 'tombstoned_at' } }] } } }
  const query: Record<string, string> = tenantId === undefined ? {} : { routing: tenantToken(tenantId) }
  const path = `/${alias}/_count`
  const request = { method: 'POST', path, query, body } as const
  const { count, _shards } = await connection.call<{ count: number; _shards: ShardCounts }>(request, { timeoutMs })
  assertAllAnswered(_shards)
  return count
}

async function mapOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toUnavailable(error)
  }
}

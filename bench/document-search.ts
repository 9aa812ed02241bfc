import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { analyse } from '../domain/text/analysis.js'
import type { Embedder } from '../models/embedder.js'
import { createStaticEmbedder } from '../models/static-embedder.js'
import { collectionTerm, type SearchRequest } from '../search/search-index.js'
import { LEG_SIZE } from '../services/retrieval/candidates.js'
import { withConnection } from '../store/connection.js'
import { type AgainstOptions, compareRevisions, type Subject } from './against.js'
import { type BareSearch, copiedSqlite, recordedSearches } from './bare-search.js'
import type { Cleanup } from './cleanup.js'
import { type TenantQuestion, questionsOf, type Tenant } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type BenchEnvironment, type Profile } from './environment.js'
import { timesRow } from './samples.js'
import {
  lookAt,
  mintKey,
  printVitals,
  type Service,
  type ServiceAccess,
  startService,
  untilIndexed,
} from './service.js'
import { CONCURRENCY, alternateBlocks, alternate, printPair } from './side-by-side.js'

interface DocumentSearchOptions extends DocumentFleet {
  readonly profiles: readonly Profile[]
}

interface DocumentFleet {
  readonly tenants: number
  /** Number over all tenants. */
  readonly documents: number
  /** Number over all tenants; a fifth of them warms up. */
  readonly questions: number
}

const COLLECTION = 'notes'
const BULK = 250
const WARM_UP = 0.2

/** Measures POST /documents/search as its callers see it, beside the bare search of the engine. */
export async function benchDocumentSearch(options: DocumentSearchOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const loading = await startService(environment, { cleanup })
    const tenants = await loadDocuments(loading, options)
    const asked = questionsOf(tenants)
    await untilDocumentTailIsEmpty(environment)
    const recorded = profile === 'scaled' ? await recordedSearches(environment, asked, search, cleanup) : null
    await loading.stop()

    const service = await startService(environment, { cleanup })
    const bare = recorded ?? (await bareSqlite(service, asked, cleanup))
    console.log(`\nsearch of documents, ${profile}: ${options.documents} documents in ${options.tenants} tenants`)
    await measure(service, asked, bare)
    await service.stop()
  }
}

/** Measures the search of documents of this checkout beside that of another commit. */
export function benchDocumentSearchAgainst(options: AgainstOptions & DocumentFleet, cleanup: Cleanup): Promise<void> {
  const subject: Subject = {
    title: `search of documents, ${options.documents} documents in ${options.tenants} tenants`,
    async load(service, environment) {
      const tenants = await loadDocuments(service, options)
      await untilDocumentTailIsEmpty(environment)
      return questionsOf(tenants)
    },
    async ask(service, question) {
      const { value, ms } = await search(service, question)
      if (value.degraded !== null) throw new Error(`a search was degraded: ${value.degraded}`)
      return ms
    },
  }
  return compareRevisions(options, subject, cleanup)
}

async function loadDocuments(service: ServiceAccess, options: DocumentFleet): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let i = 0; i < options.tenants; i++) {
    const id = `documents-${i}`
    const agentId = 'scribe'
    const key = await mintKey(service, id, agentId)
    const corpus = createFleetCorpus(i + 1)
    const items = corpus.memories(Math.ceil(options.documents / options.tenants)).map((memory, n) => ({
      doc_id: `note-${n}`,
      data: { text: memory.content, kind: memory.memory_type, run: memory.run_id, about: memory.metadata },
    }))
    for (let start = 0; start < items.length; start += BULK) {
      const body = { tenant_id: id, collection: COLLECTION, items: items.slice(start, start + BULK) }
      const call = { method: 'POST', path: '/api/v1/documents/bulk', key, body }
      const { value } = await sendJson<{ errors: number }>(service.client, call)
      if (value.errors > 0) throw new Error(`${value.errors} documents were refused`)
    }
    tenants.push({ id, key, agentId, questions: corpus.questions(Math.ceil(options.questions / options.tenants)) })
  }
  await untilIndexed(service)
  return tenants
}

/** Waits until a search reads nothing from the pending tail: up to a minute after the last row has settled. */
async function untilDocumentTailIsEmpty(environment: BenchEnvironment): Promise<void> {
  await withConnection(environment.databaseUrl(), async (client) => {
    while (await hasPending(client)) await sleep(1_000)
  })
}

async function hasPending(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pends: boolean }>(
    `select exists (select from index_pending where kind = 'document') as pends`,
  )
  return rows[0]!.pends
}

function search(service: Service, { tenant, question }: TenantQuestion) {
  const body = { tenant_id: tenant.id, query: question, collection: COLLECTION }
  const call = { method: 'POST', path: '/api/v1/documents/search', key: tenant.key, body }
  return sendJson<{ count: number; search_ms: number; degraded: string | null }>(service.client, call)
}

async function bareSqlite(service: Service, asked: readonly TenantQuestion[], cleanup: Cleanup): Promise<BareSearch> {
  const embedder = await createStaticEmbedder()
  const requests = await searchRequests(embedder, asked)
  return copiedSqlite(service, 'documents', embedder, { asked, requests }, cleanup)
}

/** Returns the requests to the engine for each question. */
async function searchRequests(embedder: Embedder, asked: readonly TenantQuestion[]): Promise<SearchRequest[]> {
  const vectors = await embedder.embed(
    asked.map(({ question }) => question),
    'query',
  )
  return asked.map(({ question }, i) => {
    const terms = [...new Set(analyse(question, 'en'))]
    return {
      filter: {
        audience: { kind: 'shared', agentId: null, fleets: 'all' },
        now: Date.now(),
        statuses: ['active'],
        metadataTerms: [[collectionTerm(COLLECTION)]],
      },
      size: LEG_SIZE,
      keyword: { terms },
      frequenciesOf: terms,
      vector: { vector: vectors[i]! },
    }
  })
}

async function measure(service: Service, asked: readonly TenantQuestion[], bare: BareSearch): Promise<void> {
  const noise = createNoise()
  const own: number[] = []
  const measured = async (position: number) => {
    const { value, ms } = await search(service, asked[position]!)
    if (value.degraded !== null) throw new Error(`a search was degraded: ${value.degraded}`)
    if (value.count === 0) throw new Error('a search found nothing')
    own.push(value.search_ms)
    return ms
  }
  const contest = { measured, yardstick: bare, noise }
  const names = ['search of documents', 'bare search'] as const
  const positions = asked.map((_, position) => position)
  const warmUp = Math.floor(asked.length * WARM_UP)
  const half = warmUp + Math.floor((asked.length - warmUp) / 2)
  await alternate(positions.slice(0, warmUp), { ...contest, noise: createNoise() })
  own.length = 0

  let look = await lookAt(service)
  printPair('one at a time', await alternate(positions.slice(warmUp, half), contest), names, 'none')
  console.log('the operation itself (search_ms)', timesRow(own))
  printVitals(look, await lookAt(service), half - warmUp)
  look = await lookAt(service)
  printPair(`${CONCURRENCY} at a time`, await alternateBlocks(positions.slice(half), contest), names, 'none')
  printVitals(look, await lookAt(service), asked.length - half)
  console.log('noise', noise.summary())
}

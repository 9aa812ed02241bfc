import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { RECALL_STATUSES } from '../../../domain/memory.js'
import type { Principal } from '../../../domain/principal.js'
import { callsWithPermit } from '../../../runtime/external-calls.js'
import type { SearchRequest } from '../../../search/search-index.js'
import type { ServiceContext } from '../../../services/context.js'
import { findCandidates } from '../../../services/retrieval/candidates.js'
import type { Query } from '../../../domain/query.js'
import type { Tail } from '../../../store/outbox/pending-tail.js'
import { createFakeEmbedder } from '../../support/fake-embedder.js'
import { createTestIndexes } from '../../support/index-builds.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('what a search asks the index for', () => {
  let test: TestStore
  let indexBuildId: string
  before(async () => {
    test = await createTestStore()
    const build = await createTestIndexes(test, createFakeEmbedder()).first()
    indexBuildId = build.id
  })
  after(() => test.stop())

  const NOW = Date.parse('2026-06-01T10:00:30.250Z')
  const query: Query = {
    text: 'fox',
    terms: ['fox'],
    language: 'en',
    languages: ['en'],
    groups: [['fox']],
    leftOut: new Set(),
    keywordTerms: ['fox'],
    filter: { audience: { kind: 'nobody' }, now: NOW, statuses: RECALL_STATUSES },
    topK: 10,
  }

  const EMPTY: Tail = { ids: [], stale: 0, complete: true, hasJustExpired: false }

  /** Searches an index that finds nothing. */
  function findWith(readTail: () => Tail, onRequest: (request: SearchRequest) => void) {
    const search = (request: SearchRequest) => {
      onRequest(request)
      return Promise.resolve({ legs: {}, failed: [], statistics: null, mark: null })
    }
    const context = {
      store: test.store,
      indexBuildId,
      embedder: createFakeEmbedder(),
      queryVectors: { vectorOf: () => Promise.resolve(new Float32Array(64)) },
      index: { engine: 'sqlite', for: () => ({ search }) },
      metrics: { leg: () => undefined },
    } as unknown as ServiceContext
    return findCandidates(
      context,
      { tenantId: 'asking' } as Principal,
      query,
      {
        corpus: 'memories',
        readFirst: () => Promise.resolve({ tail: readTail() }),
        readNewest: () => Promise.resolve([]),
      },
      { signal: new AbortController().signal, externalCalls: callsWithPermit },
    )
  }

  /** Returns the request that the index receives after this tail was read. */
  async function askedWith(tail: Partial<Tail>): Promise<SearchRequest> {
    const requests: SearchRequest[] = []
    await findWith(
      () => ({ ...EMPTY, ...tail }),
      (request) => requests.push(request),
    )
    expect(requests).to.have.length(1)
    return requests[0]!
  }

  it('is what had not expired when the minute began, so that an engine caches the filter for all of it', async () => {
    expect((await askedWith({})).filter.now).to.equal(Date.parse('2026-06-01T10:00:00Z'))
  })

  it('is what has not expired at this instant where rows have expired since the minute began', async () => {
    expect((await askedWith({ hasJustExpired: true })).filter.now).to.equal(NOW)
  })

  it('is as many hits more as rows of the tail may have an older copy in the index', async () => {
    expect((await askedWith({})).size).to.equal(50)
    expect((await askedWith({ stale: 7 })).size).to.equal(57)
  })

  it('is as many hits more as the search asks for again, with what it read the first time', async () => {
    let tails = 0
    const sizes: number[] = []
    const first = await findWith(
      () => ({ ...EMPTY, stale: ++tails }),
      ({ size }) => sizes.push(size),
    )
    const again = await first.withMore(450)
    expect([sizes, tails, again.first]).to.deep.equal([[51, 501], 1, first.first])
  })

  it('comes after the tail was read, so that no row is missed that is indexed between the two', async () => {
    const id = randomUUID()
    let isIndexed = false
    const { found } = await findWith(
      () => (isIndexed ? EMPTY : { ...EMPTY, ids: [id] }),
      () => {
        isIndexed = true
      },
    )
    expect([...found]).to.deep.equal([[id, new Set(['pending'])]])
  })
})

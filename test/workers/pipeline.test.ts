import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { analyse } from '../../domain/text/analysis.js'
import { createStaticEmbedder } from '../../models/static-embedder.js'
import type { Embedder } from '../../models/embedder.js'
import { createLogger } from '../../runtime/logger.js'
import type { SearchIndex, SearchRequest } from '../../search/search-index.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { enqueueAll, readIndexingState } from '../../store/outbox/outbox-upkeep.js'
import { createWorkers, type Workers } from '../../workers/pool.js'
import { remember } from '../support/memories.js'
import { until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

describe('from the outbox to the SQLite engine', () => {
  let test: TestStore
  let directory: string
  let embedder: Embedder
  let tenant: string
  let running: { workers: Workers; index: SearchIndex } | undefined

  before(async () => {
    test = await createTestStore()
    directory = await mkdtemp(join(tmpdir(), 'cairn-pipeline-'))
    embedder = await createStaticEmbedder()
  })
  after(async () => {
    await test.stop()
    await embedder.close()
    await rm(directory, { recursive: true, force: true })
  })
  beforeEach(() => {
    tenant = `t-${randomUUID()}`
  })
  afterEach(stop)

  async function start(name: string): Promise<SearchIndex> {
    const { id, dimensions } = embedder
    const place = join(directory, name)
    const index = createSqliteIndex({
      directory: place,
      embedderId: id,
      dimensions,
      generation: '00000001',
      logger: createLogger('silent'),
    })
    await index.make('first')
    const workers = createWorkers(testWorkerContext(test, { index, embedder }), { queues: ['indexing', 'lifecycle'] })
    workers.start()
    running = { workers, index }
    return index
  }
  async function stop(): Promise<void> {
    await running?.workers.stop()
    await running?.index.stop()
    running = undefined
  }
  const settled = () =>
    until('nothing is pending', async () =>
      expect((await test.store.asSystem((system) => readIndexingState(system, tenant))).pending).to.equal(0),
    )
  async function find(index: SearchIndex, words: string, leg: 'keyword' | 'vector'): Promise<string[]> {
    const [vector] = await embedder.embed([words], 'query')
    const request: SearchRequest = {
      filter: {
        audience: { kind: 'shared', agentId: null, fleets: 'all' },
        now: Date.now(),
        statuses: RECALL_STATUSES,
      },
      size: 1,
      ...(leg === 'keyword' ? { keyword: { terms: analyse(words, 'en') } } : { vector: { vector: vector! } }),
    }
    return (await index.for(tenant).search(request)).legs[leg]!.map((hit) => hit.id)
  }

  it('finds memories by words and by meaning as soon as they have settled, and no longer once they are deleted', async () => {
    const index = await start('first')
    const [dog, rent] = await remember(test.store, tenant, 'The dog chased the cat', 'Rent is due on Friday')
    await settled()
    expect(await find(index, 'chase', 'keyword')).to.deep.equal([dog])
    expect(await find(index, 'payment for the apartment', 'vector')).to.deep.equal([rent])
    await test.store.transact({ tenantId: tenant }, (writer) =>
      changeStatus(writer, [dog!], { from: ['active'], to: 'deleted', at: new Date() }),
    )
    await settled()
    expect(await find(index, 'chase', 'keyword')).to.deep.equal([])
  })

  it('rebuilds a lost index from PostgreSQL', async () => {
    await start('lost')
    const [kept, deleted] = await remember(test.store, tenant, 'Keep this sentence', 'Drop this sentence')
    await test.store.transact({ tenantId: tenant }, (writer) =>
      changeStatus(writer, [deleted!], { from: ['active'], to: 'deleted', at: new Date() }),
    )
    await settled()
    await stop()
    const index = await start('made-again')
    expect(await find(index, 'sentence', 'keyword')).to.deep.equal([])
    await enqueueAll(test.store, { tenantId: tenant })
    await settled()
    expect(await find(index, 'sentence', 'keyword')).to.deep.equal([kept])
  })
})

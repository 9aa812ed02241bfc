import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { UnavailableError } from '../../runtime/errors.js'
import { createOpenSearchIndex } from '../../search/opensearch/opensearch-index.js'
import type { SearchIndex } from '../../search/search-index.js'
import { changes, filter } from './seeds.js'
import { recordedLog, type RecordedLog } from '../support/recorded-log.js'
import { until } from '../support/states.js'

type Answer = (response: ServerResponse) => void

const json = (status: number, body: object): Answer => {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const FOUND = json(200, { responses: [{ status: 200, hits: { hits: [] } }] })
const UNAVAILABLE = json(503, { error: { type: 'cluster_manager_not_discovered_exception' } })

/** Only the engine's HTTP is simulated here: a real engine cannot be made to fail like this. */
describe('opensearch outages', () => {
  let server: Server
  let url: string
  let index: SearchIndex
  let answer: Answer
  /** Answers by path, which go before `answer`. */
  let answers: ((path: string) => Answer) | null
  let calls: number
  let log: RecordedLog

  beforeEach(async () => {
    calls = 0
    answer = FOUND
    answers = null
    log = recordedLog()
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        calls++
        ;(answers?.(request.url!) ?? answer)(response)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    index = createOpenSearchIndex({
      url,
      prefix: 'test',
      embedderId: 'm',
      dimensions: 8,
      generation: '00000001',
      timeoutMs: 300,
      logger: log,
    })
  })
  afterEach(async () => {
    server.closeAllConnections()
    if (server.listening) server.close()
    await index.stop()
  })

  const search = () => index.for('t').search({ filter: filter(), size: 1, entity: { entityIds: ['private words'] } })
  const failure = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error)

  async function die() {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  async function comeBack() {
    server.listen(Number(new URL(url).port), '127.0.0.1')
    await once(server, 'listening')
  }

  const outages: Readonly<Record<string, Answer>> = {
    'answers 503': UNAVAILABLE,
    'answers 429': json(429, { error: { type: 'rejected_execution_exception' } }),
    'answers 401': json(401, { error: { type: 'security_exception' } }),
    'answers 404': json(404, { error: { type: 'index_not_found_exception' } }),
    'answers 500 without JSON': (response) => response.writeHead(500).end('oh'),
    'answers with broken JSON': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    'hangs up': (response) => void response.destroy(),
    'never answers': () => undefined,
  }
  for (const [what, broken] of Object.entries(outages)) {
    it(`are thrown by a search when the engine ${what}`, async () => {
      answer = broken
      const error = await failure(search())
      expect(error).to.be.instanceOf(UnavailableError).and.include({ dependency: 'search' })
    })
  }

  it('are thrown by every call when nothing listens, and health reports them', async () => {
    await die()
    for (const work of [
      () => index.make('first'),
      () => search(),
      () => index.for('t').write(changes({ a: {} })),
      () => index.purgeTombstones(0),
      () => index.describe(),
      () => index.marks(),
      () => index.remark(['a'], 'b'),
    ]) {
      expect(await failure(work())).to.be.instanceOf(UnavailableError)
    }
    expect((await index.health())?.detail).to.contain('ConnectionError')
  })

  it('contain neither texts nor queries', async () => {
    for (const broken of [UNAVAILABLE, json(400, { error: { type: 'x', reason: 'about private words' } })]) {
      answer = broken
      const errors = [
        await failure(search()),
        await failure(index.for('t').write(changes({ a: { terms: ['private', 'words'] } }))),
      ]
      for (const error of errors) {
        expect(error).to.be.instanceOf(UnavailableError)
        expect(inspect(error, { depth: 12, showHidden: true })).to.not.contain('private')
      }
    }
  })

  it('are thrown at once after three in a row, without a call, until the engine is back', async () => {
    expect(await failure(search())).to.equal(null)
    await die()
    for (let i = 0; i < 3; i++) expect(await failure(search())).to.be.instanceOf(UnavailableError)
    await comeBack()
    calls = 0
    expect(await failure(search())).to.be.instanceOf(UnavailableError)
    expect(calls).to.equal(0)
    expect(await index.health()).to.have.property('reason', 'circuit_open')
    calls = 0
    await until('the engine is tried again', async () => expect(await failure(search())).to.equal(null))
    expect(calls).to.equal(1)
    answer = json(200, { status: 'green' })
    expect(await index.health()).to.equal(null)
  })

  it('are logged once each, however often the engine is tried', async () => {
    answer = UNAVAILABLE
    for (let i = 0; i < 3; i++) await failure(search())
    calls = 0
    await until('a try has failed', async () => {
      await failure(search())
      return calls > 0
    })
    answer = FOUND
    await until('the engine is tried again', async () => expect(await failure(search())).to.equal(null))
    expect(log.lines).to.deep.equal([
      {
        fields: { reason: 'opensearch answered 503 cluster_manager_not_discovered_exception' },
        message: 'opensearch circuit opened',
      },
      { fields: {}, message: 'opensearch circuit closed' },
    ])
  })

  it('let one call probe while the others fail at once', async () => {
    await die()
    for (let i = 0; i < 3; i++) await failure(search())
    await comeBack()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    answer = (response) => void held.then(() => FOUND(response))
    calls = 0
    const tries: Promise<unknown>[] = []
    await until(
      'the engine is tried again',
      () => {
        tries.push(failure(search()))
        return calls > 0
      },
      { every: 20 },
    )
    const others = await Promise.all(Array.from({ length: 10 }, () => failure(search())))
    for (const error of others) expect(error).to.be.instanceOf(UnavailableError)
    expect(calls).to.equal(1)
    release()
    expect((await Promise.all(tries)).filter((error) => error === null)).to.have.length(1)
    expect(await failure(search())).to.equal(null)
  })

  it('do not count refusals: a search that the engine refuses is sent again each time', async () => {
    answer = json(400, { error: { type: 'parsing_exception' } })
    for (let i = 0; i < 6; i++) expect(await failure(search())).to.be.instanceOf(UnavailableError)
    expect(calls).to.equal(6)
    answer = FOUND
    expect(await failure(search())).to.equal(null)
  })

  describe('of a shard that is on no node', () => {
    const counts = { total: 2, successful: 1, skipped: 0, failed: 0 }
    const shard = (state: string) => ({ index: 'memories', shard: '0', prirep: 'p', state })
    /** Answers as OpenSearch 3.6 does whose second node, or its disk, is gone. */
    function losesShard(state: string, can_allocate: string, ofAll = false) {
      const failed = { error: { type: 'search_phase_execution_exception' } }
      answers = (path) => {
        if (path.startsWith('/_cat/shards')) return json(200, [shard('STARTED'), { ...shard(state), shard: '1' }])
        if (path.startsWith('/_cluster/allocation')) return json(200, { can_allocate })
        return ofAll ? json(503, failed) : json(200, { count: 1, _shards: counts, hits: { hits: [] } })
      }
    }

    for (const ofAll of [false, true])
      it(`say whether a copy is left, with ${ofAll ? 'no other' : 'other'} shards there`, async () => {
        losesShard('UNASSIGNED', 'no_valid_shard_copy', ofAll)
        expect(await failure(index.marks())).to.include({ name: 'UnavailableError', reason: 'incomplete' })
        // The node has it and is not allowed to, or waits for its turn.
        for (const can of ['no', 'throttled', 'awaiting_info']) {
          losesShard('UNASSIGNED', can, ofAll)
          expect(await failure(index.marks())).to.include({ name: 'UnavailableError', reason: 'unreachable' })
        }
        losesShard('INITIALIZING', 'no_valid_shard_copy', ofAll)
        expect(await failure(index.marks())).to.include({ name: 'UnavailableError', reason: 'unreachable' })
      })

    it('are what counts and marks meet: what the other shards hold is no answer', async () => {
      losesShard('UNASSIGNED', 'no')
      for (const work of [() => index.for('t').count(), () => index.describe(), () => index.remark(['a'], 'b')])
        expect(await failure(work())).to.be.instanceOf(UnavailableError)
    })
  })

  it('never hold up writes: each is tried', async () => {
    await die()
    for (let i = 0; i < 3; i++) await failure(search())
    await comeBack()
    answer = json(200, { items: [{ index: { status: 201 } }] })
    expect(await index.for('t').write(changes({ a: {} }))).to.eql([{ id: 'a', outcome: 'written' }])
  })
})

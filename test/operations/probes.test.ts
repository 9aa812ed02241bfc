import { expect } from 'chai'
import { parse } from 'yaml'
import { readFileSync } from 'node:fs'
import { freePort } from '../../runtime/free-port.js'
import type { Store } from '../../store/store.js'
import { createClient, type Client } from '../support/client.js'
import { readPublicStats } from '../../api/probes/getPublicStats.js'
import { checkReadiness } from '../../api/probes/readiness.js'
import { answerSchema } from '../../models/answer-schema.js'
import { startLanguageModelStub, type LanguageModelStub } from '../support/language-model-stub.js'
import { startService, type TestService } from '../support/service.js'
import { startProxy, type Proxy } from '../support/proxy.js'
import { runSql } from '../support/run-sql.js'
import { until } from '../support/states.js'

describe('probes', () => {
  let service: TestService
  let anyone: Client
  let writer: Client
  before(async () => {
    service = await startService({ env: { METRICS_PORT: String(await freePort()) } })
    anyone = createClient(service.url)
    writer = service.client(await service.mintKey({ tenantId: 't', agentId: 'a' }))
  })
  after(() => service.stop())

  it('health reports ok and each dependency, without a key', async () => {
    await until('health is ok', async () => expect((await anyone.probes.health()).body.status).to.equal('ok'))
    const { status, body } = await anyone.probes.health()
    expect(status).to.equal(200)
    expect(body.dependencies).to.deep.equal({ postgres: 'ok', search: 'ok', queue: 'ok', embedder: 'ok' })
    expect(body.version).to.match(/^\d+\.\d+\.\d+/)
    expect(body.uptime_s).to.be.greaterThan(0)
  })

  it('the root links to the contract and the probes, without a key, with and without trailing slash', async () => {
    const { status, body } = await anyone.probes.root()
    expect(status).to.equal(200)
    expect(body).to.include({ name: 'cairn' })
    const { docs, ...links } = body.links as Record<string, string>
    expect((await fetch(`${service.url}${docs}`)).headers.get('content-type')).to.match(/^text\/html/)
    for (const path of Object.values(links)) {
      expect((await anyone.raw('GET', path)).status, path).to.equal(200)
      expect((await anyone.raw('GET', `${path}/`)).status, path).to.equal(200)
    }
    expect((await anyone.raw('GET', '/?x=1')).status).to.equal(422)
    expect((await anyone.raw('POST', '/')).status).to.equal(405)
  })

  it('ready answers 200 without a key', async () => {
    const { status, body } = await anyone.probes.ready()
    expect([status, body]).to.deep.equal([200, { status: 'ready' }])
  })

  it('public stats count tenants, agents, memories and recalls, and contain no names', async () => {
    await writer.memories.create({ tenant_id: 't', content: 'counted in public' })
    await writer.memories.recall('public', { tenant_id: 't' })
    const stats = async () => (await anyone.probes.stats()).body
    await until('the public count follows', async () => expect((await stats()).recall_count).to.equal(1))
    expect(await stats()).to.include({ tenant_count: 1, agent_count: 1, memory_count: 1 })
    expect(Object.values(await stats()).every((value) => Number.isInteger(value))).to.equal(true)
    const operator = service.client(await service.mintKey({ tenantId: 'counted', agentId: 'b', trust: 3 }))
    await until('the public count follows', async () => expect((await stats()).tenant_count).to.equal(2))
    expect(await stats()).to.include({ agent_count: 2, memory_count: 1 })
    await operator.agents.delete('b')
    await until('the public count follows', async () => expect((await stats()).agent_count).to.equal(1))
  })

  it('public stats are read once a second, however many requests there are', async () => {
    let time = 0
    let reads = 0
    const store = { asSystem: () => (reads++, Promise.resolve({ tenants: reads })) } as unknown as Store
    const context = { store, clock: { now: () => time } }
    const ask = async () => (await readPublicStats(context)).tenants
    expect(await Promise.all(Array.from({ length: 100 }, ask))).to.deep.equal(Array(100).fill(1))
    time = 999
    expect(await ask()).to.equal(1)
    time = 1_000
    expect(await ask()).to.equal(2)
    // Setting the clock back does not prolong the cache.
    time = 0
    expect(await ask()).to.equal(3)
  })

  it('public stats that could not be read are read again by the next request', async () => {
    let reads = 0
    const asSystem = () => (reads++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve({ tenants: 7 }))
    const context = { store: { asSystem } as unknown as Store, clock: { now: () => 0 } }
    const failed = await Promise.allSettled([readPublicStats(context), readPublicStats(context)])
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect((await readPublicStats(context)).tenants).to.equal(7)
    expect(reads).to.equal(2)
  })

  it('readiness is checked once for all requests at the same time, and again after that', async () => {
    let looks = 0
    const outcomes = [Promise.resolve(false), Promise.reject(new Error('away')), Promise.resolve(true)]
    outcomes[1]!.catch(() => undefined)
    const store = { asSystem: () => outcomes[looks++], writeFault: () => Promise.resolve(null) } as unknown as Store
    const ask = () => checkReadiness(store).catch((error: Error) => error.name)
    for (const expected of ['unmigrated', 'UnavailableError', 'ready'])
      expect(await Promise.all(Array.from({ length: 100 }, ask))).to.deep.equal(Array(100).fill(expected))
    expect(looks).to.equal(3)
  })

  it('the contract is served as written, with the schema of a change of settings and the nulls of bodies expanded', async () => {
    type Document = { components: { schemas: Record<string, { properties: object; 'x-change-of'?: string }> } }
    const served = (await anyone.probes.openapi()).body as unknown as Document
    const text = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')
    const { components: written, ...rest } = parse(text, { merge: true }) as Document
    const { components, ...body } = served
    expect(body).to.deep.equal(rest)
    expect({ ...components, schemas: null }).to.deep.equal({ ...written, schemas: null })
    expect(Object.keys(components.schemas)).to.deep.equal(Object.keys(written.schemas))
    const settings = Object.keys(written.schemas.Settings!.properties)
    expect(Object.keys(components.schemas.SettingsChange!.properties)).to.deep.equal(['tenant_id', ...settings])
    const spelt = Object.values(written.schemas).filter((schema) => schema['x-change-of'] !== undefined)
    expect(spelt).to.deep.equal([written.schemas.SettingsChange])
    const { order } = components.schemas.DocumentQuery!.properties as { order: object }
    expect(order).to.deep.include({ type: ['string', 'null'], enum: ['asc', 'desc', null] })
  })

  it('indexing shows what is pending to the admin credential only', async () => {
    const admin = service.client()
    await until('nothing is pending', async () => expect((await admin.indexing.get()).body.pending).to.equal(0))
    const { body } = await admin.indexing.get()
    expect(body).to.include({ pending: 0, oldest_pending_age_s: null, failed: 0 })
    expect(body.index).to.include({ engine: 'sqlite', documents: 1, available: true })
    expect(body.embedder).to.deep.equal({
      id: 'static-multi-480',
      dimensions: 480,
      languages: 93,
      available: true,
      unknown_languages: [],
    })
    expect((await writer.indexing.get()).status).to.equal(403)
    expect((await anyone.indexing.get()).status).to.equal(401)
  })

  it('a reindex enqueues every row of one tenant or of all', async () => {
    const admin = service.client()
    const other = service.client(await service.mintKey({ tenantId: 'other', agentId: 'a' }))
    await other.memories.create({ tenant_id: 'other', content: 'of the other tenant' })
    expect((await admin.indexing.reindex({ tenant_id: 'other' })).body.enqueued).to.equal(1)
    expect((await admin.indexing.reindex()).body.enqueued).to.equal(2)
    await until('nothing is pending', async () => expect((await admin.indexing.get()).body.pending).to.equal(0))
    expect((await admin.indexing.get()).body.index.documents).to.equal(2)
    expect((await writer.indexing.reindex()).status).to.equal(403)
    expect((await anyone.indexing.reindex()).status).to.equal(401)
  })

  it('a retry enqueues failed rows again, of one tenant or of all', async () => {
    const admin = service.client()
    await runSql(
      service.databaseUrl,
      `insert into index_pending (tenant_id, kind, entity_id, attempts, failed_at)
        select tenant_id, 'memory', id, 8, now() from memories
        on conflict (tenant_id, kind, entity_id) do update set failed_at = now(), settled_at = null`,
    )
    expect((await admin.indexing.get()).body.failed).to.equal(2)
    expect((await admin.indexing.get({ tenant_id: 'other' })).body.failed).to.equal(1)
    expect((await admin.indexing.retry({ tenant_id: 'other' })).body.enqueued).to.equal(1)
    expect((await admin.indexing.retry()).body.enqueued).to.equal(1)
    await until('nothing is pending', async () => expect((await admin.indexing.get()).body.pending).to.equal(0))
    expect((await admin.indexing.get()).body.failed).to.equal(0)
    expect((await writer.indexing.retry()).status).to.equal(403)
    expect((await anyone.indexing.retry()).status).to.equal(401)
  })

  it('metrics show requests, pools and the indexing backlog on their own port', async () => {
    const text = await (await fetch(service.metricsUrl!)).text()
    expect(text).to.match(/cairn_request_seconds_count\{operation="createMemory",status="201"\} [1-9]/)
    expect(text).to.match(/cairn_recall_seconds_count 1/)
    for (const leg of ['vector', 'keyword'])
      expect(text).to.match(new RegExp(`cairn_recall_leg_seconds_count\\{leg="${leg}",outcome="ok"\\} 1`))
    expect(text).to.match(/cairn_pool_connections\{pool="app",state="idle"\} \d/)
    expect(text).to.match(/cairn_indexed_total [1-9]/)
    expect(text).to.contain('cairn_index_pending')
    expect(text).to.contain('cairn_index_lag_seconds')
    expect(text).to.contain('cairn_process_cpu_seconds_total')
    expect((await fetch(new URL('/', service.metricsUrl!))).status).to.equal(404)
    expect((await fetch(new URL('/metrics', service.url))).status).to.equal(404)
  })

  describe('with a language model', () => {
    let stub: LanguageModelStub
    let thinking: TestService
    before(async () => {
      stub = await startLanguageModelStub()
      thinking = await startService({ env: { LLM_URL: stub.url, LLM_MODEL: 'stub' } })
    })
    after(async () => {
      await thinking.stop()
      await stub.stop()
    })

    it('health lists it, and is degraded while its circuit breaker is open', async () => {
      const client = createClient(thinking.url)
      await until('health is ok', async () => expect((await client.probes.health()).body.status).to.equal('ok'))
      expect((await client.probes.health()).body.dependencies.language_model).to.equal('ok')
      const model = thinking.context.languageModel!
      stub.fail(401)
      const ask = () =>
        model.complete({ instructions: '', input: '' }, answerSchema('any', { type: 'object' }), {
          maxOutputTokens: 10,
          lane: 'background',
        })
      await until('the model is unavailable', async () => {
        await ask().catch(() => undefined)
        return !model.health().available
      })
      await until('health shows language model as unavailable', async () =>
        expect((await client.probes.health()).body.dependencies.language_model).to.equal('unavailable'),
      )
      expect((await client.probes.health()).body.status).to.equal('degraded')
      expect(await thinking.context.metrics.text()).to.match(/cairn_llm_seconds_count\{outcome="misconfigured"\} [1-9]/)
    })
  })

  describe('with Postgres unavailable', () => {
    let proxy: Proxy
    let lonely: TestService
    let client: Client
    before(async () => {
      lonely = await startService({
        queues: [],
        env: { DATABASE_CONNECT_TIMEOUT_MS: '500' },
        reroute: async (env) => {
          proxy = await startProxy(env.DATABASE_URL!)
          return { DATABASE_URL: proxy.url }
        },
      })
      client = createClient(lonely.url)
      await proxy.cut()
    })
    after(async () => {
      await lonely.stop()
      await proxy.stop()
    })

    it('health stays 200 and reports what is degraded', async () => {
      await until('health shows postgres as unavailable', async () =>
        expect((await client.probes.health()).body.dependencies.postgres).to.equal('unavailable'),
      )
      const { status, body } = await client.probes.health()
      expect([status, body.status]).to.deep.equal([200, 'degraded'])
      expect(body.dependencies).to.include({ postgres: 'unavailable', embedder: 'ok' })
    })

    it('ready and public stats are 503 with Retry-After', async () => {
      for (const operation of ['getReady', 'getPublicStats'] as const) {
        const { status, headers, body } = await client.call(operation)
        expect([status, body.error.code]).to.deep.equal([503, 'UNAVAILABLE'])
        expect(headers.get('Retry-After')).to.match(/^\d+$/)
      }
    })

    it('both recover as soon as Postgres does', async () => {
      await proxy.mend()
      await until('the service is ready', async () => expect((await client.probes.ready()).status).to.equal(200))
      await until('health is ok', async () => expect((await client.probes.health()).body.status).to.equal('ok'))
    })
  })

  it('ready is 503 while migrations are missing', async () => {
    const unmigrated = await startService({ queues: [] })
    try {
      await runSql(unmigrated.databaseUrl, `delete from kysely_migration where name like '%-enrichment'`)
      const { status, body } = await createClient(unmigrated.url).probes.ready()
      expect(status).to.equal(503)
      expect(body.error.message).to.contain('cairn migrate')
    } finally {
      await unmigrated.stop()
    }
  })
})

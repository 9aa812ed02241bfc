import { expect } from 'chai'
import { type Caller, type Client, createClient } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant } from '../support/tenants.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/states.js'
import { setReadOnly, simulateFullDisk } from '../support/unwritable.js'

describe('a PostgreSQL that accepts no writes', () => {
  let service: TestService
  let caller: Caller
  let anyone: Client
  let id: string
  let disk: Awaited<ReturnType<typeof simulateFullDisk>>
  before(async () => {
    service = await startService()
    anyone = createClient(service.url)
    caller = await newTenant(service).caller({ agentId: 'ana', trust: 3 })
    id = (await caller.memories.create('The ferry leaves at noon.').ok()).id
    await settled(service)
    disk = await simulateFullDisk(service.databaseUrl)
    await until('the service is ready', async () => expect((await anyone.probes.ready()).status).to.equal(200))
  })
  after(() => service.stop())

  const health = async () => (await anyone.probes.health()).body
  const writes = (): Promise<{ status: number; headers: Headers; body: { error: { message: string } } }>[] => [
    caller.memories.create('A write.'),
    caller.memories.createMany([{ content: 'One of many.' }]),
    service.client().keys.create({ tenant_id: caller.tenantId, kind: 'tenant' }),
    caller.agents.put('ben', { trust_level: 1 }),
    caller.documents.put('c', 'd', { a: 1 }),
  ]
  const cases = {
    'is read-only': {
      reason: 'read_only',
      says: /PostgreSQL is read-only/,
      begin: () => setReadOnly(service.databaseUrl, true),
      end: () => setReadOnly(service.databaseUrl, false),
    },
    'has a full disk': {
      reason: 'disk_full',
      says: /disk of the service's PostgreSQL is full/,
      begin: () => disk.fill(),
      end: () => disk.free(),
    },
  } as const

  for (const [what, { reason, says, begin, end }] of Object.entries(cases))
    describe(`because it ${what}`, () => {
      before(async () => {
        await begin()
        await until('a write is refused for the reason', async () =>
          says.test((await caller.memories.create('Not now.')).body.error.message),
        )
      })
      after(end)

      it('answers writes with 503 and the reason, and reads as usual', async () => {
        for (const { status, headers, body } of await Promise.all(writes())) {
          expect([status, says.test(body.error.message)], body.error.message).to.deep.equal([503, true])
          expect(headers.get('Retry-After')).to.match(/^\d+$/)
        }
        expect((await caller.memories.get(id)).status).to.equal(200)
        expect((await caller.memories.list()).status).to.equal(200)
        expect((await caller.memories.recall('ferry').ok()).memories[0]!.id).to.equal(id)
      })

      it('is not ready, and its health is degraded, with the reason', async () => {
        const { status, body } = await anyone.probes.ready()
        expect([status, says.test(body.error.message)], body.error.message).to.deep.equal([503, true])
        await until('health shows postgres as impaired', async () =>
          expect((await health()).dependencies.postgres).to.equal('impaired'),
        )
        const { status: state, problems } = await health()
        expect(state).to.equal('degraded')
        const found = problems.find(({ dependency }) => dependency === 'postgres')!
        expect(found.reason).to.equal(reason)
        expect(found.message).to.match(says)
      })

      it('accepts writes again without a restart, and is ready', async () => {
        await end()
        await until('the service is ready', async () => expect((await anyone.probes.ready()).status).to.equal(200))
        await until('a write is accepted', async () =>
          expect((await caller.memories.create(`Since it no longer ${what}.`)).status).to.equal(201),
        )
        await until('health is ok', async () => expect((await health()).status).to.equal('ok'))
        await settled(service)
      })
    })
})

import { expect } from 'chai'
import { newTenant, settled, type Caller } from '../support/caller.js'
import { createClient, type Client } from '../support/client.js'
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
    id = (await caller.remember('The ferry leaves at noon.')).id
    await settled(service)
    disk = await simulateFullDisk(service.databaseUrl)
    await until(async () => (await anyone.call('getReady')).status === 200)
  })
  after(() => service.stop())

  const health = async () => (await anyone.call('getHealth')).body
  const writes = (): Promise<{ status: number; headers: Headers; body: { error: { message: string } } }>[] => [
    caller.write('A write.'),
    caller.writeMany([{ content: 'One of many.' }]),
    service.client().call('createKey', { body: { tenant_id: caller.tenantId, kind: 'tenant' } }),
    caller.client.call('putAgent', { params: { agent_id: 'ben' }, body: { trust_level: 1 } }),
    caller.client.call('putDocument', {
      body: { tenant_id: caller.tenantId, collection: 'c', doc_id: 'd', data: { a: 1 } },
    }),
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
        await until(async () => says.test((await caller.write('Not now.')).body.error.message))
      })
      after(end)

      it('answers writes with 503 and the reason, and reads as usual', async () => {
        for (const { status, headers, body } of await Promise.all(writes())) {
          expect([status, says.test(body.error.message)], body.error.message).to.deep.equal([503, true])
          expect(headers.get('Retry-After')).to.match(/^\d+$/)
        }
        expect((await caller.get(id)).status).to.equal(200)
        expect((await caller.list()).status).to.equal(200)
        expect((await caller.recall('ferry')).memories[0]!.id).to.equal(id)
      })

      it('is not ready, and its health is degraded, with the reason', async () => {
        const { status, body } = await anyone.call('getReady')
        expect([status, says.test(body.error.message)], body.error.message).to.deep.equal([503, true])
        await until(async () => (await health()).dependencies.postgres === 'impaired')
        const { status: state, problems } = await health()
        expect(state).to.equal('degraded')
        const found = problems.find(({ dependency }) => dependency === 'postgres')!
        expect(found.reason).to.equal(reason)
        expect(found.message).to.match(says)
      })

      it('accepts writes again without a restart, and is ready', async () => {
        await end()
        await until(async () => (await anyone.call('getReady')).status === 200)
        await until(async () => (await caller.write(`Since it no longer ${what}.`)).status === 201)
        await until(async () => (await health()).status === 'ok')
        await settled(service)
      })
    })
})

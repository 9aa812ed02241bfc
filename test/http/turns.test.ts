import { expect } from 'chai'
import { createAdmission } from '../../http/limits/admission.js'
import type { AnyOperation } from '../../http/operation.js'
import { ADMIN_KEY, echo, FakeIdentities, startFakeService, type FakeService } from './fake-service.js'
import { gate, until } from '../support/states.js'

describe('writers of one row', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  let service: FakeService
  type Use = { running: number; waiting: number }
  const uses: Use[] = []
  let begun: string[]
  let putThing: AnyOperation

  before(async () => {
    const metrics = { limited: () => undefined, admission: (now: Use) => void uses.push(now) }
    const admission = createAdmission({ permits: 2, tenantPermits: 1, tenantQueue: 4, networkMs: () => 0, metrics })
    const operations = { putThing: ((...input) => putThing(...input)) as AnyOperation }
    service = await startFakeService({ key, identities, operations, admission })
  })
  after(() => service.server.stop())
  beforeEach(() => void (begun = []))

  /** Has each write wait at the gate of its number. */
  function writeAtGates(count: number) {
    const gates = Array.from({ length: count }, gate)
    putThing = async (context, caller, input) => {
      begun.push(input.headers['X-Request-Id'] as string)
      await gates[begun.length - 1]!.opened
      return echo(context, caller, input)
    }
    return gates
  }
  const put = (thing: string) => service.client.put(`/api/things/${thing}?tenant_id=acme`, {})

  it('run one after another, and keep no permit while they wait', async () => {
    const gates = writeAtGates(3)
    const first = put('a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const others = [put('a'), put('a')]
    await until('the others wait for the row', () => expect(uses.at(-1)).to.include({ running: 1, waiting: 0 }))
    expect((await service.client.get('/api/things?tenant_id=acme')).status).to.equal(200)
    expect(begun).to.have.length(1)
    for (const [i, { open }] of gates.entries()) {
      await until('the next writes', () => expect(begun).to.have.length(i + 1))
      open()
    }
    for (const answer of [first, ...others]) expect((await answer).status).to.equal(200)
    await until('nothing runs', () => expect(uses.at(-1)).to.include({ running: 0, waiting: 0 }))
  })

  it('wait for one another in whatever case they write its name, as a UUID may be written', async () => {
    const [a, b] = writeAtGates(2)
    const first = put('7f3c2a10-0000-4000-8000-00000000000a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const second = put('7F3C2A10-0000-4000-8000-00000000000A')
    await until('the second waits for the row', () => expect(uses.at(-1)).to.include({ running: 1, waiting: 0 }))
    expect((await service.client.get('/api/things?tenant_id=acme')).status).to.equal(200)
    expect(begun).to.have.length(1)
    a!.open()
    b!.open()
    expect([(await first).status, (await second).status]).to.deep.equal([200, 200])
  })

  it('do not wait for writers of another row', async () => {
    const [a, b] = writeAtGates(2)
    const first = put('a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const second = put('b')
    await until('the second writes', () => expect(begun).to.have.length(2))
    a!.open()
    b!.open()
    expect([(await first).status, (await second).status]).to.deep.equal([200, 200])
  })

  it('are told 429 with Retry-After when too many of them wait', async () => {
    const gates = writeAtGates(5)
    const first = put('a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const others = Array.from({ length: 5 }, () => put('a'))
    const refused = await Promise.race(others)
    expect(refused.status).to.equal(429)
    expect(refused.headers.get('Retry-After')).to.equal('1')
    expect(JSON.stringify(refused.body)).to.include('other writers of the same row')
    for (const { open } of gates) open()
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status)
    expect(statuses.sort()).to.deep.equal([200, 200, 200, 200, 200, 429])
  })

  it('leave their place when their caller is gone', async () => {
    const [a, b] = writeAtGates(2)
    const first = put('a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const gone = new AbortController()
    const before = uses.length
    const url = `http://127.0.0.1:${service.port}/api/things/a?tenant_id=acme`
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const left = fetch(url, { method: 'PUT', body: '{}', headers, signal: gone.signal }).catch(() => 'gone')
    service.requests.length = 0
    await until('it has come', () => expect(uses.length).to.be.greaterThan(before))
    await until('it waits for the row', () => expect(uses.at(-1)).to.include({ running: 1, waiting: 0 }))
    gone.abort()
    expect(await left).to.equal('gone')
    await until('it is noted', () => expect(service.requests).to.deep.include({ operationId: 'putThing', status: 499 }))
    const next = put('a')
    a!.open()
    expect((await first).status).to.equal(200)
    await until('the next writes', () => expect(begun).to.have.length(2))
    b!.open()
    expect((await next).status).to.equal(200)
  })

  it('are those of one tenant: the admin credential writes the rows of the tenant that it names', async () => {
    const [a] = writeAtGates(1)
    const asAdmin = (tenant: string) =>
      fetch(`http://127.0.0.1:${service.port}/api/things/a?tenant_id=${tenant}`, {
        method: 'PUT',
        body: JSON.stringify({ tenant_id: tenant }),
        headers: { 'X-API-Key': ADMIN_KEY, 'Content-Type': 'application/json' },
      })
    const first = put('a')
    await until('the first writes', () => expect(begun).to.have.length(1))
    const waiting = asAdmin('acme')
    // Does not exist here, which is found only once its turn has come.
    expect((await asAdmin('globex')).status).to.equal(404)
    expect(begun).to.have.length(1)
    putThing = echo
    a!.open()
    expect([(await first).status, (await waiting).status]).to.deep.equal([200, 200])
  })
})

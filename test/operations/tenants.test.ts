import { expect } from 'chai'
import type { Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

describe('tenants', () => {
  let service: TestService
  let admin: Client
  before(async () => {
    service = await startService({ queues: [] })
    admin = service.client()
  })
  after(() => service.stop())

  const patch = (tenant: string, body: Record<string, unknown>) => admin.tenants.patch(tenant, body)
  const read = async (tenant: string) => (await admin.tenants.list({ tenant_id: tenant })).body.items[0]
  async function writer(tenant: string): Promise<(content: string) => ReturnType<Client['memories']['create']>> {
    const client = service.client(await service.mintKey({ tenantId: tenant, agentId: 'a' }))
    return (content) => client.memories.create({ tenant_id: tenant, content })
  }

  it('exist from their first key on, with exact counts and no limits', async () => {
    expect(await read('first')).to.equal(undefined)
    const write = await writer('first')
    await write('one')
    await write('two')
    expect(await read('first')).to.deep.include({
      tenant_id: 'first',
      agent_count: 1,
      memory_count: 2,
      memories_limit: null,
      retention_days: 30,
      rate_limits: { writes: null, recalls: null, bulk: null, inbox: null, messages: null },
    })
  })

  it('do not count deleted memories and agents', async () => {
    const key = await service.mintKey({ tenantId: 'deleting', trust: 3 })
    const client = service.client(key)
    const { body } = await client.memories.create({ tenant_id: 'deleting', content: 'gone', agent_id: 'a' })
    await client.memories.delete(body.id)
    await client.agents.delete('a')
    expect(await read('deleting')).to.include({ memory_count: 0, agent_count: 0 })
  })

  it('list by tenant_id, page by page', async () => {
    for (const tenant of ['page-b', 'page-a', 'page-c']) await service.mintKey({ tenantId: tenant })
    const seen: string[] = []
    for (let cursor: string | undefined; ;) {
      const { body } = await admin.tenants.list({ limit: 2, cursor })
      seen.push(...body.items.map((tenant) => tenant.tenant_id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(seen.filter((id) => id.startsWith('page-'))).to.deep.equal(['page-a', 'page-b', 'page-c'])
    expect(new Set(seen).size).to.equal(seen.length)
  })

  it('accept a limit that counts existing memories, and refuse the write beyond it with 402', async () => {
    const write = await writer('limited')
    await write('one')
    expect((await patch('limited', { memories_limit: 2 })).body).to.include({ memories_limit: 2, memory_count: 1 })
    expect((await write('two')).status).to.equal(201)
    expect((await write('three')).status).to.equal(402)
    expect((await patch('limited', { memories_limit: 3 })).status).to.equal(200)
    expect((await write('three')).status).to.equal(201)
    expect((await patch('limited', { memories_limit: null })).body.memories_limit).to.equal(null)
    expect((await write('four')).status).to.equal(201)
    expect((await patch('limited', { memories_limit: 0 })).status).to.equal(200)
    expect((await write('five')).status).to.equal(402)
  })

  it('count every write that was in flight when the limit was set', async () => {
    const write = await writer('racing')
    const writes = Array.from({ length: 30 }, (_, i) => write(`racing memory number ${i}`))
    const limited = patch('racing', { memories_limit: 20 })
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect((await limited).status).to.equal(200)
    const stored = statuses.filter((status) => status === 201).length
    expect(statuses.filter((status) => status === 402)).to.have.length(30 - stored)
    expect((await read('racing'))?.memory_count).to.equal(stored)
    const another = await write('one more')
    expect(another.status).to.equal(stored < 20 ? 201 : 402)
  })

  it('replace all rate limits together and keep what a PATCH does not name', async () => {
    await service.mintKey({ tenantId: 'rates' })
    await patch('rates', { rate_limits: { writes: 5, bulk: 1 }, retention_days: 7 })
    const { body } = await patch('rates', { rate_limits: { recalls: 9, writes: null } })
    expect(body.rate_limits).to.deep.equal({ writes: null, recalls: 9, bulk: null, inbox: null, messages: null })
    expect(body.retention_days).to.equal(7)
  })

  it('record in the audit log which limits changed, with old and new values, and nothing when none did', async () => {
    const key = await service.mintKey({ tenantId: 'audited', trust: 3 })
    const changes = async () => {
      const answer = await service.client(key).audit.list({ action: 'tenant.updated' })
      return answer.body.items.map(({ actor, subject, details }) => [actor.kind, subject, details.changes])
    }
    await patch('audited', { memories_limit: 5, rate_limits: { writes: 7 } })
    await patch('audited', { memories_limit: 5, retention_days: 30 })
    await patch('audited', { memories_limit: null, retention_days: 7, rate_limits: { bulk: 1 } })
    await patch('audited', { memories_limit: -1 })
    await service.client(key).tenants.patch('audited', { retention_days: 9 })
    const subject = { kind: 'tenant', id: 'audited' }
    expect(await changes()).to.deep.equal([
      [
        'admin',
        subject,
        [
          { limit: 'memories_limit', from: 5, to: null },
          { limit: 'retention_days', from: 30, to: 7 },
          { limit: 'rate_limits.writes', from: 7, to: null },
          { limit: 'rate_limits.bulk', from: null, to: 1 },
        ],
      ],
      [
        'admin',
        subject,
        [
          { limit: 'memories_limit', from: null, to: 5 },
          { limit: 'rate_limits.writes', from: null, to: 7 },
        ],
      ],
    ])
  })

  const refused: [string, Record<string, unknown>][] = [
    ['nothing', {}],
    ['a negative limit', { memories_limit: -1 }],
    ['a limit that is no number', { memories_limit: 'many' }],
    ['no days of retention', { retention_days: 0 }],
    ['retention without a value', { retention_days: null }],
    ['a setting', { pii_policy: 'mask' }],
    ['no rate limits', { rate_limits: {} }],
    ['a rate limit that there is not', { rate_limits: { reads: 1 } }],
    ['an unknown field', { name: 'x' }],
  ]
  for (const [what, body] of refused)
    it(`refuse ${what} with 422`, async () => {
      await service.mintKey({ tenantId: 'refusing' })
      expect((await patch('refusing', body)).status).to.equal(422)
    })

  it('answer 404 when the tenant does not exist', async () => {
    expect((await patch('nowhere', { retention_days: 1 })).status).to.equal(404)
    expect((await patch('nowhere', { memories_limit: 1 })).status).to.equal(404)
  })

  it('allow only the admin credential: 403 for any other key, 401 for none', async () => {
    const key = await service.mintKey({ tenantId: 'own', trust: 3 })
    for (const [client, status] of [
      [service.client(key), 403],
      [service.client(null), 401],
    ] as const) {
      expect((await client.tenants.list()).status).to.equal(status)
      expect((await client.tenants.patch('own', { memories_limit: null })).status).to.equal(status)
    }
  })
})

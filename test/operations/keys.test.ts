import { expect } from 'chai'
import { parseApiKey } from '../../domain/api-key.js'
import type { Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/states.js'

describe('keys', () => {
  let service: TestService
  let admin: Client
  let tenants = 0
  const newTenant = () => `keys-${++tenants}`
  const mint = (body: Record<string, unknown>) => admin.keys.create(body)
  before(async () => {
    service = await startService({ queues: [] })
    admin = service.client()
  })
  after(() => service.stop())

  it('makes a key whose text is shown once and works', async () => {
    const tenant = newTenant()
    const { status, body } = await mint({
      tenant_id: tenant,
      kind: 'agent',
      agent_id: 'a',
      fleet_id: 'f',
      label: 'laptop',
    })
    expect(status).to.equal(201)
    expect(parseApiKey(body.api_key)?.keyId).to.equal(body.key_id)
    expect(body).to.include({
      tenant_id: tenant,
      kind: 'agent',
      agent_id: 'a',
      fleet_id: 'f',
      trust_level: 1,
      label: 'laptop',
    })
    const me = await service.client(body.api_key).agents.whoami()
    const { embedder, ...identity } = me.body
    expect(identity).to.deep.equal({
      tenant_id: tenant,
      key_kind: 'agent',
      agent_id: 'a',
      fleet_id: 'f',
      trust_level: 1,
    })
    expect(embedder?.id).to.match(/^static-multi-/)
    const listed = await admin.keys.list({ tenant_id: tenant })
    expect(listed.body.items).to.have.length(1)
    expect(JSON.stringify(listed.body)).not.to.contain(body.api_key)
  })

  it('gives a tenant key trust 2 unless told otherwise', async () => {
    const tenant = newTenant()
    expect((await mint({ tenant_id: tenant, kind: 'tenant' })).body.trust_level).to.equal(2)
    expect((await mint({ tenant_id: tenant, kind: 'tenant', trust_level: 3 })).body.trust_level).to.equal(3)
  })

  it('lets an agent have several keys, which share its trust and fleet', async () => {
    const tenant = newTenant()
    await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', fleet_id: 'f', trust_level: 2 })
    const second = await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a' })
    expect(second.status).to.equal(201)
    expect(second.body).to.include({ trust_level: 2, fleet_id: 'f' })
    const key = second.body.api_key
    await admin.agents.patch('a', { tenant_id: tenant, trust_level: 0 })
    await until('the key has the new trust', async () =>
      expect((await service.client(key).agents.whoami()).body.trust_level).to.equal(0),
    )
  })

  const refused: [string, number, Record<string, unknown>][] = [
    ['an agent key without agent', 422, { kind: 'agent' }],
    ['a tenant key with agent', 422, { kind: 'tenant', agent_id: 'a' }],
    ['an expiry that has passed', 422, { kind: 'tenant', expires_at: '2020-01-01T00:00:00Z' }],
    ['a time without an offset', 422, { kind: 'tenant', expires_at: '2099-01-01T00:00:00' }],
    ['a trust level that there is not', 422, { kind: 'tenant', trust_level: 4 }],
    ['a kind that there is not', 422, { kind: 'admin' }],
    ['an unknown field', 422, { kind: 'tenant', secret: 'x' }],
    ['an empty tenant', 422, { kind: 'tenant', tenant_id: '' }],
  ]
  for (const [what, status, body] of refused)
    it(`refuses ${what} with ${status}`, async () => {
      expect((await mint({ tenant_id: 'keys-refused', ...body })).status).to.equal(status)
      expect((await admin.keys.list({ tenant_id: 'keys-refused' })).body.items).to.have.length(0)
    })

  it('refuses another trust or fleet of an agent that exists with 409', async () => {
    const tenant = newTenant()
    await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', fleet_id: 'f' })
    for (const change of [{ trust_level: 2 }, { fleet_id: 'g' }]) {
      const { status, body } = await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', ...change })
      expect(status).to.equal(409)
      expect(body.error.code).to.equal('CONFLICT')
    }
  })

  it('refuses a key for a deleted agent with 409', async () => {
    const tenant = newTenant()
    await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a' })
    await admin.agents.delete('a', { tenant_id: tenant })
    expect((await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a' })).status).to.equal(409)
  })

  it('stops accepting a key once it is revoked, and accepts a second revocation', async () => {
    const { body } = await mint({ tenant_id: newTenant(), kind: 'tenant' })
    const holder = service.client(body.api_key)
    expect((await holder.agents.whoami()).status).to.equal(200)
    expect((await admin.keys.delete(body.key_id)).status).to.equal(204)
    expect((await holder.agents.whoami()).status).to.equal(401)
    const again = await admin.keys.delete(body.key_id)
    expect(again.status).to.equal(204)
  })

  it('stops accepting a revoked key in every other process', async () => {
    const other = await startService({ queues: [], env: { DATABASE_URL: service.databaseUrl } })
    try {
      const { body } = await mint({ tenant_id: newTenant(), kind: 'tenant' })
      const holder = other.client(body.api_key)
      expect((await holder.agents.whoami()).status).to.equal(200)
      await admin.keys.delete(body.key_id)
      await until('the key is refused', async () => expect((await holder.agents.whoami()).status).to.equal(401))
    } finally {
      await other.stop()
    }
  })

  it('answers 404 for revoking an unknown key, or one of another tenant than the named one', async () => {
    const { body } = await mint({ tenant_id: newTenant(), kind: 'tenant' })
    expect((await admin.keys.delete(body.key_id, { tenant_id: 'keys-other' })).status).to.equal(404)
    expect((await admin.keys.delete('nobody')).status).to.equal(404)
    expect((await service.client(body.api_key).agents.whoami()).status).to.equal(200)
  })

  it('records in the audit log who created and revoked which key, and never its secret', async () => {
    const tenant = newTenant()
    const expiresAt = '2099-01-01T00:00:00.000Z'
    const made = await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', fleet_id: 'f', expires_at: expiresAt })
    const second = await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', label: 'Never in the audit' })
    const operatorKey = await mint({ tenant_id: tenant, kind: 'tenant', trust_level: 3 })
    const operator = service.client(operatorKey.body.api_key)
    for (let i = 0; i < 2; i++) await admin.keys.delete(made.body.key_id)
    await operator.agents.delete('a')
    const { body } = await operator.audit.list()
    const told = body.items.map(({ action, actor, subject, details }) => [action, actor.kind, subject.id, details])
    const bound = { kind: 'agent', agent_id: 'a' }
    expect(told).to.deep.equal([
      ['agent.deleted', 'tenant', 'a', { fleet_id: 'f', trust_level: 1 }],
      ['key.revoked', 'tenant', second.body.key_id, bound],
      ['key.revoked', 'admin', made.body.key_id, bound],
      [
        'key.created',
        'admin',
        operatorKey.body.key_id,
        { kind: 'tenant', agent_id: null, fleet_id: null, trust_level: 3, expires_at: null },
      ],
      ['key.created', 'admin', second.body.key_id, { ...bound, fleet_id: 'f', trust_level: 1, expires_at: null }],
      ['key.created', 'admin', made.body.key_id, { ...bound, fleet_id: 'f', trust_level: 1, expires_at: expiresAt }],
      ['agent.registered', 'admin', 'a', { fleet_id: 'f', trust_level: 1 }],
    ])
    const text = JSON.stringify(body)
    for (const { api_key: key } of [made.body, second.body, operatorKey.body])
      expect(text).not.to.contain(parseApiKey(key)!.secret)
    expect(text).not.to.contain('Never in the audit')
  })

  it('records no refused key in the audit log, which only trust 3 of the same tenant may read', async () => {
    const tenant = newTenant()
    const { body } = await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', trust_level: 2 })
    await mint({ tenant_id: tenant, kind: 'agent', agent_id: 'a', trust_level: 3 })
    await mint({ tenant_id: tenant, kind: 'tenant', expires_at: '2020-01-01T00:00:00Z' })
    const agent = service.client(body.api_key)
    await agent.keys.create({ tenant_id: tenant, kind: 'tenant' })
    await agent.keys.delete(body.key_id)
    await admin.keys.delete(body.key_id, { tenant_id: 'keys-other' })
    const events = (client: Client) => client.audit.list({ tenant_id: tenant })
    const actions = (await events(admin)).body.items.map(({ action }) => action)
    expect(actions).to.deep.equal(['key.created', 'agent.registered'])
    expect((await events(agent)).status).to.equal(403)
    const otherTenantCaller = service.client(await service.mintKey({ tenantId: newTenant(), trust: 3 }))
    expect((await events(otherTenantCaller)).status).to.equal(403)
    const own = (await otherTenantCaller.audit.list()).body.items
    expect(own.map(({ subject }) => subject.id)).not.to.include(body.key_id)
  })

  it('stops accepting a key at its expiry', async () => {
    const expiresAt = new Date(Date.now() + 300).toISOString()
    const key = await service.mintKey({ tenantId: newTenant(), expiresAt })
    await until('the key is refused', async () =>
      expect((await service.client(key).agents.whoami()).status).to.equal(401),
    )
  })

  it('lists newest first, page by page, over all tenants or one', async () => {
    const [tenant, other] = [newTenant(), newTenant()]
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await mint({ tenant_id: tenant, kind: 'tenant' })).body.key_id)
    await mint({ tenant_id: other, kind: 'tenant' })
    const seen: string[] = []
    for (let cursor: string | undefined; ;) {
      const { body } = await admin.keys.list({ tenant_id: tenant, limit: 2, cursor })
      seen.push(...body.items.map((key) => key.key_id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(seen).to.have.members(made).and.to.have.length(5)
    const all = await admin.keys.list({ limit: 200 })
    expect(all.body.items.map((key) => key.tenant_id)).to.include.members([tenant, other])
  })

  it('refuses a cursor of another tenant with 400', async () => {
    const tenant = newTenant()
    for (let i = 0; i < 2; i++) await mint({ tenant_id: tenant, kind: 'tenant' })
    const { body } = await admin.keys.list({ tenant_id: tenant, limit: 1 })
    const foreign = await admin.keys.list({ tenant_id: 'keys-other', cursor: body.next_cursor! })
    expect(foreign.status).to.equal(400)
  })

  it('allows only the admin credential: 403 for any other key, 401 for none', async () => {
    const key = await service.mintKey({ tenantId: newTenant(), trust: 3 })
    const body = { tenant_id: 'keys-x', kind: 'tenant' }
    for (const [client, status] of [
      [service.client(key), 403],
      [service.client(null), 401],
      [service.client('cairn_nobody_0000000000000000000000'), 401],
    ] as const) {
      expect((await client.keys.create(body)).status).to.equal(status)
      expect((await client.keys.list()).status).to.equal(status)
      expect((await client.keys.delete('x')).status).to.equal(status)
    }
  })
})

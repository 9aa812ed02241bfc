import { expect } from 'chai'
import type { Caller, Client } from '../support/client.js'
import { newTenant } from '../support/tenants.js'
import type { TestService } from '../support/service.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests the agents of a tenant: who may read and change them, and what their records show. Needs a service of its own. */
describeOnEmbedded(() => {
  const shared = ownService({ queues: [] })
  let service: TestService
  let operator: Client
  let standard: Client
  let restricted: Client
  before(async () => {
    service = shared()
    operator = service.client(await service.mintKey({ tenantId: 't', trust: 3 }))
    standard = service.client(await service.mintKey({ tenantId: 't', agentId: 'standard', fleetId: 'blue' }))
    restricted = service.client(await service.mintKey({ tenantId: 't', agentId: 'restricted', trust: 0 }))
  })

  const put = (client: Client, id: string, body: Record<string, unknown>) => client.agents.put(id, body)
  const get = (client: Client, id: string) => client.agents.get(id)

  it('registers an agent by PUT and replaces all its fields', async () => {
    const made = await put(operator, 'put', { display_name: 'Put', fleet_id: 'blue', trust_level: 2 })
    expect(made.status).to.equal(200)
    expect(made.body).to.include({
      tenant_id: 't',
      agent_id: 'put',
      display_name: 'Put',
      fleet_id: 'blue',
      trust_level: 2,
    })
    expect(made.body.last_seen_at).to.equal(null)
    const replaced = await put(operator, 'put', { display_name: 'Again' })
    expect(replaced.body).to.include({ display_name: 'Again', fleet_id: null, trust_level: 1 })
    expect(replaced.body.created_at).to.equal(made.body.created_at)
    expect((await get(operator, 'put')).body).to.deep.equal(replaced.body)
  })

  it('changes the fields that a PATCH names and clears those set to null', async () => {
    await put(operator, 'patch', { display_name: 'Patch', fleet_id: 'blue', trust_level: 2 })
    const patch = (body: Record<string, unknown>) => operator.agents.patch('patch', body)
    expect((await patch({ fleet_id: null })).body).to.include({ display_name: 'Patch', fleet_id: null, trust_level: 2 })
    expect((await patch({ trust_level: 3 })).body).to.include({ display_name: 'Patch', trust_level: 3 })
    expect((await patch({})).status).to.equal(422)
    expect((await patch({ tenant_id: 't' })).status).to.equal(422)
    expect((await patch({ trust_level: 9 })).status).to.equal(422)
    expect((await patch({ created_at: null })).status).to.equal(422)
  })

  describe('last_seen_at', () => {
    const seen = async (id: string, after: string) =>
      until('the agent was seen', async () =>
        expect((await get(operator, id)).body.last_seen_at ?? '').to.satisfy((at: string) => at >= after),
      )
    const unseen = async (id: string, fields: Parameters<TestService['mintKey']>[0]) => {
      const key = await service.mintKey({ agentId: id, ...fields })
      const { body } = await get(operator, id)
      expect(body.last_seen_at).to.equal(null)
      return { client: service.client(key), at: body.created_at }
    }

    it('is updated by every request with the agent’s key, refused or not', async () => {
      const asked: [string, (client: Client) => Promise<{ status: number }>, number][] = [
        ['whoami', (client) => client.agents.whoami(), 200],
        ['recalling', (client) => client.memories.recall('fox', { tenant_id: 't' }), 200],
        ['invalid', (client) => client.call('recall', { body: { tenant_id: 't' } }), 422],
        ['too-low', (client) => client.audit.list(), 403],
        ['elsewhere', (client) => client.agents.whoami({ tenant_id: 'another' }), 403],
        ['missing', (client) => get(client, 'nobody-at-all'), 404],
      ]
      const waited: Promise<void>[] = []
      for (const [id, ask, status] of asked) {
        const { client, at } = await unseen(id, { tenantId: 't' })
        expect((await ask(client)).status, id).to.equal(status)
        waited.push(seen(id, at))
      }
      await Promise.all(waited)
    })

    it('is updated when a tenant key acts for the agent, by the header or as author of a write', async () => {
      for (const id of ['by-header', 'by-author', 'by-authors']) await put(operator, id, {})
      const { created_at: at } = (await get(operator, 'by-authors')).body
      await operator.agents.whoami({}, { 'X-Agent-ID': 'by-header' })
      await operator.memories.create({ tenant_id: 't', content: 'By.', agent_id: 'by-author' })
      await operator.memories.createMany([{ content: 'By.' }], { tenant_id: 't', agent_id: 'by-authors' })
      for (const id of ['by-header', 'by-author', 'by-authors']) await seen(id, at)
    })

    it('is not updated by a request that only names the agent', async () => {
      await put(operator, 'named-only', {})
      const { at } = await unseen('namer', { tenantId: 't' })
      const namer = service.client(await service.mintKey({ tenantId: 't', agentId: 'namer' }))
      const written = { tenant_id: 't', content: 'Not by them.', agent_id: 'named-only' }
      expect((await namer.memories.create(written)).status).to.equal(403)
      expect((await namer.agents.whoami({}, { 'X-Agent-ID': 'named-only' })).status).to.equal(403)
      expect((await operator.memories.list({ agent_id: 'named-only' })).status).to.equal(200)
      await seen('namer', at)
      expect((await get(operator, 'named-only')).body.last_seen_at).to.equal(null)
    })
  })

  it('answers 404 for an unknown agent', async () => {
    expect((await get(operator, 'nobody')).status).to.equal(404)
    expect((await operator.agents.patch('nobody', { trust_level: 1 })).status).to.equal(404)
    expect((await operator.agents.delete('nobody')).status).to.equal(404)
  })

  it('deletes an agent: its keys are refused, its id stays reserved', async () => {
    const key = await service.mintKey({ tenantId: 't', agentId: 'deleted' })
    expect((await service.client(key).agents.whoami()).status).to.equal(200)
    expect((await operator.agents.delete('deleted')).status).to.equal(204)
    await until('the key is refused', async () =>
      expect((await service.client(key).agents.whoami()).status).to.equal(401),
    )
    expect((await get(operator, 'deleted')).status).to.equal(404)
    expect((await put(operator, 'deleted', {})).status).to.equal(409)
    expect((await operator.agents.delete('deleted')).status).to.equal(404)
    const listed = await operator.agents.list({ limit: 200 })
    expect(listed.body.items.map((agent) => agent.agent_id)).not.to.include('deleted')
  })

  it('lists by agent_id, page by page, and by fleet', async () => {
    const tenant = { tenantId: 'paged' }
    const reader = service.client(await service.mintKey({ ...tenant, trust: 3 }))
    for (const id of ['c', 'a', 'b']) await put(reader, id, { fleet_id: id === 'b' ? 'red' : 'blue' })
    const first = await reader.agents.list({ limit: 2 })
    expect(first.body.items.map((agent) => agent.agent_id)).to.deep.equal(['a', 'b'])
    const second = await reader.agents.list({ limit: 2, cursor: first.body.next_cursor! })
    expect(second.body.items.map((agent) => agent.agent_id)).to.deep.equal(['c'])
    expect(second.body.next_cursor).to.equal(null)
    const blue = await reader.agents.list({ fleet_id: 'blue' })
    expect(blue.body.items.map((agent) => agent.agent_id)).to.deep.equal(['a', 'c'])
    const moved = await reader.agents.list({ fleet_id: 'red', cursor: first.body.next_cursor! })
    expect(moved.status).to.equal(400)
  })

  it('lists by trust, with and without a fleet', async () => {
    const reader = service.client(await service.mintKey({ tenantId: 'trusted', trust: 3 }))
    for (const [id, trust_level] of [
      ['a', 0],
      ['b', 2],
      ['c', 2],
    ] as const)
      await put(reader, id, { fleet_id: id === 'c' ? 'red' : 'blue', trust_level })
    const ids = async (query: Record<string, string | number>) =>
      (await reader.agents.list(query)).body.items.map((agent) => agent.agent_id)
    expect(await ids({ trust_level: 2 })).to.deep.equal(['b', 'c'])
    expect(await ids({ trust_level: 0 })).to.deep.equal(['a'])
    expect(await ids({ trust_level: 3 })).to.deep.equal([])
    expect(await ids({ trust_level: 2, fleet_id: 'red' })).to.deep.equal(['c'])
    expect((await reader.agents.list({ trust_level: 4 })).status).to.equal(422)
  })

  it('shows the exact memory count of an agent to itself and from trust 2 on', async () => {
    const tenant = newTenant(service)
    const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
    const key = await tenant.caller({ trust: 2 })
    await ana.memories.create('One.').ok()
    await ana.memories.create({ content: 'Two.', visibility: 'scope_agent' }).ok()
    await ana.memories.delete((await ana.memories.create('Three.').ok()).id).ok()
    const countOf = async (caller: Caller, id: string) => (await get(caller, id)).body.memory_count
    expect(await countOf(ana, 'ana')).to.equal(2)
    expect(await countOf(key, 'ana')).to.equal(2)
    expect(await countOf(key, 'ben')).to.equal(0)
    expect(await countOf(ben, 'ana')).to.equal(null)
    expect(await countOf(ben, 'ben')).to.equal(0)
    const listed = async (caller: Caller) => (await caller.agents.list()).body.items.map((agent) => agent.memory_count)
    expect(await listed(key)).to.deep.equal([2, 0])
    expect(await listed(ben)).to.deep.equal([null, 0])
  })

  describe('moved to another fleet', () => {
    it('leave their memories in the old fleet, and write and read in the new one', async () => {
      const tenant = newTenant(service)
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const operator = await tenant.caller({ trust: 3 })
      const old = await ana.memories.create('In red.').ok()
      const moved = await operator.agents.patch('ana', { fleet_id: 'blue' })
      expect(moved.body).to.include({ fleet_id: 'blue', memory_count: 1 })
      expect((await ana.agents.whoami()).body.fleet_id).to.equal('blue')
      expect((await ana.memories.create('In blue.').ok()).fleet_id).to.equal('blue')
      expect((await ben.memories.get(old.id)).body).to.include({ fleet_id: 'red', agent_id: 'ana' })
      expect((await ben.memories.list()).body.items).to.have.length(1)
      const { items } = (await ana.memories.list()).body
      expect(items.map(({ content }) => content)).to.have.members(['In red.', 'In blue.'])
      // The agent is in another fleet now: its memories stay with the old one, and it sees its own wherever they are.
      expect((await ana.memories.get(old.id)).body).to.include({ fleet_id: 'red', agent_id: 'ana' })
      expect((await ana.memories.stats()).body.total).to.equal(2)
      const fellow = await ben.memories.create('By Ben, in red.').ok()
      expect((await ana.memories.get(fellow.id)).status).to.equal(404)
      expect((await ana.memories.stats({ scope: 'agent' })).body.total).to.equal(2)
    })
  })

  it('records in the audit log who changed an agent’s trust, with old and new values', async () => {
    const tenant = newTenant(service)
    await tenant.caller({ agentId: 'minted', fleetId: 'red', trust: 2 })
    const operator = await tenant.caller({ trust: 3 })
    await operator.memories.create({ content: 'By a new one.', agent_id: 'first-write', fleet_id: 'red' }).ok()
    await put(operator, 'put', { fleet_id: 'red', trust_level: 1 })
    await put(operator, 'put', { trust_level: 3, tenant_id: tenant.id })
    const patch = (body: Record<string, unknown>) => operator.agents.patch('put', body)
    await patch({ trust_level: 0, display_name: 'Never in the audit' })
    await operator.agents.delete('put')
    const events = async (id: string) => (await operator.audit.list({ subject_id: id })).body.items as AuditEvent[]
    const told = (await events('put')).map(({ action, details }) => [action, details])
    expect(told).to.deep.equal([
      ['agent.deleted', { fleet_id: null, trust_level: 0 }],
      [
        'agent.updated',
        {
          fields: ['trust_level', 'display_name'],
          from: { fleet_id: null, trust_level: 3 },
          to: { fleet_id: null, trust_level: 0 },
        },
      ],
      [
        'agent.updated',
        {
          fields: ['trust_level'],
          from: { fleet_id: 'red', trust_level: 1 },
          to: { fleet_id: null, trust_level: 3 },
        },
      ],
      ['agent.registered', { fleet_id: 'red', trust_level: 1 }],
    ])
    expect(await events('minted')).to.have.length(1)
    expect((await events('minted'))[0]).to.deep.include({
      action: 'agent.registered',
      actor: { kind: 'admin', agent_id: null, key_id: null },
      details: { fleet_id: 'red', trust_level: 2 },
    })
    expect((await events('first-write'))[0]).to.deep.include({
      action: 'agent.registered',
      details: { fleet_id: 'red', trust_level: 1 },
    })
    expect((await events('first-write'))[0]!.actor.kind).to.equal('tenant')
    expect(JSON.stringify(await events('put'))).to.not.include('Never in the audit')
  })

  it('records no refused change in the audit log', async () => {
    const tenant = newTenant(service)
    const ana = await tenant.caller({ agentId: 'ana', trust: 2 })
    const operator = await tenant.caller({ trust: 3 })
    await ana.agents.patch('ana', { trust_level: 3 })
    await operator.agents.patch('ana', { trust_level: 9 })
    await operator.agents.patch('nobody', { trust_level: 3 })
    expect((await operator.audit.list({ action: 'agent.updated' })).body.items).to.have.length(0)
    expect((await get(operator, 'ana')).body.trust_level).to.equal(2)
  })

  it('shows agents of one tenant only', async () => {
    const otherTenantCaller = service.client(await service.mintKey({ tenantId: 'elsewhere', trust: 3 }))
    expect((await get(otherTenantCaller, 'standard')).status).to.equal(404)
    expect((await otherTenantCaller.agents.list()).body.items).to.have.length(0)
    const foreign = await otherTenantCaller.agents.get('standard', { tenant_id: 't' })
    expect(foreign.status).to.equal(403)
    expect((await put(otherTenantCaller, 'standard', { display_name: 'Mine' })).status).to.equal(200)
    expect((await get(operator, 'standard')).body.display_name).to.equal(null)
  })

  it('lets trust 1 read agents and refuses it to change them, with the levels', async () => {
    expect((await get(standard, 'restricted')).status).to.equal(200)
    expect((await standard.agents.list()).status).to.equal(200)
    for (const refused of [
      await put(standard, 'standard', { trust_level: 3 }),
      await standard.agents.patch('standard', { trust_level: 3 }),
      await standard.agents.delete('standard'),
    ]) {
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 1 })
    }
  })

  it('lists below trust 2 the agents of the caller’s fleet and those without one, and refuses other fleets', async () => {
    const tenant = newTenant(service)
    const wide = await tenant.caller({ fleetId: 'red', trust: 2 })
    const fleets = { a: 'red', b: 'blue', c: null, d: 'red', e: 'green', f: null }
    for (const [id, fleet_id] of Object.entries(fleets)) await put(tenant.admin, id, { fleet_id, tenant_id: tenant.id })
    const listed = async (caller: Caller, query: Record<string, string | number> = {}) => {
      const ids: string[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await caller.agents.list({ ...query, limit: 2, cursor })
        ids.push(...body.items.map((agent) => agent.agent_id))
        if (body.next_cursor === null) return ids
        cursor = body.next_cursor
      }
    }
    for (const trust of [0, 1] as const) {
      const red = await tenant.caller({ fleetId: 'red', trust })
      expect(await listed(red)).to.deep.equal(['a', 'c', 'd', 'f'])
      expect(await listed(red, { trust_level: 1 })).to.deep.equal(['a', 'c', 'd', 'f'])
      expect(await listed(red, { fleet_id: 'red' })).to.deep.equal(['a', 'd'])
      const refused = await red.agents.list({ fleet_id: 'blue' })
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: trust })
      expect(await listed(await tenant.caller({ trust }))).to.deep.equal(['c', 'f'])
    }
    expect(await listed(wide)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(await listed(wide, { fleet_id: 'blue' })).to.deep.equal(['b'])
  })

  it('accepts a cursor only from callers that see the same agents', async () => {
    const tenant = newTenant(service)
    const [red, blue, wide] = [
      await tenant.caller({ fleetId: 'red', trust: 1 }),
      await tenant.caller({ fleetId: 'blue', trust: 1 }),
      await tenant.caller({ fleetId: 'red', trust: 2 }),
    ]
    for (const id of ['a', 'b', 'c']) await put(tenant.admin, id, { fleet_id: 'red', tenant_id: tenant.id })
    const page = (caller: Caller, cursor?: string) => caller.agents.list({ limit: 1, cursor })
    const [ofRed, ofWide] = [await page(red), await page(wide)].map(({ body }) => body.next_cursor!)
    expect((await page(red, ofRed)).body.items[0]!.agent_id).to.equal('b')
    for (const [caller, cursor] of [
      [blue, ofRed],
      [wide, ofRed],
      [red, ofWide],
    ] as const)
      expect((await page(caller, cursor)).status).to.equal(400)
  })

  it('lets an agent of trust 0 read only itself', async () => {
    expect((await get(restricted, 'restricted')).status).to.equal(200)
    const other = await get(restricted, 'standard')
    expect(other.status).to.equal(403)
    expect(other.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
  })

  it('requires trust 2 for the list of another fleet', async () => {
    expect((await standard.agents.list({ fleet_id: 'blue' })).status).to.equal(200)
    const refused = await standard.agents.list({ fleet_id: 'red' })
    expect(refused.status).to.equal(403)
    expect(refused.body.error.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: 1 })
  })

  it('requires a known tenant with the admin credential', async () => {
    const admin = service.client()
    expect((await admin.agents.get('standard', { tenant_id: 't' })).status).to.equal(200)
    expect((await admin.agents.get('standard')).status).to.equal(422)
    expect((await admin.agents.get('standard', { tenant_id: 'unknown' })).status).to.equal(404)
  })

  describe('whoami', () => {
    it('describes an agent key', async () => {
      expect((await standard.agents.whoami()).body).to.deep.equal({
        tenant_id: 't',
        key_kind: 'agent',
        agent_id: 'standard',
        fleet_id: 'blue',
        trust_level: 1,
        embedder: (await service.client(null).probes.health()).body.embedder,
      })
    })

    it('shows the agent that a tenant key acts for, with the lower trust of the two', async () => {
      const { body } = await operator.agents.whoami({}, { 'X-Agent-ID': 'standard' })
      expect(body).to.include({ key_kind: 'tenant', agent_id: 'standard', fleet_id: 'blue', trust_level: 1 })
      expect((await operator.agents.whoami({}, { 'X-Agent-ID': 'nobody' })).status).to.equal(403)
      expect((await standard.agents.whoami({}, { 'X-Agent-ID': 'restricted' })).status).to.equal(403)
    })

    it('shows trust 3 for the admin credential', async () => {
      const { body } = await service.client().agents.whoami({ tenant_id: 't' })
      expect(body).to.include({ tenant_id: 't', key_kind: 'admin', agent_id: null, trust_level: 3 })
      expect((await service.client(null).agents.whoami()).status).to.equal(401)
    })
  })
})

interface AuditEvent {
  readonly action: string
  readonly actor: { readonly kind: string }
  readonly details: Readonly<Record<string, unknown>>
}

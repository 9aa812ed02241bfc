import { expect } from 'chai'
import { type Caller, newTenant } from '../support/caller.js'
import type { Client } from '../support/client.js'
import type { TestService } from '../support/service.js'
import type { SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests the agents of a tenant: who may read and change them, and what their records show. Needs a service of its own. */
export function describeAgents(shared: SharedService): void {
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

  const put = (client: Client, id: string, body: Record<string, unknown>) =>
    client.call('putAgent', { params: { agent_id: id }, body })
  const get = (client: Client, id: string) => client.call('getAgent', { params: { agent_id: id } })

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
    const patch = (body: Record<string, unknown>) =>
      operator.call('patchAgent', { params: { agent_id: 'patch' }, body })
    expect((await patch({ fleet_id: null })).body).to.include({ display_name: 'Patch', fleet_id: null, trust_level: 2 })
    expect((await patch({ trust_level: 3 })).body).to.include({ display_name: 'Patch', trust_level: 3 })
    expect((await patch({})).status).to.equal(422)
    expect((await patch({ tenant_id: 't' })).status).to.equal(422)
    expect((await patch({ trust_level: 9 })).status).to.equal(422)
    expect((await patch({ created_at: null })).status).to.equal(422)
  })

  describe('last_seen_at', () => {
    const seen = async (id: string, after: string) =>
      until(async () => ((await get(operator, id)).body.last_seen_at ?? '') >= after)
    const unseen = async (id: string, fields: Parameters<TestService['mintKey']>[0]) => {
      const key = await service.mintKey({ agentId: id, ...fields })
      const { body } = await get(operator, id)
      expect(body.last_seen_at).to.equal(null)
      return { client: service.client(key), at: body.created_at }
    }

    it('is updated by every request with the agent’s key, refused or not', async () => {
      const asked: [string, (client: Client) => Promise<{ status: number }>, number][] = [
        ['whoami', (client) => client.call('whoami'), 200],
        ['recalling', (client) => client.call('recall', { body: { tenant_id: 't', query: 'fox' } }), 200],
        ['invalid', (client) => client.call('recall', { body: { tenant_id: 't' } }), 422],
        ['too-low', (client) => client.call('listAudit'), 403],
        ['elsewhere', (client) => client.call('whoami', { query: { tenant_id: 'another' } }), 403],
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
      await operator.call('whoami', { headers: { 'X-Agent-ID': 'by-header' } })
      await operator.call('createMemory', { body: { tenant_id: 't', content: 'By.', agent_id: 'by-author' } })
      await operator.call('createMemories', {
        body: { tenant_id: 't', items: [{ content: 'By.' }], agent_id: 'by-authors' },
      })
      for (const id of ['by-header', 'by-author', 'by-authors']) await seen(id, at)
    })

    it('is not updated by a request that only names the agent', async () => {
      await put(operator, 'named-only', {})
      const { at } = await unseen('namer', { tenantId: 't' })
      const namer = service.client(await service.mintKey({ tenantId: 't', agentId: 'namer' }))
      const written = { tenant_id: 't', content: 'Not by them.', agent_id: 'named-only' }
      expect((await namer.call('createMemory', { body: written })).status).to.equal(403)
      expect((await namer.call('whoami', { headers: { 'X-Agent-ID': 'named-only' } })).status).to.equal(403)
      expect((await operator.call('listMemories', { query: { agent_id: 'named-only' } })).status).to.equal(200)
      await seen('namer', at)
      expect((await get(operator, 'named-only')).body.last_seen_at).to.equal(null)
    })
  })

  it('answers 404 for an unknown agent', async () => {
    expect((await get(operator, 'nobody')).status).to.equal(404)
    const params = { agent_id: 'nobody' }
    expect((await operator.call('patchAgent', { params, body: { trust_level: 1 } })).status).to.equal(404)
    expect((await operator.call('deleteAgent', { params })).status).to.equal(404)
  })

  it('deletes an agent: its keys are refused, its id stays reserved', async () => {
    const key = await service.mintKey({ tenantId: 't', agentId: 'deleted' })
    expect((await service.client(key).call('whoami')).status).to.equal(200)
    expect((await operator.call('deleteAgent', { params: { agent_id: 'deleted' } })).status).to.equal(204)
    await until(async () => (await service.client(key).call('whoami')).status === 401)
    expect((await get(operator, 'deleted')).status).to.equal(404)
    expect((await put(operator, 'deleted', {})).status).to.equal(409)
    expect((await operator.call('deleteAgent', { params: { agent_id: 'deleted' } })).status).to.equal(404)
    const listed = await operator.call('listAgents', { query: { limit: 200 } })
    expect(listed.body.items.map((agent) => agent.agent_id)).not.to.include('deleted')
  })

  it('lists by agent_id, page by page, and by fleet', async () => {
    const tenant = { tenantId: 'paged' }
    const reader = service.client(await service.mintKey({ ...tenant, trust: 3 }))
    for (const id of ['c', 'a', 'b']) await put(reader, id, { fleet_id: id === 'b' ? 'red' : 'blue' })
    const first = await reader.call('listAgents', { query: { limit: 2 } })
    expect(first.body.items.map((agent) => agent.agent_id)).to.deep.equal(['a', 'b'])
    const second = await reader.call('listAgents', { query: { limit: 2, cursor: first.body.next_cursor! } })
    expect(second.body.items.map((agent) => agent.agent_id)).to.deep.equal(['c'])
    expect(second.body.next_cursor).to.equal(null)
    const blue = await reader.call('listAgents', { query: { fleet_id: 'blue' } })
    expect(blue.body.items.map((agent) => agent.agent_id)).to.deep.equal(['a', 'c'])
    const moved = await reader.call('listAgents', { query: { fleet_id: 'red', cursor: first.body.next_cursor! } })
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
      (await reader.call('listAgents', { query })).body.items.map((agent) => agent.agent_id)
    expect(await ids({ trust_level: 2 })).to.deep.equal(['b', 'c'])
    expect(await ids({ trust_level: 0 })).to.deep.equal(['a'])
    expect(await ids({ trust_level: 3 })).to.deep.equal([])
    expect(await ids({ trust_level: 2, fleet_id: 'red' })).to.deep.equal(['c'])
    expect((await reader.call('listAgents', { query: { trust_level: 4 } })).status).to.equal(422)
  })

  it('shows the exact memory count of an agent to itself and from trust 2 on', async () => {
    const tenant = newTenant(service)
    const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
    const key = await tenant.caller({ trust: 2 })
    await ana.remember('One.')
    await ana.remember({ content: 'Two.', visibility: 'scope_agent' })
    await ana.forget((await ana.remember('Three.')).id)
    const countOf = async (caller: Caller, id: string) => (await get(caller.client, id)).body.memory_count
    expect(await countOf(ana, 'ana')).to.equal(2)
    expect(await countOf(key, 'ana')).to.equal(2)
    expect(await countOf(key, 'ben')).to.equal(0)
    expect(await countOf(ben, 'ana')).to.equal(null)
    expect(await countOf(ben, 'ben')).to.equal(0)
    const listed = async (caller: Caller) =>
      (await caller.client.call('listAgents')).body.items.map((agent) => agent.memory_count)
    expect(await listed(key)).to.deep.equal([2, 0])
    expect(await listed(ben)).to.deep.equal([null, 0])
  })

  describe('moved to another fleet', () => {
    it('leave their memories in the old fleet, and write and read in the new one', async () => {
      const tenant = newTenant(service)
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const operator = await tenant.caller({ trust: 3 })
      const old = await ana.remember('In red.')
      const moved = await operator.client.call('patchAgent', {
        params: { agent_id: 'ana' },
        body: { fleet_id: 'blue' },
      })
      expect(moved.body).to.include({ fleet_id: 'blue', memory_count: 1 })
      expect((await ana.client.call('whoami')).body.fleet_id).to.equal('blue')
      expect((await ana.remember('In blue.')).fleet_id).to.equal('blue')
      expect((await ben.get(old.id)).body).to.include({ fleet_id: 'red', agent_id: 'ana' })
      expect((await ben.list()).body.items).to.have.length(1)
      // The agent is in another fleet now; its memories stay with the old one.
      expect((await ana.get(old.id)).status).to.equal(404)
      expect((await ana.stats()).body.total).to.equal(1)
      expect((await ana.stats({ scope: 'agent' })).body.total).to.equal(2)
    })
  })

  it('records in the audit log who changed an agent’s trust, with old and new values', async () => {
    const tenant = newTenant(service)
    await tenant.caller({ agentId: 'minted', fleetId: 'red', trust: 2 })
    const operator = await tenant.caller({ trust: 3 })
    await operator.remember({ content: 'By a new one.', agent_id: 'first-write', fleet_id: 'red' })
    await put(operator.client, 'put', { fleet_id: 'red', trust_level: 1 })
    await put(operator.client, 'put', { trust_level: 3, tenant_id: tenant.id })
    const patch = (body: Record<string, unknown>) =>
      operator.client.call('patchAgent', { params: { agent_id: 'put' }, body })
    await patch({ trust_level: 0, display_name: 'Never in the audit' })
    await operator.client.call('deleteAgent', { params: { agent_id: 'put' } })
    const events = async (id: string) => (await operator.audit({ subject_id: id })).body.items as AuditEvent[]
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
    await ana.client.call('patchAgent', { params: { agent_id: 'ana' }, body: { trust_level: 3 } })
    await operator.client.call('patchAgent', { params: { agent_id: 'ana' }, body: { trust_level: 9 } })
    await operator.client.call('patchAgent', { params: { agent_id: 'nobody' }, body: { trust_level: 3 } })
    expect((await operator.audit({ action: 'agent.updated' })).body.items).to.have.length(0)
    expect((await get(operator.client, 'ana')).body.trust_level).to.equal(2)
  })

  it('shows agents of one tenant only', async () => {
    const otherTenantCaller = service.client(await service.mintKey({ tenantId: 'elsewhere', trust: 3 }))
    expect((await get(otherTenantCaller, 'standard')).status).to.equal(404)
    expect((await otherTenantCaller.call('listAgents')).body.items).to.have.length(0)
    const foreign = await otherTenantCaller.call('getAgent', {
      params: { agent_id: 'standard' },
      query: { tenant_id: 't' },
    })
    expect(foreign.status).to.equal(403)
    expect((await put(otherTenantCaller, 'standard', { display_name: 'Mine' })).status).to.equal(200)
    expect((await get(operator, 'standard')).body.display_name).to.equal(null)
  })

  it('lets trust 1 read agents and refuses it to change them, with the levels', async () => {
    expect((await get(standard, 'restricted')).status).to.equal(200)
    expect((await standard.call('listAgents')).status).to.equal(200)
    const params = { agent_id: 'standard' }
    for (const refused of [
      await put(standard, 'standard', { trust_level: 3 }),
      await standard.call('patchAgent', { params, body: { trust_level: 3 } }),
      await standard.call('deleteAgent', { params }),
    ]) {
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 1 })
    }
  })

  it('lists below trust 2 the agents of the caller’s fleet and those without one, and refuses other fleets', async () => {
    const tenant = newTenant(service)
    const wide = await tenant.caller({ fleetId: 'red', trust: 2 })
    const fleets = { a: 'red', b: 'blue', c: null, d: 'red', e: 'green', f: null }
    for (const [id, fleet_id] of Object.entries(fleets))
      await put(tenant.admin.client, id, { fleet_id, tenant_id: tenant.id })
    const listed = async (caller: Caller, query: Record<string, string | number> = {}) => {
      const ids: string[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await caller.client.call('listAgents', { query: { ...query, limit: 2, cursor } })
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
      const refused = await red.client.call('listAgents', { query: { fleet_id: 'blue' } })
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
    for (const id of ['a', 'b', 'c']) await put(tenant.admin.client, id, { fleet_id: 'red', tenant_id: tenant.id })
    const page = (caller: Caller, cursor?: string) => caller.client.call('listAgents', { query: { limit: 1, cursor } })
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
    expect((await standard.call('listAgents', { query: { fleet_id: 'blue' } })).status).to.equal(200)
    const refused = await standard.call('listAgents', { query: { fleet_id: 'red' } })
    expect(refused.status).to.equal(403)
    expect(refused.body.error.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: 1 })
  })

  it('requires a known tenant with the admin credential', async () => {
    const admin = service.client()
    const params = { agent_id: 'standard' }
    expect((await admin.call('getAgent', { params, query: { tenant_id: 't' } })).status).to.equal(200)
    expect((await admin.call('getAgent', { params })).status).to.equal(422)
    expect((await admin.call('getAgent', { params, query: { tenant_id: 'unknown' } })).status).to.equal(404)
  })

  describe('whoami', () => {
    it('describes an agent key', async () => {
      expect((await standard.call('whoami')).body).to.deep.equal({
        tenant_id: 't',
        key_kind: 'agent',
        agent_id: 'standard',
        fleet_id: 'blue',
        trust_level: 1,
      })
    })

    it('shows the agent that a tenant key acts for, with the lower trust of the two', async () => {
      const { body } = await operator.call('whoami', { headers: { 'X-Agent-ID': 'standard' } })
      expect(body).to.include({ key_kind: 'tenant', agent_id: 'standard', fleet_id: 'blue', trust_level: 1 })
      expect((await operator.call('whoami', { headers: { 'X-Agent-ID': 'nobody' } })).status).to.equal(403)
      expect((await standard.call('whoami', { headers: { 'X-Agent-ID': 'restricted' } })).status).to.equal(403)
    })

    it('shows trust 3 for the admin credential', async () => {
      const { body } = await service.client().call('whoami', { query: { tenant_id: 't' } })
      expect(body).to.include({ tenant_id: 't', key_kind: 'admin', agent_id: null, trust_level: 3 })
      expect((await service.client(null).call('whoami')).status).to.equal(401)
    })
  })
}

interface AuditEvent {
  readonly action: string
  readonly actor: { readonly kind: string }
  readonly details: Readonly<Record<string, unknown>>
}

import { expect } from 'chai'
import type { Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/states.js'

describe('agents', () => {
  let service: TestService
  let operator: Client
  let standard: Client
  let restricted: Client
  before(async () => {
    service = await startService({ queues: [] })
    operator = service.client(await service.mintKey({ tenantId: 't', trust: 3 }))
    standard = service.client(await service.mintKey({ tenantId: 't', agentId: 'standard', fleetId: 'blue' }))
    restricted = service.client(await service.mintKey({ tenantId: 't', agentId: 'restricted', trust: 0 }))
  })
  after(() => service.stop())

  const put = (client: Client, id: string, body: Record<string, unknown>) =>
    client.call('putAgent', { params: { agent_id: id }, body })
  const get = (client: Client, id: string) => client.call('getAgent', { params: { agent_id: id } })

  it('registers an agent by PUT and replaces its fields whole', async () => {
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

  it('changes what a PATCH names and clears what it sets to null', async () => {
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

  it('shows when an agent was last seen, by its own key or by name', async () => {
    const key = await service.mintKey({ tenantId: 't', agentId: 'seen' })
    await put(operator, 'named', {})
    const before = (await get(operator, 'seen')).body
    expect(before.last_seen_at).to.equal(null)
    await service.client(key).call('whoami')
    await operator.call('whoami', { headers: { 'X-Agent-ID': 'named' } })
    for (const id of ['seen', 'named'])
      await until(async () => ((await get(operator, id)).body.last_seen_at ?? '') >= before.created_at)
  })

  it('answers 404 for an agent that there is not', async () => {
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

  it('shows agents of one tenant only', async () => {
    const stranger = service.client(await service.mintKey({ tenantId: 'elsewhere', trust: 3 }))
    expect((await get(stranger, 'standard')).status).to.equal(404)
    expect((await stranger.call('listAgents')).body.items).to.have.length(0)
    const foreign = await stranger.call('getAgent', { params: { agent_id: 'standard' }, query: { tenant_id: 't' } })
    expect(foreign.status).to.equal(403)
    expect((await put(stranger, 'standard', { display_name: 'Mine' })).status).to.equal(200)
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

  it('lets trust 0 read itself and nobody else', async () => {
    expect((await get(restricted, 'restricted')).status).to.equal(200)
    const other = await get(restricted, 'standard')
    expect(other.status).to.equal(403)
    expect(other.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
    expect((await restricted.call('listAgents')).status).to.equal(403)
  })

  it('asks trust 2 for the list of another fleet', async () => {
    expect((await standard.call('listAgents', { query: { fleet_id: 'blue' } })).status).to.equal(200)
    const refused = await standard.call('listAgents', { query: { fleet_id: 'red' } })
    expect(refused.status).to.equal(403)
    expect(refused.body.error.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: 1 })
  })

  it('serves the admin credential with a tenant, and refuses it without or with an unknown one', async () => {
    const admin = service.client()
    const params = { agent_id: 'standard' }
    expect((await admin.call('getAgent', { params, query: { tenant_id: 't' } })).status).to.equal(200)
    expect((await admin.call('getAgent', { params })).status).to.equal(422)
    expect((await admin.call('getAgent', { params, query: { tenant_id: 'unknown' } })).status).to.equal(404)
  })

  describe('whoami', () => {
    it('says what an agent key stands for', async () => {
      expect((await standard.call('whoami')).body).to.deep.equal({
        tenant_id: 't',
        key_kind: 'agent',
        agent_id: 'standard',
        fleet_id: 'blue',
        trust_level: 1,
      })
    })

    it('says for whom a tenant key acts, at the lower trust of the two', async () => {
      const { body } = await operator.call('whoami', { headers: { 'X-Agent-ID': 'standard' } })
      expect(body).to.include({ key_kind: 'tenant', agent_id: 'standard', fleet_id: 'blue', trust_level: 1 })
      expect((await operator.call('whoami', { headers: { 'X-Agent-ID': 'nobody' } })).status).to.equal(403)
      expect((await standard.call('whoami', { headers: { 'X-Agent-ID': 'restricted' } })).status).to.equal(403)
    })

    it('says trust 3 to the admin credential', async () => {
      const { body } = await service.client().call('whoami', { query: { tenant_id: 't' } })
      expect(body).to.include({ tenant_id: 't', key_kind: 'admin', agent_id: null, trust_level: 3 })
      expect((await service.client(null).call('whoami')).status).to.equal(401)
    })
  })
})

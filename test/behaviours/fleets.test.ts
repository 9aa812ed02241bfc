import { expect } from 'chai'
import { compactCounters } from '../../store/tenants/counters.js'
import type { Caller } from '../support/client.js'
import type { Query } from '../support/clients/request.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** GET /fleets and /fleets/{fleet_id}. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('fleets', () => {
    let tenant: TestTenant
    let ana: Caller
    let operator: Caller
    before(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      await tenant.caller({ agentId: 'carla', fleetId: 'blue', trust: 2 })
      await tenant.caller({ agentId: 'loner' })
      operator = await tenant.caller({ trust: 3 })
      await ana.memories.create('A.').ok()
      await ana.memories.create({ content: 'B.', visibility: 'scope_agent' }).ok()
      await ana.memories.delete((await ana.memories.create('C.').ok()).id).ok()
      await operator.memories.create('Of no fleet.').ok()
      await operator.memories.create({ content: 'D.', fleet_id: 'memories-only' }).ok()
    })

    const list = (caller: Caller, query: Query = {}) => caller.fleets.list(query)
    const get = (caller: Caller, id: string) => caller.fleets.get(id)
    const row = (fleet_id: string, agent_count: number, memory_count: number) => ({
      tenant_id: tenant.id,
      fleet_id,
      agent_count,
      memory_count,
    })
    const compact = () => service().context.store.asSystem((system) => compactCounters(system))

    it('are listed by fleet_id with exact agent and memory counts, before and after counters are compacted', async () => {
      for (let round = 0; round < 2; round++) {
        for (const caller of [operator, tenant.admin])
          expect((await list(caller)).body).to.deep.equal({
            items: [row('blue', 1, 0), row('memories-only', 0, 1), row('red', 2, 2)],
            next_cursor: null,
          })
        await compact()
      }
      expect((await get(operator, 'red')).body).to.deep.equal(row('red', 2, 2))
    })

    it('are listed page by page, with cursors valid for the same list only', async () => {
      const seen: string[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await list(operator, { limit: 1, cursor })
        seen.push(...body.items.map(({ fleet_id }) => fleet_id))
        if (body.next_cursor === null) break
        cursor = body.next_cursor
      }
      expect(seen).to.deep.equal(['blue', 'memories-only', 'red'])
      const { next_cursor: cursor } = (await operator.agents.list({ limit: 1 })).body
      expect((await list(operator, { cursor })).status).to.equal(400)
      expect((await list(operator, { limit: 0 })).status).to.equal(422)
      expect((await list(operator, { fleet_id: 'red' })).status).to.equal(422)
    })

    it('show below trust 2 only the caller’s own', async () => {
      expect((await list(ana)).body.items).to.deep.equal([row('red', 2, 2)])
      expect((await get(ana, 'red')).status).to.equal(200)
      const loner = await tenant.caller({ agentId: 'loner' })
      expect((await list(loner)).body).to.deep.equal({ items: [], next_cursor: null })
      expect((await list(await tenant.caller({ trust: 1 }))).body.items).to.deep.equal([])
      const carla = await tenant.caller({ agentId: 'carla' })
      expect((await list(carla)).body.items).to.have.length(3)
    })

    it('refuse another fleet at trust 1 with both levels, whether it exists or not', async () => {
      for (const id of ['blue', 'nowhere']) {
        const refused = await get(ana, id)
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal({ required_trust_level: 2, caller_trust_level: 1 })
      }
      expect((await get(operator, 'nowhere')).status).to.equal(404)
    })

    it('refuse trust 0, and requests without a key', async () => {
      const zoe = await tenant.caller({ agentId: 'zoe', fleetId: 'red-zero', trust: 0 })
      for (const refused of [await list(zoe), await get(zoe, 'red-zero')]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
      }
      expect((await get(zoe, 'red')).body.error.details).to.deep.equal({
        required_trust_level: 2,
        caller_trust_level: 0,
      })
      expect((await service().client(null).fleets.list()).status).to.equal(401)
      await operator.agents.delete('zoe')
    })

    it('follow agents that are added, moved and deleted, and end with their last agent and memory', async () => {
      const own = newTenant(service())
      const key = await own.caller({ trust: 3 })
      const put = (id: string, fleet_id: string | null) => key.agents.put(id, { fleet_id })
      const counts = async () =>
        Object.fromEntries(
          (await key.fleets.list()).body.items.map((fleet) => [
            fleet.fleet_id,
            [fleet.agent_count, fleet.memory_count],
          ]),
        )
      await put('a', 'one')
      await put('b', 'one')
      await put('c', null)
      expect(await counts()).to.deep.equal({ one: [2, 0] })
      await compact()
      await put('a', 'two')
      await put('b', 'one')
      await key.agents.patch('c', { fleet_id: 'two' })
      expect(await counts()).to.deep.equal({ one: [1, 0], two: [2, 0] })
      const { id } = await key.memories.create({ content: 'A.', agent_id: 'new', fleet_id: 'three' }).ok()
      expect(await counts()).to.deep.equal({ one: [1, 0], three: [1, 1], two: [2, 0] })
      await key.agents.delete('b')
      await key.agents.delete('new')
      await key.agents.delete('new')
      expect(await counts()).to.deep.equal({ three: [0, 1], two: [2, 0] })
      await key.memories.delete(id).ok()
      expect(await counts()).to.deep.equal({ two: [2, 0] })
      await compact()
      expect(await counts()).to.deep.equal({ two: [2, 0] })
      expect((await key.fleets.get('three')).status).to.equal(404)
      const listed = await service().client().tenants.list({ tenant_id: own.id })
      expect(listed.body.items[0]).to.include({ agent_count: 2, memory_count: 0 })
    })

    it('count each agent once, however often it is registered and changed concurrently', async () => {
      const own = newTenant(service())
      const key = await own.caller({ trust: 3 })
      const change = (id: string, fleet_id: string) => key.agents.put(id, { fleet_id })
      const changes = Array.from({ length: 60 }, (_, i) =>
        i % 3 === 0
          ? key.memories.create({ content: `Row ${i}.`, agent_id: `agent-${i % 5}`, fleet_id: 'one' })
          : change(`agent-${i % 5}`, i % 2 === 0 ? 'one' : 'two'),
      )
      await Promise.all([...changes, compact()])
      const agents = (await key.agents.list()).body.items
      const fleets = (await key.fleets.list()).body.items
      expect(agents).to.have.length(5)
      for (const { fleet_id, agent_count } of fleets)
        expect(agent_count, fleet_id).to.equal(agents.filter((agent) => agent.fleet_id === fleet_id).length)
      expect(fleets.reduce((sum, { agent_count }) => sum + agent_count, 0)).to.equal(5)
    })
  })
})

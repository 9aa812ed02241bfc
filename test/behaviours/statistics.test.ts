import { expect } from 'chai'
import fc from 'fast-check'
import { compactCounters } from '../../store/tenants/counters.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { scanMemories } from '../support/counted-rows.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** Tests GET /memories/stats. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('statistics', () => {
    describe('of stored memories', () => {
      let tenant: TestTenant
      let ana: Caller
      let ben: Caller
      let carla: Caller
      let key: Caller
      before(async () => {
        tenant = newTenant(service())
        ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
        ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
        carla = await tenant.caller({ agentId: 'carla', fleetId: 'blue' })
        key = await tenant.caller({ trust: 2 })
        await ana.memories.create({ content: 'A.', memory_type: 'decision' }).ok()
        await ana.memories.create({ content: 'B.', visibility: 'scope_agent', status: 'pending' }).ok()
        await ben.memories.create({ content: 'C.', visibility: 'scope_agent', memory_type: 'semantic' }).ok()
        await ben.memories.create({ content: 'D.' }).ok()
        await ben.memories.delete((await ben.memories.create('E.').ok()).id).ok()
        await carla.memories.create({ content: 'F.', visibility: 'scope_org', memory_type: 'task' }).ok()
        await carla.memories.create({ content: 'G.' }).ok()
        await key.memories.create('H.').ok()
      })

      const total = async (caller: Caller, query: Record<string, string | boolean>) =>
        (await caller.memories.stats(query)).body.total

      it('count visible memories by type, agent and status', async () => {
        expect((await ana.memories.stats()).body).to.deep.equal({
          total: 5,
          by_type: { decision: 1, fact: 3, task: 1 },
          by_agent: { ana: 2, ben: 1, carla: 1, '(none)': 1 },
          by_status: { active: 4, pending: 1 },
        })
        expect((await key.memories.stats()).body).to.deep.equal({
          total: 5,
          by_type: { decision: 1, fact: 3, task: 1 },
          by_agent: { ana: 1, ben: 1, carla: 2, '(none)': 1 },
          by_status: { active: 5 },
        })
      })

      it('with scope agent count the caller’s own, private ones included', async () => {
        expect((await ana.memories.stats({ scope: 'agent' })).body).to.deep.equal({
          total: 2,
          by_type: { decision: 1, fact: 1 },
          by_agent: { ana: 2 },
          by_status: { active: 1, pending: 1 },
        })
        expect(await total(key.actingAs('ana'), { scope: 'agent' })).to.equal(2)
      })

      it('with scope fleet count the whole fleet, private ones included', async () => {
        expect((await ana.memories.stats({ scope: 'fleet' })).body).to.deep.equal({
          total: 4,
          by_type: { decision: 1, fact: 3 },
          by_agent: { ana: 2, ben: 2 },
          by_status: { active: 3, pending: 1 },
        })
        expect(await total(ana, { scope: 'fleet', fleet_id: 'red' })).to.equal(4)
        expect(await total(ben, { scope: 'fleet', fleet_id: 'blue' })).to.equal(2)
        expect(await total(key, { scope: 'fleet', fleet_id: 'blue' })).to.equal(2)
        expect(await total(key, { scope: 'fleet', fleet_id: 'green' })).to.equal(0)
      })

      it('with scope all count the whole tenant, private ones included', async () => {
        for (const caller of [ben, key, tenant.admin]) expect(await total(caller, { scope: 'all' })).to.equal(7)
      })

      it('are narrowed by every filter, in every scope', async () => {
        expect(await total(ana, { memory_type: 'fact' })).to.equal(3)
        expect(await total(ana, { memory_type: 'semantic' })).to.equal(3)
        expect(await total(ana, { memory_type: 'rule' })).to.equal(0)
        expect(await total(ana, { status: 'pending' })).to.equal(1)
        expect(await total(ana, { agent_id: 'ben' })).to.equal(1)
        expect(await total(ana, { agent_id: 'nobody' })).to.equal(0)
        expect(await total(ana, { fleet_id: 'red' })).to.equal(3)
        expect(await total(ben, { scope: 'all', fleet_id: 'red', agent_id: 'ana', status: 'pending' })).to.equal(1)
        expect(await total(ana, { scope: 'fleet', agent_id: 'ben', memory_type: 'fact' })).to.equal(2)
        expect(await total(ana, { scope: 'agent', agent_id: 'ben' })).to.equal(0)
      })

      it('count deleted rows on request, for every caller that may see the scope', async () => {
        expect(await total(ana, { include_deleted: true })).to.equal(6)
        expect((await ana.memories.stats({ include_deleted: true })).body.by_status).to.deep.equal({
          active: 4,
          pending: 1,
          deleted: 1,
        })
        expect(await total(ana, { status: 'deleted', include_deleted: true })).to.equal(1)
        expect(await total(ana, { status: 'deleted' })).to.equal(0)
        expect(await total(ana, { scope: 'fleet', include_deleted: true })).to.equal(5)
        expect(await total(carla, { include_deleted: true })).to.equal(3)
      })

      it('reveal no private memories of others in any key outside of the allowed scopes', async () => {
        expect((await carla.memories.stats()).body.by_agent).to.deep.equal({ carla: 2, '(none)': 1 })
      })

      const gates: [who: () => Caller, query: Record<string, string>, levels: [number, number]][] = [
        [() => ana, { scope: 'all' }, [2, 1]],
        [() => ana, { scope: 'fleet', fleet_id: 'blue' }, [2, 1]],
        [() => ana, { scope: 'agent', fleet_id: 'blue' }, [2, 1]],
        [() => ana, { fleet_id: 'blue' }, [2, 1]],
      ]
      for (const [who, query, [required, caller]] of gates)
        it(`refuse ${JSON.stringify(query)} at trust ${caller}, with both levels`, async () => {
          const answer = await who().memories.stats(query)
          expect(answer.status).to.equal(403)
          expect(answer.body.error).to.deep.include({ code: 'FORBIDDEN' })
          expect(answer.body.error.details).to.deep.equal({
            required_trust_level: required,
            caller_trust_level: caller,
          })
        })

      it('refuse every scope at trust 0, and count the caller’s own without a scope', async () => {
        const zoe = await tenant.caller({ agentId: 'zoe', fleetId: 'red', trust: 0 })
        for (const [scope, required] of [
          ['agent', 1],
          ['fleet', 1],
          ['all', 2],
        ] as const) {
          const answer = await zoe.memories.stats({ scope })
          expect(answer.status).to.equal(403)
          expect(answer.body.error.details).to.deep.equal({ required_trust_level: required, caller_trust_level: 0 })
        }
        for (const scope of ['agent', 'fleet'])
          expect(
            (await zoe.memories.stats({ scope, fleet_id: 'blue' })).body.error.details.required_trust_level,
          ).to.equal(2)
        expect((await zoe.memories.stats()).body).to.deep.equal({ total: 0, by_type: {}, by_agent: {}, by_status: {} })
      })

      const invalid: [who: () => Caller, query: Record<string, string>, at: string][] = [
        [() => key, { scope: 'agent' }, 'query.scope'],
        [() => key, { scope: 'fleet' }, 'query.scope'],
        [() => tenant.admin, { scope: 'agent' }, 'query.scope'],
        [() => ana, { scope: 'tenant' }, 'query.scope'],
        [() => ana, { status: 'lost' }, 'query.status'],
        [() => ana, { memory_type: 'dream' }, 'query.memory_type'],
        [() => ana, { include_deleted: '1' }, 'query.include_deleted'],
        [() => ana, { run_id: 'r' }, 'query.run_id'],
      ]
      for (const [who, query, at] of invalid)
        it(`refuse ${JSON.stringify(query)} with 422`, async () =>
          expect(faultsOf(await who().memories.stats(query))).to.deep.equal([at]))

      it('refuse scope fleet with 422 to an agent without a fleet', async () => {
        const loner = await tenant.caller({ agentId: 'loner' })
        expect(faultsOf(await loner.memories.stats({ scope: 'fleet' }))).to.deep.equal(['query.scope'])
      })
    })

    it('include the caller’s last write and last delete, while counters are compacted', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      for (let i = 0; i < 20; i++) {
        const { id } = await ana.memories.create(`Row ${i}.`).ok()
        expect(await ana.memories.total()).to.equal(1)
        if (i % 2 === 0) await compact()
        await ana.memories.delete(id).ok()
        expect(await ana.memories.total()).to.equal(0)
      }
      expect(await ana.memories.total({ include_deleted: true })).to.equal(20)
    })

    it('count an agent that is named like a member of Object.prototype', async () => {
      const tenant = newTenant(service())
      const key = await tenant.caller()
      for (const agent_id of ['constructor', 'toString', 'valueOf'])
        await key.memories.create({ content: 'A.', agent_id }).ok()
      const { body } = await key.memories.stats()
      expect(Object.entries(body.by_agent).sort()).to.deep.equal([
        ['constructor', 1],
        ['toString', 1],
        ['valueOf', 1],
      ])
    })

    it('equal a count over the rows after random concurrent writes and deletes', async function () {
      const arbitraryWrite = fc.record({
        agent: fc.constantFrom('ana', 'ben', null),
        fleet_id: fc.constantFrom('red', 'blue', undefined),
        visibility: fc.constantFrom('scope_team', 'scope_org'),
        memory_type: fc.constantFrom('fact', 'task', 'semantic'),
        status: fc.constantFrom('active', 'pending', 'confirmed'),
        deleted: fc.boolean(),
        bulk: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(arbitraryWrite, { minLength: 1, maxLength: 25 }), async (writes) => {
          const tenant = newTenant(service())
          const key = await tenant.caller({ trust: 3 })
          let going = true
          const reader = (async () => {
            while (going) {
              const counted = await key.memories.total({ scope: 'all' })
              expect(counted).to.be.within(0, writes.length)
              await compact()
            }
          })()
          await Promise.all(
            writes.map(async ({ agent, deleted, bulk, fleet_id, ...fields }, i) => {
              const by = { ...(agent && { agent_id: agent }), ...(fleet_id && { fleet_id }) }
              const item = { content: `Row ${i}.`, ...fields }
              // The first write of an agent sets its fleet; later writes for another fleet are refused and not counted.
              const id: string | undefined = bulk
                ? (await key.memories.createMany([item], by)).body.results?.[0]?.id
                : (await key.memories.create({ ...item, ...by })).body.id
              if (deleted && id !== undefined) await key.memories.delete(id).ok()
            }),
          )
          going = false
          await reader
          expect((await key.memories.stats({ scope: 'all', include_deleted: true })).body).to.deep.equal(
            await scan(tenant.id),
          )
          expect((await key.memories.stats({ scope: 'all' })).body).to.deep.equal(
            await scan(tenant.id, "status <> 'deleted'"),
          )
          expect((await key.memories.stats({ scope: 'fleet', fleet_id: 'red' })).body).to.deep.equal(
            await scan(tenant.id, "status <> 'deleted' and fleet_id = 'red'"),
          )
          const listed = await service().client().tenants.list({ tenant_id: tenant.id })
          expect(listed.body.items[0]!.memory_count).to.equal((await scan(tenant.id, "status <> 'deleted'")).total)
        }),
        { numRuns: 8 },
      )
    })

    async function compact(): Promise<void> {
      await service().context.store.asSystem((system) => compactCounters(system))
    }

    const scan = (tenantId: string, where?: string) => scanMemories(service(), tenantId, where)
  })
})

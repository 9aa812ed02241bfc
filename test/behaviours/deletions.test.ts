import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** DELETE /memories/{id} and include_deleted. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('deleting a memory', () => {
    let tenant: TestTenant
    let ana: Caller
    let operator: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      operator = await tenant.caller({ trust: 3 })
    })

    for (const state of ['just written', 'indexed'])
      it(`removes a memory that was ${state} from get, list, recall, entities and statistics at once`, async () => {
        const links = { entity_links: [{ name: 'Acme' }] }
        const kept = await ana.memories.create('The fox sleeps in the den.').ok()
        const gone = await ana.memories.create({ content: 'The fox hunts in the wood for Acme.', ...links }).ok()
        if (state === 'indexed') await settled(service())
        expect(await ana.memories.recallContents('fox Acme')).to.include(gone.content)

        const answer = await ana.memories.delete(gone.id)
        expect(answer.status).to.equal(204)
        expect(answer.body).to.equal(undefined)
        expect(await ana.memories.recallContents('fox Acme')).to.deep.equal([kept.content])
        expect((await ana.memories.get(gone.id)).status).to.equal(404)
        expect((await ana.memories.listAll()).map(({ id }) => id)).to.deep.equal([kept.id])
        expect((await ana.entities.list()).body.items).to.deep.equal([])
        expect((await ana.entities.get(gone.entity_links[0]!.entity_id)).status).to.equal(404)
        const { body: stats } = await ana.memories.stats()
        expect(stats).to.deep.equal({ total: 1, by_type: { fact: 1 }, by_agent: { ana: 1 }, by_status: { active: 1 } })
        expect((await ana.memories.delete(gone.id)).status).to.equal(404)

        await settled(service())
        expect(await ana.memories.recallContents('fox Acme')).to.deep.equal([kept.content])
      })

    it('shows a deleted memory to trust 3 with include_deleted, in list and by id, and never in recall', async () => {
      const row = await ana.memories.create('Gone.').ok()
      await ana.memories.delete(row.id).ok()
      const { body } = await operator.memories.get(row.id, { include_deleted: true })
      expect(body).to.deep.include({ id: row.id, status: 'deleted', version: 2, content: 'Gone.' })
      expect(Date.parse(body.updated_at)).to.be.at.least(Date.parse(row.updated_at))
      expect((await operator.memories.listAll({ include_deleted: true })).map(({ id }) => id)).to.deep.equal([row.id])
      expect(
        (await operator.memories.listAll({ include_deleted: true, status: 'deleted' })).map(({ id }) => id),
      ).to.deep.equal([row.id])
      expect((await operator.memories.get(row.id)).status).to.equal(404)
      expect(await operator.memories.listAll()).to.deep.equal([])
      expect((await operator.memories.recall('gone', { statuses: ['deleted'] })).status).to.equal(422)
      expect(await operator.memories.recallContents('gone')).to.deep.equal([])
    })

    it('hides deleted private memories of other agents from trust 3 too', async () => {
      const row = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      await ana.memories.delete(row.id).ok()
      expect((await operator.memories.get(row.id, { include_deleted: true })).status).to.equal(404)
      expect(await operator.memories.listAll({ include_deleted: true })).to.deep.equal([])
    })

    it('refuses include_deleted below trust 3, with both levels', async () => {
      const row = await ana.memories.create('Mine.').ok()
      const two = await tenant.caller({ trust: 2 })
      for (const [caller, level] of [
        [ana, 1],
        [two, 2],
      ] as const)
        for (const answer of [
          await caller.memories.get(row.id, { include_deleted: true }),
          await caller.memories.list({ include_deleted: true }),
        ]) {
          expect(answer.status).to.equal(403)
          expect(answer.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: level })
        }
      expect((await ana.memories.get(row.id, { include_deleted: false })).status).to.equal(200)
    })

    it('needs trust 1 for one’s own memory and trust 3 for another’s', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
      const row = await ana.memories.create('Ana’s.').ok()
      const refused = await ben.memories.delete(row.id)
      expect(refused.status).to.equal(403)
      expect(refused.body.error).to.deep.include({ code: 'FORBIDDEN' })
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 2 })
      expect((await ana.memories.get(row.id)).status).to.equal(200)
      expect((await operator.memories.delete(row.id)).status).to.equal(204)
      const again = await ana.memories.create('Ana’s.').ok()
      expect((await tenant.admin.memories.delete(again.id)).status).to.equal(204)
      const own = await ana.memories.create('Ana’s.').ok()
      expect((await ana.memories.delete(own.id)).status).to.equal(204)
    })

    it('of a memory without an agent is allowed to keys without an agent, and refused to agents', async () => {
      const key = await tenant.caller({ trust: 1 })
      const row = await key.memories.create({ content: 'Nobody’s.', visibility: 'scope_org' }).ok()
      expect((await ana.memories.delete(row.id)).status).to.equal(403)
      expect((await key.memories.delete(row.id)).status).to.equal(204)
    })

    it('answers 404 for a memory that the caller may not see, at any trust', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      const secret = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      const team = await ana.memories.create('Team.').ok()
      expect((await operator.memories.delete(secret.id)).status).to.equal(404)
      expect((await ben.memories.delete(team.id)).status).to.equal(404)
      expect((await ben.memories.delete(secret.id)).status).to.equal(404)
      expect(await ana.memories.total()).to.equal(2)
    })

    it('is refused to trust 0, even for its own memories', async () => {
      const zoe = await tenant.caller({ agentId: 'zoe' })
      const row = await zoe.memories.create('Zoe’s.').ok()
      await operator.agents.patch('zoe', { trust_level: 0 })
      expect((await zoe.memories.get(row.id)).status).to.equal(200)
      const refused = await zoe.memories.delete(row.id)
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
    })

    it('succeeds for exactly one of 20 concurrent requests, and counts once', async () => {
      await ana.memories.create('Kept.').ok()
      const { id } = await ana.memories.create('Gone.').ok()
      const statuses = await Promise.all([...Array(20).keys()].map(async () => (await ana.memories.delete(id)).status))
      expect(statuses.filter((status) => status === 204)).to.have.length(1)
      expect(statuses.filter((status) => status === 404)).to.have.length(19)
      expect(await ana.memories.total()).to.equal(1)
      expect(await ana.memories.total({ include_deleted: true })).to.equal(2)
    })
  })
})

import { expect } from 'chai'
import { newTenant, settled, type Caller, type TestTenant } from '../support/caller.js'
import type { SharedService } from '../support/shared-service.js'

/** DELETE /memories/{id} and include_deleted. */
export function describeDeletions(service: SharedService): void {
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
        const kept = await ana.remember('The fox sleeps in the den.')
        const gone = await ana.remember({ content: 'The fox hunts in the wood for Acme.', ...links })
        if (state === 'indexed') await settled(service())
        expect(await ana.recalled('fox Acme')).to.include(gone.content)

        const answer = await ana.delete(gone.id)
        expect(answer.status).to.equal(204)
        expect(answer.body).to.equal(undefined)
        expect(await ana.recalled('fox Acme')).to.deep.equal([kept.content])
        expect((await ana.get(gone.id)).status).to.equal(404)
        expect((await ana.listAll()).map(({ id }) => id)).to.deep.equal([kept.id])
        expect((await ana.entities()).body.items).to.deep.equal([])
        expect((await ana.entity(gone.entity_links[0]!.entity_id)).status).to.equal(404)
        const { body: stats } = await ana.stats()
        expect(stats).to.deep.equal({ total: 1, by_type: { fact: 1 }, by_agent: { ana: 1 }, by_status: { active: 1 } })
        expect((await ana.delete(gone.id)).status).to.equal(404)

        await settled(service())
        expect(await ana.recalled('fox Acme')).to.deep.equal([kept.content])
      })

    it('shows a deleted memory to trust 3 with include_deleted, in list and by id, and never in recall', async () => {
      const row = await ana.remember('Gone.')
      await ana.forget(row.id)
      const { body } = await operator.get(row.id, { include_deleted: true })
      expect(body).to.deep.include({ id: row.id, status: 'deleted', version: 2, content: 'Gone.' })
      expect(Date.parse(body.updated_at)).to.be.at.least(Date.parse(row.updated_at))
      expect((await operator.listAll({ include_deleted: true })).map(({ id }) => id)).to.deep.equal([row.id])
      expect((await operator.listAll({ include_deleted: true, status: 'deleted' })).map(({ id }) => id)).to.deep.equal([
        row.id,
      ])
      expect((await operator.get(row.id)).status).to.equal(404)
      expect(await operator.listAll()).to.deep.equal([])
      expect((await operator.tryRecall('gone', { statuses: ['deleted'] })).status).to.equal(422)
      expect(await operator.recalled('gone')).to.deep.equal([])
    })

    it('hides deleted private memories of other agents from trust 3 too', async () => {
      const row = await ana.remember({ content: 'Secret.', visibility: 'scope_agent' })
      await ana.forget(row.id)
      expect((await operator.get(row.id, { include_deleted: true })).status).to.equal(404)
      expect(await operator.listAll({ include_deleted: true })).to.deep.equal([])
    })

    it('refuses include_deleted below trust 3, with both levels', async () => {
      const row = await ana.remember('Mine.')
      const two = await tenant.caller({ trust: 2 })
      for (const [caller, level] of [
        [ana, 1],
        [two, 2],
      ] as const)
        for (const answer of [
          await caller.get(row.id, { include_deleted: true }),
          await caller.list({ include_deleted: true }),
        ]) {
          expect(answer.status).to.equal(403)
          expect(answer.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: level })
        }
      expect((await ana.get(row.id, { include_deleted: false })).status).to.equal(200)
    })

    it('needs trust 1 for one’s own memory and trust 3 for another’s', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
      const row = await ana.remember('Ana’s.')
      const refused = await ben.delete(row.id)
      expect(refused.status).to.equal(403)
      expect(refused.body.error).to.deep.include({ code: 'FORBIDDEN' })
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 2 })
      expect((await ana.get(row.id)).status).to.equal(200)
      expect((await operator.delete(row.id)).status).to.equal(204)
      const again = await ana.remember('Ana’s.')
      expect((await tenant.admin.delete(again.id)).status).to.equal(204)
      const own = await ana.remember('Ana’s.')
      expect((await ana.delete(own.id)).status).to.equal(204)
    })

    it('of a memory without an agent is allowed to keys without an agent, and refused to agents', async () => {
      const key = await tenant.caller({ trust: 1 })
      const row = await key.remember({ content: 'Nobody’s.', visibility: 'scope_org' })
      expect((await ana.delete(row.id)).status).to.equal(403)
      expect((await key.delete(row.id)).status).to.equal(204)
    })

    it('answers 404 for a memory that the caller may not see, at any trust', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      const secret = await ana.remember({ content: 'Secret.', visibility: 'scope_agent' })
      const team = await ana.remember('Team.')
      expect((await operator.delete(secret.id)).status).to.equal(404)
      expect((await ben.delete(team.id)).status).to.equal(404)
      expect((await ben.delete(secret.id)).status).to.equal(404)
      expect(await ana.total()).to.equal(2)
    })

    it('is refused to trust 0, even for its own memories', async () => {
      const zoe = await tenant.caller({ agentId: 'zoe' })
      const row = await zoe.remember('Zoe’s.')
      const params = { agent_id: 'zoe' }
      await operator.client.call('patchAgent', { params, body: { trust_level: 0 } })
      expect((await zoe.get(row.id)).status).to.equal(200)
      const refused = await zoe.delete(row.id)
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
    })

    it('succeeds for exactly one of 20 concurrent requests, and counts once', async () => {
      await ana.remember('Kept.')
      const { id } = await ana.remember('Gone.')
      const statuses = await Promise.all([...Array(20).keys()].map(async () => (await ana.delete(id)).status))
      expect(statuses.filter((status) => status === 204)).to.have.length(1)
      expect(statuses.filter((status) => status === 404)).to.have.length(19)
      expect(await ana.total()).to.equal(1)
      expect(await ana.total({ include_deleted: true })).to.equal(2)
    })
  })
}

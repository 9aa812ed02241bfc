import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTeam, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests GET /recalls and GET /recalls/{id}. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('the record of a recall', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))
    const kept = (caller: Caller, id: string) =>
      until('the recall is recorded', async () => expect((await caller.recalls.get(id)).status).to.equal(200))

    it('shows who asked, which memories were returned and why, without any text', async () => {
      const fox = await ana.memories
        .create({ content: 'The fox sleeps in the den.', metadata: { secret: 'heron' } })
        .ok()
      await settled(service())
      const answer = await ana.memories
        .recall('where does the fox sleep', {
          top_k: 5,
          metadata_filter: { secret: 'heron' },
          filter: { 'metadata.secret': 'heron' },
        })
        .ok()
      await kept(ana, answer.recall_id)
      const { body } = await ana.recalls.get(answer.recall_id)
      const [came] = answer.memories
      expect(body).to.deep.include({
        recall_id: answer.recall_id,
        tenant_id: tenant.id,
        fleet_id: 'red',
        memory_count: 1,
        degraded: null,
        request: { top_k: 5, include_summary: false, explain: false, compose: true },
      })
      expect(body.actor).to.deep.include({ kind: 'agent', agent_id: 'ana' })
      expect(body.actor.key_id).to.be.a('string')
      expect(body.memories).to.have.length(1)
      expect(body.memories[0]).to.deep.include({
        memory_id: fox.id,
        score: came!.score,
        similarity: came!.similarity,
        score_parts: came!.score_parts,
      })
      expect(body.memories[0]!.legs).to.include.members(['keyword', 'vector'])
      expect(JSON.stringify(body)).to.not.match(/fox|sleep|heron/)
      expect((await ana.memories.get(fox.id)).body.recall_count).to.equal(1)
    })

    it('is visible only to the agent or key that recalled, and to operators', async () => {
      const { recall_id: id } = await ana.memories.recall('anything').ok()
      await kept(ana, id)
      expect((await operator.recalls.get(id)).status).to.equal(200)
      expect((await ben.recalls.get(id)).status).to.equal(404)
      expect((await (await tenant.caller({ trust: 2 })).recalls.get(id)).status).to.equal(404)
      expect((await (await tenant.caller({ agentId: 'cy', trust: 0 })).recalls.get(id)).status).to.equal(403)
      const [one, two] = [await tenant.caller({ trust: 2 }), await tenant.caller({ trust: 2 })]
      const own = (await one.memories.recall('anything').ok()).recall_id
      await kept(one, own)
      expect((await two.recalls.get(own)).status).to.equal(404)
      expect((await operator.recalls.get('01890000-0000-7000-8000-000000000000')).status).to.equal(404)
    })

    it('shows only memories that the reader may see now, and how many were returned', async () => {
      const open = await ana.memories.create({ content: 'The open fox.', visibility: 'scope_org' }).ok()
      const secret = await ana.memories.create({ content: 'The secret fox.', visibility: 'scope_agent' }).ok()
      const gone = await ana.memories.create({ content: 'The gone fox.', visibility: 'scope_org' }).ok()
      const { recall_id: id, memories } = await ana.memories.recall('fox').ok()
      expect(memories).to.have.length(3)
      await kept(ana, id)
      await ana.memories.delete(gone.id).ok()
      const idsFor = async (caller: Caller) =>
        ((await caller.recalls.get(id)).body.memories as { memory_id: string }[]).map((memory) => memory.memory_id)
      expect(await idsFor(ana)).to.have.members([open.id, secret.id])
      expect(await idsFor(operator)).to.deep.equal([open.id])
      expect((await operator.recalls.get(id)).body.memory_count).to.equal(3)
    })

    it('is listed page by page, filtered, newest first, at trust 3 only', async () => {
      const ids: string[] = []
      for (const caller of [ana, ana, ben, ana]) ids.push((await caller.memories.recall('anything').ok()).recall_id)
      await kept(operator, ids.at(-1)!)
      const walked: string[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await operator.recalls.list({ limit: 3, cursor })
        walked.push(...(body.items as { recall_id: string }[]).map((item) => item.recall_id))
        if (body.next_cursor === null) break
        cursor = body.next_cursor
      }
      expect([...walked].sort()).to.deep.equal([...ids].sort())
      const { body } = await operator.recalls.list({ agent_id: 'ben' })
      expect(body.items.map((item: { recall_id: string }) => item.recall_id)).to.deep.equal([ids[2]])
      expect((await operator.recalls.list({ degraded: true })).body.items).to.deep.equal([])
      expect((await operator.recalls.list({ degraded: false })).body.items).to.have.length(4)
      expect((await operator.recalls.list({ before: '2020-01-01T00:00:00Z' })).body.items).to.deep.equal([])
      expect((await operator.recalls.list({ after: '2999-01-01T00:00:00Z' })).body.items).to.deep.equal([])
      const { next_cursor: cursor } = (await operator.recalls.list({ limit: 1 })).body
      expect((await operator.recalls.list({ limit: 1, cursor, agent_id: 'ana' })).status).to.equal(400)
      for (const trust of [1, 2] as const)
        expect((await (await tenant.caller({ trust })).recalls.list()).status).to.equal(403)
    })
  })
})

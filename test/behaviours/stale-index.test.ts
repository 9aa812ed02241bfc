import { expect } from 'chai'
import { changeStatus } from '../../store/memories/change-status.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { holdIndexing } from '../support/held-indexing.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'

/** Tests recall while the index lags behind Postgres: the index finds, Postgres decides. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })
  describe('recall with an index that lags behind', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    async function rememberMany(count: number, content: (i: number) => string): Promise<string[]> {
      const { body } = await ana.memories.createMany([...Array(count).keys()].map((i) => ({ content: content(i) })))
      return body.results.map(({ id }) => id!)
    }

    async function deleteAll(ids: readonly string[]): Promise<void> {
      await service().context.store.transact({ tenantId: tenant.id }, (writer) =>
        changeStatus(writer, ids, { from: ['active'], to: 'deleted', at: new Date() }),
      )
    }

    it('finds the remaining memories when all that the index ranks first were deleted', async () => {
      const gone = await rememberMany(120, (i) => `fox fox fox ${i}`)
      const left = await ana.memories.create('A fox among many other animals of the wood, the field and the sea.').ok()
      await settled(service(), tenant.id)
      await holdIndexing(service(), tenant.id)
      await deleteAll(gone)
      const { memories, degraded } = await ana.memories.recall('fox').ok()
      expect(memories.map(({ id }) => id)).to.deep.equal([left.id])
      expect(degraded).to.equal(null)
    })

    it('finds the remaining memory when all that the index ranks first were changed, and are visible still', async () => {
      const changed = await rememberMany(60, (i) => `fox fox fox ${i}`)
      const left = await ana.memories.create('A fox among many other animals of the wood, the field and the sea.').ok()
      await settled(service(), tenant.id)
      await holdIndexing(service(), tenant.id)
      for (const id of changed) await ana.memories.patch(id, { content: `A giraffe eats the leaves of ${id}.` }).ok()
      const { memories, degraded } = await ana.memories.recall('fox').ok()
      expect(memories[0]!.id).to.equal(left.id)
      expect(degraded).to.equal(null)
    })

    it('shows no name that a rewritten text no longer has, to nobody', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const [id] = (
        await ana.memories.createMany([
          { content: 'The takeover of Zyxwvut Holdings by Mimosa Krakatoa is planned.', visibility: 'scope_agent' },
        ])
      ).body.results.map((result) => result.id!)
      await settled(service(), tenant.id)
      const namesOf = async (caller: Caller) => ({
        links: (await caller.memories.get(id!).ok()).entity_links.map(({ name }) => name),
        entities: (await caller.entities.list().ok()).items.map(({ name }) => name),
      })
      expect((await namesOf(ana)).links).to.have.members(['Zyxwvut Holdings', 'Mimosa Krakatoa'])
      await holdIndexing(service(), tenant.id)
      await ana.memories
        .patch(id!, { content: 'The meeting of the board was moved to Tuesday.', visibility: 'scope_team' })
        .ok()
      for (const caller of [ana, ben]) {
        expect(await namesOf(caller)).to.deep.equal({ links: [], entities: [] })
        const { memories } = await caller.memories.recall('Mimosa Krakatoa', { explain: true }).ok()
        for (const memory of memories) {
          expect(memory.explanation!.matched_entities).to.deep.equal([])
          expect(memory.score_parts!.entity_boost).to.equal(1)
        }
      }
    })

    it('returns a memory as Postgres has it, not as the index has it', async () => {
      const [id] = await rememberMany(1, () => 'The fox.')
      await settled(service(), tenant.id)
      await holdIndexing(service(), tenant.id)
      await service().context.store.transact({ tenantId: tenant.id }, (writer) =>
        changeStatus(writer, [id!], { from: ['active'], to: 'archived', at: new Date() }),
      )
      expect(await ana.memories.recallContents('fox')).to.deep.equal([])
      const { memories } = await ana.memories.recall('fox', { statuses: ['archived'] }).ok()
      expect(memories.map((memory) => [memory.id, memory.status])).to.deep.equal([[id, 'archived']])
    })

    it('finds the remaining document when all that the index ranks first have changed', async () => {
      const all = (team: string) =>
        [...Array(60).keys()].map((i) => ({ doc_id: `d${i}`, data: { text: 'Harbour, harbour!', team } }))
      await ana.documents.putMany('notes', all('a'))
      await ana.documents
        .put('notes', 'left', { text: 'A note of many words that names the harbour once.', team: 'a' })
        .ok()
      await settled(service(), tenant.id)
      await holdIndexing(service(), tenant.id)
      await ana.documents.putMany('notes', all('b'))
      const found = await ana.documents.search('harbour', { where: { team: 'a' } }).ok()
      expect(found.results.map(({ doc_id }) => doc_id)).to.deep.equal(['left'])
      expect(found.degraded).to.equal(null)
    })

    it('finds the remaining document when all that the index ranks first have another text', async () => {
      const all = (text: string) =>
        [...Array(60).keys()].map((i) => ({ doc_id: `d${i}`, data: { text: `${text} ${i}` } }))
      await ana.documents.putMany('notes', all('Harbour, harbour!'))
      await ana.documents.put('notes', 'left', { text: 'A note of many words that names the harbour once.' }).ok()
      await settled(service(), tenant.id)
      await holdIndexing(service(), tenant.id)
      await ana.documents.putMany('notes', all('Giraffes eat leaves.'))
      const found = await ana.documents.search('harbour').ok()
      expect(found.results[0]!.doc_id).to.equal('left')
      expect(found.degraded).to.equal(null)
    })

    it('returns as many as requested when the index has more', async () => {
      await rememberMany(150, (i) => `The fox number ${i}.`)
      await settled(service(), tenant.id)
      for (const top_k of [60, 100]) {
        const { memories } = await ana.memories.recall('fox', { top_k }).ok()
        expect(memories).to.have.length(top_k)
      }
    })
  })
})

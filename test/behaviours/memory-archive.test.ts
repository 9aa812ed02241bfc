import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { newTeam } from '../support/tenants.js'
import { until } from '../support/states.js'

const LATER = '2999-01-01T00:00:00Z'

describeOnEachProfile((profile) => {
  const service = ownService({ profile })

  describe('memories that nobody uses', () => {
    let ana: Caller
    let ben: Caller
    let operator: Caller
    beforeEach(async () => ({ ana, ben, operator } = await newTeam(service())))
    const write = async (caller: Caller, fields: Record<string, unknown>) => caller.memories.create(fields).ok()
    const statusOf = async (id: string, caller = ana) => (await caller.memories.get(id).ok()).status

    it('are counted and shown by a dry run, which changes nothing', async () => {
      const fact = await write(ana, { content: 'The mast is oiled in May.', weight: 0.2 })
      await write(ana, { content: 'Oil the mast.', memory_type: 'task', weight: 0.1 })
      await write(ana, { content: 'The hull is blue.', weight: 0.9 })
      const answer = await operator.memories.archive({ unused_since: LATER, max_weight: 0.5 }).ok()
      expect(answer).to.deep.include({ dry_run: true, matched: 2, archived: 0, remaining: 2 })
      expect(answer.by_type).to.deep.equal([
        { memory_type: 'fact', count: 1 },
        { memory_type: 'task', count: 1 },
      ])
      expect(answer.oldest.map(({ content }) => content)).to.deep.equal(['The mast is oiled in May.', 'Oil the mast.'])
      expect(await statusOf(fact.id)).to.equal('active')
    })

    it('are archived, the oldest first and no more than asked for, and can be made active again', async () => {
      const ids: string[] = []
      for (const n of [1, 2, 3]) ids.push((await write(ana, { content: `Sail number ${n} is patched.` })).id)
      await settled(service())
      const archive = (fields: object) =>
        operator.memories.archive({ unused_since: LATER, dry_run: false, ...fields }).ok()
      expect(await archive({ limit: 2 })).to.deep.include({ dry_run: false, matched: 3, archived: 2, remaining: 1 })
      expect(await Promise.all(ids.map((id) => statusOf(id)))).to.deep.equal(['archived', 'archived', 'active'])
      expect(await ana.memories.recallContents('which sail is patched?')).to.deep.equal(['Sail number 3 is patched.'])
      expect(await archive({})).to.deep.include({ matched: 1, archived: 1, remaining: 0 })
      expect(await archive({})).to.deep.include({ matched: 0, archived: 0, remaining: 0, oldest: [] })
      await ana.memories.patch(ids[0]!, { status: 'active' }).ok()
      expect(await ana.memories.recallContents('which sail is patched?')).to.deep.equal(['Sail number 1 is patched.'])
    })

    it('are not those that were recalled since, changed since or written since', async () => {
      const recalled = await write(ana, { content: 'The anchor weighs 12 kg.' })
      const changed = await write(ana, { content: 'The rudder is loose.' })
      const idle = await write(ana, { content: 'The lamp needs a bulb.' })
      await settled(service())
      const since = new Date(Date.parse(idle.created_at) + 1).toISOString()
      await until('the clock has gone on', () => Date.now() > Date.parse(since) + 5)
      await ana.memories.recall('what does the anchor weigh?', { top_k: 1 }).ok()
      await ana.memories.patch(changed.id, { content: 'The rudder is fixed.' }).ok()
      await write(ana, { content: 'The flag is new.' })
      await until('the recall is counted', async () => (await ana.memories.get(recalled.id).ok()).recall_count === 1)
      const rule = { unused_since: since }
      const { oldest } = await operator.memories.archive(rule).ok()
      expect(oldest.map(({ id }) => id)).to.deep.equal([idle.id])
      const { items } = await operator.memories.list(rule).ok()
      expect(items.map(({ id }) => id)).to.deep.equal([idle.id, changed.id])
      const none = await operator.memories.archive({ unused_since: LATER, max_recalls: 0 }).ok()
      expect(none.matched).to.equal(3)
    })

    it('are narrowed by a filter', async () => {
      await write(ana, { content: 'Buy rope.', metadata: { list: 'harbour' } })
      await write(ana, { content: 'Buy paint.', metadata: { list: 'yard' } })
      const { oldest } = await operator.memories
        .archive({ unused_since: LATER, filter: { 'metadata.list': 'yard' } })
        .ok()
      expect(oldest.map(({ content }) => content)).to.deep.equal(['Buy paint.'])
    })

    it('are never private ones of others, nor archived below trust 3', async () => {
      const secret = await write(ana, { content: 'The spare key is under the mat.', visibility: 'scope_agent' })
      await write(ana, { content: 'The gate is green.' })
      const answer = await operator.memories.archive({ unused_since: LATER, dry_run: false }).ok()
      expect([answer.matched, answer.oldest.map(({ content }) => content)]).to.deep.equal([1, ['The gate is green.']])
      expect(await statusOf(secret.id)).to.equal('active')
      for (const caller of [ana, ben])
        expect((await caller.memories.archive({ unused_since: LATER })).status).to.equal(403)
    })

    it('are refused by a rule that cannot be evaluated', async () => {
      for (const fields of [
        {},
        { unused_since: '2026-01-01' },
        { unused_since: LATER, max_weight: 1.5 },
        { unused_since: LATER, max_recalls: -1 },
        { unused_since: LATER, limit: 0 },
        { unused_since: LATER, filter: { colour: 'red' } },
        { unused_since: LATER, min_weight: 0 },
      ])
        expect((await operator.memories.archive(fields)).status, JSON.stringify(fields)).to.equal(422)
    })
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'

/** Tests that each text of a tenant, fleet and agent has at most one live memory. */
describeOnEmbedded(() => {
  const clock = createMovingClock()
  const service = ownService({ clock })
  describe('a duplicate', () => {
    const text = 'Ana met Ben in Romé.'
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })

    const same: [difference: string, content: string][] = [
      ['nothing', text],
      ['Unicode form', 'Ana met Ben in Rome\u0301.'],
      ['white space at its end', 'Ana met Ben in Romé. \t\r\n\n'],
    ]
    for (const [difference, content] of same)
      it(`is refused with 409 and the id of what it repeats when it differs in ${difference}`, async () => {
        const { id } = await ana.memories.create(text).ok()
        const answer = await ana.memories.create({
          content,
          title: 'Other',
          memory_type: 'episode',
          visibility: 'scope_org',
        })
        expect(answer.status).to.equal(409)
        expect(answer.body.error.code).to.equal('CONFLICT')
        expect(answer.body.error.details).to.deep.equal({ existing_id: id })
        expect(await ana.memories.total()).to.equal(1)
      })

    const other: [difference: string, content: string][] = [
      ['word order', 'Ben met Ana in Romé.'],
      ['punctuation', 'Ana met Ben in Romé!'],
      ['a negation', 'Ana never met Ben in Romé.'],
      ['case', 'ANA met ben in Romé.'],
      ['white space within', 'Ana met  Ben in Romé.'],
      ['white space at its beginning', ' Ana met Ben in Romé.'],
      ['compatibility forms', 'Ana met Ben in Ｒomé.'],
      ['an invisible character', 'A\u200bna met Ben in Romé.'],
    ]
    for (const [difference, content] of other)
      it(`is not a text that differs in ${difference}`, async () => {
        await ana.memories.create(text).ok()
        expect((await ana.memories.create(content)).status).to.equal(201)
      })

    it('is not the same text of another agent, fleet or tenant, or of no agent', async () => {
      await ana.memories.create(text).ok()
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const key = await tenant.caller()
      const otherTenantCaller = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red' })
      const statuses = [
        await ben.memories.create(text),
        await ana.memories.create({ content: text, fleet_id: 'blue' }),
        await key.memories.create(text),
        await key.memories.create({ content: text, fleet_id: 'red' }),
        await otherTenantCaller.memories.create(text),
      ].map(({ status }) => status)
      expect(statuses).to.deep.equal([201, 201, 201, 201, 201])
      for (const again of [
        await key.memories.create(text),
        await key.memories.create({ content: text, fleet_id: 'red' }),
      ])
        expect(again.status).to.equal(409)
    })

    for (const status of ['active', 'pending', 'confirmed'])
      it(`is refused while the first is ${status}`, async () => {
        await ana.memories.create({ content: text, status }).ok()
        expect((await ana.memories.create(text)).status).to.equal(409)
      })

    it('is accepted once the first is deleted', async () => {
      const { id } = await ana.memories.create(text).ok()
      await ana.memories.delete(id).ok()
      const again = await ana.memories.create(text).ok()
      expect(again.id).to.not.equal(id)
    })

    it('is accepted once the first has expired, which then becomes outdated', async () => {
      const expires_at = new Date(clock.now() + 60_000).toISOString()
      const first = await ana.memories.create({ content: text, expires_at }).ok()
      expect((await ana.memories.create(text)).status).to.equal(409)
      clock.advance(60_001)
      const second = await ana.memories.create(text).ok()
      expect((await ana.memories.get(first.id)).body).to.include({ status: 'outdated', version: 2 })
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 1, outdated: 1 })
      expect((await ana.memories.create(text)).body.error.details.existing_id).to.equal(second.id)
    })

    it('in bulk replaces expired memories and keeps live ones', async () => {
      const expires_at = new Date(clock.now() + 60_000).toISOString()
      await ana.memories.createMany([{ content: 'A.', expires_at }, { content: 'B.' }, { content: 'C.', expires_at }])
      clock.advance(60_001)
      const { body } = await ana.memories.createMany([
        { content: 'A.' },
        { content: 'B. ' },
        { content: 'C.' },
        { content: 'C.\n' },
        { content: 'c.' },
      ])
      expect(body.results.map(({ status }: { status: string }) => status)).to.deep.equal([
        'created',
        'duplicate',
        'created',
        'duplicate',
        'created',
      ])
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 4, outdated: 2 })
    })

    it('is stored by exactly one of 50 concurrent writers', async () => {
      const answers = await Promise.all(
        [...Array(50).keys()].map((i) => ana.memories.create(i % 2 === 0 ? text : `${text}\r\n`)),
      )
      const stored = answers.filter(({ status }) => status === 201)
      expect(stored).to.have.length(1)
      const others = answers.filter(({ status }) => status === 409)
      expect(others).to.have.length(49)
      for (const { body } of others) expect(body.error.details.existing_id).to.equal(stored[0]!.body.id)
      expect((await ana.memories.listAll()).map(({ id }) => id)).to.deep.equal([stored[0]!.body.id])
      expect(await ana.memories.total()).to.equal(1)
    })

    it('leaves one live memory when 20 write and delete it concurrently', async () => {
      const write = async () => {
        const { status, body } = await ana.memories.create(text)
        if (status === 201) await ana.memories.delete(body.id).ok()
        return status
      }
      const statuses = await Promise.all([...Array(20).keys()].map(write))
      expect(statuses.filter((status) => status !== 201 && status !== 409)).to.deep.equal([])
      expect(await ana.memories.total()).to.equal(0)
      await ana.memories.create(text).ok()
      await settled(service())
      expect(await ana.memories.recallContents('Who did Ana meet?')).to.deep.equal([text])
    })
  })
})

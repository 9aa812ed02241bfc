import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** Tests `memories_limit`, 402 and `usage`. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('a memory quota', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana' })
    })

    async function limit(memories_limit: number | null): Promise<void> {
      const answer = await tenant.admin.tenants.patch(tenant.id, { memories_limit })
      expect(answer.status).to.equal(200)
    }

    async function countInOperatorsList(): Promise<number> {
      const answer = await service().client().tenants.list({ tenant_id: tenant.id })
      return answer.body.items[0]!.memory_count
    }

    it('counts down in usage, and refuses writes beyond it with 402', async () => {
      await ana.memories.create('Before the limit.').ok()
      await limit(3)
      const second = await ana.memories.create('Second.').ok()
      expect(second.usage).to.deep.equal({ memories_stored: 2, memories_limit: 3, writes_remaining: 1 })
      const third = await ana.memories.create('Third.').ok()
      expect(third.usage).to.deep.equal({ memories_stored: 3, memories_limit: 3, writes_remaining: 0 })
      const refused = await ana.memories.create('Fourth.')
      expect(refused.status).to.equal(402)
      expect(refused.body.error.code).to.equal('PAYMENT_REQUIRED')
      expect(refused.body.detail).to.equal(refused.body.error.message)
      expect(await ana.memories.total()).to.equal(3)
    })

    it('allows one more write after a delete', async () => {
      await limit(1)
      const { id } = await ana.memories.create('First.').ok()
      expect((await ana.memories.create('Second.')).status).to.equal(402)
      await ana.memories.delete(id).ok()
      expect((await ana.memories.delete(id)).status).to.equal(404)
      expect((await ana.memories.create('Second.').ok()).usage).to.deep.include({
        memories_stored: 1,
        writes_remaining: 0,
      })
      expect((await ana.memories.create('Third.')).status).to.equal(402)
    })

    it('does not change by moves among the statuses that count', async () => {
      await limit(2)
      const { id } = await ana.memories.create('First.').ok()
      for (const status of ['pending', 'archived', 'active', 'cancelled'])
        expect((await ana.memories.move([id], status)).body).to.include({ moved: 1, errors: 0 })
      expect((await ana.memories.create('Second.').ok()).usage).to.deep.include({
        memories_stored: 2,
        writes_remaining: 0,
      })
      expect((await ana.memories.create('Third.')).status).to.equal(402)
      expect([await ana.memories.total(), await countInOperatorsList()]).to.deep.equal([2, 2])
    })

    it('reports a duplicate as such when it is used up', async () => {
      await limit(1)
      const { id } = await ana.memories.create('Only.').ok()
      const answer = await ana.memories.create('Only. ')
      expect(answer.status).to.equal(409)
      expect(answer.body.error.details.existing_id).to.equal(id)
    })

    it('is not exceeded by many concurrent writers', async () => {
      await limit(10)
      const answers = await Promise.all([...Array(40).keys()].map((i) => ana.memories.create(`Writer ${i}.`)))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).to.have.length(10)
      expect(statuses.filter((status) => status === 402)).to.have.length(30)
      const remaining = answers.filter(({ status }) => status === 201).map(({ body }) => body.usage!.writes_remaining)
      expect(remaining.sort((a, b) => a! - b!)).to.deep.equal([...Array(10).keys()])
      expect([await ana.memories.total(), await countInOperatorsList()]).to.deep.equal([10, 10])
    })

    it('is exact when it is set during many writes', async () => {
      const writes = [...Array(30).keys()].map((i) => ana.memories.create(`Racing ${i}.`))
      await limit(10)
      await Promise.all(writes)
      const total = await ana.memories.total()
      const next = await ana.memories.create('After the race.')
      expect(next.status).to.equal(total < 10 ? 201 : 402)
      await limit(1_000)
      expect((await ana.memories.create('Counted.').ok()).usage!.memories_stored).to.equal(await ana.memories.total())
    })

    it('refuses everything at 0, and nothing once it is removed', async () => {
      await limit(0)
      expect((await ana.memories.create('Refused.')).status).to.equal(402)
      await limit(null)
      expect((await ana.memories.create('Taken.').ok()).usage).to.deep.equal({
        memories_stored: 1,
        memories_limit: null,
        writes_remaining: null,
      })
    })

    it('set below the stored count refuses writes, keeps all memories and reports none remaining', async () => {
      const { id } = await ana.memories.create('First.').ok()
      await ana.memories.create('Second.').ok()
      await limit(1)
      expect((await ana.memories.create('Third.')).status).to.equal(402)
      await ana.memories.delete(id).ok()
      expect((await ana.memories.create('Third.')).status).to.equal(402)
      const { body } = await ana.memories.createMany([{ content: 'second.' }])
      expect(body.usage).to.deep.equal({ memories_stored: 1, memories_limit: 1, writes_remaining: 0 })
    })

    it('accepts as many items of a bulk as fit, in order, and reports 402 for the others', async () => {
      await limit(3)
      await ana.memories.create('Known.').ok()
      const contents = ['A.', 'Known. ', '', 'B.', 'B.\n', 'C.', 'A.\t', 'D.']
      const answer = await ana.memories.createMany(contents.map((content) => ({ content })))
      expect(answer.status).to.equal(207)
      const { results, created, duplicates, errors, usage } = answer.body
      const outcomes = results.map(
        (result: { status: string; error?: { code: string } }) => result.error?.code ?? result.status,
      )
      expect(outcomes).to.deep.equal([
        'created',
        'duplicate',
        'INVALID_ARGUMENTS',
        'created',
        'duplicate',
        'PAYMENT_REQUIRED',
        'duplicate',
        'PAYMENT_REQUIRED',
      ])
      expect({ created, duplicates, errors }).to.deep.equal({ created: 2, duplicates: 3, errors: 3 })
      expect(usage).to.deep.equal({ memories_stored: 3, memories_limit: 3, writes_remaining: 0 })
      expect(await ana.memories.total()).to.equal(3)
    })

    it('is not exceeded by many concurrent bulks', async () => {
      await limit(50)
      const bulk = (b: number) =>
        ana.memories.createMany([...Array(20).keys()].map((i) => ({ content: `Bulk ${b} ${i}.` })))
      const answers = await Promise.all([...Array(6).keys()].map(bulk))
      expect(answers.reduce((sum, { body }) => sum + body.created, 0)).to.equal(50)
      expect(answers.reduce((sum, { body }) => sum + body.errors, 0)).to.equal(70)
      expect(await ana.memories.total()).to.equal(50)
    })

    it('applies to one tenant only', async () => {
      await limit(0)
      const other = await newTenant(service()).caller()
      expect((await other.memories.create('Elsewhere.')).status).to.equal(201)
    })
  })
})

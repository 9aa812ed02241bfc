import { expect } from 'chai'
import type { Keystone } from '../support/clients/keystones.js'
import { createTestCluster, type ApiProcess, type TestCluster } from '../support/scaled-processes.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

describe('two api processes', function () {
  this.timeout(120_000)
  scaled(['postgres', 'redis', 'opensearch'], () => {
    let cluster: TestCluster
    let first: ApiProcess
    let second: ApiProcess
    before(async () => {
      cluster = await createTestCluster()
      ;[first, second] = await Promise.all([cluster.api(), cluster.api()])
    })
    after(() => cluster?.remove())

    it('recall what the other has stored as soon as it answers, without any worker', async () => {
      const key = await first.mint('shared')
      const [here, there] = [first.caller('shared', key), second.caller('shared', key)]
      const { id } = await here.memories.create('The ferry leaves from the north pier.').ok()
      expect(await there.memories.recallContents('which pier does the ferry leave from')).to.deep.equal([
        'The ferry leaves from the north pier.',
      ])
      await there.memories.delete(id).ok()
      expect((await here.memories.get(id)).status).to.equal(404)
      expect(await here.memories.recallContents('which pier does the ferry leave from')).to.deep.equal([])
    })

    it('list the rules that the other has stored as soon as it answers', async () => {
      const key = await first.mint('ruled')
      const [here, there] = [first.caller('ruled', key), second.caller('ruled', key)]
      for (let round = 0; round < 20; round++) {
        await there.keystones.set({ doc_id: 'x', content: `Round ${round}.` }).ok()
        const { body } = await here.keystones.list()
        expect((body as Keystone[]).map(({ content }) => content)).to.deep.equal([`Round ${round}.`])
        expect((await there.keystones.list()).headers.get('ETag')).to.equal(
          (await here.keystones.list()).headers.get('ETag'),
        )
      }
      await there.keystones.delete('x')
      expect((await here.keystones.list()).body).to.deep.equal([])
    })

    it('share an Idempotency-Key', async () => {
      const key = await first.mint('keyed')
      const header = { 'Idempotency-Key': 'one' }
      const answers = await Promise.all(
        [first, second, first, second].map((api) =>
          api.caller('keyed', key).memories.create('Written by two.', header),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201])
      expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1)
      expect(await second.caller('keyed', key).memories.total()).to.equal(1)
    })

    it('both apply a setting as soon as one of them has answered its change', async () => {
      const key = await first.mint('settled')
      const caller = second.caller('settled', key)
      const email = 'ana.lopez@example.com'
      expect((await caller.memories.create(`Write to ${email}.`).ok()).content).to.contain(email)
      const set = (pii_policy: string | null) =>
        first.admin.settings.patch({ tenant_id: 'settled', memory: { pii_policy } })
      for (const policy of ['mask', 'refuse', null, 'refuse', 'mask']) {
        expect((await set(policy)).status).to.equal(200)
        const answer = await caller.memories.create(`Ask ${email}, ${policy} ${Math.random()}.`)
        if (policy === 'refuse') expect(answer.status).to.equal(422)
        else expect(answer.body.content).to.contain(policy === 'mask' ? '[email]' : email)
      }
    })

    it('both apply the trust and the fleet that one of them gave an agent', async () => {
      const key = await first.mint('trusting')
      const operator = { tenant_id: 'trusting' }
      const there = second.caller('trusting', key)
      const { agent_id: agentId } = (await there.agents.whoami()).body
      const change = async (body: { trust_level: number; fleet_id?: string }) => {
        expect((await first.admin.agents.patch(agentId!, { ...operator, ...body })).status).to.equal(200)
      }
      const statusThere = async () => (await there.memories.stats({ scope: 'all' })).status
      expect(await statusThere()).to.equal(200)
      // The old values may be cached for a second more.
      await change({ trust_level: 1, fleet_id: 'red' })
      await until('the other process answers 403', async () => expect(await statusThere()).to.equal(403))
      expect((await there.memories.create('In red by now.').ok()).fleet_id).to.equal('red')
      await change({ trust_level: 2 })
      await until('the other process answers 200', async () => expect(await statusThere()).to.equal(200))
      await change({ trust_level: 0 })
      await until('the other process answers 403', async () => expect(await statusThere()).to.equal(403))
      expect((await there.memories.create('Too late.')).status).to.equal(403)
    })

    it('both refuse a key that one of them revoked, and only that one', async () => {
      const [revoked, other] = [await first.mint('revoked'), await first.mint('revoked-not')]
      const caller = second.caller('revoked', revoked)
      await caller.memories.create('Written before.').ok()
      const [key] = (await first.admin.keys.list({ tenant_id: 'revoked' })).body.items
      await first.admin.keys.delete(key!.key_id)
      expect((await first.caller('revoked', revoked).memories.create('At the first.')).status).to.equal(401)
      // The second process may cache the key for a second more.
      await until('the revoked key is refused', async () => expect((await caller.memories.list()).status).to.equal(401))
      expect((await caller.memories.create('Too late.')).status).to.equal(401)
      expect((await second.caller('revoked-not', other).memories.create('Not revoked.')).status).to.equal(201)
    })
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { callTool, connectTools } from '../support/tools.js'

describeOnEachProfile((profile) => {
  const service = ownService({ profile })

  describe('the confidence of a recall', () => {
    let tenant: TestTenant
    let ana: Caller
    let ben: Caller
    before(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
      for (const content of [
        'The staging database listens on port 6432.',
        'The quarterly budget was approved by the board.',
        'Trains to the coast leave from platform nine.',
        'Payments are settled every night by the ledger service.',
        'Die Rechnungen werden am Monatsende an die Buchhaltung geschickt.',
      ])
        await ana.memories.create(content).ok()
      await settled(service())
    })
    const asked = async (query: string, options: Record<string, unknown> = {}, caller = ana) =>
      caller.memories.recall(query, options).ok()

    it('is high where a memory says it, in other languages too', async () => {
      for (const query of [
        'which port does the staging database listen on?',
        'Wann werden die Rechnungen an die Buchhaltung geschickt?',
      ])
        expect((await asked(query)).confidence, query).to.deep.include({ level: 'high', missing: [] })
    })

    it('is low where a word of the question is in no memory, which it names', async () => {
      const { confidence, memories } = await asked('which port does the fax gateway listen on?')
      expect([confidence.level, confidence.missing]).to.deep.equal(['low', ['fax', 'gateway']])
      expect(memories).not.to.deep.equal([])
    })

    it('is none where no memory has a content word of the question, or it has none', async () => {
      for (const query of ['zxqv blorp wumpus', 'how are you?', 'ok'])
        expect((await asked(query)).confidence.level, query).to.equal('none')
    })

    it('returns no memory below the level of answer_if, and says why', async () => {
      const question = 'which port does the fax gateway listen on?'
      expect((await asked(question, { answer_if: 'low' })).memories).not.to.deep.equal([])
      const answer = await asked(question, { answer_if: 'high' })
      expect(answer).to.deep.include({ memories: [], memory_count: 0, left_out: 0 })
      expect(answer.confidence.level).to.equal('low')
      expect((await asked('zxqv blorp wumpus', { answer_if: 'low' })).memories).to.deep.equal([])
      const certain = await asked('which port does the staging database listen on?', { answer_if: 'high' })
      expect(certain.memories[0]!.content).to.contain('6432')
    })

    it('is the same however many memories are asked for', async () => {
      const many = newTenant(service())
      const chris = await many.caller({ agentId: 'chris', fleetId: 'red', trust: 2 })
      for (let n = 0; n < 14; n++)
        await chris.memories.create(`The pump of basin ${n} was checked by crew ${n % 3} on the north side.`).ok()
      await settled(service())
      const at = async (top_k: number, compose: boolean) => {
        const { confidence } = await asked('which crew checked the pump of basin 7?', { top_k, compose }, chris)
        return [confidence.level, confidence.missing, confidence.value.toFixed(1)]
      }
      const usual = await at(10, true)
      for (const top_k of [1, 3, 9])
        for (const compose of [true, false]) expect(await at(top_k, compose), String(top_k)).to.deep.equal(usual)
    })

    it('is not none where the question names a time or an agent, and no word of a memory', async () => {
      const chris = await newTenant(service()).caller({ agentId: 'chris', fleetId: 'red', trust: 2 })
      await chris.memories.create('The pump was repaired.').ok()
      await settled(service())
      expect((await asked('what happened today?', {}, chris)).confidence.level).to.equal('low')
    })

    it('has its parts with explain alone', async () => {
      expect((await asked('which port?')).confidence).not.to.have.property('parts')
      const { confidence } = await asked('which port does the staging database listen on?', { explain: true })
      expect(confidence.parts).to.have.keys('soft_coverage', 'words_found', 'missing_share', 'lead', 'other_author')
    })

    it('is lower where the question is about one author and only another said it', async () => {
      const chat = await newTenant(service()).caller({ agentId: 'scribe', fleetId: 'red', trust: 2 })
      for (const content of [
        'Maria said, "I painted a lake at sunrise last week."',
        'Maria said, "The pottery class was fun."',
        'John said, "I repaired the old bicycle."',
        'John said, "My sister visits on Sunday."',
      ])
        await chat.memories.create(content).ok()
      await settled(service())
      const hers = await asked('What did Maria paint last week?', {}, chat)
      const his = await asked('What did John paint last week?', {}, chat)
      expect(his.confidence.value).to.be.below(hers.confidence.value)
    })

    it('tells nothing of what only somebody else may see', async () => {
      const question = 'what is the passphrase of the vault?'
      const before = (await asked(question, { explain: true }, ben)).confidence
      expect(before.missing).to.deep.equal(['passphrase', 'vault'])
      await ana.memories
        .create({ content: 'The passphrase of the vault is kept by Ana.', visibility: 'scope_agent' })
        .ok()
      await settled(service())
      const after = (await asked(question, { explain: true }, ben)).confidence
      expect(after.missing).to.deep.equal(before.missing)
      expect({ ...after.parts, lead: 0 }).to.deep.equal({ ...before.parts, lead: 0 })
      // The lead changes with the count of recalls and the age of what is found.
      expect(after.parts!.lead).to.be.closeTo(before.parts!.lead, 0.01)
      expect((await asked(question)).confidence.missing).to.deep.equal([])
      const ofAnother = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      expect((await asked(question, {}, ofAnother)).confidence).to.deep.include({ level: 'none', value: 0 })
    })

    it('comes with a recall by tool', async () => {
      const key = await service().mintKey({ tenantId: tenant.id, agentId: 'ana', fleetId: 'red', trust: 2 })
      const client = await connectTools(service().url, key)
      const query = 'which port does the fax gateway use?'
      const { content } = await callTool(client, 'svc_recall', { op: 'search', query })
      await client.close()
      expect(content.confidence).to.deep.include({ level: 'low', missing: ['fax', 'gateway', 'use'] })
    })

    it('is refused at a level that there is not', async () => {
      for (const level of ['none', 'HIGH', 0.5, ['high']])
        expect((await ana.memories.recall('port', { answer_if: level })).status, String(level)).to.equal(422)
      expect((await ana.memories.recall('port', { answer_if: null })).status).to.equal(200)
    })
  })
})

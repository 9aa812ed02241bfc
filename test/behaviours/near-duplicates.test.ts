import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTeam, newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

const TEXT = 'The staging database moved to port 6432 on Tuesday.'
const NEAR = 'The staging database was moved to port 6432 on Tuesday.'

/** Tests `system_metadata.near_duplicate_of`. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('near duplicates', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller
    beforeEach(async () => ({ tenant, ana, ben } = await newTeam(service())))
    const indexed = () => settled(service(), tenant.id)
    const originalOf = async (caller: Caller, id: string) =>
      (await caller.memories.get(id)).body.system_metadata.near_duplicate_of

    it('are stored, and name the older memory that they nearly duplicate', async () => {
      const first = await ana.memories.create(TEXT).ok()
      await indexed()
      const second = await ana.memories.create(NEAR).ok()
      expect(second.system_metadata).to.deep.equal({})
      await indexed()
      const { body, headers } = await ana.memories.get(second.id)
      expect(body.system_metadata).to.deep.equal({ near_duplicate_of: first.id })
      expect([body.version, body.updated_at, headers.get('ETag')]).to.deep.equal([1, body.created_at, '"1"'])
      expect(await originalOf(ana, first.id)).to.equal(undefined)
      expect((await ana.memories.listAll()).map(({ content }) => content)).to.have.members([TEXT, NEAR])
      expect(await ana.memories.total()).to.equal(2)
    })

    describe('that repeat what a recall told their author', () => {
      const told = async (caller: Caller) => {
        const { recall_id: id, memories } = await caller.memories.recall('where is the staging database?').ok()
        await until('the recall is recorded', async () => expect((await caller.recalls.get(id)).status).to.equal(200))
        return memories
      }

      it('are marked as echoes, and are no further author of the statement', async () => {
        const first = await ana.memories.create(TEXT).ok()
        await indexed()
        expect((await told(ben)).map(({ id }) => id)).to.include(first.id)
        const echo = await ben.memories.create(NEAR).ok()
        const own = await (await tenant.caller({ agentId: 'cleo', fleetId: 'red' })).memories.create(NEAR).ok()
        await indexed()
        const { system_metadata: marked } = (await ana.memories.get(echo.id)).body
        expect(marked).to.deep.equal({ near_duplicate_of: first.id, is_echo: true })
        expect((await ana.memories.get(own.id)).body.system_metadata).to.deep.equal({ near_duplicate_of: first.id })
      })

      it('are counted apart among the copies of a statement', async () => {
        await ana.memories.create(TEXT).ok()
        await indexed()
        await told(ben)
        await ben.memories.create(TEXT).ok()
        const cleo = await tenant.caller({ agentId: 'cleo', fleetId: 'red' })
        await cleo.memories.create(`Note: ${TEXT}`).ok()
        await indexed()
        const [answer] = await told(ana)
        expect(answer!.copies).to.include({ count: 2, echo_count: 1 })
        expect([answer!.agent_id, ...answer!.copies!.agent_ids]).to.have.members(['ana', 'cleo'])
      })

      it('are none to those that do not see what they repeat, nor once that has changed', async () => {
        const first = await ana.memories.create({ content: TEXT, visibility: 'scope_org' }).ok()
        await indexed()
        await told(ben)
        const echo = await ben.memories.create({ content: TEXT, visibility: 'scope_org' }).ok()
        const cleo = await tenant.caller({ agentId: 'cleo', fleetId: 'red' })
        await cleo.memories.create({ content: `Note: ${TEXT}`, visibility: 'scope_org' }).ok()
        await indexed()
        expect((await ana.memories.get(echo.id)).body.system_metadata.is_echo).to.equal(true)
        await ana.memories.patch(first.id, { content: 'Bread and salt.' }).ok()
        const answers = await told(cleo)
        expect(answers.flatMap(({ copies }) => copies ?? [])).to.have.length(1)
        expect(answers.some(({ copies }) => copies?.echo_count !== undefined)).to.equal(false)
        expect((await ana.memories.get(echo.id)).body.system_metadata.is_echo).to.equal(undefined)
      })

      it('are none where the recall came after the write, or was of another agent', async () => {
        const first = await ana.memories.create(TEXT).ok()
        await indexed()
        await told(ana)
        const second = await ben.memories.create(NEAR).ok()
        await told(ben)
        await indexed()
        expect((await ben.memories.get(second.id)).body.system_metadata).to.deep.equal({ near_duplicate_of: first.id })
      })
    })

    it('are found among memories indexed together, and across authors of a fleet', async () => {
      const { body } = await ana.memories.createMany([
        { content: TEXT },
        { content: 'Bread and salt.' },
        { content: NEAR },
      ])
      const [first, other, second] = (body.results as { id: string }[]).map(({ id }) => id)
      const third = await ben.memories.create(TEXT).ok()
      await indexed()
      expect(await originalOf(ana, second!)).to.equal(first)
      expect(await originalOf(ben, third.id)).to.equal(first)
      expect(await originalOf(ana, first!)).to.equal(undefined)
      expect(await originalOf(ana, other!)).to.equal(undefined)
    })

    const alike: [what: string, a: string, b: string, isOneStatement: boolean][] = [
      ['case', 'Use git branch -d to remove it.', 'Use git branch -D to remove it.', false],
      ['indentation', 'if fox:\n  a()\nb()', 'if fox:\n  a()\n  b()', false],
      ['punctuation', 'The fox, in the den.', 'The fox in the den!', false],
      ['a word in capitals', 'Send it to the US office', 'send it to the us office', false],
      ['white space at the beginning', 'port: 6432', '  port: 6432', true],
      ['letters of full width', 'Ana prefers dark roast', 'Ana prefers dark roａst', false],
    ]
    for (const [what, a, b, isOneStatement] of alike)
      it(`are texts that differ in ${what} alone: both are stored and recalled`, async () => {
        const first = await ana.memories.create(a).ok()
        const second = await ana.memories.create(b).ok()
        await indexed()
        expect(await originalOf(ana, second.id)).to.equal(first.id)
        expect(await ana.memories.recallContents(a, { compose: false })).to.have.members([a, b])
        const answers = (await ana.memories.recall(a).ok()).memories
        expect(answers.map(({ copies }) => copies?.count)).to.deep.equal(isOneStatement ? [1] : [undefined, undefined])
      })

    const different: [what: string, text: string][] = [
      ['a number', 'The staging database was moved to port 6433 on Tuesday.'],
      ['a negation', 'The staging database was not moved to port 6432 on Tuesday.'],
      ['the order of words', 'To port 6432 the staging database was moved on Tuesday.'],
      ['a day', 'The staging database was moved to port 6432 on Friday.'],
      ['what it is about', 'The quarterly budget was approved by the board.'],
    ]
    for (const [what, text] of different)
      it(`are not found when texts differ in ${what}`, async () => {
        await ana.memories.create(TEXT).ok()
        const { id } = await ana.memories.create(text).ok()
        await indexed()
        expect(await originalOf(ana, id)).to.equal(undefined)
      })

    it('are searched for only among memories that the same callers may see', async () => {
      const carl = await tenant.caller({ agentId: 'carl', fleetId: 'blue' })
      const otherTenantCaller = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red' })
      await otherTenantCaller.memories.create(TEXT).ok()
      await carl.memories.create(TEXT).ok()
      await ben.memories.create({ content: TEXT, visibility: 'scope_agent' }).ok()
      await settled(service())
      for (const visibility of ['scope_team', 'scope_agent']) {
        const { id } = await ana.memories
          .create({ content: visibility === 'scope_team' ? NEAR : `${NEAR} Yes.`, visibility })
          .ok()
        await indexed()
        const operator = await tenant.caller({ trust: 3 })
        expect(await originalOf(ana, id), visibility).to.equal(undefined)
        if (visibility === 'scope_team') expect(await originalOf(operator, id)).to.equal(undefined)
      }
    })

    it('do not name an original that the caller may not see', async () => {
      const first = await ben.memories.create(TEXT).ok()
      const { id } = await ana.memories.create(NEAR).ok()
      await indexed()
      expect(await originalOf(ana, id)).to.equal(first.id)
      const operator = await tenant.caller({ trust: 3 })
      await operator.agents.patch('ana', { trust_level: 0 })
      const restricted = await tenant.caller({ agentId: 'ana' })
      expect((await restricted.memories.get(first.id)).status).to.equal(404)
      expect((await restricted.memories.get(id)).body.system_metadata).to.deep.equal({})
      expect((await restricted.memories.listAll()).map(({ system_metadata }) => system_metadata)).to.deep.equal([{}])
    })

    it('do not name a private original to an operator who makes the duplicate private', async () => {
      const operator = await tenant.caller({ trust: 3 })
      const first = await ana.memories.create(TEXT).ok()
      await indexed()
      const { id } = await ana.memories.create(NEAR).ok()
      await indexed()
      await ana.memories.patch(first.id, { visibility: 'scope_agent' }).ok()
      const { body } = await operator.memories.patch(id, { visibility: 'scope_agent' })
      expect(body).to.deep.include({ visibility: 'scope_agent', system_metadata: {} })
      expect((await operator.memories.get(id)).status).to.equal(404)
      expect(await originalOf(ana, id)).to.equal(first.id)
    })

    it('lose their mark once the original is deleted', async () => {
      const first = await ana.memories.create(TEXT).ok()
      const { id } = await ana.memories.create(NEAR).ok()
      await indexed()
      expect(await originalOf(ana, id)).to.equal(first.id)
      await ana.memories.delete(first.id).ok()
      expect(await originalOf(ana, id)).to.equal(undefined)
      const later = await ana.memories.create(TEXT).ok()
      await indexed()
      expect(await originalOf(ana, later.id)).to.equal(id)
    })
  })
})

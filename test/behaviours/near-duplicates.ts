import { expect } from 'chai'
import { type Caller, newTeam, newTenant, settled, type TestTenant } from '../support/caller.js'
import type { SharedService } from '../support/shared-service.js'

const TEXT = 'The staging database moved to port 6432 on Tuesday.'
const NEAR = 'The staging database was moved to port 6432 on Tuesday.'

/** Tests `system_metadata.near_duplicate_of`. */
export function describeNearDuplicates(service: SharedService): void {
  describe('near duplicates', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller
    beforeEach(async () => ({ tenant, ana, ben } = await newTeam(service())))
    const indexed = () => settled(service(), tenant.id)
    const originalOf = async (caller: Caller, id: string) =>
      (await caller.get(id)).body.system_metadata.near_duplicate_of

    it('are stored, and name the older memory that they nearly duplicate', async () => {
      const first = await ana.remember(TEXT)
      await indexed()
      const second = await ana.remember(NEAR)
      expect(second.system_metadata).to.deep.equal({})
      await indexed()
      const { body, headers } = await ana.get(second.id)
      expect(body.system_metadata).to.deep.equal({ near_duplicate_of: first.id })
      expect([body.version, body.updated_at, headers.get('ETag')]).to.deep.equal([1, body.created_at, '"1"'])
      expect(await originalOf(ana, first.id)).to.equal(undefined)
      expect((await ana.listAll()).map(({ content }) => content)).to.have.members([TEXT, NEAR])
      expect(await ana.total()).to.equal(2)
    })

    it('are found among memories indexed together, and across authors of a fleet', async () => {
      const { body } = await ana.writeMany([{ content: TEXT }, { content: 'Bread and salt.' }, { content: NEAR }])
      const [first, other, second] = (body.results as { id: string }[]).map(({ id }) => id)
      const third = await ben.remember(TEXT)
      await indexed()
      expect(await originalOf(ana, second!)).to.equal(first)
      expect(await originalOf(ben, third.id)).to.equal(first)
      expect(await originalOf(ana, first!)).to.equal(undefined)
      expect(await originalOf(ana, other!)).to.equal(undefined)
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
        await ana.remember(TEXT)
        const { id } = await ana.remember(text)
        await indexed()
        expect(await originalOf(ana, id)).to.equal(undefined)
      })

    it('are searched for only among memories that the same callers may see', async () => {
      const carl = await tenant.caller({ agentId: 'carl', fleetId: 'blue' })
      const otherTenantCaller = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red' })
      await otherTenantCaller.remember(TEXT)
      await carl.remember(TEXT)
      await ben.remember({ content: TEXT, visibility: 'scope_agent' })
      await settled(service())
      for (const visibility of ['scope_team', 'scope_agent']) {
        const { id } = await ana.remember({ content: visibility === 'scope_team' ? NEAR : `${NEAR} Yes.`, visibility })
        await indexed()
        const operator = await tenant.caller({ trust: 3 })
        expect(await originalOf(ana, id), visibility).to.equal(undefined)
        if (visibility === 'scope_team') expect(await originalOf(operator, id)).to.equal(undefined)
      }
    })

    it('do not name an original that the caller may not see', async () => {
      const first = await ben.remember(TEXT)
      const { id } = await ana.remember(NEAR)
      await indexed()
      expect(await originalOf(ana, id)).to.equal(first.id)
      const operator = await tenant.caller({ trust: 3 })
      await operator.client.call('patchAgent', { params: { agent_id: 'ana' }, body: { trust_level: 0 } })
      const restricted = await tenant.caller({ agentId: 'ana' })
      expect((await restricted.get(first.id)).status).to.equal(404)
      expect((await restricted.get(id)).body.system_metadata).to.deep.equal({})
      expect((await restricted.listAll()).map(({ system_metadata }) => system_metadata)).to.deep.equal([{}])
    })

    it('do not name a private original to an operator who makes the duplicate private', async () => {
      const operator = await tenant.caller({ trust: 3 })
      const first = await ana.remember(TEXT)
      await indexed()
      const { id } = await ana.remember(NEAR)
      await indexed()
      await ana.change(first.id, { visibility: 'scope_agent' })
      const { body } = await operator.patch(id, { visibility: 'scope_agent' })
      expect(body).to.deep.include({ visibility: 'scope_agent', system_metadata: {} })
      expect((await operator.get(id)).status).to.equal(404)
      expect(await originalOf(ana, id)).to.equal(first.id)
    })

    it('lose their mark once the original is deleted', async () => {
      const first = await ana.remember(TEXT)
      const { id } = await ana.remember(NEAR)
      await indexed()
      expect(await originalOf(ana, id)).to.equal(first.id)
      await ana.forget(first.id)
      expect(await originalOf(ana, id)).to.equal(undefined)
      const later = await ana.remember(TEXT)
      await indexed()
      expect(await originalOf(ana, later.id)).to.equal(id)
    })
  })
}

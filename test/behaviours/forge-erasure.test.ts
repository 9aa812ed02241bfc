import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { everythingIn } from '../support/everything.js'
import { KEY_ROTATION } from '../support/forge.js'
import { type ChatCall, type LanguageModelStub, startLanguageModelStub } from '../support/language-model-stub.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { gate, until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

/** A word that one agent alone has written: what went wrong in its run is a lesson of the skill. */
const MARK = 'quibblewort'
const FLEETS = ['blue', 'red']
/** An answer of the model that words nothing: the words of memories stay. */
const NO_WORDS = { name: '', description: '', goal: '', domain: '', tags: [], steps: [], what_goes_wrong: [] }

interface Asked {
  readonly response_format?: { readonly json_schema: { readonly name: string } }
}

/** Tests a run of the Forge that is at work while what it has read is erased. */
describeOnEachProfile((profile) => {
  describe('an erasure while the Forge is at work', function () {
    this.timeout(180_000)
    let stub: LanguageModelStub
    let held = gate()
    const isWording = ({ body }: ChatCall) => (body as Asked).response_format?.json_schema.name === 'skill_wording'
    const wordings = () => stub.calls.filter(isWording)
    before(async () => {
      stub = await startLanguageModelStub({
        reply: () => NO_WORDS,
        // The first skill is written, and whoever has the run waits for the words of every other.
        before: (call) => (isWording(call) && wordings().length >= 2 ? held.opened : undefined),
      })
    })
    after(() => stub.stop())
    const service = ownService(() => ({
      profile,
      env: { LLM_URL: stub.url, LLM_MODEL: 'stub', LLM_TIMEOUT_MS: '60000' },
      queues: ['indexing', 'scans', 'forge'],
    }))
    let tenant: TestTenant
    let operator: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
      stub.calls.length = 0
      held = gate()
    })
    afterEach(() => held.open())

    async function rotateKeys(): Promise<void> {
      for (const fleetId of FLEETS)
        for (const [agentId, texts] of KEY_ROTATION) {
          const agent = await tenant.caller({ agentId: `${agentId}-${fleetId}`, fleetId })
          for (const text of texts) {
            const content = text.replace('refused the new key', `refused the new ${MARK}`)
            await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
          }
        }
    }
    const skills = () =>
      runSql<{ fleet_id: string; version: number; content: string }>(
        service().databaseUrl,
        `select s.fleet_id, v.version, v.content from skills s
          join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id where s.tenant_id = $1 order by 1, 2`,
        [tenant.id],
      )
    const marked = async () => (await skills()).map(({ content }) => content.includes(MARK))
    const runs = async () => (await operator.forge.list().ok()).items

    it('takes the run from its worker, which writes nothing more of what is erased, and begins it again', async () => {
      await rotateKeys()
      await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
      await until('the first skill is written, the second is worded', () => wordings().length === 2, { within: 60_000 })
      const [run] = (await runs()).filter(({ state }) => state === 'running')
      expect(run).to.include({ attempts: 1, trigger: 'schedule' })
      expect(await marked()).to.deep.equal([true])
      // One agent a fleet has written the word.
      const receipts = []
      for (const fleetId of FLEETS)
        receipts.push(await tenant.admin.erasures.create({ agent_id: `eve-${fleetId}` }).ok())
      for (const receipt of receipts) {
        expect(receipt).to.include({ complete: true, memory_count: 3 })
        if (!('places' in receipt)) throw new Error('no receipt')
        for (const { place, after, kept } of receipt.places) if (!kept) expect(after, place).to.equal(0)
      }
      const asked = stub.calls.length
      expect(await everythingIn(service())).to.not.include(MARK)
      expect(await skills()).to.deep.equal([])
      // A worker that has found out that it lost the run may have begun it again.
      expect((await operator.forge.get(run!.run_id).ok()).state).to.be.oneOf(['queued', 'running'])

      held.open()
      await until(
        'the run is over',
        async () => expect((await operator.forge.get(run!.run_id).ok()).state).to.equal('succeeded'),
        { within: 60_000 },
      )
      const { candidates, parts, attempts } = await operator.forge.get(run!.run_id).ok()
      expect(attempts).to.equal(1)
      expect(parts.map(({ fleet_id, state, traces }) => [fleet_id, state, traces])).to.deep.equal(
        FLEETS.map((fleetId) => [fleetId, 'succeeded', 4]),
      )
      // The record still counts the skill that was written before, without its name.
      const [written, ...others] = candidates
      expect(written).to.include({ outcome: 'created', doc_id: null, reason: null })
      expect(others.map(({ outcome, doc_id }) => [outcome, doc_id === null])).to.deep.equal([
        ['created', false],
        ['created', false],
      ])
      // The number of the version that the erasure removed is not used again.
      expect((await skills()).map(({ fleet_id, version }) => [fleet_id, version])).to.deep.equal([
        ['blue', 1],
        ['red', 2],
      ])
      expect(await everythingIn(service())).to.not.include(MARK)
      for (const call of stub.calls.slice(asked)) expect(JSON.stringify(call.body)).to.not.include(MARK)
      for (const receipt of receipts)
        if ('erasure_id' in receipt)
          expect((await service().client().erasures.verify(receipt.erasure_id).ok()).clean).to.equal(true)
    })
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const DAY_MS = 86_400_000

/** Tests that no number of a recall tells what the caller may not see. */
describeOnEachProfile((profile) => {
  describe('the scores of a recall', () => {
    const service = sharedService(profile)

    /** Stores what ben may see: memories that name Acme and Globex alike, and one that each leads to over an entity. */
    async function storeVisible(tenant: TestTenant): Promise<Caller> {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const at = new Date(Date.now() - DAY_MS).toISOString()
      const store = (content: string, ...names: string[]) =>
        ben.memories
          .create({ content, ts_valid_start: at, entity_links: names.map((name) => ({ name, role: 'subject' })) })
          .ok()
      for (let i = 0; i < 12; i++) await store(`Unrelated remark ${i} on the weather.`)
      await store('The contract of the first customer was signed.', 'Acme', 'Beacon')
      await store('The contract of the second customer was signed.', 'Globex', 'Lantern')
      await store('Its pump was replaced in the north hall.', 'Beacon')
      await store('Its valve was replaced in the south hall.', 'Lantern')
      return ben
    }

    /** Stores what ben may not see: private memories, and those of another fleet, that name one side only. */
    async function storeHidden(tenant: TestTenant): Promise<void> {
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const cleo = await tenant.caller({ agentId: 'cleo', fleetId: 'blue' })
      const entity_links = ['Acme', 'Beacon'].map((name) => ({ name, role: 'subject' }))
      for (let i = 0; i < 9; i++) {
        await ana.memories.create({ content: `Secret note ${i}.`, visibility: 'scope_agent', entity_links }).ok()
        await cleo.memories.create({ content: `Other note ${i}.`, visibility: 'scope_team', entity_links }).ok()
      }
    }

    /** Returns what entities add to the score of each memory that a question finds, by its text. */
    async function entityEvidence(caller: Caller, question: string): Promise<Record<string, unknown>> {
      const { memories } = await caller.memories.recall(question, { top_k: 20, explain: true }).ok()
      const ofEntities = ({ kind }: { kind: string }) => kind === 'entity' || kind === 'hop'
      return Object.fromEntries(
        memories.flatMap(({ content, explanation }) => {
          const found = explanation!.evidence.filter(ofEntities)
          return found.length === 0 ? [] : [[content, found]]
        }),
      )
    }

    it('are not changed by entities and hops of hidden memories', async () => {
      const [probed, twin] = [newTenant(service()), newTenant(service())]
      const [ben, other] = [await storeVisible(probed), await storeVisible(twin)]
      await storeHidden(probed)
      await Promise.all([settled(service(), probed.id), settled(service(), twin.id)])
      for (const name of ['Acme', 'Globex', 'Beacon']) {
        const evidence = await entityEvidence(ben, `What do we know of ${name}?`)
        expect(Object.keys(evidence), name).to.have.length.of.at.least(2)
        expect(evidence).to.deep.equal(await entityEvidence(other, `What do we know of ${name}?`))
      }
    })

    it('are not changed by the words of hidden memories', async () => {
      const [probed, twin] = [newTenant(service()), newTenant(service())]
      const [ben, other] = [await storeVisible(probed), await storeVisible(twin)]
      const ana = await probed.caller({ agentId: 'ana', fleetId: 'red' })
      const cleo = await probed.caller({ agentId: 'cleo', fleetId: 'blue' })
      for (let i = 0; i < 9; i++) {
        await ana.memories.create({ content: `The pump ${i} was red.`, visibility: 'scope_agent' }).ok()
        await cleo.memories.create({ content: `A pump of contract ${i}.`, visibility: 'scope_team' }).ok()
      }
      await Promise.all([settled(service(), probed.id), settled(service(), twin.id)])
      const evidenceOf = async (caller: Caller, question: string) => {
        const { memories } = await caller.memories.recall(question, { top_k: 20, explain: true }).ok()
        return Object.fromEntries(memories.map(({ content, explanation }) => [content, explanation!.evidence]))
      }
      for (const question of ['pump', 'valve', 'Which pump or valve was replaced?', 'contract of the customer']) {
        const evidence = await evidenceOf(ben, question)
        expect(Object.keys(evidence), question).to.have.length.of.at.least(2)
        expect(evidence, question).to.deep.equal(await evidenceOf(other, question))
      }
    })

    it('of what an author wrote in another fleet are those of the same memories in its own', async () => {
      const [probed, twin] = [newTenant(service()), newTenant(service())]
      const recalled = async (tenant: TestTenant, fleetId: string) => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red', trust: 2 })
        const entity_links = [{ name: 'Acme', role: 'subject' }]
        for (let i = 0; i < 6; i++) await ben.memories.create({ content: `Unrelated remark ${i} on the weather.` }).ok()
        await ben.memories.create({ content: 'The pump of Acme was red.', fleet_id: fleetId, entity_links }).ok()
        await ben.memories.create({ content: 'The valve of Acme was green.', fleet_id: fleetId, entity_links }).ok()
        return ben
      }
      const [ben, other] = [await recalled(probed, 'blue'), await recalled(twin, 'red')]
      const cleo = await probed.caller({ agentId: 'cleo', fleetId: 'blue' })
      for (let i = 0; i < 9; i++)
        await cleo.memories.create({ content: `A hidden pump ${i} of Acme.`, entity_links: [{ name: 'Acme' }] }).ok()
      await Promise.all([settled(service(), probed.id), settled(service(), twin.id)])
      const partsOf = async (caller: Caller, question: string) => {
        const { memories } = await caller.memories.recall(question, { top_k: 20, explain: true }).ok()
        return memories.map(({ content, explanation }) => [content, explanation!.evidence])
      }
      for (const question of ['pump', 'Which pump was red?', 'What do we know of Acme?'])
        expect(await partsOf(ben, question), question).to.deep.equal(await partsOf(other, question))
    })

    it('get nothing from an entity that only hidden memories name', async () => {
      const [probed, twin] = [newTenant(service()), newTenant(service())]
      const [ben, other] = [await storeVisible(probed), await storeVisible(twin)]
      const ana = await probed.caller({ agentId: 'ana', fleetId: 'red' })
      const entity_links = [{ name: 'Initech' }, { name: 'Beacon' }]
      await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent', entity_links }).ok()
      await Promise.all([settled(service(), probed.id), settled(service(), twin.id)])
      // The legs of the index may score the words alone; the entity adds nothing and leads nowhere.
      expect(await entityEvidence(ben, 'What do we know of Initech?')).to.deep.equal({})
      expect(await entityEvidence(ben, 'Initech and Acme')).to.deep.equal(
        await entityEvidence(other, 'Initech and Acme'),
      )
    })
  })
})

import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import type { Caller } from '../support/client.js'
import type { Fields, Schemas } from '../support/clients/request.js'
import { skillOf } from '../support/clients/skills.js'
import { everythingIn } from '../support/everything.js'
import { KEY_ROTATION } from '../support/forge.js'
import { settled } from '../support/indexed.js'
import { optedInTenants } from '../support/opted-in.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import type { TestTenant } from '../support/tenants.js'

type Receipt = Schemas['ErasureReceipt']

/** Tests what an erasure makes of the skills that the Forge made of what is erased. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })

  describe('erasure of what a skill of the Forge says', function () {
    this.timeout(180_000)
    const nextTenant = optedInTenants(service, 13)
    let tenant: TestTenant
    let operator: Caller
    let surname: string
    let name: string
    let ids: string[]
    let entity: string
    beforeEach(async () => {
      ;({ tenant, operator } = nextTenant())
      surname = `Grand${[...randomBytes(6)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`
      name = `Ottilie ${surname}`
      ids = []
      for (const [agentId, texts] of KEY_ROTATION.slice(0, 4)) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const text of texts) {
          const content = /issuer/i.test(text) ? `Restarted the token issuer of ${name}.` : text
          const { id } = await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
          if (content.includes(name)) ids.push(id)
        }
      }
      await settled(service(), tenant.id)
      const [memory] = await Promise.all([operator.memories.get(ids[0]!).ok()])
      entity = memory.entity_links.find((link) => link.name === name)!.entity_id
    })

    /** Has the Forge run and returns the skill's name, when it is in the inbox. */
    async function forge(): Promise<string> {
      await service().client().forge.run({ tenant_id: tenant.id }).ok()
      await until('it is in the inbox', async () => expect(await operator.skills.inboxIds()).to.have.length(1), {
        within: 90_000,
      })
      return (await operator.skills.inboxIds())[0]!
    }
    const everything = async () => (await everythingIn(service())).toLowerCase()
    const erase = async (fields: Fields) =>
      (await service()
        .client()
        .erasures.create({ tenant_id: tenant.id, ...fields })
        .ok()) as Receipt
    async function expectGone(receipt: Receipt): Promise<void> {
      expect(receipt.remaining).to.deep.equal([])
      expect(receipt.complete).to.equal(true)
      const rows = (await everything()).split('\n').filter((row) => row.includes(surname.toLowerCase()))
      expect(rows.map((row) => row.slice(0, 400))).to.deep.equal([])
      const check = await service().client().erasures.verify(receipt.erasure_id).ok()
      expect(check).to.deep.include({ clean: true, remaining: [] })
    }

    const selections: [how: string, select: () => Fields[]][] = [
      ['by the entity', () => [{ subject_entity_id: entity }]],
      ['by the memories', () => [{ memory_ids: ids }]],
      ['by one memory after the other', () => ids.map((id) => ({ memory_ids: [id] }))],
      ['by the agents', () => KEY_ROTATION.slice(0, 4).map(([agent_id]) => ({ agent_id }))],
    ]
    for (const [how, select] of selections)
      it(`takes an active skill out of everything ${how}`, async () => {
        const docId = await forge()
        await operator.skills.approve(docId).ok()
        await settled(service(), tenant.id)
        const reader = await tenant.caller({ agentId: 'fay', fleetId: 'red' })
        expect(JSON.stringify(await reader.skills.get(docId).ok())).to.include(surname)
        const receipts: Receipt[] = []
        for (const fields of select()) receipts.push(await erase(fields))
        expect(receipts.reduce((sum, one) => sum + one.withdrawn_skill_count, 0)).to.equal(1)
        await expectGone(receipts.at(-1)!)
        expect((await reader.skills.get(docId)).status).to.equal(404)
        expect((await reader.skills.installable().ok()).items).to.deep.equal([])
        expect((await reader.documents.search('token issuer', { collection: 'skills' }).ok()).results).to.deep.equal([])
      })

    it('leaves of a skill the number of its last version alone', async () => {
      const docId = await forge()
      await operator.skills.edit(docId, { summary: 'When a key is to be rotated.' }).ok()
      await expectGone(await erase({ subject_entity_id: entity }))
      const select = 'select last_version from skill_numbers where tenant_id = $1'
      expect(await runSql(service().databaseUrl, select, [tenant.id])).to.deep.equal([{ last_version: 2 }])
    })

    const states: [state: string, reach: (docId: string) => Promise<unknown>][] = [
      ['staged', () => Promise.resolve()],
      ['quarantined', (docId) => operator.skills.quarantine(docId).ok()],
      ['rejected', (docId) => operator.skills.reject(docId).ok()],
      [
        'retired',
        (docId) =>
          operator.skills
            .approve(docId)
            .ok()
            .then(() => operator.skills.retire(docId).ok()),
      ],
      ['edited', (docId) => operator.skills.edit(docId, { summary: 'When a key is to be rotated.' }).ok()],
      [
        'active, with a revision that waits',
        async (docId) => {
          await operator.skills.approve(docId).ok()
          const active = await operator.skills.get(docId).ok()
          const {
            name: title,
            slug,
            description,
            summary,
            content,
            domain,
            content_hash: hash,
          } = active.data as Record<string, unknown>
          const target = { doc_id: docId, target_content_hash: hash }
          const texts = { name: title, slug, description, summary, domain, content: `${String(content)}\n5. Rest.\n` }
          const agent = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
          await agent.skills.write({ ...texts, kind: 'update', source: 'agent', target }, { doc_id: docId }).ok()
        },
      ],
    ]
    for (const [state, reach] of states)
      it(`takes a skill out of everything that is ${state}`, async () => {
        await reach(await forge())
        expect(await everything()).to.include(surname.toLowerCase())
        await expectGone(await erase({ subject_entity_id: entity }))
      })

    it('keeps a skill in service that says nothing of what is erased, and has it reviewed', async () => {
      const docId = await forge()
      await operator.skills.approve(docId).ok()
      const { cites, content } = (await operator.skills.get(docId).ok()).data as { cites: string[]; content: string }
      // The step has the words of one of four memories that say the same.
      const receipt = await erase({ memory_ids: [ids[1]] })
      expect(receipt).to.include({ reviewed_skill_count: 1, withdrawn_skill_count: 0, complete: true })
      const { data } = await operator.skills.get(docId).ok()
      expect(data).to.include({ content })
      expect(data.cites).to.have.members(cites.filter((id) => id !== ids[1]))
    })

    it('names what callers wrote about the entity as not erased, until it is gone', async () => {
      // Without the factory, what an agent writes needs no reviewer.
      await operator.settings.patch({ skills_factory: { enabled: false } }).ok()
      const agent = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const written = skillOf('pager', { content: `1. Call ${name}.\n2. Wait.\n` })
      const { doc_id: docId } = await agent.skills.write(written).ok()
      await agent.documents.put('notes', 'who', { about: name.toUpperCase() }).ok()
      await until('it is scanned', async () => expect((await agent.skills.get(docId)).status).to.equal(200))
      const first = await erase({ subject_entity_id: entity })
      expect(first.complete).to.equal(false)
      const places = first.remaining.map(({ place }) => place)
      expect(places).to.include.members(['postgres.documents', 'postgres.skill_versions', 'postgres.entities'])
      const check = await service().client().erasures.verify(first.erasure_id).ok()
      expect(check.clean).to.equal(false)
      expect(check.remaining.map(({ place }) => place)).to.have.members(places)
      await operator.documents.delete('skills', docId).ok()
      await agent.documents.delete('notes', 'who').ok()
      await settled(service(), tenant.id)
      const last = await erase({ subject_entity_id: entity })
      expect(last.erasure_id).to.equal(first.erasure_id)
      await expectGone(last)
    })
  })
})

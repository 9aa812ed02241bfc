import { expect } from 'chai'
import type { components } from '../../contract/types.js'
import { faultsOf, itemFaultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { skillOf } from '../support/clients/skills.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

type BulkAnswer = components['schemas']['DocumentBulkAnswer']

const EMAIL = 'ana.lopez@example.com'

/** Tests the setting `memory.pii_policy` (flag, mask, refuse) on every route that writes. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('personal data in a write', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana' })
    })

    async function choose(pii_policy: string): Promise<void> {
      expect((await tenant.admin.settings.patch({ memory: { pii_policy } }).ok()).memory.pii_policy).to.equal(
        pii_policy,
      )
    }

    const pii = { kinds: ['email'], count: 1, fields: { content: { kinds: ['email'], count: 1 } } }

    it('is flagged and stored by default', async () => {
      const memory = await ana.memories.create(`Write to ${EMAIL}.`).ok()
      expect(memory.content).to.equal(`Write to ${EMAIL}.`)
      expect(memory.system_metadata).to.deep.equal({ pii })
      expect((await ana.memories.get(memory.id)).body.system_metadata).to.deep.equal({ pii })
      expect((await ana.memories.create('Write to nobody.').ok()).system_metadata).to.deep.equal({})
    })

    it('is refused or masked in names of agents and runs, and in reasons of reviews', async () => {
      const operator = await tenant.caller({ trust: 3 })
      const { id } = await ana.memories.create('A fox.').ok()
      await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
      const { doc_id: docId } = await ana.skills.write(skillOf('pager')).ok()
      const acts: [field: string, act: () => Promise<{ status: number; body: unknown }>][] = [
        ['run_id', () => ana.memories.rate(id, 'success', { run_id: EMAIL })],
        ['run_id', () => ana.memories.recall('fox', { run_id: EMAIL })],
        ['run_id', () => ana.skills.report(docId, { outcome: 'success', run_id: EMAIL })],
        ['reason', () => operator.skills.reject(docId, { reason: 'Paid by 4111 1111 1111 1111.' })],
        ['display_name', () => tenant.admin.agents.patch('ana', { display_name: EMAIL })],
      ]
      await choose('refuse')
      for (const [field, act] of acts) {
        const answer = await act()
        expect(answer.status, field).to.equal(422)
        expect(JSON.stringify(answer.body)).to.include(`"${field}"`)
      }
      await choose('mask')
      expect((await acts[0]![1]()).status).to.equal(422)
      expect((await tenant.admin.agents.patch('ana', { display_name: EMAIL }).ok()).display_name).to.equal('[email]')
      await choose('flag')
      expect((await acts[1]![1]()).status).to.equal(200)
    })

    it('is masked before anything is stored', async () => {
      await choose('mask')
      const key = { 'Idempotency-Key': 'masked' }
      const memory = await ana.memories
        .create(
          { content: `Write to ${EMAIL}.`, title: EMAIL, metadata: { to: [EMAIL] }, entity_links: [{ name: EMAIL }] },
          key,
        )
        .ok()
      expect(memory.content).to.equal('Write to [email].')
      expect(memory.title).to.equal('[email]')
      expect(memory.metadata).to.deep.equal({ to: ['[email]'] })
      expect(memory.entity_links).to.deep.equal([])
      expect(memory.system_metadata.pii).to.deep.include({ kinds: ['email'], count: 4 })
      const again = await ana.memories
        .create(
          { content: `Write to ${EMAIL}.`, title: EMAIL, metadata: { to: [EMAIL] }, entity_links: [{ name: EMAIL }] },
          key,
        )
        .ok()
      expect(again).to.deep.equal(memory)
      expect(JSON.stringify(await ana.memories.recall('whom to write to').ok()))
        .to.contain('[email]')
        .and.not.contain(EMAIL)
    })

    it('is treated alike in a change, and no longer flagged once it is removed', async () => {
      const row = await ana.memories.create('Write to nobody.').ok()
      const flagged = await ana.memories.patch(row.id, { content: `Write to ${EMAIL}.` }).ok()
      expect(flagged.system_metadata).to.deep.equal({ pii })
      expect((await ana.memories.patch(row.id, { weight: 0.1 }).ok()).system_metadata).to.deep.equal({ pii })
      await choose('refuse')
      const refused = await ana.memories.patch(row.id, { title: EMAIL })
      expect(faultsOf(refused)).to.deep.equal(['body.title'])
      expect(JSON.stringify(refused.body)).to.not.contain(EMAIL)
      await choose('mask')
      expect((await ana.memories.patch(row.id, { title: EMAIL }).ok()).title).to.equal('[email]')
      const clean = await ana.memories.patch(row.id, { title: null, content: 'Write to nobody.' }).ok()
      expect(clean.system_metadata).to.deep.equal({})
    })

    it('makes duplicates of texts that are equal once masked', async () => {
      await choose('mask')
      const { id } = await ana.memories.create(`Write to ${EMAIL}.`).ok()
      const other = await ana.memories.create('Write to ben@example.com.')
      expect([other.status, other.body.error.details.existing_id]).to.deep.equal([409, id])
    })

    it('is refused with 422 that names the kinds and never the value', async () => {
      await choose('refuse')
      const answer = await ana.memories.create({ content: `Write to ${EMAIL}.`, object_value: 'call +49 170 1234567' })
      expect(faultsOf(answer)).to.deep.equal(['body.content', 'body.object_value'])
      expect(JSON.stringify(answer.body)).to.contain('email').and.contain('phone')
      expect(JSON.stringify(answer.body)).to.not.contain(EMAIL).and.not.contain('1234567')
      expect(await ana.memories.total()).to.equal(0)
      expect((await ana.memories.create('Write to nobody.')).status).to.equal(201)
    })

    it('is refused in a run, a predicate and the role of a link', async () => {
      await choose('refuse')
      const links = [{ name: 'Ana', role: `mail of ${EMAIL}` }]
      const given = {
        content: 'Write to her.',
        run_id: `run/${EMAIL}`,
        predicate: `mails ${EMAIL}`,
        entity_links: links,
      }
      const answer = await ana.memories.create(given)
      expect(faultsOf(answer)).to.have.members(['body.run_id', 'body.predicate', 'body.entity_links'])
      expect(JSON.stringify(answer.body)).to.not.contain(EMAIL)
    })

    it('is found in any Unicode form, in entity types, and in URL-encoded names', async () => {
      await choose('mask')
      const masked = await ana.memories
        .create({
          content: 'Mail jo\u0308hn\u200b＠example．com, card 4111\u20111111\u20111111\u20111111.',
          entity_links: [{ name: 'Ana', entity_type: EMAIL }, { name: 'Ben' }],
        })
        .ok()
      expect(masked.content).to.equal('Mail [email], card [credit_card].')
      expect(masked.entity_links.map(({ name }) => name)).to.deep.equal(['Ben'])
      const run = (run_id: string) => ana.memories.create({ content: `Of ${run_id.length}.`, run_id })
      expect(faultsOf(await run('mail%2Fana.lopez%40example.com'))).to.deep.equal(['body.run_id'])
      expect((await run('orders/4111111111111111')).status).to.equal(201)
    })

    it('is screened item by item in a bulk', async () => {
      const items = [{ content: `Write to ${EMAIL}.` }, { content: 'Write to nobody.' }]
      await choose('refuse')
      const refused = await ana.memories.createMany(items)
      expect(refused.body).to.include({ created: 1, errors: 1 })
      expect(itemFaultsOf(refused.body.results[0]!)).to.deep.equal(['body.items.0.content'])
      expect(JSON.stringify(refused.body)).to.not.contain(EMAIL)
      await choose('mask')
      const masked = await ana.memories.createMany(items)
      expect(masked.body).to.include({ created: 1, duplicates: 1 })
      expect((await ana.memories.get(masked.body.results[0]!.id!)).body.content).to.equal('Write to [email].')
    })

    it('is refused in keys of metadata, which cannot be masked', async () => {
      const given = { content: 'Write to her.', metadata: { contacts: { [EMAIL]: 'work' } } }
      const { id, system_metadata, metadata } = await ana.memories.create(given).ok()
      const finding = { kinds: ['email'], count: 1 }
      expect(metadata).to.deep.equal(given.metadata)
      expect(system_metadata).to.deep.equal({ pii: { ...finding, fields: { metadata: finding } } })
      for (const policy of ['mask', 'refuse']) {
        await choose(policy)
        const written = await ana.memories.create({ ...given, content: 'Write to him.' })
        for (const refused of [written, await ana.memories.patch(id, { metadata: { [EMAIL]: 1 } })]) {
          expect(faultsOf(refused)).to.deep.equal(['body.metadata'])
          expect(JSON.stringify(refused.body)).to.not.contain(EMAIL)
        }
      }
      expect((await ana.memories.create({ content: 'Write to him.', metadata: { contacts: {} } })).status).to.equal(201)
    })

    it('is found everywhere in a document, and refused in its keys and name, which cannot be masked', async () => {
      const put = (docId: string, data: object) => ana.documents.put('people', docId, data, { tenant_id: tenant.id })
      const { body } = await put(`mail/${EMAIL}`, { [EMAIL]: EMAIL })
      const finding = (count: number) => ({ kinds: ['email'], count })
      expect(body.system_metadata.pii).to.deep.equal({
        ...finding(3),
        fields: { doc_id: finding(1), data: finding(2) },
      })
      await choose('mask')
      expect((await put('ana', { mail: EMAIL })).body.data).to.deep.equal({ mail: '[email]' })
      for (const policy of ['mask', 'refuse']) {
        await choose(policy)
        const refusals: [docId: string, data: object, at: string][] = [
          [EMAIL, {}, 'doc_id'],
          ['ana', { deep: [{ [EMAIL]: 1 }] }, 'data'],
        ]
        for (const [docId, data, at] of refusals) {
          const refused = await put(docId, data)
          expect(faultsOf(refused)).to.deep.equal([`body.${at}`])
          expect(JSON.stringify(refused.body)).to.not.contain(EMAIL)
          const items = [{ doc_id: docId, data }]
          const { body } = await ana.documents.putMany('people', items, { tenant_id: tenant.id })
          expect((body as BulkAnswer).results[0]!.error!.details).to.nested.include({ 'errors[0].loc.3': at })
          expect(JSON.stringify(body)).to.not.contain(EMAIL)
        }
      }
      expect((await put('ana', { mail: 'none' })).status).to.equal(200)
    })

    it("follows each tenant's own policy", async () => {
      await choose('refuse')
      const ben = await newTenant(service()).caller({ agentId: 'ben' })
      expect((await ben.memories.create(`Write to ${EMAIL}.`)).status).to.equal(201)
      expect((await ana.memories.create(`Write to ${EMAIL}.`)).status).to.equal(422)
    })
  })
})

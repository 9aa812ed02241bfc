import { expect } from 'chai'
import { enqueueUnenriched } from '../../store/enrichment/unenriched.js'
import { inferredLinks, sharedEnrichment } from '../support/enrichment.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { gate } from '../support/states.js'

/** Tests the reading of memories under a tenant’s settings and its policy on personal data. */
describeOnEachProfile((profile) => {
  describe('enrichment', () => {
    const { service, scripted } = sharedEnrichment(profile)

    describe('under the tenant’s policy on personal data', () => {
      const answer = {
        title: 'Reach Ana at ana@example.org',
        tags: ['ana@example.org'],
        triple: { subject: 'Ana', predicate: 'email', object: 'ana@example.org' },
      }

      it('flags personal data in inferred title and object, and infers no entity from it', async () => {
        const { ana, read, enriched } = await scripted()
        const record = await enriched('Reach Ana at ana@example.org.', answer)
        expect(record).to.deep.include({ title: answer.title, object_value: 'ana@example.org' })
        expect(record.system_metadata).not.to.have.property('tags')
        expect(record.system_metadata.pii!.fields).to.have.all.keys('content', 'title', 'object_value')
        const changed = await ana.memories.patch(record.id, { content: 'Nothing to see.' }).ok()
        expect(changed.system_metadata).to.deep.equal({})
        await read()
      })

      it('sends masked texts to the model, and infers no names from placeholders', async () => {
        const { operator, model, enriched } = await scripted({
          reads: () => ({ ...answer, entities: [{ name: '[email]', type: null, role: null }] }),
        })
        await operator.settings.patch({ memory: { pii_policy: 'mask' } }).ok()
        const record = await enriched('Reach Ana at ana@masked.example.')
        const texts = model.readings.map(({ text }) => text)
        expect(texts).to.include('Reach Ana at [email].')
        expect(JSON.stringify(model.calls)).not.to.contain('masked.example')
        expect(record).to.deep.include({ title: null, object_value: null })
        expect(inferredLinks(record)).to.deep.equal([])
      })
    })

    it('masks texts that were written under flag before the model reads them, when the policy has changed', async () => {
      const { tenant, ana, operator, model, read, enriched } = await scripted({
        judges: () => ({ verdicts: [{ ref: 'm1', verdict: 'supersedes', here: 'desk 9', there: 'desk 7' }] }),
      })
      const older = await enriched('Reach Ana at ana@flagged.example, desk 7.', {})
      // The judge is shown the texts of the index.
      await settled(service(), tenant.id)
      await operator.settings.patch({ enrichment: { enabled: false } }).ok()
      const { id } = await ana.memories
        .create({
          content: 'Reach Ana at ana.silva@flagged.example, desk 9.',
          title: 'Mail of ana.silva@flagged.example',
        })
        .ok()
      model.forget()
      await operator.settings.patch({ enrichment: { enabled: true }, memory: { pii_policy: 'refuse' } }).ok()
      await service().client().enrichment.enrich({ tenant_id: tenant.id })
      await read()
      expect(model.readings.map(({ title, text }) => ({ title, text }))).to.deep.equal([
        { title: 'Mail of [email]', text: 'Reach Ana at [email], desk 9.' },
      ])
      expect(model.judgements.map((texts) => [...texts.values()])).to.deep.equal([
        ['Reach Ana at [email], desk 9.', 'Reach Ana at [email], desk 7.'],
      ])
      expect(JSON.stringify(model.calls)).not.to.contain('flagged.example')
      expect((await ana.memories.get(id)).body.content).to.contain('ana.silva@flagged.example')
      expect((await ana.memories.get(older.id)).body.status).to.equal('outdated')
    })

    describe('with tenant settings', () => {
      it('reads nothing while enrichment.enabled is off, and afterwards what is requested', async () => {
        const { tenant, ana, operator, model, state, read } = await scripted({ reads: () => ({ tags: ['river'] }) })
        const enqueue = () => service().client().enrichment.enrich({ tenant_id: tenant.id })
        await operator.settings.patch({ enrichment: { enabled: false } }).ok()
        const { id } = await ana.memories.create('The mill by the river.').ok()
        await ana.memories.patch(id, { content: 'The old mill by the river.' }).ok()
        const refused = await enqueue()
        expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'CONFLICT'])
        const { store } = service().context
        expect(await enqueueUnenriched(store, { tenantId: tenant.id })).to.equal(0)
        expect((await state()).waiting).to.equal(0)
        expect((await ana.memories.get(id)).body.system_metadata).to.deep.equal({})
        await operator.settings.patch({ enrichment: { enabled: true } }).ok()
        expect((await enqueue()).body).to.deep.equal({ enqueued: 1 })
        await read()
        expect((await ana.memories.get(id)).body.system_metadata.tags).to.deep.equal(['river'])
        expect(model.readings).to.have.length(1)
      })

      it('stores nothing from a text that was being read when it was switched off', async () => {
        const mayAnswer = gate()
        const { ana, operator, model, read } = await scripted({
          before: () => mayAnswer.opened,
          reads: () => ({ tags: ['river'], entities: [{ name: 'Old Mill', type: null, role: null }] }),
        })
        const { id } = await ana.memories.create('The Old Mill by the river.').ok()
        await model.asked()
        await operator.settings.patch({ enrichment: { enabled: false } }).ok()
        mayAnswer.open()
        await read()
        const { body } = await ana.memories.get(id)
        expect([body.system_metadata, inferredLinks(body)]).to.deep.equal([{}, []])
        expect(model.readings).to.have.length(1)
      })

      it('reads a text again when the policy changed meanwhile', async () => {
        const mayAnswer = gate()
        const { ana, operator, model, read } = await scripted({
          before: () => mayAnswer.opened,
          reads: () => ({ title: 'Reach Ana at ana@example.org' }),
        })
        const { id } = await ana.memories.create('Reach Ana at ana@example.org.').ok()
        await model.asked()
        await operator.settings.patch({ memory: { pii_policy: 'refuse' } }).ok()
        mayAnswer.open()
        await read()
        expect((await ana.memories.get(id)).body.title).to.equal(null)
        expect(model.readings).to.have.length(2)
      })

      it('finds contradictions of inferred triples by the tenant’s own predicates', async () => {
        const { ana, operator, enriched } = await scripted()
        await operator.settings.patch({ memory: { single_valued_predicates: ['colour'] } }).ok()
        const states = (object: string) => ({
          entities: [{ name: 'Old Mill', type: null, role: null }],
          triple: { subject: 'Old Mill', predicate: 'colour', object },
        })
        const older = await enriched('The Old Mill is red.', states('red'))
        await enriched('The Old Mill is blue.', states('blue'))
        expect((await ana.memories.get(older.id)).body.status).to.equal('outdated')
      })
    })
  })
})

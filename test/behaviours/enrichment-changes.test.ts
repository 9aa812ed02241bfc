import { expect } from 'chai'
import type { components } from '../../contract/types.js'
import { inferredLinks, PORT_DECISION, sharedEnrichment } from '../support/enrichment.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import type { TestTenant } from '../support/tenants.js'
import { runSql } from '../support/run-sql.js'
import { gate, until } from '../support/states.js'

const { text: TEXT, finding: FOUND } = PORT_DECISION

/** Tests what becomes of inferred values when their memory changes or is erased. */
describeOnEachProfile((profile) => {
  describe('enrichment', () => {
    const { service, scripted } = sharedEnrichment(profile)

    describe('when the memory changes', () => {
      it('clears inferred values at once when the text changes, and reads the new text', async () => {
        const held = gate()
        const { ana, model, read, enriched } = await scripted({
          before: ({ text }) => (text === TEXT ? undefined : held.opened),
          reads: () => ({ title: 'The heron fishes' }),
        })
        const { id } = await enriched(TEXT, FOUND)
        const changed = await ana.memories.patch(id, { content: 'The heron fishes at dawn.' }).ok()
        expect(changed).to.deep.include({
          title: null,
          memory_type: 'fact',
          ts_valid_start: null,
          subject_entity_id: null,
          predicate: null,
          object_value: null,
          version: 2,
        })
        expect(changed.system_metadata).to.deep.equal({})
        expect(inferredLinks(changed)).to.deep.equal([])
        held.open()
        await read()
        const record = (await ana.memories.get(id)).body
        expect(record).to.deep.include({ title: 'The heron fishes', version: 2 })
        expect(model.readings).to.have.length(2)
      })

      describe('in its title, which is read with the text,', () => {
        const titled = { content: 'She moved to Lisbon.', title: 'Ana Silva' }
        const found = {
          entities: [{ name: 'Ana Silva', type: 'person', role: null }],
          triple: { subject: 'Ana Silva', predicate: 'lives_in', object: 'Lisbon' },
        }

        it('clears inferred values when the caller changes the title, and reads again', async () => {
          const { ana, read, enriched } = await scripted({
            reads: ({ title }) => (title === titled.title ? found : { tags: ['moves'] }),
          })
          const record = await enriched(titled)
          expect([inferredLinks(record).length, record.object_value]).to.deep.equal([1, 'Lisbon'])
          const changed = await ana.memories.patch(record.id, { title: 'Eva Costa' }).ok()
          expect([inferredLinks(changed), changed.object_value, changed.system_metadata]).to.deep.equal([[], null, {}])
          await read()
          expect((await ana.memories.get(record.id)).body.system_metadata.tags).to.deep.equal(['moves'])
        })

        it('stores nothing inferred from a title that was removed meanwhile', async () => {
          const held = gate()
          const { ana, model, read } = await scripted({
            before: () => held.opened,
            reads: ({ title }) => (title === null ? { tags: ['moves'] } : found),
          })
          const { id } = await ana.memories.create(titled).ok()
          await model.asked()
          await ana.memories.patch(id, { title: null }).ok()
          held.open()
          await model.asked(2)
          await read()
          const record = (await ana.memories.get(id)).body
          expect([inferredLinks(record), record.object_value, record.system_metadata.tags]).to.deep.equal([
            [],
            null,
            ['moves'],
          ])
        })

        it('keeps inferred values when a title is added after the reading', async () => {
          const { ana, model, read, enriched } = await scripted()
          const { id } = await enriched('Ana Silva moved to Lisbon.', found)
          const changed = await ana.memories.patch(id, { title: 'A move', weight: 0.9 }).ok()
          await ana.memories.patch(id, { status: 'confirmed' }).ok()
          await read()
          expect([inferredLinks(changed).length, changed.object_value, model.readings.length]).to.deep.equal([
            1,
            'Lisbon',
            1,
          ])
        })
      })

      it('keeps inferred values, and does not call the model, while the text stays', async () => {
        const { ana, model, read, enriched } = await scripted()
        const { id } = await enriched(TEXT, FOUND)
        await ana.memories.patch(id, { weight: 0.9, content: TEXT }).ok()
        await read()
        const record = (await ana.memories.get(id)).body
        expect(record).to.deep.include({ title: FOUND.title, object_value: '6432' })
        expect(model.readings).to.have.length(1)
      })

      it('replaces inferred values by what the caller gives or clears, together with the values that depend on them', async () => {
        const { ana, model, enriched } = await scripted()
        const { id } = await enriched(TEXT, FOUND)
        const renamed = await ana.memories.patch(id, { title: 'Mine', memory_type: 'plan' }).ok()
        expect(renamed).to.deep.include({ title: 'Mine', memory_type: 'plan', object_value: '6432' })
        const cleared = await ana.memories.patch(id, { title: null, object_value: '7000' }).ok()
        expect(cleared).to.deep.include({ title: null, predicate: null, subject_entity_id: null, object_value: '7000' })
        expect(cleared.system_metadata.enrichment!.inferred).to.deep.equal(['ts_valid_start'])
        expect(model.readings).to.have.length(1)
      })

      it('discards the answer for a text that changed meanwhile, and reads the new text', async () => {
        const [first, second] = [gate(), gate()]
        const { ana, model, read } = await scripted({
          before: ({ text }) => (text.startsWith('The fox') ? first.opened : second.opened),
          reads: ({ text }) => ({ title: text.slice(0, 12) }),
        })
        const { id } = await ana.memories.create('The fox sleeps now.').ok()
        await model.asked()
        await ana.memories.patch(id, { content: 'The owl is awake now.' }).ok()
        first.open()
        await model.asked(2)
        expect((await ana.memories.get(id)).body).to.deep.include({ title: null, system_metadata: {} })
        second.open()
        await read()
        expect((await ana.memories.get(id)).body.title).to.equal('The owl is a')
        expect(model.readings.map(({ text }) => text)).to.deep.equal(['The fox sleeps now.', 'The owl is awake now.'])
      })

      it('keeps what the caller gave meanwhile', async () => {
        const held = gate()
        const { ana, model, read } = await scripted({ before: () => held.opened, reads: () => FOUND })
        const { id } = await ana.memories.create(TEXT).ok()
        await model.asked()
        await ana.memories.patch(id, { title: 'Mine', memory_type: 'task' }).ok()
        held.open()
        await read()
        const record = (await ana.memories.get(id)).body
        expect(record).to.deep.include({ title: 'Mine', memory_type: 'task', object_value: '6432', version: 2 })
      })

      it('stores nothing for a memory that was deleted meanwhile', async () => {
        const held = gate()
        const { ana, operator, model, read } = await scripted({ before: () => held.opened, reads: () => FOUND })
        const { id } = await ana.memories.create(TEXT).ok()
        await model.asked()
        await ana.memories.delete(id).ok()
        held.open()
        await read()
        const record = (await operator.memories.get(id, { include_deleted: true })).body
        expect(record).to.deep.include({ status: 'deleted', title: null })
        expect(record.system_metadata).to.deep.equal({})
      })

      it('leaves no name from a memory that was erased meanwhile', async () => {
        const held = gate()
        const { tenant, ana, model, read } = await scripted({
          before: () => held.opened,
          reads: ({ text }) => (text === TEXT ? FOUND : {}),
        })
        const { id } = await ana.memories.create(TEXT).ok()
        await model.asked()
        const admin = service().client()
        const { body } = await admin.erasures.create({ tenant_id: tenant.id, memory_ids: [id] })
        const receipt = body as components['schemas']['ErasureReceipt']
        // The running job no longer contains the id, and stores nothing of what it has read.
        expect(receipt).to.deep.include({ memory_count: 1, complete: true })
        held.open()
        await ana.memories.create('Another one is read after it.').ok()
        await read()
        const verified = await admin.erasures.verify(receipt.erasure_id)
        expect(verified.body.clean).to.equal(true)
        const names = await service().context.store.read({ tenantId: tenant.id }, ({ db }) =>
          db.selectFrom('entities').select('name_key').execute(),
        )
        expect(names).to.deep.equal([])
      })
    })

    describe('after an erasure', () => {
      const erase = ({ id }: TestTenant, memoryId: string) =>
        service()
          .client()
          .erasures.create({ tenant_id: id, memory_ids: [memoryId] })
      async function namesLeft({ id }: TestTenant): Promise<string[]> {
        const rows = await runSql<{ name: string }>(
          service().databaseUrl,
          'select name_key as name from entities where tenant_id = $1',
          [id],
        )
        return rows.map(({ name }) => name)
      }

      it('no inferred value is left', async () => {
        const { tenant, enriched } = await scripted()
        const { id } = await enriched(TEXT, FOUND)
        expect(await namesLeft(tenant)).to.include('billing-db')
        await settled(service(), tenant.id)
        const body = (await erase(tenant, id)).body as components['schemas']['ErasureReceipt']
        expect(body).to.deep.include({ memory_count: 1, complete: true })
        expect(body.places.map(({ place }) => place)).to.include('queue.enrichment')
        expect(await namesLeft(tenant)).to.deep.equal([])
      })

      it('no value is stored from a text that was being read', async () => {
        const held = gate()
        const { tenant, ana, model, state } = await scripted({ before: () => held.opened, reads: () => FOUND })
        const { id } = await ana.memories.create(TEXT).ok()
        await model.asked()
        const { body } = await erase(tenant, id)
        expect(body).to.deep.include({ memory_count: 1 })
        held.open()
        await until('the one call of today is counted', async () => {
          const { today, waiting } = await state()
          return waiting === 0 && today.calls === 1
        })
        await until('no name is left', async () => expect((await namesLeft(tenant)).length).to.equal(0))
      })
    })
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTeam, type TestTenant } from '../support/tenants.js'

/** A memory as a serializer writes it when its caller set the content alone. */
const UNSET_OF_MEMORY = {
  memory_type: null,
  title: null,
  weight: null,
  source_uri: null,
  run_id: null,
  language: null,
  metadata: null,
  entity_links: null,
  expires_at: null,
  ts_valid_start: null,
  ts_valid_end: null,
  subject_entity_id: null,
  predicate: null,
  object_value: null,
  status: null,
  visibility: null,
  confidence: null,
  scope: null,
  supersedes_id: null,
}
const UNSET_OF_RECALL = {
  top_k: null,
  fleet_ids: null,
  filter_agent_id: null,
  memory_types: null,
  statuses: null,
  run_id: null,
  languages: null,
  created_after: null,
  created_before: null,
  valid_at: null,
  metadata_filter: null,
  min_score: null,
  include_summary: null,
  explain: null,
  now: null,
  timezone: null,
}
const UNSET_OF_QUERY = { fleet_id: null, where: null, order_by: null, order: null, cursor: null, limit: null }

/** Tests bodies that have null for what they leave out. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('null for an optional field', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

    const erase = (body: object) => service().client().erasures.create(body)
    const idsOf = async (caller: Caller, fields: object) =>
      (await caller.memories.recall('Heron', fields).ok()).memories.map(({ id }) => id)

    it('writes the memory that its absence writes, alone and in bulk', async () => {
      const sparse = await ana.memories.create({ content: 'Heron 1.' }).ok()
      const full = await ana.memories.create({ ...UNSET_OF_MEMORY, content: 'Heron 2.' }).ok()
      const item = { ...UNSET_OF_MEMORY, content: 'Heron 3.' }
      const { results } = await ana.memories.createMany([item, { ...item, content: null }]).ok()
      expect(results.map(({ status }) => status)).to.deep.equal(['created', 'error'])
      const third = (await ana.memories.get(results[0]!.id!)).body
      for (const memory of [full, third])
        for (const name of Object.keys(UNSET_OF_MEMORY).filter((field) => field in sparse) as (keyof typeof sparse)[])
          expect(memory[name], name).to.deep.equal(sparse[name])
    })

    it('keeps the nulls of a caller’s own objects', async () => {
      const own = { a: null, b: [null, { c: null }] }
      const stored = await ana.memories
        .create({ ...UNSET_OF_MEMORY, content: 'Heron.', metadata: own, scope: own })
        .ok()
      expect([stored.metadata, stored.scope]).to.deep.equal([own, own])
      const document = { collection: 'notes', doc_id: 'a', data: own, fleet_id: null, agent_id: null }
      await ana.call('putDocument', { body: { tenant_id: tenant.id, ...document } })
      expect((await ana.documents.get('notes', 'a').ok()).data).to.deep.equal(own)
    })

    it('filters a recall by nothing, and shows nobody more than its absence does', async () => {
      await ana.memories.create({ content: 'Heron is hers.', visibility: 'scope_agent' }).ok()
      await ana.memories.create({ content: 'Heron is the fleet’s.', visibility: 'scope_team' }).ok()
      await settled(service(), tenant.id)
      for (const [caller, seen] of [[ana, 2] as const, [ben, 1] as const]) {
        const ids = await idsOf(caller, {})
        expect(ids).to.have.length(seen)
        expect(await idsOf(caller, UNSET_OF_RECALL)).to.deep.equal(ids)
      }
    })

    it('queries documents by nothing, and by null where it is a value', async () => {
      await ana.documents.put('notes', 'a', { state: null }).ok()
      await ana.documents.put('notes', 'b', { state: 'open' }).ok()
      const found = async (fields: object) => {
        const { body } = await ana.call('queryDocuments', {
          body: { tenant_id: tenant.id, collection: 'notes', ...UNSET_OF_QUERY, ...fields },
        })
        return body.items.map(({ doc_id }) => doc_id)
      }
      expect(await found({})).to.have.members(['a', 'b'])
      expect(await found({ where: { state: null } })).to.deep.equal(['a'])
    })

    it('mints a key of the trust that is the default, and no more', async () => {
      const mint = async (fields: object) =>
        (
          await service()
            .client()
            .call('createKey', { body: { tenant_id: tenant.id, kind: 'agent', ...fields } })
        ).body
      const absent = await mint({ agent_id: 'zoe' })
      const fields = { agent_id: 'kim', fleet_id: null, trust_level: null, label: null, expires_at: null }
      expect((await mint(fields)).trust_level).to.equal(absent.trust_level)
    })

    it('erases nothing', async () => {
      const kept = await ana.memories.create('Heron stays.').ok()
      const gone = await ben.memories.create('Heron goes.').ok()
      const nulls = { agent_id: null, subject_entity_id: null, memory_ids: null }
      for (const selector of [{ agent_id: null }, { subject_entity_id: null }, { memory_ids: null }, nulls]) {
        const answer = await erase({ tenant_id: tenant.id, ...selector })
        expect([answer.status, answer.body.error.code]).to.deep.equal([422, 'INVALID_ARGUMENTS'])
      }
      expect((await erase({ ...nulls, tenant_id: null, memory_ids: [gone.id] })).status).to.equal(422)
      expect((await ben.memories.get(gone.id)).status).to.equal(200)
      const receipt = await erase({ ...nulls, tenant_id: tenant.id, memory_ids: [gone.id], preview: null }).ok()
      expect(receipt).to.include({ memory_count: 1 })
      expect((await ben.memories.get(gone.id)).status).to.equal(404)
      expect((await ana.memories.get(kept.id)).status).to.equal(200)
    })

    it('is refused for a required one, and still clears in PATCH', async () => {
      const { id } = await ana.memories.create({ content: 'Heron.', title: 'Bird', weight: 0.9 }).ok()
      expect((await ana.memories.create({ ...UNSET_OF_MEMORY, content: null })).status).to.equal(422)
      expect((await ana.memories.patch(id, { weight: null })).status).to.equal(422)
      expect((await ana.memories.patch(id, {})).status).to.equal(422)
      expect(await ana.memories.patch(id, { title: null }).ok()).to.include({ title: null, content: 'Heron.' })
      expect((await operator.settings.patch({ recall: null })).status).to.equal(200)
    })
  })
})

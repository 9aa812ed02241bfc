import { expect } from 'chai'
import { startLanguageModelStub, type LanguageModelStub } from '../support/language-model-stub.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

describeOnEmbedded(() => {
  describe('without a language model', () => {
    const service = sharedService('embedded')

    it('enqueues nothing, and says so in health, metrics and the admin route', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const { id } = await ana.memories.create('We met last Friday.').ok()
      await ana.memories.patch(id, { content: 'We met last Monday.' }).ok()
      const { body } = await service().client().enrichment.get()
      expect(body).to.deep.include({ enabled: false, model: null, waiting: 0, oldest_waiting_age_s: null })
      const record = (await ana.memories.get(id)).body
      expect([record.system_metadata, record.ts_valid_start]).to.deep.equal([{}, null])
      expect((await service().client().probes.health()).body.dependencies).not.to.have.property('language_model')
      expect(await service().context.metrics.text()).to.match(/^cairn_enrichment_on 0$/m)
    })

    it('refuses an operator who asks for enrichment', async () => {
      const refused = await service().client().enrichment.enrich()
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'CONFLICT'])
    })
  })

  describe('with a language model and enrichment switched off', () => {
    let stub: LanguageModelStub
    before(async () => {
      stub = await startLanguageModelStub()
    })
    after(() => stub.stop())
    const service = ownService(() => ({
      env: { LLM_URL: stub.url, LLM_MODEL: 'stub', ENRICHMENT_CONCURRENCY: '0' },
    }))

    it('enqueues nothing', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      await ana.memories.create('We met last Friday.').ok()
      const { body } = await service().client().enrichment.get()
      expect(body).to.deep.include({ enabled: false, model: 'openai:stub', waiting: 0 })
      expect(stub.calls).to.have.length(0)
    })
  })
})

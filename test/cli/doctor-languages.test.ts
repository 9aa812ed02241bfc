import { expect } from 'chai'
import { checkLanguages, languagesFinding } from '../../cli/doctor/languages.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const ENGLISH = 'The invoice service has not worked since this morning because the disk of the database was full.'

describeOnEmbedded(() => {
  const service = ownService({ queues: [] })
  const checked = () =>
    checkLanguages({ adminApiKey: service().adminKey, dataDir: '/nowhere' }, { url: service().url! })

  it('the doctor names the languages that a tenant writes and the model does not know', async () => {
    const tenant = newTenant(service())
    const ana = await tenant.caller({ agentId: 'ana' })
    await ana.memories.createMany([...Array(19).keys()].map((i) => ({ content: `${ENGLISH} ${i}` }))).ok()
    expect(await checked()).to.include({ name: 'languages', state: 'ok' })
    await ana.memories.create({ content: 'Ojo ti su.', language: 'yo' }).ok()
    const { state, detail } = await checked()
    expect(state).to.equal('warning')
    expect(detail).to.contain(`static-multi-480 does not know yo (5 % of ${tenant.id})`).and.contain('EMBEDDINGS_MODEL')
    const { body } = await service()
      .client()
      .indexing.get({ tenant_id: newTenant(service()).id })
    expect(body.embedder.unknown_languages).to.deep.equal([])
  })

  it('the doctor asks nothing without a running service or its key', async () => {
    const unknown = [
      await checkLanguages({ adminApiKey: 'key', dataDir: '/nowhere' }, null),
      await checkLanguages({ adminApiKey: null, dataDir: '/nowhere' }, { url: service().url! }),
    ]
    expect(unknown.map(({ state }) => state)).to.deep.equal(['skipped', 'skipped'])
  })

  it('the doctor advises the model for 93 languages where the English one is set', () => {
    const english = { id: 'static-en-256', dimensions: 256, languages: 1, available: true }
    const unknown = [{ tenant_id: 'acme', language: 'de', memories: 40, share: 0.4 }]
    expect(languagesFinding({ ...english, unknown_languages: unknown }).detail).to.contain('EMBEDDINGS_MODEL=builtin,')
    expect(languagesFinding({ ...english, unknown_languages: [] }).state).to.equal('ok')
  })
})

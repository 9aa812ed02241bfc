import { expect } from 'chai'
import { documentLanguage } from '../../domain/documents/text.js'
import { readUnreadDocuments, storeDocumentLanguages } from '../../store/documents/former-languages.js'
import { readLanguageCounts } from '../../store/tenants/language-counts.js'
import { JOBS } from '../../workers/jobs.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { skillOf } from '../support/clients/skills.js'
import { callsOf } from '../support/entered-files.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService, sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const GERMAN = { title: 'Rechnungsdienst', text: 'Der Rechnungsdienst läuft nicht, weil die Platte voll war.' }
const ENGLISH = { title: 'Invoices', text: 'The invoice service does not work because the disk is full.' }
const UNCERTAIN = { title: 'billing-api ERR_42' }
const QUERY = 'Rechnungsdienst invoice billing-api ERR_42'

/** The language of documents: at every write, and as a filter. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('the language of a document', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const putAll = () =>
      ana.documents
        .putMany('notes', [
          { doc_id: 'de', data: GERMAN },
          { doc_id: 'en', data: ENGLISH },
          { doc_id: 'x', data: UNCERTAIN },
        ])
        .ok()
    const idsOf = (rows: readonly { doc_id: string }[]) => rows.map((row) => row.doc_id).sort()
    const searched = async (languages?: string[], caller = ana) =>
      idsOf((await caller.documents.search(QUERY, { collection: 'notes', languages }).ok()).results)
    const listed = async (language?: string, caller = ana) =>
      idsOf((await caller.documents.list('notes', { language }).ok()).items)
    const queried = async (language?: string, fields: object = {}) =>
      (await ana.documents.queryIds('notes', { language, ...fields })).sort()

    it('is found at the write of one and of many, and belongs to its version', async () => {
      const put = async (data: object) => (await ana.documents.put('notes', 'a', { ...data }).ok()).language
      expect([await put(GERMAN), await put(ENGLISH), await put(UNCERTAIN)]).to.deep.equal(['de', 'en', null])
      expect((await ana.documents.get('notes', 'a').ok()).language).to.equal(null)
      await putAll()
      const { items } = await ana.documents.list('notes').ok()
      const shown = items.map((row) => [row.doc_id, row.language])
      expect(shown).to.deep.equal([
        ['a', null],
        ['de', 'de'],
        ['en', 'en'],
        ['x', null],
      ])
    })

    it('narrows a search, a query and a list, before it is indexed and after', async () => {
      await putAll()
      for (const stage of ['pending', 'indexed']) {
        if (stage === 'indexed') await settled(service(), tenant.id)
        expect(await searched(), stage).to.deep.equal(['de', 'en', 'x'])
        expect(await searched(['de-AT']), stage).to.deep.equal(['de'])
        expect(await searched(['de', 'en']), stage).to.deep.equal(['de', 'en'])
        expect([await queried('de'), await listed('de-AT')], stage).to.deep.equal([['de'], ['de']])
        for (const order_by of ['created_at', 'title'])
          expect(await queried('en', { where: { title: ENGLISH.title }, order_by }), stage).to.deep.equal(['en'])
        expect(await queried('de', { where: { title: ENGLISH.title } }), stage).to.deep.equal([])
        expect([await searched(['fr']), await queried('fr'), await listed('fr')], stage).to.deep.equal([[], [], []])
      }
      await ana.documents.put('notes', 'de', ENGLISH).ok()
      expect([await listed('de'), await queried('de'), await searched(['de'])]).to.deep.equal([[], [], []])
      await settled(service(), tenant.id)
      expect([await searched(['de']), await searched(['en'])]).to.deep.equal([[], ['de', 'en']])
    })

    it('continues a page with its filter, and with no other', async () => {
      for (const docId of ['a', 'b']) await ana.documents.put('notes', docId, GERMAN).ok()
      const first = await ana.documents.list('notes', { language: 'de', limit: 1 }).ok()
      const cursor = first.next_cursor!
      const next = (language?: string) => ana.documents.list('notes', { language, limit: 1, cursor })
      expect(idsOf((await next('de').ok()).items)).to.deep.equal(['b'])
      expect([(await next('en')).status, (await next()).status]).to.deep.equal([400, 400])
    })

    it('narrows to no document of another tenant', async () => {
      await putAll()
      await settled(service(), tenant.id)
      const other = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      expect([await searched(['de'], other), await listed('de', other)]).to.deep.equal([[], []])
      expect(await other.documents.queryIds('notes', { language: 'de' })).to.deep.equal([])
    })

    it('is that of a skill, too', async () => {
      const text = GERMAN.text
      const { language } = await ana.skills
        .write(skillOf('a', { description: text, summary: text, content: text }))
        .ok()
      expect(language).to.equal('de')
      await ana.skills.write(skillOf('b')).ok()
      await until('both skills are served', async () =>
        expect((await ana.documents.list('skills').ok()).items).to.have.length(2),
      )
      const listed = async (language: string) => (await ana.documents.list('skills', { language }).ok()).items
      for (const [language, slug] of Object.entries({ de: 'a', en: 'b' }))
        expect((await listed(language)).map((row) => row.data.slug)).to.deep.equal([slug])
      expect(await listed('fr')).to.deep.equal([])
    })

    it('is refused where it is none, and nobody gives it', async () => {
      for (const language of ['german', 'qq', 'de_AT', 'und', 'd'])
        expect(
          [
            faultsOf(await ana.documents.search(QUERY, { languages: ['de', language] })),
            faultsOf(await ana.documents.list('notes', { language })),
            faultsOf(await ana.documents.query('notes', { language })),
          ].flat(),
          language,
        ).to.deep.equal(['body.languages.1', 'query.language', 'body.language'])
      expect(faultsOf(await ana.documents.search(QUERY, { languages: [] }))).to.deep.equal(['body.languages'])
      expect(faultsOf(await ana.documents.put('notes', 'a', GERMAN, { language: 'fr' }))).to.deep.equal([
        'body.language',
      ])
    })
  })
})

/** Documents of an earlier version, and how often a language is looked for. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile, queues: ['indexing'] })
  describe('the languages of documents', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const sql = (text: string) => runSql(service().databaseUrl, text, [tenant.id])
    const read = (limit: number) => service().context.store.asSystem((system) => readUnreadDocuments(system, { limit }))
    const counts = async () =>
      Object.fromEntries(await service().context.store.read({ tenantId: tenant.id }, readLanguageCounts))
    async function job(limit: number): Promise<number> {
      const found = (await read(limit)).map((row) => ({ ...row, language: documentLanguage(row.data) }))
      return service().context.store.asSystem((system) => storeDocumentLanguages(system, found))
    }
    const listed = async (language: string) =>
      (await ana.documents.list('notes', { language }).ok()).items.map((row) => row.doc_id)

    it('are counted as they are written', async () => {
      await ana.documents.put('notes', 'de', GERMAN).ok()
      await ana.documents.put('notes', 'en', ENGLISH).ok()
      await ana.documents.put('notes', 'x', UNCERTAIN).ok()
      expect(await counts()).to.deep.equal({ de: 1, en: 1 })
    })

    it('are found once in a write and its jobs', async () => {
      const written = async () => {
        await ana.documents.put('notes', 'de', GERMAN).ok()
        await settled(service(), tenant.id)
      }
      expect(await callsOf('languageOf', 'domain/text/language.ts', written)).to.equal(1)
    })

    it('are found in documents of an earlier version by a job, which resumes where it was stopped', async () => {
      for (const [docId, data] of Object.entries({ de: GERMAN, en: ENGLISH, x: UNCERTAIN }))
        await ana.documents.put('notes', docId, data).ok()
      await settled(service(), tenant.id)
      await sql('update documents set language = null, language_version = null where tenant_id = $1')
      expect(await listed('de')).to.deep.equal([])
      expect([await job(2), await job(2), await job(2)]).to.deep.equal([2, 1, 0])
      expect([await listed('de'), await listed('en')]).to.deep.equal([['de'], ['en']])
      expect(await counts()).to.deep.equal({ de: 2, en: 2 })
      await settled(service(), tenant.id)
      const { results } = await ana.documents.search(QUERY, { languages: ['de'] }).ok()
      expect(results.map((row) => row.doc_id)).to.deep.equal(['de'])
      expect((await ana.documents.get('notes', 'de').ok()).version).to.equal(1)
      expect(JOBS.findLanguages).to.include({ queue: 'lifecycle', repeatedBy: 'process' })
    })

    it('are found again after an earlier version has written', async () => {
      await ana.documents.put('notes', 'a', GERMAN).ok()
      await sql(`update documents set data = '${JSON.stringify(ENGLISH)}', version = version + 1 where tenant_id = $1`)
      expect((await ana.documents.get('notes', 'a').ok()).language).to.equal(null)
      expect([await listed('de'), await job(9), await listed('en')]).to.deep.equal([[], 1, ['a']])
      expect(await counts()).to.deep.equal({ de: 1 })
    })

    it('are not stored where a document has changed since it was read', async () => {
      const changes: [string, () => Promise<unknown>][] = [
        ['en', () => ana.documents.put('notes', 'a', ENGLISH).ok()],
        ['null', () => sql('update documents set version = version + 1 where tenant_id = $1')],
      ]
      for (const [language, change] of changes) {
        await ana.documents.put('notes', 'a', GERMAN).ok()
        await sql('update documents set language = null, language_version = null where tenant_id = $1')
        const [row] = await read(9)
        await change()
        const stored = await service().context.store.asSystem((system) =>
          storeDocumentLanguages(system, [{ ...row!, language: 'de' }]),
        )
        expect([stored, String((await ana.documents.get('notes', 'a').ok()).language)]).to.deep.equal([0, language])
      }
    })
  })
})

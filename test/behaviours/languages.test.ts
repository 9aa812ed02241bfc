import { expect } from 'chai'
import { languageOf } from '../../domain/text/language.js'
import { readUnreadMemories, storeMemoryLanguages } from '../../store/memories/former-languages.js'
import { compactCounters } from '../../store/tenants/counters.js'
import { readLanguageCounts } from '../../store/tenants/language-counts.js'
import { findLanguages } from '../../workers/clean-up.js'
import { JOBS } from '../../workers/jobs.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { callsOf } from '../support/entered-files.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService, sharedService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const GERMAN = 'Der Rechnungsdienst läuft seit heute Morgen nicht, weil die Platte der Datenbank voll war.'
const ENGLISH = 'The invoice service has not worked since this morning because the disk of the database was full.'
const CHINESE = '发票服务从今天早上开始无法使用，数据库已满。'
const UNCERTAIN = 'billing-api ERR_42'

/** The language of memories: at every write, and as a filter. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('the language of a memory', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    it('is found at the write, or null where it is uncertain', async () => {
      for (const [content, language] of [
        [GERMAN, 'de'],
        [ENGLISH, 'en'],
        [CHINESE, 'zh'],
        [UNCERTAIN, null],
      ] as const)
        expect((await ana.memories.create({ content }).ok()).language, content).to.equal(language)
      const { results } = await ana.memories.createMany([{ content: `${GERMAN} Noch.` }, { content: 'x' }]).ok()
      const stored = await Promise.all(results.map(({ id }) => ana.memories.get(id!).ok()))
      expect(stored.map(({ language }) => language)).to.deep.equal(['de', null])
    })

    it('is that which a caller gives, reduced to its code', async () => {
      expect((await ana.memories.create({ content: GERMAN, language: 'gsw-CH' }).ok()).language).to.equal('gsw')
      const { id } = await ana.memories.create({ content: UNCERTAIN, language: 'pt-BR' }).ok()
      expect((await ana.memories.get(id).ok()).language).to.equal('pt')
    })

    it('is found again in another content, and stays where that is uncertain', async () => {
      const { id } = await ana.memories.create({ content: GERMAN }).ok()
      const patched = async (fields: object) => (await ana.memories.patch(id, fields).ok()).language
      expect(await patched({ title: 'The invoices of this morning' })).to.equal('de')
      expect(await patched({ content: ENGLISH })).to.equal('en')
      expect(await patched({ content: UNCERTAIN })).to.equal('en')
      expect(await patched({ language: 'fr' })).to.equal('fr')
      expect(await patched({ language: null })).to.equal(null)
      expect(await patched({ content: CHINESE, language: 'ja' })).to.equal('ja')
    })

    it('narrows a recall and a list, before it is indexed and after', async () => {
      for (const content of [GERMAN, ENGLISH, UNCERTAIN]) await ana.memories.create({ content }).ok()
      const query = 'Rechnungsdienst invoice billing-api ERR_42 Datenbank'
      const recalled = async (languages?: string[]) => (await ana.memories.recallContents(query, { languages })).sort()
      const listed = async (language?: string) => (await ana.memories.listAll({ language })).map((row) => row.content)
      for (const stage of ['pending', 'indexed']) {
        if (stage === 'indexed') await settled(service(), tenant.id)
        expect(await recalled(), stage).to.have.length(3)
        expect(await recalled(['de-AT']), stage).to.deep.equal([GERMAN])
        expect(await recalled(['de', 'en']), stage).to.deep.equal([GERMAN, ENGLISH])
        expect(await recalled(['fr']), stage).to.deep.equal([])
        expect(await listed('de'), stage).to.deep.equal([GERMAN])
        expect(await listed('fr'), stage).to.deep.equal([])
      }
      await ana.memories.patch((await ana.memories.listAll({ language: 'de' }))[0]!.id, { language: 'fr' }).ok()
      await settled(service(), tenant.id)
      expect([await recalled(['fr']), await recalled(['de'])]).to.deep.equal([[GERMAN], []])
    })

    it('makes a word alone find its other forms, in a tenant that writes the language', async () => {
      const runners = ['Die Läuferinnen trainieren heute im Stadion, weil die Halle geschlossen ist.', GERMAN]
      for (const content of runners) await ana.memories.create({ content }).ok()
      const other = await newTenant(service()).caller({ agentId: 'ben', fleetId: 'red' })
      await other.memories.createMany([...Array(30).keys()].map((i) => ({ content: `${ENGLISH} ${i}` }))).ok()
      await other.memories.create({ content: runners[0]! }).ok()
      const termsOf = async (caller: Caller) => {
        const { memories } = await caller.memories.recall('Läuferin', { explain: true }).ok()
        return memories.find(({ content }) => content === runners[0])?.explanation!.matched_terms
      }
      for (const stage of ['pending', 'indexed']) {
        if (stage === 'indexed') await settled(service(), tenant.id)
        expect(await termsOf(ana), stage).to.deep.equal(['lauf'])
      }
      expect((await termsOf(other)) ?? []).to.deep.equal([])
    })

    it('and what follows from it are the same whatever another tenant writes', async () => {
      const at = new Date(Date.now() - 86_400_000).toISOString()
      /** Texts of which those of another tenant could decide the language, the names, the words or their rarity. */
      const short = ['Projekt Alpha beendet', 'Alpha Sensor', '会議', 'Hotel Berlin', 'pump gestern', UNCERTAIN]
      const written = async () => {
        const other = newTenant(service())
        const ben = await other.caller({ agentId: 'ben', fleetId: 'red' })
        for (const content of short) await ben.memories.create({ content, ts_valid_start: at }).ok()
        await settled(service(), other.id)
        const memories = (await ben.memories.listAll()).map(({ content, language }) => [content, language])
        const entities = (await ben.entities.list().ok()).items.map(({ name, entity_type }) => [name, entity_type])
        const recalls = await Promise.all(
          ['Läufer', 'Projekt beendet', '会議', 'Berlin gestern', 'sensor'].map(async (query) =>
            (await ben.memories.recall(query, { top_k: 10, explain: true }).ok()).memories.map(
              ({ content, explanation }) => [
                content,
                explanation!.evidence,
                explanation!.matched_terms,
                explanation!.matched_entities,
              ],
            ),
          ),
        )
        const counts = await service().context.store.read({ tenantId: other.id }, readLanguageCounts)
        return { memories: memories.sort(), entities: entities.sort(), recalls, counts: [...counts].sort() }
      }
      const before = await written()
      const many = [...Array(200).keys()].map((i) => ({
        content: `${GERMAN} Projekt Alpha ${i} in Berlin wurde gestern beendet.`,
        language: 'de',
      }))
      await ana.memories.createMany(many).ok()
      expect((await ana.memories.create({ content: short[0]! }).ok()).language).to.equal('de')
      await settled(service(), tenant.id)
      expect(await written()).to.deep.equal(before)
    })

    it('shows no memory that the caller may not see', async () => {
      await ana.memories.create({ content: GERMAN, visibility: 'scope_agent' }).ok()
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      expect(await ben.memories.recallContents('Rechnungsdienst', { languages: ['de'] })).to.deep.equal([])
      expect(await ben.memories.listAll({ language: 'de' })).to.deep.equal([])
    })

    it('is refused where it is none', async () => {
      const [content, query] = ['A fox.', 'fox']
      for (const language of ['german', 'qq', 'de_AT', 'und', 'd'])
        expect(
          [
            faultsOf(await ana.memories.create({ content, language })),
            faultsOf(await ana.memories.recall(query, { languages: ['de', language] })),
            faultsOf(await ana.memories.list({ language })),
          ].flat(),
          language,
        ).to.deep.equal(['body.language', 'body.languages.1', 'query.language'])
      expect(faultsOf(await ana.memories.recall(query, { languages: [] }))).to.deep.equal(['body.languages'])
    })
  })
})

/** Hieroglyphs, of which the built-in model has no piece. */
const UNKNOWN = ['𓀀𓁐𓃭', '𓅓𓆑𓇋']

describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a query that nothing can be compared with', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana' })
    })
    const recalled = async (query: string, fields: object = {}) =>
      (await ana.memories.recall(query, { explain: true, ...fields }).ok()).not_compared
    const searched = async (query: string) => (await ana.documents.search(query).ok()).not_compared

    it('is said, and another is not', async () => {
      await ana.memories.create({ content: ENGLISH }).ok()
      await ana.documents.put('notes', 'a', { text: ENGLISH }).ok()
      for (const stage of ['pending', 'indexed']) {
        if (stage === 'indexed') await settled(service(), tenant.id)
        for (const ask of [recalled, searched])
          expect(
            [await ask(UNKNOWN[0]!), await ask('invoice'), await ask('with the'), await ask('x9')],
            stage,
          ).to.deep.equal([['vector'], [], ['keyword'], []])
      }
      expect((await ana.memories.recall(UNKNOWN[0]!).ok()).degraded).to.equal(null)
    })

    it('is said where no text is known, and not where one is or none is there', async () => {
      expect([await recalled('invoice'), await searched('invoice')]).to.deep.equal([[], []])
      await ana.memories.createMany(UNKNOWN.map((content) => ({ content }))).ok()
      await ana.documents.put('notes', 'a', { text: UNKNOWN[0] }).ok()
      await settled(service(), tenant.id)
      expect([await recalled('invoice'), await searched('invoice')]).to.deep.equal([['vector'], ['vector']])
      expect(await recalled('invoice', { run_id: 'none' })).to.deep.equal([])
      await ana.memories.create({ content: ENGLISH }).ok()
      await settled(service(), tenant.id)
      expect([await recalled('disk'), await searched('disk')]).to.deep.equal([[], ['vector']])
    })
  })
})

/** The counts of a tenant's languages, and rows of an earlier version. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile, queues: ['indexing'] })
  describe('the languages of a tenant', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    const counts = async () =>
      Object.fromEntries(await service().context.store.read({ tenantId: tenant.id }, readLanguageCounts))

    const makeFormer = () =>
      runSql(
        service().databaseUrl,
        `update memories set language = null, is_language_read = false where tenant_id = '${tenant.id}';
         delete from language_counter_deltas where tenant_id = '${tenant.id}'`,
      )

    it('are counted as they are written, before a compaction and after', async () => {
      await ana.memories.createMany([{ content: GERMAN }, { content: ENGLISH }, { content: 'x' }]).ok()
      await ana.memories.create({ content: 'Das Angebot wurde gestern an den Kunden verschickt.' }).ok()
      expect(await counts()).to.deep.equal({ de: 2, en: 1 })
      await service().context.store.asSystem((system) => compactCounters(system))
      expect(await counts()).to.deep.equal({ de: 2, en: 1 })
    })

    it('decide close calls of its own texts, and not of those of others', async () => {
      const close = 'Projekt Alpha beendet'
      await ana.memories
        .createMany([...Array(200).keys()].map((i) => ({ content: `${GERMAN} ${i}`, language: 'de' })))
        .ok()
      expect((await ana.memories.create({ content: close }).ok()).language).to.equal('de')
      const other = await newTenant(service()).caller({ agentId: 'ben', fleetId: 'red' })
      expect((await other.memories.create({ content: close }).ok()).language).to.equal(null)
    })

    it('decide with those of a run, by its author’s own texts alone, in a write, a bulk and a change', async () => {
      const [close, closeToo] = ['Projekt Alpha beendet', 'Projekt Beta beendet']
      const run = (run_id: string, ...contents: string[]) => contents.map((content) => ({ content, run_id }))
      const german = [1, 2, 3, 4, 5, 6].map((i) => `${GERMAN} ${i}`)
      await ana.memories.createMany(run('r1', ...german)).ok()
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const english = [...Array(200).keys()].map((i) => ({ content: `${ENGLISH} ${i}`, language: 'en' }))
      await ben.memories.createMany(english).ok()
      const written = async (caller: Caller, content: string, run_id?: string) =>
        caller.memories.create({ content, run_id }).ok()
      expect((await written(ana, close, 'r1')).language).to.equal('de')
      expect((await written(ben, close, 'r1')).language).to.equal(null)
      const { id, language } = await written(ana, 'x', 'r1')
      expect(language).to.equal(null)
      expect((await ana.memories.patch(id, { content: closeToo }).ok()).language).to.equal('de')
      const { results } = await ben.memories.createMany(run('r2', ...german, closeToo)).ok()
      expect((await ben.memories.get(results.at(-1)!.id!).ok()).language).to.equal('de')
    })

    it('are counted where a memory of an earlier version is changed before the job reads it', async () => {
      const ids: string[] = []
      for (const content of [GERMAN, ENGLISH, UNCERTAIN]) ids.push((await ana.memories.create({ content }).ok()).id)
      await makeFormer()
      expect(await counts()).to.deep.equal({})
      await ana.memories.patch(ids[0]!, { title: 'Rechnungen' }).ok()
      expect(await counts()).to.deep.equal({})
      await ana.memories.patch(ids[0]!, { content: `${GERMAN} Noch.` }).ok()
      await ana.memories.patch(ids[0]!, { content: `${GERMAN} Noch immer.` }).ok()
      await ana.memories.patch(ids[1]!, { language: 'en' }).ok()
      await ana.memories.patch(ids[2]!, { content: `${UNCERTAIN}3` }).ok()
      expect(await counts()).to.deep.equal({ de: 1, en: 1 })
      const { store, logger } = service().context
      await findLanguages({ store, logger }, new AbortController().signal)
      expect(await counts()).to.deep.equal({ de: 1, en: 1 })
    })

    it('are found once in a write and its jobs', async () => {
      const written = async () => {
        await ana.memories.createMany([GERMAN, `${GERMAN} Wieder.`].map((content) => ({ content }))).ok()
        await settled(service(), tenant.id)
      }
      expect(await callsOf('languageOf', 'domain/text/language.ts', written)).to.equal(2)
      const query = 'Der Rechnungsdienst'
      const recalled = () => ana.memories.recallContents(query)
      expect(await callsOf('languageOf', 'domain/text/language.ts', recalled)).to.equal(1)
    })

    it('are found in memories of an earlier version by a job, which resumes where it was stopped', async () => {
      for (const content of [GERMAN, ENGLISH, UNCERTAIN]) await ana.memories.create({ content }).ok()
      await settled(service(), tenant.id)
      await makeFormer()
      expect(await ana.memories.listAll({ language: 'de' })).to.deep.equal([])
      const { store, logger } = service().context
      const unread = await store.asSystem((system) => readUnreadMemories(system, { limit: 2 }))
      expect(unread).to.have.length(2)
      const read = unread.map((memory) => ({ ...memory, language: languageOf(memory.content) }))
      const changed = { ...read[0]!, version: 99 }
      expect(await store.asSystem((system) => storeMemoryLanguages(system, [changed, read[1]!]))).to.equal(1)
      await findLanguages({ store, logger }, new AbortController().signal)
      expect(await store.asSystem((system) => readUnreadMemories(system, { limit: 9 }))).to.deep.equal([])
      await settled(service(), tenant.id)
      expect(await ana.memories.recallContents('Rechnungsdienst', { languages: ['de'] })).to.deep.equal([GERMAN])
      expect(JOBS.findLanguages).to.include({ queue: 'lifecycle', repeatedBy: 'process' })
    })
  })
})

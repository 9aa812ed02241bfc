import { expect } from 'chai'
import type { AnalysedDocuments } from '../../services/retrieval/documents/analysed-documents.js'
import type { components } from '../../contract/types.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { type FaultyIndex, makeIndexFaulty } from '../support/faulty-index.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService, type SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

type Answer = components['schemas']['DocumentSearchAnswer']
type Fields = Readonly<Record<string, unknown>>

const RUNBOOK = {
  title: 'Restarting the billing service',
  steps: ['drain', 'stop', 'start'],
  team: 'payments',
  tier: 1,
}
const RECIPE = { summary: 'How to bake sourdough bread', flour_g: 500, team: 'kitchen', tier: 2 }
const POLICY = { name: 'Holiday policy', body: { text: 'Everybody has thirty days off a year.' }, team: null }

describeOnEachProfile((profile) => describeDocumentSearch(sharedService(profile), { indexed: true }))
describeOnEmbedded(() => {
  describeDocumentSearch(ownService({ queues: [] }), { indexed: false })

  describe('while documents change', () => {
    const service = sharedService('embedded')

    /** Runs once, between the scoring and the last read. */
    function meanwhile(change: () => Promise<void>): void {
      const context = service().context as { analysedDocuments: AnalysedDocuments }
      const { analysedDocuments } = context
      context.analysedDocuments = {
        async textsOf(...given: Parameters<AnalysedDocuments['textsOf']>) {
          context.analysedDocuments = analysedDocuments
          const found = await analysedDocuments.textsOf(...given)
          await change()
          return found
        },
      } as AnalysedDocuments
    }

    it('returns documents as they are at its end, and none that was deleted or no longer passes the filter', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      const text = 'The harbour is closed.'
      for (const docId of ['stays', 'changes', 'goes', 'leaves', 'moves'])
        await ana.documents.put('notes', docId, { text, team: 'a' }).ok()
      const where = { collection: 'notes', fleet_id: 'red', where: { team: 'a' } }
      const search = async () => {
        const { body } = await ana.documents.search('harbour', where)
        return Object.fromEntries((body.results as { doc_id: string; data: object }[]).map((r) => [r.doc_id, r.data]))
      }
      meanwhile(async () => {
        await ana.documents.put('notes', 'changes', { text: 'The harbour is open.', team: 'a' }).ok()
        await ana.documents.delete('notes', 'goes').ok()
        await ana.documents.put('notes', 'leaves', { text, team: 'b' }).ok()
        await ana.documents.put('notes', 'moves', { text, team: 'a' }, { fleet_id: 'blue' }).ok()
      })
      const after = { stays: { text, team: 'a' }, changes: { text: 'The harbour is open.', team: 'a' } }
      expect(await search()).to.deep.equal(after)
      expect(await search()).to.deep.equal(after)
    })
  })
})

/** Tests POST /documents/search: what it finds, what it leaves out, and what it reports. */
function describeDocumentSearch(service: SharedService, { indexed }: { readonly indexed: boolean }): void {
  describe(`search of documents that are ${indexed ? 'indexed' : 'pending'}`, () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const ready = () => (indexed ? settled(service()) : Promise.resolve())
    const put = (collection: string, docId: string, data: Fields, fields: Fields = {}) =>
      ana.documents.put(collection, docId, data, fields).ok()
    async function putAll(): Promise<void> {
      await put('runbooks', 'billing/restart', RUNBOOK)
      await put('recipes', 'bread', RECIPE)
      await put('policies', 'holidays', POLICY)
      await ready()
    }
    const ask = (query: string, fields: Fields = {}, caller = ana) =>
      caller.documents.search(query, { tenant_id: tenant.id, ...fields })
    async function search(query: string, fields: Fields = {}, caller = ana): Promise<Answer> {
      const { status, body } = await ask(query, fields, caller)
      expect(status, JSON.stringify(body)).to.equal(200)
      return body
    }
    const names = ({ results }: Answer) => results.map(({ doc_id }) => doc_id)

    describe('finds', () => {
      const cases: [by: string, query: string, docId: string][] = [
        ['a word of its title', 'billing', 'billing/restart'],
        ['a word of a list within it', 'drain', 'billing/restart'],
        ['a word of an object within it', 'thirty days', 'holidays'],
        ['another form of a word', 'baked', 'bread'],
        ['its meaning', 'vacation leave', 'holidays'],
      ]
      for (const [by, query, docId] of cases)
        it(`by ${by}`, async () => {
          await putAll()
          const answer = await search(query)
          expect(names(answer)[0]).to.equal(docId)
          expect(answer).to.deep.include({ query, degraded: null, count: answer.results.length, truncated: false })
          expect(answer.search_ms).to.be.at.least(0)
        })

      it('documents with the parts of their scores, best first', async () => {
        await putAll()
        const { results } = await search('restart the billing service')
        expect(results[0]).to.deep.include({ collection: 'runbooks', doc_id: 'billing/restart', data: RUNBOOK })
        expect(results[0]!.score_parts.fts_score).to.equal(1)
        for (const { score, similarity, score_parts: parts } of results) {
          expect(score).to.be.closeTo(0.7 * parts.fts_score + 0.3 * parts.vec_sim, 1e-9)
          expect(similarity).to.be.within(0, 1)
        }
        expect(results.map(({ score }) => score)).to.deep.equal(results.map(({ score }) => score).sort((a, b) => b - a))
      })

      it('as many as requested', async () => {
        for (let i = 0; i < 12; i++)
          await put('logs', `entry-${i}`, { text: `Deploy number ${i} of the harbour service` })
        await ready()
        expect((await search('harbour deploy')).count).to.equal(10)
        expect((await search('harbour deploy', { top_k: 3 })).count).to.equal(3)
        expect((await search('harbour deploy', { top_k: 100 })).count).to.equal(12)
      })

      it('as many large documents as fit into an answer, best first, and reports that there are more', async () => {
        for (let i = 0; i < 20; i++)
          await put('large', `doc-${i}`, { title: 'harbour '.repeat(i + 1), blob: 'x'.repeat(250 * 1024) })
        await ready()
        // Analysed texts are cached, so the next searches get further.
        let answer = await search('harbour', { top_k: 100 })
        await until('search is whole', async () => {
          answer = await search('harbour', { top_k: 100 })
          return expect(answer.degraded).to.not.equal('pending')
        })
        expect(answer).to.deep.include({ count: 17, truncated: true, degraded: null })
        const few = await search('harbour', { top_k: 17 })
        expect(few).to.deep.include({ count: 17, truncated: false })
        expect(names(few)).to.deep.equal(names(answer))
        expect(await search('harbour', { top_k: 1 })).to.deep.include({ count: 1, truncated: false })
      })

      it('a document of 200 KiB by a word at its end', async () => {
        await put('long', 'log', { text: `${'the quick brown fox jumps over it again '.repeat(5_000)} zanzibar` })
        await ready()
        expect(names(await search('zanzibar'))).to.deep.equal(['log'])
      })

      it('nothing for a query that matches nothing', async () => {
        await put('numbers', 'one', { value: 1 })
        await ready()
        expect(await search('zanzibar')).to.deep.include({ results: [], count: 0, degraded: null })
      })
    })

    describe('is narrowed', () => {
      it('to a collection', async () => {
        await putAll()
        const everything = 'restart bread holiday'
        expect(names(await search(everything)).sort()).to.deep.equal(['billing/restart', 'bread', 'holidays'])
        expect(names(await search(everything, { collection: 'recipes' }))).to.deep.equal(['bread'])
        expect(names(await search(everything, { collection: 'nothing-here' }))).to.deep.equal([])
      })

      const values: [what: string, where: Fields, found: string[]][] = [
        ['a string', { team: 'payments' }, ['billing/restart']],
        ['a number', { tier: 2 }, ['bread']],
        ['null', { team: null }, ['holidays']],
        ['two keys', { team: 'payments', tier: 1 }, ['billing/restart']],
        ['two keys of different documents', { team: 'payments', tier: 2 }, []],
        ['a number as a string', { tier: '2' }, []],
        ['a member of a list', { steps: 'drain' }, ['billing/restart']],
        ['one of several values', { team: ['kitchen', null, 'none'] }, ['bread', 'holidays']],
        ['a key that is further down', { text: 'Everybody has thirty days off a year.' }, []],
      ]
      for (const [what, where, found] of values)
        it(`to where ${what} is equal`, async () => {
          await putAll()
          expect(names(await search('restart bread holiday', { where }))).to.deep.equal(found)
        })

      it('to documents of a fleet and those without one', async () => {
        await put('notes', 'ours', { text: 'The harbour is closed.' })
        await put('notes', 'theirs', { text: 'The harbour is open.' }, { fleet_id: 'blue' })
        const clerk = await tenant.caller({ trust: 2 })
        await clerk.documents.put('notes', 'nobodys', { text: 'The harbour is there.' }).ok()
        await ready()
        expect(names(await search('harbour')).sort()).to.deep.equal(['nobodys', 'ours', 'theirs'])
        expect(names(await search('harbour', { fleet_id: 'red' })).sort()).to.deep.equal(['nobodys', 'ours'])
        expect(names(await search('harbour', { fleet_id: 'green' }))).to.deep.equal(['nobodys'])
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'green', trust: 1 })
        expect(names(await search('harbour', {}, ben)).sort()).to.deep.equal(['nobodys', 'ours', 'theirs'])
      })
    })

    it('finds a document although better ones are filtered out', async () => {
      const noise = Array.from({ length: 60 }, (_, i) => ({ doc_id: `n${i}`, data: { text: 'Harbour, harbour!' } }))
      await ana.documents.putMany('notes', noise, { fleet_id: 'blue' })
      await put('notes', 'ours', { text: 'A note of many words that names the harbour once.', team: 'ours' })
      await ready()
      expect(names(await search('harbour', { top_k: 5 }))).to.not.include('ours')
      expect(names(await search('harbour', { fleet_id: 'red' }))).to.deep.equal(['ours'])
      expect(names(await search('harbour', { where: { team: 'ours' } }))).to.deep.equal(['ours'])
    })

    it('reflects every change once it was answered', async () => {
      await putAll()
      expect(names(await search('sourdough', { collection: 'recipes' }))).to.deep.equal(['bread'])
      await put('recipes', 'bread', { summary: 'How to grow tomatoes' })
      expect(names(await search('tomatoes', { collection: 'recipes' }))).to.deep.equal(['bread'])
      const { results } = await search('sourdough', { collection: 'recipes' })
      for (const { score_parts: parts, data } of results) {
        expect(parts.fts_score).to.equal(0)
        expect(data).to.deep.equal({ summary: 'How to grow tomatoes' })
      }
      expect(names(await search('tomatoes', { where: { team: 'kitchen' } }))).to.deep.equal([])
      await ana.documents.delete('recipes', 'bread').ok()
      expect(names(await search('tomatoes', { collection: 'recipes' }))).to.deep.equal([])
      await put('recipes', 'bread', { summary: 'How to grow tomatoes again' })
      expect(names(await search('tomatoes', { collection: 'recipes' }))).to.deep.equal(['bread'])
    })

    it('finds nothing of another tenant, and no memories', async () => {
      await putAll()
      await ana.memories.create('The billing service was restarted by hand.').ok()
      const otherTenantCaller = await newTenant(service()).caller({ agentId: 'eve', fleetId: 'red', trust: 3 })
      const foreign = await otherTenantCaller.documents.search('restart the billing service')
      expect(foreign.body).to.deep.include({ results: [], count: 0 })
      expect((await ask('billing', {}, otherTenantCaller)).status).to.equal(403)
      await ready()
      expect(names(await search('billing service'))[0]).to.equal('billing/restart')
      const { memories } = await ana.memories.recall('billing service').ok()
      expect(memories.map(({ content }) => content)).to.deep.equal(['The billing service was restarted by hand.'])
    })

    it('is refused below trust 1', async () => {
      const restricted = await tenant.caller({ agentId: 'new', fleetId: 'red', trust: 0 })
      const { status, body } = await ask('anything', {}, restricted)
      expect(status).to.equal(403)
      expect(body.error.details).to.deep.equal({ required_trust_level: 1, caller_trust_level: 0 })
    })

    const bad: [what: string, query: string, fields: Fields, at: string][] = [
      ['a blank query', '   ', {}, 'body.query'],
      ['a query of 5,001 characters', 'x'.repeat(5_001), {}, 'body.query'],
      ['a top_k of 0', 'x', { top_k: 0 }, 'body.top_k'],
      ['a top_k of 101', 'x', { top_k: 101 }, 'body.top_k'],
      ['a collection of another form', 'x', { collection: 'No Spaces' }, 'body.collection'],
      ['a collection of the service', 'x', { collection: '_internal' }, 'body.collection'],
      ['an empty list in where', 'x', { where: { team: [] } }, 'body.where.team'],
      ['a list within a list in where', 'x', { where: { team: [['a']] } }, 'body.where.team.0'],
      ['an object in where', 'x', { where: { team: {} } }, 'body.where.team'],
      ['a key that data cannot have', 'x', { where: { ['k'.repeat(201)]: 1 } }, `body.where.${'k'.repeat(201)}`],
      ['a value that data cannot have', 'x', { where: { team: 'x'.repeat(262_144) } }, 'body.where.team'],
      [
        '21 equalities',
        'x',
        { where: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, i])) },
        'body.where',
      ],
      ['an unknown field', 'x', { filter: {} }, 'body.filter'],
      ['U+0000 in a value', 'x', { where: { team: 'a\u0000' } }, 'body.where.team'],
    ]
    for (const [what, query, fields, at] of bad)
      it(`refuses ${what}`, async () => {
        const answer = await ask(query, fields)
        expect(answer.status).to.equal(422)
        expect(faultsOf(answer)).to.include(at)
      })

    if (!indexed)
      it('reports pending for more than 500 documents, and answers from the newest', async () => {
        const items = Array.from({ length: 500 }, (_, i) => ({ doc_id: `d${i}`, data: { text: `Entry ${i}.` } }))
        await ana.documents.putMany('logs', items)
        // On a slow machine the new texts may take more than one search's time to analyse.
        await until('search is whole', async () => expect((await search('entry')).degraded).to.equal(null))
        await put('logs', 'newest', { text: 'The zanzibar entry.' })
        const answer = await search('zanzibar')
        expect([names(answer)[0], answer.degraded]).to.deep.equal(['newest', 'pending'])
        expect((await search('zanzibar', { collection: 'notes' })).degraded).to.equal(null)
      })

    if (!indexed)
      it('reports pending while there are more large new documents than one search can analyse', async () => {
        const text = 'the quick brown fox jumps over it again '.repeat(6_000)
        const items = Array.from({ length: 17 }, (_, i) => ({ doc_id: `d${i}`, data: { text: `${text} zanzibar` } }))
        for (const half of [items.slice(0, 10), items.slice(10)]) await ana.documents.putMany('long', half)
        await ready()
        const first = await search('zanzibar', { top_k: 100 })
        expect(first.degraded).to.equal('pending')
        expect(first.count).to.be.within(1, 16)
        await until('search is whole', async () =>
          expect((await search('zanzibar', { top_k: 100 })).degraded).to.equal(null),
        )
        expect((await search('zanzibar', { top_k: 100 })).count).to.equal(17)
      })

    if (indexed)
      describe('while degraded', () => {
        let faulty: FaultyIndex
        before(() => {
          faulty = makeIndexFaulty(service())
        })
        afterEach(() => faulty.recover())

        it('answers from Postgres without the engine, and reports it', async () => {
          await putAll()
          faulty.vanish()
          const answer = await search('billing', { where: { team: 'payments' } })
          expect(names(answer)).to.deep.equal(['billing/restart'])
          expect(answer.degraded).to.equal('search')
        })

        it('answers from the 500 documents changed last without the engine', async () => {
          await put('logs', 'oldest', { text: 'The zanzibar entry.' })
          const items = Array.from({ length: 499 }, (_, i) => ({ doc_id: `d${i}`, data: { text: `Entry ${i}.` } }))
          await ana.documents.putMany('logs', items)
          await settled(service(), tenant.id)
          faulty.vanish()
          await until('the oldest document is found', async () => names(await search('zanzibar')).includes('oldest'))
          await put('logs', 'newest', { text: 'The zanzibar entry again.' })
          await until('the newest document is found', async () => names(await search('zanzibar')).includes('newest'))
          await settled(service(), tenant.id)
          const answer = await search('zanzibar')
          expect(answer.degraded).to.equal('search')
          expect(names(answer)).to.include('newest').and.not.include('oldest')
        })

        it('reports a leg that fails', async () => {
          await putAll()
          faulty.failLegs('keyword')
          expect((await search('billing')).degraded).to.equal('keyword')
          faulty.failLegs('vector', 'keyword')
          expect((await search('billing')).degraded).to.equal('vector,keyword')
        })
      })
  })
}

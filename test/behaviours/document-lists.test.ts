import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

type Fields = Readonly<Record<string, unknown>>

/** Tests that documents are found by the members of their lists. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a document with a list', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
    })
    const put = (docId: string, data: Fields) => ana.documents.put('c', docId, { text: 'harbour', ...data }).ok()
    const found = async (where: Fields, more: Fields = {}) =>
      (await ana.documents.queryIds('c', { where, order_by: 'doc_id', order: 'asc', ...more })).join('')
    /** Expects a query and a search to find these. */
    async function expectFound(cases: readonly (readonly [where: Fields, names: string])[]): Promise<void> {
      for (const [where, names] of cases) {
        const what = JSON.stringify(where).slice(0, 200)
        for (const order_by of ['doc_id', 'created_at']) expect(await found(where, { order_by }), what).to.equal(names)
        const { results } = await ana.documents.search('harbour', { collection: 'c', where, top_k: 100 }).ok()
        const searched = results.map(({ doc_id }: { doc_id: string }) => doc_id).sort()
        expect(searched.join(''), `search ${what}`).to.equal(names)
      }
    }
    const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)
    const membersOf = async (key: string) =>
      (
        await runSql<{ n: number }>(
          service().databaseUrl,
          'select count(*)::int as n from document_members where tenant_id = $1 and key = $2',
          [tenant.id, key],
        )
      )[0]!.n

    it('is found by each member, of its own type, pending and indexed', async () => {
      await put('a', { tags: ['ops', 'db', 'ops'] })
      await put('b', { tags: 'ops' })
      await put('c', { tags: [1, true, null, 'x'.repeat(300), ['deep'], { deep: 1 }] })
      await put('d', { tags: { ops: 'ops' } })
      await put('e', { tags: [] })
      const cases = [
        [{ tags: 'ops' }, 'ab'],
        [{ tags: 'db' }, 'a'],
        [{ tags: 'Ops' }, ''],
        [{ tags: 1 }, 'c'],
        [{ tags: '1' }, ''],
        [{ tags: true }, 'c'],
        [{ tags: false }, ''],
        [{ tags: null }, 'c'],
        [{ tags: 'deep' }, ''],
        [{ tags: 'x'.repeat(300) }, 'c'],
        [{ tags: `${'x'.repeat(299)}y` }, ''],
        [{ tags: ['db', 1, 'none'] }, 'ac'],
        [{ tags: ['ops', 'db'] }, 'ab'],
        [{ tags: '' }, ''],
        [{ other: null }, ''],
      ] as const
      await expectFound(cases)
      await settled(service(), tenant.id)
      await expectFound(cases)
    })

    it('meets two conditions by two members only where they are of the lists that are meant', async () => {
      await put('a', { tags: ['ops', 'db'], of: ['ana', 'ben'] })
      await put('b', { tags: ['ops'], of: ['ben', 'db'] })
      await put('c', { tags: 'db', of: 'ana' })
      await settled(service(), tenant.id)
      await expectFound([
        [{ tags: 'ops', of: 'ana' }, 'a'],
        [{ tags: 'db', of: 'ana' }, 'ac'],
        [{ tags: 'db', of: 'db' }, ''],
        [{ tags: ['ops', 'db'], of: ['db', 'ana'] }, 'abc'],
        [{ tags: 'ops', text: 'harbour' }, 'ab'],
        [{ of: 'ben', tags: 'none' }, ''],
      ])
    })

    it('is found by what a change leaves in it, and by nothing once it is deleted', async () => {
      await put('a', { tags: ['ops', 'db'] })
      await put('b', { tags: ['db'] })
      await put('a', { tags: ['db', 'web'] })
      const cases = [
        [{ tags: 'ops' }, ''],
        [{ tags: 'db' }, 'ab'],
        [{ tags: 'web' }, 'a'],
      ] as const
      await expectFound(cases)
      await settled(service(), tenant.id)
      await expectFound(cases)
      await put('a', { tags: 'ops' })
      await put('b', { kind: ['db'] })
      await expectFound([
        [{ tags: 'ops' }, 'a'],
        [{ tags: 'db' }, ''],
        [{ kind: 'db' }, 'b'],
      ])
      await ana.documents.delete('c', 'b').ok()
      await expectFound([[{ kind: 'db' }, '']])
      expect(await membersOf('kind')).to.equal(0)
    })

    it('is stored in bulk, and found in the order of a key, page by page', async () => {
      const items = numbers(30).map((i) => ({
        doc_id: `d${i}`,
        data: { rank: i % 3 === 0 ? [i] : (i * 7) % 30, tags: i % 2 ? ['odd', `t${i}`] : ['even'] },
      }))
      await ana.documents.putMany('bulk', items).ok()
      const odd = items.filter((_, i) => i % 2)
      const ranked = odd.filter(({ data }) => typeof data.rank === 'number')
      ranked.sort((a, b) => (a.data.rank as number) - (b.data.rank as number))
      const lacking = odd.filter(({ data }) => typeof data.rank !== 'number')
      const names = (rows: typeof items) => rows.map(({ doc_id }) => doc_id)
      for (const limit of [1, 4, 50]) {
        const ask = { where: { tags: 'odd' }, limit, order: 'asc' }
        expect(await ana.documents.queryIds('bulk', ask)).to.deep.equal(names(odd))
        expect(await ana.documents.queryIds('bulk', { ...ask, order_by: 'rank' })).to.deep.equal(
          names([...ranked, ...lacking]),
        )
      }
      await ana.documents.putMany('bulk', [{ doc_id: 'd1', data: { tags: ['t3'] } }]).ok()
      expect(await ana.documents.queryIds('bulk', { where: { tags: 't3' }, order: 'asc' })).to.deep.equal(['d1', 'd3'])
    })

    it('of any length is found by each member, and takes no more rows than 256', async () => {
      await put('a', { tags: ['ops'], ids: numbers(10_000), more: numbers(200) })
      await put('b', { tags: ['ops'], ids: [5, 9_999, 'text'] })
      await put('c', { tags: ['ops'], ids: numbers(10_000, 20_000), more: [5] })
      await put('d', { ids: 5 })
      expect(await membersOf('ids')).to.equal(1 + 3 + 1)
      expect(await membersOf('tags')).to.equal(3)
      const cases = [
        [{ ids: 9_999 }, 'ab'],
        [{ ids: 5 }, 'abd'],
        [{ ids: 25_000 }, 'c'],
        [{ ids: 10_000 }, ''],
        [{ ids: '5' }, ''],
        [{ ids: [7_000, 21_000] }, 'ac'],
        [{ ids: 5, tags: 'ops' }, 'ab'],
        [{ ids: 5, more: 5 }, 'a'],
        [{ more: 5 }, 'ac'],
        [{ more: 200 }, ''],
        [{ ids: numbers(100, 50_000) }, ''],
        [{ ids: [...numbers(99, 50_000), 9_999] }, 'ab'],
        [{ ids: [...numbers(99, 50_000), 'text'] }, 'b'],
        [{ ids: [...numbers(99, 50_000), 5] }, 'abd'],
        [{ ids: [...numbers(99, 20_000), 5], tags: [...numbers(30), 'ops'] }, 'abc'],
      ] as const
      await expectFound(cases)
      for (const order of ['asc', 'desc']) {
        const names = await ana.documents.queryIds('c', { where: { ids: 5 }, limit: 1, order })
        expect(names.join('')).to.equal(order === 'asc' ? 'abd' : 'dba')
      }
      await settled(service(), tenant.id)
      await expectFound(cases)
      await put('a', { ids: numbers(3), tags: ['ops', ...numbers(300)] })
      await put('b', { ids: numbers(10_000) })
      await expectFound([
        [{ ids: 2 }, 'ab'],
        [{ ids: 9_999 }, 'b'],
        [{ tags: 'ops' }, 'ac'],
        [{ tags: 299 }, 'a'],
        [{ tags: 300 }, ''],
      ])
    })

    it('is found in a search among nearer documents with lists that are too long for the index', async () => {
      const long = numbers(5_000, 100)
      const items = numbers(70).map((i) => ({ doc_id: `long${i}`, data: { text: 'harbour', ids: [...long, -i] } }))
      await ana.documents.putMany('c', items).ok()
      await put('a', { text: 'harbour, and the town around it with a market', ids: [7] })
      await settled(service(), tenant.id)
      const search = async (where: Fields, top_k: number) => {
        const { results } = await ana.documents.search('harbour', { collection: 'c', where, top_k }).ok()
        return results.map(({ doc_id }: { doc_id: string }) => doc_id)
      }
      expect(await search({ ids: 7 }, 10)).to.deep.equal(['a'])
      expect(await search({ ids: [7, -69] }, 10)).to.have.members(['a', 'long69'])
      expect(await search({ ids: 99 }, 10)).to.deep.equal([])
      expect(await search({ ids: 100 }, 100)).to.have.length(70)
    })

    it('is found among large ones that pass, of which a search reads no more texts than it answers with', async () => {
      const long = numbers(4_100, 100)
      const other = numbers(55).map((i) => ({ doc_id: `other${i}`, data: { text: 'harbour', ids: long } }))
      const text = 'harbour, and the town around it with a market'
      const large = { text, ids: [...long, 7], steps: Array.from({ length: 44_000 }, () => ({})) }
      await ana.documents.putMany('c', other).ok()
      for (const half of [0, 1])
        await ana.documents
          .putMany(
            'c',
            numbers(9).map((i) => ({ doc_id: `large${half}${i}`, data: large })),
          )
          .ok()
      await settled(service(), tenant.id)
      const answer = await ana.documents.search('harbour', { collection: 'c', where: { ids: 7 }, top_k: 5 }).ok()
      expect(answer).to.include({ count: 5, degraded: null })
    })

    it('beside more lists than have rows is found by the members of all', async () => {
      const lists = (of: number) => Object.fromEntries(numbers(of).map((i) => [`k${i}`, [i, 'all']]))
      await put('a', lists(257))
      await put('b', lists(256))
      expect([await membersOf('k0'), await membersOf('k256')]).to.deep.equal([1, 0])
      const cases = [
        [{ k256: 256 }, 'a'],
        [{ k0: 0 }, 'ab'],
        [{ k0: 'all', k200: 200 }, 'ab'],
        [{ k0: 1 }, ''],
      ] as const
      await expectFound(cases)
      await settled(service(), tenant.id)
      await expectFound(cases)
      await put('a', { ...lists(2), text: 'harbour' })
      await put('b', lists(300))
      await expectFound([
        [{ k1: 'all' }, 'ab'],
        [{ k299: 'all' }, 'b'],
        [{ k2: 2 }, 'b'],
      ])
    })

    it('is not found by another tenant, nor by a query of another collection or fleet', async () => {
      await put('a', { tags: ['ops'], ids: numbers(300) })
      await settled(service(), tenant.id)
      const eve = await newTenant(service()).caller({ agentId: 'eve', fleetId: 'red', trust: 3 })
      for (const where of [{ tags: 'ops' }, { ids: 7 }]) {
        expect(await eve.documents.queryIds('c', { where })).to.deep.equal([])
        expect(await ana.documents.queryIds('other', { where })).to.deep.equal([])
        expect(await ana.documents.queryIds('c', { where, fleet_id: 'blue' })).to.deep.equal([])
        expect(await ana.documents.queryIds('c', { where, fleet_id: 'red' })).to.deep.equal(['a'])
        expect((await eve.documents.search('harbour', { where }).ok()).results).to.deep.equal([])
      }
    })
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import {
  documentMeets,
  type FilteredDocument,
  filteredDocuments,
  randomDocumentFilter,
} from '../support/random-filters.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

/** `filter` of queries and searches of documents. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a filter on documents', () => {
    const COUNT = 60
    const documents = filteredDocuments(COUNT, 3)
    let ana: Caller
    let now: number

    async function write(caller: Caller, collection: string, rows: readonly FilteredDocument[]): Promise<void> {
      for (const { doc_id: docId, data, fleet_id: fleetId } of rows)
        await caller.documents
          .put(collection, docId, { ...data, note: 'A heron stands here.' }, { fleet_id: fleetId })
          .ok()
    }
    async function newCaller(): Promise<Caller> {
      const tenant = newTenant(service())
      return tenant.caller({ trust: 3 })
    }
    const queried = async (caller: Caller, filter: object, more: object = {}) =>
      (await caller.documents.query('notes', { filter, limit: 200, ...more }).ok()).items
        .map((row) => row.doc_id)
        .sort()
    const searched = async (caller: Caller, filter: object, more: object = {}) =>
      (await caller.documents.search('heron', { filter, collection: 'notes', top_k: 100, ...more }).ok()).results
        .map((row) => row.doc_id)
        .sort()

    before(async () => {
      ana = await newCaller()
      await write(ana, 'notes', documents)
      await write(ana, 'others', documents.slice(0, 5))
      now = Date.now()
      await settled(service())
    })

    it('finds in queries and searches what a plain reading of the contract does', () =>
      fc.assert(
        fc.asyncProperty(randomDocumentFilter, async (filter) => {
          const expected = documents
            .filter((row) => documentMeets(filter, row, now))
            .map((row) => row.doc_id)
            .sort()
          expect(await queried(ana, filter)).to.deep.equal(expected)
          expect(await searched(ana, filter)).to.deep.equal(expected)
        }),
        { numRuns: 80 },
      ))

    it('narrows beside the other conditions, and pages through a query', async () => {
      const has = { 'data.note': { exists: true } }
      expect(await queried(ana, { doc_id: { in: ['a', 'b', 'zz'] } })).to.deep.equal(['a', 'b'])
      const both = { where: { note: 'A heron stands here.' }, fleet_id: 'red' }
      const red = documents.filter((row) => row.fleet_id !== 'blue').map((row) => row.doc_id)
      expect(await queried(ana, has, both)).to.deep.equal([...red].sort())
      expect(await searched(ana, has, { fleet_id: 'red' })).to.deep.equal([...red].sort())
      for (const orderBy of ['doc_id', 'updated_at', 'created_at', 'k'])
        expect(
          (await ana.documents.queryIds('notes', { filter: has, order_by: orderBy, limit: 7 })).sort(),
        ).to.deep.equal(documents.map((row) => row.doc_id).sort())
    })

    it('has cursors of its own', async () => {
      const page = await ana.documents.query('notes', { filter: { 'data.note': { exists: true } }, limit: 2 }).ok()
      const other = { filter: { 'data.note': { exists: false } }, limit: 2, cursor: page.next_cursor }
      expect((await ana.documents.query('notes', other)).status).to.equal(400)
    })

    it('finds by the data that a document has now, also before it is indexed', async () => {
      const caller = await newCaller()
      await caller.documents.put('notes', 'one', { note: 'heron', cost: 10, due: '2026-01-31' }).ok()
      await caller.documents.put('notes', 'two', { note: 'heron', cost: [1, 200], due: '2026-06-01' }).ok()
      const high = { 'data.cost': { gt: 100 } }
      const both = [await queried(caller, high), await searched(caller, high)]
      expect(both).to.deep.equal([['two'], ['two']])
      await settled(service())
      await caller.documents.put('notes', 'one', { note: 'heron', cost: 300 }).ok()
      expect([await queried(caller, high), await searched(caller, high)]).to.deep.equal([
        ['one', 'two'],
        ['one', 'two'],
      ])
      const { updated_at: second } = await caller.documents.get('notes', 'two').ok()
      const since = { updated_at: { gt: second } }
      await settled(service())
      expect([await queried(caller, since), await searched(caller, since)]).to.deep.equal([['one'], ['one']])
      const before = { updated_at: { lt: new Date(now).toISOString() } }
      await settled(service())
      expect([await queried(caller, before), await searched(caller, before)]).to.deep.equal([[], []])
    })

    it('finds what passes among many that do not, and in lists that are too long for the index', async () => {
      const caller = await newCaller()
      const long = Array.from({ length: 6_000 }, (_, i) => i)
      await caller.documents
        .putMany(
          'notes',
          Array.from({ length: 180 }, (_, i) => ({
            doc_id: `d${i}`,
            data: { note: 'heron', cost: i, list: [`x${i}`] },
          })),
        )
        .ok()
      await caller.documents.put('notes', 'long', { note: 'heron', list: long }).ok()
      const many = Object.fromEntries(long.map((n) => [`k${n}`, [n]]))
      await caller.documents.put('notes', 'many', { note: 'heron', cost: 179.5, ...many }).ok()
      await settled(service())
      for (const [filter, expected] of [
        [{ 'data.cost': { gte: 178 } }, ['d178', 'd179', 'many']],
        [{ 'data.k5999': { gte: 5_999 } }, ['many']],
        [{ 'data.k5999': { exists: true } }, ['many']],
        [{ and: [{ not: { 'data.k1': 2 } }, { 'data.cost': { gt: 179 } }] }, ['many']],
        [{ 'data.list': { in: ['x3', 5_999] } }, ['d3', 'long']],
        [{ 'data.list': { gt: 5_998 } }, ['long']],
        [{ not: { or: [{ 'data.cost': { lt: 179 } }, { 'data.list': 17 }] } }, ['d179', 'many']],
        [{ and: [{ 'data.list': { exists: true } }, { 'data.cost': { exists: false } }] }, ['long']],
      ] as const)
        expect([await queried(caller, filter), await searched(caller, filter, { top_k: 5 })]).to.deep.equal([
          expected,
          expected,
        ])
    })

    it('shows nothing of another tenant', async () => {
      const other = await newCaller()
      expect(await queried(other, { 'data.note': { exists: true } })).to.deep.equal([])
      expect(await searched(other, { not: { 'data.note': 'none' } })).to.deep.equal([])
    })

    it('is refused with its place where it cannot be evaluated', async () => {
      for (const [filter, loc] of [
        [{ 'metadata.k': 1 }, ['body', 'filter', 'metadata.k']],
        [{ entity_id: 'a' }, ['body', 'filter', 'entity_id']],
        [{ valid_at: '2026-01-31' }, ['body', 'filter', 'valid_at']],
        [{ created_at: '2026-01-31' }, ['body', 'filter', 'created_at']],
        [{ and: [{ doc_id: 7 }] }, ['body', 'filter', 'and', '0', 'doc_id']],
        [{ 'data.k': { in: [] } }, ['body', 'filter', 'data.k', 'in']],
      ] as const)
        for (const answer of [
          await ana.documents.query('notes', { filter }),
          await ana.documents.search('heron', { filter }),
        ]) {
          expect(answer.status).to.equal(422)
          expect(faultsOf(answer)).to.deep.equal([loc.join('.')])
        }
    })
  })
})

import { expect } from 'chai'
import type { IndexChange, TenantIndex } from '../../search/search-index.js'
import type { Subject } from './search-index.test.js'
import { changes, document, filter, ids, unit } from './seeds.js'

async function hits(memories: TenantIndex, term: string) {
  const answer = await memories.search({ filter: filter(), size: 100, keyword: { terms: [term] } })
  expect(answer.failed).to.eql([])
  return ids(answer, 'keyword')
}

export function describeWrites({ index, tenant }: Subject): void {
  describe('writes', () => {
    it('resolve only once their changes are searchable', async () => {
      const memories = tenant()
      for (let seq = 1; seq <= 5; seq++) {
        await memories.write([{ id: 'm', seq, document: document({ terms: [`edition${seq}`] }) }])
        expect(await hits(memories, `edition${seq}`)).to.eql(['m'])
        expect(await hits(memories, `edition${seq - 1}`)).to.eql([])
      }
    })

    it('answer in the order of their changes, and with nothing for none', async () => {
      const memories = tenant()
      const outcomes = await memories.write(changes({ c: {}, a: {}, b: {} }))
      expect(outcomes).to.eql(['c', 'a', 'b'].map((id) => ({ id, outcome: 'written' })))
      expect(await memories.write([])).to.eql([])
    })

    it('have no effect with an older or equal sequence, and count as written', async () => {
      const memories = tenant()
      await memories.write([{ id: 'm', seq: 10, document: document({ terms: ['current'] }) }])
      for (const seq of [9, 10]) {
        const outcomes = await memories.write([{ id: 'm', seq, document: document({ terms: ['stale'] }) }])
        expect(outcomes).to.eql([{ id: 'm', outcome: 'written' }])
        expect(await memories.write([{ id: 'm', seq, document: null }])).to.eql([{ id: 'm', outcome: 'written' }])
      }
      expect(await hits(memories, 'stale')).to.eql([])
      expect(await hits(memories, 'current')).to.eql(['m'])
    })

    it('with sequence 0 have an effect only where there is nothing else, including tombstones', async () => {
      const memories = tenant()
      const fresh = (id: string): IndexChange => ({ id, seq: 0, document: document({ terms: ['filled'] }) })
      await memories.write([
        { id: 'changed', seq: 1, document: document({ terms: ['changed'] }) },
        { id: 'deleted', seq: 2, document: null },
      ])
      const outcomes = await memories.write([fresh('changed'), fresh('deleted'), fresh('untouched')])
      expect(outcomes.map(({ outcome }) => outcome)).to.eql(['written', 'written', 'written'])
      expect(await hits(memories, 'filled')).to.eql(['untouched'])
      expect(await hits(memories, 'changed')).to.eql(['changed'])
      await memories.write([{ id: 'untouched', seq: 3, document: document({ terms: ['changed'] }) }])
      expect(await hits(memories, 'filled')).to.eql([])
    })

    it('keep the newest of several changes of one memory in one batch', async () => {
      const memories = tenant()
      const change = (seq: number): IndexChange => ({ id: 'm', seq, document: document({ terms: ['all', `s${seq}`] }) })
      await memories.write([change(2), change(3), change(1)])
      expect(await hits(memories, 'all')).to.eql(['m'])
      expect(await hits(memories, 's3')).to.eql(['m'])
    })

    it('count documents by id, without tombstones and other tenants’, before and after an expunge', async () => {
      const memories = tenant()
      await memories.write(changes({ a: {}, b: {} }))
      await memories.write([{ id: 'b', seq: 10, document: null }])
      await tenant().write(changes({ c: {} }))
      expect(await memories.countOf(['a', 'b', 'c', 'd'])).to.equal(1)
      await index().expunge()
      expect(await memories.countOf(['a', 'b', 'c', 'd'])).to.equal(1)
      expect(await memories.countOf([])).to.equal(0)
    })

    it('replace every part of a document', async () => {
      const memories = tenant()
      await memories.write([
        {
          id: 'm',
          seq: 1,
          document: document({ terms: ['old'], vector: unit(1), entityIds: ['e1'], metadataTerms: ['k'] }),
        },
      ])
      const search = () =>
        memories.search({
          filter: filter(),
          size: 10,
          vector: { vector: unit(1) },
          entity: { entityIds: ['e1', 'e2'] },
          keyword: { terms: ['old', 'new'] },
        })
      await memories.write([
        { id: 'm', seq: 2, document: document({ terms: ['new'], vector: unit(0, 1), entityIds: ['e2'] }) },
      ])
      const moved = await search()
      expect(moved.legs.vector![0]!.score).to.be.closeTo(0, 1e-6)
      expect(moved.legs.entity![0]!.score).to.equal(1)
      expect(await hits(memories, 'old')).to.eql([])
      expect(
        (
          await memories.search({
            filter: filter({ condition: { kind: 'terms', anyOf: ['k'] } }),
            size: 1,
            keyword: { terms: ['new'] },
          })
        ).legs,
      ).to.eql({ keyword: [] })

      await memories.write([{ id: 'm', seq: 3, document: document({ terms: ['new'] }) }])
      const bare = await search()
      expect(ids(bare, 'vector')).to.eql([])
      expect(ids(bare, 'entity')).to.eql([])
      expect(ids(bare, 'keyword')).to.eql(['m'])

      await memories.write([{ id: 'm', seq: 4, document: document({ terms: ['new'], vector: unit(1) }) }])
      expect((await search()).legs.vector![0]!.score).to.be.closeTo(1, 1e-6)
    })

    it('refuse an item that can never be indexed, with a reason that quotes nothing, and write the others', async () => {
      const memories = tenant()
      const outcomes = await memories.write([
        { id: 'before', seq: 1, document: document({ terms: ['secret'] }) },
        { id: 'short', seq: 2, document: document({ terms: ['secret'], vector: new Float32Array([1]) }) },
        { id: 'broken', seq: 3, document: document({ terms: ['secret'], vector: unit(1).fill(NaN, 0, 1) }) },
        { id: 'after', seq: 4, document: document({ terms: ['secret'] }) },
      ])
      expect(outcomes.map(({ id, outcome }) => [id, outcome])).to.eql([
        ['before', 'written'],
        ['short', 'refused'],
        ['broken', 'refused'],
        ['after', 'written'],
      ])
      for (const outcome of outcomes) {
        if (outcome.outcome === 'refused') expect(outcome.reason).to.match(/\w/).and.not.contain('secret')
      }
      expect((await hits(memories, 'secret')).sort()).to.eql(['after', 'before'])
    })

    it('leave a refused memory unchanged', async () => {
      const memories = tenant()
      await memories.write([{ id: 'm', seq: 1, document: document({ terms: ['good'] }) }])
      await memories.write([
        { id: 'm', seq: 2, document: document({ terms: ['bad'], vector: new Float32Array(3).fill(1) }) },
      ])
      expect(await hits(memories, 'good')).to.eql(['m'])
    })

    it('throw the reason of a signal that is aborted', async () => {
      const reason = new Error('the caller has gone')
      const failed = await tenant()
        .write(changes({ a: {} }), AbortSignal.abort(reason))
        .catch((error: unknown) => error)
      expect(failed).to.equal(reason)
    })

    it('and searches run concurrently without losing or duplicating anything', async () => {
      const memories = tenant()
      const batches = Array.from({ length: 12 }, (_, batch) =>
        Array.from({ length: 25 }, (_, i): IndexChange => ({
          id: `m${(batch * 7 + i) % 100}`,
          seq: batch * 25 + i + 1,
          document: document({ terms: ['busy', `s${batch * 25 + i + 1}`], vector: unit(i, batch) }),
        })),
      )
      const newest = new Map<string, number>()
      for (const { id, seq } of batches.flat()) newest.set(id, Math.max(seq, newest.get(id) ?? 0))
      const searching = Array.from({ length: 20 }, async () => {
        const answer = await memories.search({
          filter: filter(),
          size: 200,
          keyword: { terms: ['busy'] },
          vector: { vector: unit(1) },
        })
        expect(answer.failed).to.eql([])
        const seen = ids(answer, 'keyword')
        expect(new Set(seen).size).to.equal(seen.length)
      })
      await Promise.all([...batches.map((batch) => memories.write(batch)), ...searching])
      const answer = await memories.search({
        filter: filter(),
        size: 200,
        keyword: { terms: ['busy'] },
        frequenciesOf: ['busy', ...batches.flat().map(({ seq }) => `s${seq}`)],
      })
      expect(new Set(ids(answer, 'keyword'))).to.eql(new Set(newest.keys()))
      const left = [...answer.statistics!.frequency].filter(([term, count]) => term !== 'busy' && count > 0)
      expect(new Map(left)).to.eql(new Map([...newest.values()].map((seq) => [`s${seq}`, 1])))
      expect(answer.statistics).to.deep.include({ documents: newest.size, averageLength: 2 })
      expect(answer.statistics!.frequency.get('busy')).to.equal(newest.size)
    })
  })

  describe('tombstones', () => {
    const written = { terms: ['gone'], vector: unit(1), entityIds: ['e'] }
    const search = (memories: TenantIndex) =>
      memories.search({
        filter: filter({ statuses: ['active', 'deleted'] }),
        size: 10,
        keyword: { terms: ['gone'] },
        vector: { vector: unit(1) },
        entity: { entityIds: ['e'] },
      })

    it('remove a document from every leg, even if the filter asks for deleted ones', async () => {
      const memories = tenant()
      await memories.write(changes({ m: written, other: { ...written } }))
      await memories.write([{ id: 'm', seq: 5, document: null }])
      const answer = await search(memories)
      for (const leg of ['keyword', 'vector', 'entity'] as const) expect(ids(answer, leg)).to.eql(['other'])
    })

    it('keep their sequence: an older write does not restore the document, a newer one does', async () => {
      const memories = tenant()
      await memories.write([{ id: 'm', seq: 5, document: null }])
      await memories.write([{ id: 'm', seq: 4, document: document(written) }])
      expect(ids(await search(memories), 'keyword')).to.eql([])
      await memories.write([{ id: 'm', seq: 6, document: document(written) }])
      const answer = await search(memories)
      for (const leg of ['keyword', 'vector', 'entity'] as const) expect(ids(answer, leg)).to.eql(['m'])
    })

    it('are purged once they are old enough, documents never', async () => {
      const memories = tenant()
      await index().purgeTombstones(Date.now() + 60_000)
      const { documents } = await index().describe()
      await memories.write([
        ...changes({ live: written }),
        { id: 'm', seq: 5, document: null },
        { id: 'n', seq: 6, document: null },
      ])
      expect(await index().purgeTombstones(Date.now() - 60_000)).to.equal(0)
      expect(await index().purgeTombstones(Date.now() + 60_000)).to.equal(2)
      expect(await index().purgeTombstones(Date.now() + 60_000)).to.equal(0)
      expect(ids(await search(memories), 'keyword')).to.eql(['live'])
      expect((await index().describe()).documents).to.equal(documents + 1)
    })

    it('once purged, accept the very next sequence', async () => {
      const memories = tenant()
      await memories.write([{ id: 'm', seq: 5, document: null }])
      await index().purgeTombstones(Date.now() + 60_000)
      await memories.write([{ id: 'm', seq: 6, document: document(written) }])
      expect(ids(await search(memories), 'keyword')).to.eql(['m'])
    })
  })
}

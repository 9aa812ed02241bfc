import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Space } from '../../domain/space.js'
import type { SearchIndex, TenantIndex } from '../../search/search-index.js'
import { describeFilters } from './filter-behaviours.js'
import { describeLegs } from './leg-behaviours.js'
import { DIMENSIONS, document } from './seeds.js'
import { describeWrites } from './write-behaviours.js'

/** Where an engine keeps an index; the same place opened twice is the same index. */
export interface Place {
  open(settings?: {
    readonly embedderId?: string
    readonly dimensions?: number
    readonly generation?: string
  }): SearchIndex
  remove(): Promise<void>
}

/** What every suite gets: the started index, and a tenant of its own for each test. */
export interface Subject {
  index(): SearchIndex
  tenant(): TenantIndex
}

/** The behaviours that the port promises, run against the engine whose places `makePlace` makes. */
export function describeSearchIndex(name: string, makePlace: () => Promise<Place>): void {
  describe(`search index: ${name}`, () => {
    let place: Place
    let index: SearchIndex

    before(async () => {
      place = await makePlace()
      index = place.open()
      await index.start()
    })
    after(async () => {
      await index.stop()
      await place.remove()
    })

    const subject: Subject = { index: () => index, tenant: () => index.for(`tenant-${randomUUID()}`) }
    describeLegs(subject)
    describeFilters(subject)
    describeWrites(subject)
    describeLife(makePlace)
  })
}

function describeLife(makePlace: () => Promise<Place>): void {
  describe('life', () => {
    let place: Place
    const opened: SearchIndex[] = []
    const open = (settings?: Parameters<Place['open']>[0]) => {
      const index = place.open(settings)
      opened.push(index)
      return index
    }

    beforeEach(async () => {
      place = await makePlace()
    })
    afterEach(async () => {
      for (const index of opened.splice(0)) await index.stop()
      await place.remove()
    })

    it('keeps its documents over a restart', async () => {
      const first = open()
      await first.start()
      await first.for('t').write([{ id: 'kept', seq: 1, document: document({ terms: ['lasting'] }) }])
      await first.stop()
      const second = open()
      await second.start()
      expect(await found(second, 'lasting')).to.eql(['kept'])
    })

    it('is fresh until it is seeded, over a restart in between, and never again after', async () => {
      const first = open()
      await first.start()
      expect(first.fresh).to.equal(true)
      await first.stop()
      const second = open()
      await second.start()
      expect(second.fresh).to.equal(true)
      await second.seeded()
      expect(second.fresh).to.equal(false)
      await second.stop()
      const third = open()
      await third.start()
      expect(third.fresh).to.equal(false)
    })

    it('keeps another embedder apart, fresh and empty, and finds the first one as it was', async () => {
      const first = open()
      await first.start()
      await first.seeded()
      await first.for('t').write([{ id: 'kept', seq: 1, document: document({ terms: ['lasting'] }) }])
      await first.stop()
      const other = open({ embedderId: 'other/model', dimensions: DIMENSIONS * 2 })
      await other.start()
      expect(other.fresh).to.equal(true)
      expect(await found(other, 'lasting')).to.eql([])
      await other.stop()
      const again = open()
      await again.start()
      expect(again.fresh).to.equal(false)
      expect(await found(again, 'lasting')).to.eql(['kept'])
    })

    it('keeps another generation of the same embedder apart, and takes it away without the first', async () => {
      const first = open()
      const second = open({ generation: 'abcd1234' })
      await first.start()
      await second.start()
      expect(second.fresh).to.equal(true)
      await first.for('t').write([{ id: 'of-the-first', seq: 1, document: document({ terms: ['lasting'] }) }])
      await second.for('t').write([{ id: 'of-the-second', seq: 1, document: document({ terms: ['lasting'] }) }])
      expect(await found(first, 'lasting')).to.eql(['of-the-first'])
      expect(await found(second, 'lasting')).to.eql(['of-the-second'])
      await second.seeded()
      await second.remove()
      expect(await found(first, 'lasting')).to.eql(['of-the-first'])
      const again = open({ generation: 'abcd1234' })
      await again.start()
      expect(again.fresh).to.equal(true)
      expect(await found(again, 'lasting')).to.eql([])
    })

    it('is removed once and for all: again is as good', async () => {
      const first = open()
      await first.start()
      await first.remove()
      await open().remove()
    })

    it('keeps memories and documents of one id apart', async () => {
      const index = open()
      await index.start()
      await index.for('t').write([{ id: '1', seq: 1, document: document({ terms: ['said'] }) }])
      await index.for('t', 'documents').write([
        { id: '1', seq: 2, document: document({ terms: ['filed'], memoryType: null }) },
        { id: '2', seq: 3, document: document({ terms: ['filed'], memoryType: null }) },
      ])
      expect([await found(index, 'said'), await found(index, 'filed')]).to.eql([['1'], []])
      expect((await found(index, 'filed', 'documents')).sort()).to.eql(['1', '2'])
      expect([await index.for('t').count(), await index.for('t', 'documents').count()]).to.eql([1, 2])
      await index.for('t', 'documents').write([{ id: '1', seq: 4, document: null }])
      expect([await found(index, 'said'), await found(index, 'filed', 'documents')]).to.eql([['1'], ['2']])
      expect((await index.describe('documents')).name).to.contain('documents-')
    })

    it('answers healthy with its name and size, tombstones not counted', async () => {
      const index = open()
      await index.start()
      await index.for('a').write([{ id: '1', seq: 1, document: document() }])
      await index.for('b').write([
        { id: '1', seq: 2, document: document() },
        { id: '2', seq: 3, document: null },
      ])
      expect(await index.health()).to.equal(null)
      const { name, documents } = await index.describe()
      expect(name).to.contain('memories-')
      expect(documents).to.equal(2)
      expect([await index.for('a').count(), await index.for('b').count(), await index.for('c').count()]).to.eql([
        1, 1, 0,
      ])
    })
  })
}

async function found(index: SearchIndex, term: string, space?: Space): Promise<string[]> {
  const answer = await index.for('t', space).search({
    filter: { audience: { kind: 'shared', agentId: null, fleets: 'all' }, now: 0, statuses: ['active'] },
    size: 10,
    keyword: { terms: [term] },
  })
  return answer.legs.keyword!.map((hit) => hit.id)
}

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import { createOpenSearchIndex } from '../../search/opensearch/opensearch-index.js'
import type { SearchIndex, TenantIndex } from '../../search/search-index.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { scaled } from '../support/services.js'
import { describeFilters } from './filter-behaviours.js'
import { describeLegs } from './leg-behaviours.js'
import { changes, DIMENSIONS, document, filter, ids, unit } from './seeds.js'
import { describeWrites } from './write-behaviours.js'

/** Storage of an engine's index; opening the same one twice gives the same index. */
interface EngineStorage {
  open(settings?: {
    readonly embedderId?: string
    readonly dimensions?: number
    readonly generation?: string
  }): SearchIndex
  remove(): Promise<void>
}

/** The arguments of every suite: the started index, and a new tenant for each test. */
export interface Subject {
  index(): SearchIndex
  tenant(): TenantIndex
}

describeSearchIndex('sqlite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
  return {
    open: (settings) =>
      createSqliteIndex({
        directory,
        embedderId: 'test/model',
        dimensions: DIMENSIONS,
        generation: '00000001',
        ...settings,
      }),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})

scaled('opensearch', ({ opensearch: url }) => {
  describeSearchIndex('opensearch', async () => {
    const prefix = `test-${randomBytes(6).toString('hex')}`
    return {
      open: (settings) =>
        createOpenSearchIndex({
          url,
          prefix,
          embedderId: 'test/model',
          dimensions: DIMENSIONS,
          generation: '00000001',
          timeoutMs: 20_000,
          ...settings,
        }),
      remove: async () => {
        await fetch(`${url}/${prefix}-*`, { method: 'DELETE' })
      },
    }
  })
})

/** Runs the behaviours that `SearchIndex` promises against the engine whose storage `createStorage` creates. */
function describeSearchIndex(name: string, createStorage: () => Promise<EngineStorage>): void {
  describe(`search index: ${name}`, () => {
    let storage: EngineStorage
    let index: SearchIndex

    before(async () => {
      storage = await createStorage()
      index = storage.open()
      await index.make('first')
    })
    after(async () => {
      await index.stop()
      await storage.remove()
    })

    const subject: Subject = { index: () => index, tenant: () => index.for(`tenant-${randomUUID()}`) }
    describeLegs(subject)
    describeFilters(subject)
    describeWrites(subject)
    describeSamples(subject)
    describeLife(createStorage)
  })
}

function describeSamples({ tenant }: Subject): void {
  describe('samples', () => {
    it('choose every document by some seeds and by some not, the same ones for the same seed', async () => {
      const all = [...Array(40).keys()].map((i) => `m${i}`)
      const memories = tenant()
      await memories.write(changes(Object.fromEntries(all.map((id) => [id, {}]))))
      const times = new Map<string, number>()
      for (let seed = 0; seed < 80; seed++) {
        const sample = await memories.listIds({ sample: 10, seed })
        expect(new Set(sample)).to.have.property('size', 10)
        for (const id of sample) times.set(id, (times.get(id) ?? 0) + 1)
      }
      // Expected are 20 of 80, with a standard deviation of 3.9.
      expect([...times.keys()].sort()).to.eql([...all].sort())
      expect(Math.max(...times.values())).to.be.below(50)
      expect(await memories.listIds({ sample: 10, seed: 7 })).to.eql(await memories.listIds({ sample: 10, seed: 7 }))
      expect(await memories.listIds({ sample: 100, seed: 7 })).to.have.members(all)
    })
  })
}

function describeLife(createStorage: () => Promise<EngineStorage>): void {
  describe('life cycle', () => {
    let storage: EngineStorage
    const opened: SearchIndex[] = []
    const open = (settings?: Parameters<EngineStorage['open']>[0]) => {
      const index = storage.open(settings)
      opened.push(index)
      return index
    }

    beforeEach(async () => {
      storage = await createStorage()
    })
    afterEach(async () => {
      for (const index of opened.splice(0)) await index.stop()
      await storage.remove()
    })

    it('keeps its documents across a restart', async () => {
      const first = open()
      await first.make('first')
      await first.for('t').write([{ id: 'kept', seq: 1, document: document({ terms: ['lasting'] }) }])
      await first.stop()
      const second = open()
      await second.make('first')
      expect(await found(second, 'lasting')).to.eql(['kept'])
    })

    it('has its initial mark in every part, across a restart, and creating it again changes nothing', async () => {
      const first = open()
      expect(await first.marks()).to.equal(null)
      await first.make('first')
      const marks = (await first.marks())!
      expect(new Set(marks)).to.deep.equal(new Set(['first']))
      await first.make('second')
      await first.stop()
      expect(await open().marks()).to.deep.equal(marks)
    })

    it('replaces a known mark, and returns it with every search', async () => {
      const index = open()
      await index.make('first')
      expect(await returnedMark(index)).to.equal('first')
      expect(await index.remark(['first', 'second'], 'second')).to.equal(true)
      expect(await returnedMark(index)).to.equal('second')
      expect(await returnedMark(index, 'documents')).to.equal('second')
      expect(await index.remark(['first', 'second'], 'second')).to.equal(true)
      expect(await index.remark(['first'], 'third')).to.equal(false)
      expect(await returnedMark(index)).to.equal('second')
    })

    it('accepts a new mark from several processes at once', async () => {
      const index = open()
      await index.make('first')
      const marked = await Promise.all([1, 2, 3].map(() => open().remark(['first', 'second'], 'second')))
      expect(marked).to.deep.equal([true, true, true])
    })

    it('is not created by a search, a write, a count or a mark', async () => {
      const index = open()
      const attempts = [
        () => found(index, 'lasting'),
        () => index.for('t').write([{ id: 'kept', seq: 1, document: document() }]),
        () => index.for('t').count(),
        () => index.remark(['first'], 'second'),
      ]
      for (const attempt of attempts)
        expect(await attempt().catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
      expect(await index.marks()).to.equal(null)
      expect(await index.health()).to.have.property('reason')
    })

    it('keeps its mark when its tombstones are purged, and never counts it', async () => {
      const index = open()
      await index.make('first')
      await index.for('t').write([{ id: 'gone', seq: 1, document: null }])
      expect(await index.purgeTombstones(Date.now() + 1e9)).to.equal(1)
      expect(await returnedMark(index)).to.equal('first')
      expect((await index.describe()).documents).to.equal(0)
      expect(await found(index, 'first')).to.deep.equal([])
    })

    it('is separate for another embedder, and leaves the first one unchanged', async () => {
      const first = open()
      await first.make('first')
      await first.for('t').write([{ id: 'kept', seq: 1, document: document({ terms: ['lasting'] }) }])
      await first.stop()
      const other = open({ embedderId: 'other/model', dimensions: DIMENSIONS * 2 })
      await other.make('first')
      expect(await found(other, 'lasting')).to.eql([])
      await other.stop()
      expect(await found(open(), 'lasting')).to.eql(['kept'])
    })

    it('is separate for another generation of the same embedder, and removes it without the first', async () => {
      const first = open()
      const second = open({ generation: 'abcd1234' })
      await first.make('first')
      await second.make('second')
      await first.for('t').write([{ id: 'of-the-first', seq: 1, document: document({ terms: ['lasting'] }) }])
      await second.for('t').write([{ id: 'of-the-second', seq: 1, document: document({ terms: ['lasting'] }) }])
      expect(await found(first, 'lasting')).to.eql(['of-the-first'])
      expect(await found(second, 'lasting')).to.eql(['of-the-second'])
      await second.remove()
      expect(await found(first, 'lasting')).to.eql(['of-the-first'])
      expect(await open({ generation: 'abcd1234' }).marks()).to.equal(null)
    })

    it('can be removed twice', async () => {
      const first = open()
      await first.make('first')
      await first.remove()
      await open().remove()
    })

    it('separates memories and documents of one id', async () => {
      const index = open()
      await index.make('first')
      const vector = unit(1)
      await index.for('t').write([{ id: '1', seq: 1, document: document({ terms: ['said'], vector }) }])
      await index.for('t', 'documents').write([
        { id: '1', seq: 2, document: document({ terms: ['filed'], memoryType: null, vector }) },
        { id: '2', seq: 3, document: document({ terms: ['filed'], memoryType: null, vector }) },
      ])
      const near = async (corpus: Corpus) =>
        ids(await index.for('t', corpus).search({ filter: filter(), size: 10, vector: { vector } }), 'vector').sort()
      expect([await near('memories'), await near('documents')]).to.eql([['1'], ['1', '2']])
      expect([await found(index, 'said'), await found(index, 'filed')]).to.eql([['1'], []])
      expect((await found(index, 'filed', 'documents')).sort()).to.eql(['1', '2'])
      expect([await index.for('t').count(), await index.for('t', 'documents').count()]).to.eql([1, 2])
      await index.for('t', 'documents').write([{ id: '1', seq: 4, document: null }])
      expect([await found(index, 'said'), await found(index, 'filed', 'documents')]).to.eql([['1'], ['2']])
      expect((await index.describe('documents')).name).to.contain('documents-')
    })

    it('reports health, name and size, without tombstones', async () => {
      const index = open()
      await index.make('first')
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

async function returnedMark(index: SearchIndex, corpus?: Corpus): Promise<string | null> {
  const filter = { audience: { kind: 'shared', agentId: null, fleets: 'all' }, now: 0, statuses: ['active'] } as const
  return (await index.for('t', corpus).search({ filter, size: 10 })).mark
}

async function found(index: SearchIndex, term: string, corpus?: Corpus): Promise<string[]> {
  const answer = await index.for('t', corpus).search({
    filter: { audience: { kind: 'shared', agentId: null, fleets: 'all' }, now: 0, statuses: ['active'] },
    size: 10,
    keyword: { terms: [term] },
  })
  return answer.legs.keyword!.map((hit) => hit.id)
}

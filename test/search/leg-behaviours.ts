import { expect } from 'chai'
import { type Audience, isVisible, VISIBILITIES } from '../../domain/visibility.js'
import type { Subject } from './search-index.test.js'
import { authoredFleetsOf, changes, document, filter, ids, NOW, unit } from './seeds.js'

export function describeLegs({ index, tenant }: Subject): void {
  describe('keyword leg', () => {
    it('finds documents with any of the terms and ranks rare terms and more of them first', async () => {
      const memories = tenant()
      await memories.write(
        changes({
          both: { terms: ['common', 'rare'] },
          common: { terms: ['common', 'filler'] },
          rare: { terms: ['rare', 'filler'] },
          alsoCommon: { terms: ['common', 'other', 'words', 'here'] },
          none: { terms: ['filler'] },
        }),
      )
      const answer = await memories.search({ filter: filter(), size: 10, keyword: { terms: ['common', 'rare'] } })
      expect(ids(answer, 'keyword')).to.eql(['both', 'rare', 'common', 'alsoCommon'])
      expect(answer.failed).to.eql([])
      expect(answer.legs).to.have.all.keys('keyword')
    })

    it('uses the rarity of a term in its tenant, whatever other tenants store', async () => {
      const [memories, others] = [tenant(), tenant()]
      const many = Array.from({ length: 50 }, (_, i) => [`o${i}`, { terms: ['apple', 'fig'] }])
      await others.write(changes(Object.fromEntries(many)))
      await memories.write(
        changes({
          p1: { terms: ['pear', 'fig'] },
          p2: { terms: ['pear', 'fig'] },
          p3: { terms: ['pear', 'fig'] },
          a: { terms: ['apple', 'fig'] },
        }),
      )
      const answer = await memories.search({ filter: filter(), size: 10, keyword: { terms: ['pear', 'apple'] } })
      const [first, second] = answer.legs.keyword!
      expect(first!.id).to.equal('a')
      expect(first!.score).to.be.above(second!.score)
      expect(answer.legs.keyword).to.have.length(4)
    })

    it('returns no more hits than requested, the best ones', async () => {
      const memories = tenant()
      const many = Array.from({ length: 30 }, (_, i) => [`m${i}`, { terms: ['many', ...Array(i).fill(`x${i}`)] }])
      await memories.write(changes(Object.fromEntries(many)))
      const answer = await memories.search({ filter: filter(), size: 3, keyword: { terms: ['many'] } })
      expect(ids(answer, 'keyword')).to.eql(['m0', 'm1', 'm2'])
    })

    const hostile = {
      'a quote': '"',
      'a doubled quote': 'say""so',
      'an operator AND': 'AND',
      'an operator OR': 'OR',
      'an operator NOT': 'NOT',
      'an operator NEAR': 'NEAR(a b, 2)',
      'a star': 'pre*',
      'a bare star': '*',
      'a column filter': 'tokens:x',
      'an emoji': '👩‍🚀',
      'an identifier': 'err_conn-42/api.v2:a@b#c+d',
      'upper case': 'UPPER',
      'letters with accents': 'žluťoučký',
      'a script without spaces': '東京',
      'white space': 'two words\tand\u2028more',
      'a caret and a paren': '^(x',
      'a backslash': 'c:\\dir',
      JSON: '{"match_all":{}}',
      'a null word': 'null',
      '300 letters': 'z'.repeat(300),
      '40,000 letters': 'y'.repeat(40_000),
    }
    for (const [what, term] of Object.entries(hostile)) {
      it(`treats ${what} as one term: found by it, not by its parts`, async () => {
        const memories = tenant()
        await memories.write(
          changes({ it: { terms: [term, 'plain'] }, other: { terms: ['plain', 'x', 'a', 'pre', 'z'] } }),
        )
        const answer = await memories.search({
          filter: filter(),
          size: 10,
          keyword: { terms: [term] },
          frequenciesOf: [term],
        })
        expect(ids(answer, 'keyword')).to.eql(['it'])
        expect(answer.failed).to.eql([])
        expect(answer.statistics!.frequency.get(term)).to.equal(1)
      })
    }

    it('distinguishes terms that differ in case, accents or separators', async () => {
      const memories = tenant()
      const terms = ['ab', 'AB', 'áb', 'a-b', 'a_b', 'a__b', 'ab_', '_ab', '6162']
      await memories.write(terms.map((term, i) => ({ id: `${i}`, seq: i + 1, document: document({ terms: [term] }) })))
      for (const [i, term] of terms.entries()) {
        const answer = await memories.search({ filter: filter(), size: 10, keyword: { terms: [term] } })
        expect(ids(answer, 'keyword'), term).to.eql([`${i}`])
      }
    })

    it('answers empty, not failed, for unknown terms, and for none', async () => {
      const memories = tenant()
      await memories.write(changes({ a: {} }))
      for (const terms of [['absent'], [], ['']]) {
        const answer = await memories.search({ filter: filter(), size: 10, keyword: { terms } })
        expect(answer).to.deep.include({ failed: [], legs: { keyword: [] } })
      }
    })

    it('accepts thousands of distinct terms', async () => {
      const memories = tenant()
      await memories.write(changes({ a: { terms: ['t0'] } }))
      const terms = Array.from({ length: 5000 }, (_, i) => `t${i}`)
      const answer = await memories.search({ filter: filter(), size: 10, keyword: { terms }, frequenciesOf: terms })
      expect(ids(answer, 'keyword')).to.eql(['a'])
      expect(answer.failed).to.eql([])
    })
  })

  describe('vector leg', () => {
    it('ranks by cosine, including negative ones, and returns it as the score', async () => {
      const memories = tenant()
      await memories.write(
        changes({
          same: { vector: unit(1) },
          near: { vector: unit(1, 1) },
          across: { vector: unit(0, 0, 1) },
          opposite: { vector: unit(-1) },
          oblique: { vector: unit(-1, 2) },
        }),
      )
      const answer = await memories.search({ filter: filter(), size: 10, vector: { vector: unit(1) } })
      expect(ids(answer, 'vector')).to.eql(['same', 'near', 'across', 'oblique', 'opposite'])
      const expected = [1, Math.SQRT1_2, 0, -1 / Math.sqrt(5), -1]
      for (const [i, hit] of answer.legs.vector!.entries()) expect(hit.score).to.be.closeTo(expected[i]!, 1e-5)
    })

    it('finds the nearest that pass the filter, though hundreds of nearer ones do not', async () => {
      const memories = tenant()
      const near = Array.from({ length: 300 }, (_, i) => [`n${i}`, { vector: unit(100, i / 300), agentId: 'bob' }])
      const far = Array.from({ length: 5 }, (_, i) => [`f${i}`, { vector: unit(1, 5 + i), agentId: 'carol' }])
      await memories.write(changes(Object.fromEntries([...near, ...far])))
      const answer = await memories.search({
        filter: filter({ agentId: 'carol' }),
        size: 5,
        vector: { vector: unit(1) },
      })
      expect(ids(answer, 'vector')).to.eql(['f0', 'f1', 'f2', 'f3', 'f4'])
    })

    it('finds the nearest that pass a filter which every second one passes, and all when only few pass', async () => {
      const memories = tenant()
      const agentOf = (i: number) => ({ agentId: i % 2 === 0 ? 'bob' : 'carol' })
      const rows = Array.from({ length: 60 }, (_, i) => [`m${i}`, { vector: unit(100, i), ...agentOf(i) }])
      await memories.write(changes(Object.fromEntries(rows)))
      const found = async (size: number) =>
        ids(
          await memories.search({ filter: filter({ agentId: 'carol' }), size, vector: { vector: unit(1) } }),
          'vector',
        )
      expect(await found(5)).to.eql(['m1', 'm3', 'm5', 'm7', 'm9'])
      expect(await found(100)).to.have.length(30)
    })

    it('never finds documents without a vector or with a zero vector', async () => {
      const memories = tenant()
      await memories.write(changes({ none: {}, zero: { vector: unit(1).fill(0) }, some: { vector: unit(0, 1) } }))
      const answer = await memories.search({ filter: filter(), size: 10, vector: { vector: unit(0, 1) } })
      expect(ids(answer, 'vector')).to.eql(['some'])
    })

    it('answers empty, not failed, for a zero vector', async () => {
      const memories = tenant()
      await memories.write(changes({ some: { vector: unit(1) } }))
      const answer = await memories.search({ filter: filter(), size: 10, vector: { vector: unit(1).fill(0) } })
      expect(answer).to.deep.include({ failed: [], legs: { vector: [] } })
    })

    it('is named as failed for a vector of other dimensions while the others answer', async () => {
      const memories = tenant()
      await memories.write(changes({ a: { vector: unit(1), terms: ['word'] } }))
      const vector = { vector: new Float32Array([1, 0]) }
      const answer = await memories.search({ filter: filter(), size: 10, vector, keyword: { terms: ['word'] } })
      expect(answer.failed).to.eql(['vector'])
      expect(answer.legs).to.have.all.keys('keyword')
      expect(ids(answer, 'keyword')).to.eql(['a'])
    })

    it('reads only its view of a longer array', async () => {
      const memories = tenant()
      const shared = new Float32Array([...unit(1), ...unit(0, 1)])
      const [first, second] = [shared.subarray(0, 8), shared.subarray(8)]
      await memories.write(changes({ first: { vector: first }, second: { vector: second } }))
      const answer = await memories.search({ filter: filter(), size: 1, vector: { vector: second } })
      expect(ids(answer, 'vector')).to.eql(['second'])
    })
  })

  describe('entity leg', () => {
    it('scores by the number of entities that match, newest first among equals', async () => {
      const memories = tenant()
      await memories.write(
        changes({
          one: { entityIds: ['e1', 'e9'], createdAt: 1 },
          two: { entityIds: ['e1', 'e2'], createdAt: 2 },
          newer: { entityIds: ['e2'], createdAt: 3 },
          none: { entityIds: ['e3'], createdAt: 4 },
        }),
      )
      const answer = await memories.search({ filter: filter(), size: 10, entity: { entityIds: ['e1', 'e2', 'e2'] } })
      expect(answer.legs.entity!.map(({ id, score }) => [id, score])).to.eql([
        ['two', 2],
        ['newer', 1],
        ['one', 1],
      ])
    })

    it('answers empty, not failed, for no entities', async () => {
      const answer = await tenant().search({ filter: filter(), size: 10, entity: { entityIds: [] } })
      expect(answer).to.deep.include({ failed: [], legs: { entity: [] } })
    })
  })

  describe('a search', () => {
    it('answers exactly the requested legs, and statistics only when requested', async () => {
      const memories = tenant()
      await memories.write(changes({ a: { terms: ['word'], vector: unit(1), entityIds: ['e'] } }))
      const all = await memories.search({
        filter: filter(),
        size: 10,
        keyword: { terms: ['word'] },
        vector: { vector: unit(1) },
        entity: { entityIds: ['e'] },
        frequenciesOf: ['word'],
      })
      expect(all.legs).to.have.all.keys('keyword', 'vector', 'entity')
      for (const leg of ['keyword', 'vector', 'entity'] as const) expect(ids(all, leg)).to.eql(['a'])
      const one = await memories.search({ filter: filter(), size: 10, entity: { entityIds: ['e'] } })
      expect(one.legs).to.have.all.keys('entity')
      expect(one.statistics).to.equal(null)
      const none = { legs: {}, failed: [], statistics: null, mark: 'first' }
      expect(await memories.search({ filter: filter(), size: 10 })).to.eql(none)
    })

    it('answers empty legs and zero statistics for an unknown tenant', async () => {
      const answer = await tenant().search({
        filter: filter(),
        size: 10,
        keyword: { terms: ['word'] },
        vector: { vector: unit(1) },
        entity: { entityIds: ['e'] },
        frequenciesOf: ['word'],
      })
      expect(answer.legs).to.eql({ keyword: [], vector: [], entity: [] })
      expect(answer.failed).to.eql([])
      expect(answer.statistics).to.eql({ documents: 0, averageLength: 0, frequency: new Map([['word', 0]]) })
    })

    it('throws the reason of a signal that is aborted before or while it runs', async () => {
      const memories = tenant()
      const request = { filter: filter(), size: 10, keyword: { terms: ['word'] } }
      const reason = new Error('the caller has gone')
      const controller = new AbortController()
      const running = memories.search(request, controller.signal).catch((error: unknown) => error)
      controller.abort(reason)
      expect(await running).to.equal(reason)
      const late = await memories.search(request, controller.signal).catch((error: unknown) => error)
      expect(late).to.equal(reason)
      expect((await memories.search(request)).failed).to.eql([])
    })
  })

  describe('tenants', () => {
    const names = ['a', 'a:b', 'b', 'a,b', 'a b', 'A', 'ä', '*', '_all', '../x', 'x'.repeat(300)]

    it('never see one another, whatever characters their names and ids contain', async () => {
      const prefix = `t${Math.random()}`
      const bound = names.map((name) => index().for(`${prefix}${name}`))
      for (const [i, memories] of bound.entries()) {
        await memories.write(
          changes({
            same: { terms: ['word', `own${i}`], vector: unit(1, i), entityIds: ['e'] },
            'b:same': { terms: ['word'] },
          }),
        )
      }
      for (const [i, memories] of bound.entries()) {
        const answer = await memories.search({
          filter: filter(),
          size: 100,
          keyword: { terms: ['word', `own${i}`] },
          vector: { vector: unit(1) },
          entity: { entityIds: ['e'] },
          frequenciesOf: ['word', `own${i}`, `own${i + 1}`],
        })
        expect(ids(answer, 'keyword'), names[i]).to.eql(['same', 'b:same'])
        expect(ids(answer, 'vector')).to.eql(['same'])
        expect(ids(answer, 'entity')).to.eql(['same'])
        expect([...answer.statistics!.frequency.values()]).to.eql([2, 1, 0])
        expect(answer.statistics!.documents).to.equal(2)
      }
    })

    it("cannot overwrite or delete one another's documents", async () => {
      const [mine, theirs] = [tenant(), tenant()]
      await mine.write([{ id: 'same', seq: 1, document: document({ terms: ['mine'] }) }])
      await theirs.write([{ id: 'same', seq: 2, document: null }])
      const answer = await mine.search({ filter: filter(), size: 10, keyword: { terms: ['mine'] } })
      expect(ids(answer, 'keyword')).to.eql(['same'])
    })
  })

  describe('statistics', () => {
    it('count documents, lengths and frequencies exactly after writes, rewrites and tombstones', async () => {
      const memories = tenant()
      await memories.write(
        changes({
          a: { terms: ['x', 'x', 'y'] },
          b: { terms: ['x'], status: 'archived' },
          c: { terms: ['y', 'z'], visibility: 'scope_team' },
          hidden: { terms: ['x', 'z', 'z', 'z'], visibility: 'scope_agent', agentId: 'nobody else' },
          d: { terms: [] },
        }),
      )
      const asked = ['x', 'y', 'z', 'absent', 'x']
      const read = async () =>
        (await memories.search({ filter: filter({ createdAfter: NOW }), size: 1, frequenciesOf: asked })).statistics!
      const first = await read()
      expect(first.documents).to.equal(4)
      expect(first.averageLength).to.be.closeTo(6 / 4, 1e-6)
      expect(Object.fromEntries(first.frequency)).to.eql({ x: 2, y: 2, z: 1, absent: 0 })

      await memories.write([
        { id: 'a', seq: 10, document: document({ terms: ['z'] }) },
        { id: 'b', seq: 11, document: null },
        { id: 'c', seq: 1, document: document({ terms: ['x', 'x', 'x', 'x'] }) },
        { id: 'e', seq: 12, document: null },
      ])
      const second = await read()
      expect(second.documents).to.equal(3)
      expect(second.averageLength).to.be.closeTo(1, 1e-6)
      expect(Object.fromEntries(second.frequency)).to.eql({ x: 0, y: 1, z: 2, absent: 0 })
    })

    it('count what each audience sees, and nothing else', async () => {
      const memories = tenant()
      const rows = [null, 'alice', 'bob'].flatMap((agentId) =>
        [null, 'red', 'blue'].flatMap((fleetId) =>
          VISIBILITIES.map((visibility, i) => ({ agentId, fleetId, visibility, terms: ['word', `kind${i}`] })),
        ),
      )
      await memories.write(changes(Object.fromEntries(rows.map((row, i) => [`m${i}`, row]))))
      const audiences: Audience[] = [
        { kind: 'nobody' },
        { kind: 'own', agentId: 'alice' },
        { kind: 'shared', agentId: 'alice', fleets: ['red'] },
        { kind: 'shared', agentId: 'alice', fleets: [] },
        { kind: 'shared', agentId: 'alice', fleets: ['blue', 'green'] },
        { kind: 'shared', agentId: 'carol', fleets: [] },
        { kind: 'shared', agentId: null, fleets: 'all' },
      ]
      for (const audience of audiences) {
        const seen = rows.filter((row) => isVisible(audience, row))
        const asked = ['word', ...VISIBILITIES.map((_, i) => `kind${i}`)]
        const narrowed = filter({ audience, authoredFleets: authoredFleetsOf(audience, rows) })
        const { statistics } = await memories.search({ filter: narrowed, size: 1, frequenciesOf: asked })
        expect(statistics, JSON.stringify(audience)).to.eql({
          documents: seen.length,
          averageLength: seen.length === 0 ? 0 : 2,
          frequency: new Map(asked.map((term) => [term, seen.filter(({ terms }) => terms.includes(term)).length])),
        })
      }
    })
  })
}

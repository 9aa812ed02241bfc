import { expect } from 'chai'
import fc from 'fast-check'
import { MEMORY_STATUSES, type MemoryType } from '../../../domain/memory.js'
import type { Candidate } from '../../../domain/ranking/candidate.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'
import { rank } from '../../../domain/ranking/rank.js'
import type { TimeReference } from '../../../domain/text/time-reference.js'
import { runToEnd } from '../../../domain/yielding.js'
import {
  byId,
  candidate,
  DAY,
  type Given,
  type GivenQuery,
  idsOf,
  NOW,
  OPTIONS,
  queryOf,
  ranked,
  space,
  statisticsOf,
  unit,
  WORDS,
} from '../../support/ranking.js'

describe('domain/ranking/rank', () => {
  it('pauses for each text and each piece of the query', () => {
    const rows = [candidate('a'), candidate('b')]
    const asked = queryOf({ terms: ['fox', 'den'] })
    const pauses = [...rank(asked, rows, statisticsOf(rows, asked.groups.flat()), space, OPTIONS)]
    expect(pauses.length).to.be.at.least(rows.length + asked.words.length)
  })

  describe('evidence for a row', () => {
    it('is each of its keywords, meaning, entities, neighbours and run alone', () => {
      const candidates = [
        candidate('words', { words: ['fox'] }),
        candidate('meaning', { words: ['oak'], vector: [1, 0] }),
        candidate('entity', { entities: 1 }),
        candidate('hop', { hop: 1 }),
        candidate('neighbour', { beside: { [-1]: 'words' } }),
        candidate('told', { words: ['fox'], runId: 'run' }),
        candidate('run', { runId: 'run' }),
        candidate('nothing', { words: ['den'], vector: [0, 1], runId: 'other', beside: { 1: 'entity' } }),
        candidate('opposite', { words: ['den'], vector: [-1, 0] }),
      ]
      const found = idsOf(ranked(candidates, { terms: ['fox'], vector: unit([1, 0]) }))
      expect(found).to.have.members(['words', 'meaning', 'entity', 'hop', 'neighbour', 'told', 'run'])
    })

    it('drops every row when the query is empty', () => {
      expect(ranked([candidate('a', { words: ['fox'], vector: [1] })], { terms: [], vector: null })).to.deep.equal([])
      expect(ranked([])).to.deep.equal([])
    })

    it('ignores a neighbour that is not a candidate', () => {
      expect(ranked([candidate('a', { beside: { 1: 'gone', [-1]: 'hidden' } })])).to.deep.equal([])
    })
  })

  describe('the order', () => {
    const pairs: [fact: string, better: Given, worse: Given][] = [
      ['heavier first', { weight: 0.9 }, { weight: 0.1 }],
      ['newer first', {}, { createdAt: NOW - 90 * DAY }],
      ['more often recalled first', { recallCount: 9 }, {}],
      ['the one with the query’s entity first', { entities: 1 }, {}],
      ['the one with the rarer entity first', { entities: 1 }, { entities: 0.5 }],
      ['the one found by a hop first', { hop: 0.5 }, {}],
      ['the live one before the outdated one', {}, { status: 'outdated' }],
      ['the live one before the conflicted one', {}, { status: 'conflicted' }],
      ['the one with more of the keywords first', { words: ['fox', 'den'] }, { words: ['fox', 'oak'] }],
      ['the one with the more similar vector first', { vector: [1, 0.1] }, { vector: [1, 2] }],
    ]
    for (const [fact, better, worse] of pairs)
      it(`puts ${fact}`, () => {
        const pair = [
          candidate('worse', { words: ['fox'], ...worse }),
          candidate('better', { words: ['fox'], ...better }),
        ]
        expect(idsOf(ranked(pair, { terms: ['fox', 'den'], vector: unit([1, 0]) }))).to.deep.equal(['better', 'worse'])
      })

    it('puts equal scores newest first, then by id, in whatever order the candidates are given', () => {
      // Rows in the future of the clock are equally fresh.
      const rows = [
        candidate('b', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('c', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('a', { words: ['fox'], createdAt: NOW + 2 }),
      ]
      for (const order of [rows, [...rows].reverse(), [rows[1]!, rows[2]!, rows[0]!]])
        expect(idsOf(ranked(order))).to.deep.equal(['a', 'c', 'b'])
    })
  })

  describe('evidence', () => {
    const order = (rows: readonly Candidate[], query: GivenQuery) => idsOf(ranked(rows, query))

    it('counts similar words in part: less than the word itself, more than nothing', () => {
      const rows = [
        candidate('none', { words: ['oak'], vector: [1, 9] }),
        candidate('near', { words: ['vixen'], vector: [1, 9] }),
        candidate('same', { words: ['fox'], vector: [1, 9] }),
      ]
      expect(order(rows, { terms: ['fox'], vector: unit([1, 0]) })).to.deep.equal(['same', 'near', 'none'])
    })

    it('puts an informative text before one that is not', () => {
      const small = Array.from({ length: 6 }, (_, i) => candidate(`small${i}`, { words: ['fox', 'thanks', 'great'] }))
      const [first] = order([...small, candidate('told', { words: ['fox', 'sea', 'oak'] })], { terms: ['fox'] })
      expect(first).to.equal('told')
    })

    it('puts an answer before a question', () => {
      const rows = [
        candidate('asks', { words: ['fox', 'den'], createdAt: NOW + 1, text: { stated: 0 } }),
        candidate('tells', { words: ['fox', 'den'] }),
      ]
      expect(order(rows, { terms: ['fox'] })).to.deep.equal(['tells', 'asks'])
    })

    it('does not count a number as informative', () => {
      const terms = (...words: string[]) => ({ terms: hashTerms(words), length: words.length })
      const rows = [
        candidate('a', { words: ['fox'], text: terms('fox', 'den') }),
        candidate('b', { words: ['fox'], text: terms('fox', 'den', '4711', 'a1b2') }),
        candidate('asks', { words: ['fox'], text: { ...terms('fox', 'den'), stated: 0 } }),
      ]
      const found = byId(ranked(rows))
      const baseOf = (id: string) => found.get(id)!.parts.base
      expect(baseOf('b')).to.be.closeTo(baseOf('a'), 1e-12).and.to.be.greaterThan(baseOf('asks'))
    })

    it('never returns a row for its informativeness alone', () => {
      expect(order([candidate('rare', { words: ['oak', 'sea', 'den'] })], { terms: ['fox'] })).to.deep.equal([])
    })

    it('prefers rows of the one author that the query names', () => {
      const rows = [
        candidate('b', { words: ['fox'] }),
        candidate('a', { words: ['fox'], text: { author: { name: 'ana', isAgent: false } } }),
      ]
      expect(order(rows, { terms: ['fox'], author: 'ana' })).to.deep.equal(['a', 'b'])
      expect(order(rows, { terms: ['fox'], author: 'ben' })).to.deep.equal(['b', 'a'])
    })
  })

  describe('the results', () => {
    const candidates = [
      candidate('both', { words: ['fox', 'den'], text: { textKey: 'fox den' } }),
      candidate('again', { words: ['fox', 'den'], text: { textKey: 'fox den' }, createdAt: NOW - DAY }),
      candidate('one', { words: ['fox'] }),
      candidate('none', { words: ['sea'] }),
    ]
    const asked = queryOf({ terms: ['fox', 'den'] })
    const first = (limits: { minScore?: number; most?: number }) =>
      runToEnd(rank(asked, candidates, statisticsOf(candidates, asked.groups.flat()), space, { ...OPTIONS, ...limits }))

    it('have each text once, with the others', () => {
      expect(first({}).map(({ candidate: { id }, folded }) => [id, folded])).to.deep.equal([
        ['both', ['again']],
        ['one', []],
      ])
    })

    it('are no more than asked for, and no less similar', () => {
      expect(idsOf(first({ most: 1 }))).to.deep.equal(['both'])
      const [, one] = first({})
      expect(idsOf(first({ minScore: one!.similarity }))).to.deep.equal(['both', 'one'])
      expect(idsOf(first({ minScore: one!.similarity + 1e-9 }))).to.deep.equal(['both'])
      expect(first({ most: 0 })).to.deep.equal([])
    })
  })

  describe('similarity', () => {
    it('is the cosine, or the share of the query’s rarity that the words cover when that is greater', () => {
      const rows = [
        candidate('meant', { vector: [1, 1] }),
        candidate('worded', { words: ['fox', 'den'] }),
        candidate('half', { words: ['fox'] }),
      ]
      const found = byId(ranked(rows, { terms: ['fox', 'den'], vector: unit([1, 0]) }))
      expect(found.get('meant')!.similarity).to.be.closeTo(Math.SQRT1_2, 1e-6)
      expect(found.get('worded')!.similarity).to.equal(1)
      expect(found.get('half')!.similarity).to.be.within(0.1, 0.9)
    })

    it('does not depend on the other candidates when the counts are the same', () => {
      const statistics = {
        documents: 100,
        averageLength: 3,
        frequency: new Map([
          ['fox', 5],
          ['den', 50],
        ]),
      }
      const row = candidate('a', { words: ['fox'], vector: [1, 1] })
      const query = queryOf({ terms: ['fox', 'den'], vector: unit([1, 0]) })
      const [alone] = runToEnd(rank(query, [row], statistics, space, OPTIONS))
      const other = candidate('b', { words: ['fox', 'den'], vector: [1, 0] })
      const among = runToEnd(rank(query, [row, other], statistics, space, OPTIONS))
      expect(byId(among).get('a')!.similarity).to.equal(alone!.similarity)
    })
  })

  describe('for any candidates', () => {
    const arbitraryRow = fc.record({
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
      vector: fc.option(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }))),
      memoryType: fc.constantFrom<MemoryType>('fact', 'task', 'cancellation', 'rule'),
      status: fc.constantFrom(...MEMORY_STATUSES),
      weight: fc.double({ min: 0, max: 1, noNaN: true }),
      runId: fc.option(fc.constantFrom('one', 'two')),
      createdAt: fc.integer({ min: NOW - 4_000 * DAY, max: NOW + DAY }),
      recallCount: fc.nat(),
      entities: fc.double({ min: 0, max: 6, noNaN: true }),
      hop: fc.double({ min: 0, max: 1, noNaN: true }),
      beside: fc.dictionary(fc.constantFrom('-2', '-1', '1', '2'), fc.nat(12).map(String)),
    })
    const arbitraryRows = fc
      .array(arbitraryRow, { maxLength: 12 })
      .map((rows) => rows.map((row, i) => candidate(String(i), row)))
    const arbitraryQuery = fc.record({
      terms: fc.uniqueArray(fc.constantFrom(...WORDS, 'unknown')),
      vector: fc.option(fc.constantFrom(unit([1, 0]), unit([1, 1]))),
      times: fc.array(fc.constantFrom<TimeReference>({ kind: 'date', year: null, month: 5, day: 1 }), { maxLength: 1 }),
      isTemporalQuestion: fc.boolean(),
      author: fc.option(fc.constantFrom('ana', 'ben')),
    })

    it('the product of the parts except vec_sim and fts_score is the score, and no part exceeds its bounds', () => {
      fc.assert(
        fc.property(arbitraryRows, arbitraryQuery, (rows, query) => {
          for (const { score, similarity, parts } of ranked(rows, query)) {
            const { vec_sim, fts_score, ...factors } = parts
            const product = Object.values(factors).reduce((a, b) => a * b, 1)
            expect(product).to.be.closeTo(score, score * 1e-9)
            expect(score).to.be.finite.and.to.be.greaterThan(0)
            expect(similarity).to.be.within(0, 1)
            expect(vec_sim).to.be.within(0, 1.000001)
            expect(fts_score).to.be.within(0, 1)
            for (const boost of ['context_boost', 'entity_boost', 'recall_boost', 'temporal_boost'] as const)
              expect(parts[boost], boost).to.be.at.least(1)
            expect(parts.freshness).to.be.within(OPTIONS.freshnessFloor, 1)
            expect(parts.status_penalty).to.be.greaterThan(0).and.at.most(1)
          }
        }),
      )
    })

    it('the order is that of the scores, in whatever order the candidates are given', () => {
      fc.assert(
        fc.property(arbitraryRows, arbitraryQuery, fc.infiniteStream(fc.nat()), (rows, query, numbers) => {
          const first = ranked(rows, query)
          const scores = first.map((row) => row.score)
          expect(scores).to.deep.equal([...scores].sort((a, b) => b - a))
          const shuffled = rows
            .map((row) => ({ row, at: numbers.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ row }) => row)
          expect(idsOf(ranked(shuffled, query))).to.deep.equal(idsOf(first))
        }),
      )
    })
  })
})

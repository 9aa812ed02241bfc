import { expect } from 'chai'
import fc from 'fast-check'
import { MEMORY_STATUSES, type MemoryType } from '../../../domain/memory.js'
import type { AnalysedQuery, Candidate, Ranked, TermStatistics } from '../../../domain/ranking/candidate.js'
import { poolStatistics } from '../../../domain/ranking/lexical.js'
import { rank } from '../../../domain/ranking/rank.js'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const DAY = 86_400_000
const WORDS = ['fox', 'den', 'sea', 'oak']

interface Given extends Partial<Omit<Candidate, 'text' | 'neighbours'>> {
  readonly words?: readonly string[]
  readonly vector?: readonly number[] | null
  readonly beside?: Readonly<Record<number, string>>
}

function candidate(id: string, { words = [], vector = null, beside = {}, ...given }: Given = {}): Candidate {
  const terms = new Map<string, number>()
  for (const word of words) terms.set(word, (terms.get(word) ?? 0) + 1)
  return {
    id,
    memoryType: 'fact',
    status: 'active',
    weight: 0.5,
    runId: null,
    createdAt: NOW,
    recallCount: 0,
    matchedEntities: 0,
    neighbours: new Map(Object.entries(beside).map(([offset, other]) => [Number(offset), other])),
    text: { terms, length: words.length, vector: vector && unit(vector) },
    ...given,
  }
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1
  return Float32Array.from(vector, (value) => value / length)
}

function ranked(candidates: readonly Candidate[], query: Partial<AnalysedQuery> = { terms: ['fox'] }): Ranked[] {
  const { terms = [], vector = null } = query
  return rank({ terms, vector }, candidates, statisticsOf(candidates, terms), NOW)
}

function statisticsOf(candidates: readonly Candidate[], terms: readonly string[]): TermStatistics {
  return poolStatistics(
    null,
    candidates.map(({ text }) => text),
    terms,
  )
}

const idsOf = (result: readonly Ranked[]) => result.map((row) => row.candidate.id)
const byId = (result: readonly Ranked[]) => new Map(result.map((row) => [row.candidate.id, row]))

describe('domain/ranking/rank', () => {
  describe('what speaks for a row', () => {
    it('is its words, its meaning, its entities, its neighbours and its run, each alone', () => {
      const candidates = [
        candidate('words', { words: ['fox'] }),
        candidate('meaning', { words: ['vixen'], vector: [1, 0] }),
        candidate('entity', { matchedEntities: 1 }),
        candidate('neighbour', { beside: { [-1]: 'words' } }),
        candidate('told', { words: ['fox'], runId: 'run' }),
        candidate('run', { runId: 'run' }),
        candidate('nothing', { words: ['den'], vector: [0, 1], runId: 'other', beside: { 1: 'entity' } }),
        candidate('opposite', { words: ['den'], vector: [-1, 0] }),
      ]
      const found = idsOf(ranked(candidates, { terms: ['fox'], vector: unit([1, 0]) }))
      expect(found).to.have.members(['words', 'meaning', 'entity', 'neighbour', 'told', 'run'])
    })

    it('drops every row when the query says nothing', () => {
      expect(ranked([candidate('a', { words: ['fox'], vector: [1] })], { terms: [], vector: null })).to.deep.equal([])
      expect(ranked([])).to.deep.equal([])
    })

    it('ignores a neighbour that is no candidate', () => {
      expect(ranked([candidate('a', { beside: { 1: 'gone', [-1]: 'hidden' } })])).to.deep.equal([])
    })
  })

  describe('the order', () => {
    const pairs: [fact: string, better: Given, worse: Given][] = [
      ['heavier first', { weight: 0.9 }, { weight: 0.1 }],
      ['newer first', {}, { createdAt: NOW - 90 * DAY }],
      ['more often recalled first', { recallCount: 9 }, {}],
      ['the one with the query’s entity first', { matchedEntities: 1 }, {}],
      ['the live one before the outdated one', {}, { status: 'outdated' }],
      ['the live one before the conflicted one', {}, { status: 'conflicted' }],
      ['the one with more of the words first', { words: ['fox', 'den'] }, { words: ['fox', 'oak'] }],
      ['the one of nearer meaning first', { vector: [1, 0.1] }, { vector: [1, 2] }],
    ]
    for (const [fact, better, worse] of pairs)
      it(`puts ${fact}`, () => {
        const pair = [
          candidate('worse', { words: ['fox'], ...worse }),
          candidate('better', { words: ['fox'], ...better }),
        ]
        expect(idsOf(ranked(pair, { terms: ['fox', 'den'], vector: unit([1, 0]) }))).to.deep.equal(['better', 'worse'])
      })

    it('puts equal scores newest first, then by id, however the candidates come', () => {
      // Freshness does not tell apart what lies in the future of the clock.
      const rows = [
        candidate('b', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('c', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('a', { words: ['fox'], createdAt: NOW + 2 }),
      ]
      for (const order of [rows, [...rows].reverse(), [rows[1]!, rows[2]!, rows[0]!]])
        expect(idsOf(ranked(order))).to.deep.equal(['a', 'c', 'b'])
    })
  })

  describe('context', () => {
    it('lifts a row by the one before more than by the one after, and by near ones more than by far ones', () => {
      const boosts = [-1, 1, -2, 2].map((offset) => {
        const rows = [
          candidate('told', { words: ['fox'] }),
          candidate('row', { words: ['fox'], beside: { [offset]: 'told' } }),
        ]
        return byId(ranked(rows)).get('row')!.parts.context_boost
      })
      expect(boosts).to.deep.equal([...boosts].sort((a, b) => b - a))
      expect(new Set(boosts).size).to.equal(4)
      expect(boosts.every((boost) => boost > 1)).to.equal(true)
    })

    it('lifts every row of a run by the mean of its three best', () => {
      const told = (id: string) => candidate(id, { words: ['fox'], runId: 'run' })
      const boostWith = (ids: string[]) =>
        byId(ranked([...ids.map(told), candidate('beside', { runId: 'run', words: ['fox'] })])).get('beside')!.parts
          .context_boost
      expect(boostWith(['a'])).to.be.greaterThan(boostWith([]))
      expect(boostWith(['a', 'b'])).to.be.greaterThan(boostWith(['a']))
      expect(boostWith(['a', 'b', 'c'])).to.be.closeTo(boostWith(['a', 'b']), 1e-12)
    })

    it('keeps runs apart', () => {
      const rows = [candidate('told', { words: ['fox'], runId: 'one' }), candidate('row', { runId: 'two' })]
      expect(idsOf(ranked(rows))).to.deep.equal(['told'])
    })
  })

  describe('the parts', () => {
    it('scale words and meaning by the best candidate, and keep vec_sim the cosine itself', () => {
      const rows = [
        candidate('a', { words: ['fox', 'den'], vector: [1, 1] }),
        candidate('b', { words: ['fox'], vector: [0, 1] }),
      ]
      const parts = byId(ranked(rows, { terms: ['fox', 'den'], vector: unit([1, 0]) }))
      expect(parts.get('a')!.parts.fts_score).to.equal(1)
      expect(parts.get('b')!.parts.fts_score).to.be.within(0.01, 0.99)
      expect(parts.get('a')!.parts.vec_sim).to.be.closeTo(Math.SQRT1_2, 1e-6)
      expect(parts.get('b')!.parts.vec_sim).to.be.closeTo(0, 1e-6)
    })

    it('give the score that the formula gives', () => {
      const row = candidate('a', {
        words: ['fox'],
        vector: [1, 0],
        weight: 0.9,
        matchedEntities: 5,
        recallCount: 3,
        createdAt: NOW - 120 * DAY,
        status: 'outdated',
      })
      const [{ parts, score }] = ranked([row], { terms: ['fox'], vector: unit([1, 0]) }) as [Ranked]
      expect(parts.base).to.be.closeTo(1.01 * (0.9 + 0.2 * 0.9), 1e-6)
      expect(parts.context_boost).to.equal(1)
      expect(parts.entity_boost).to.be.closeTo((1.01 + 0.75) / 1.01, 1e-6)
      expect(parts.freshness).to.be.closeTo(0.7 + 0.3 / 2, 1e-6)
      expect(parts.recall_boost).to.be.closeTo(1.02, 1e-12)
      expect(parts.temporal_boost).to.equal(1)
      expect(parts.status_penalty).to.equal(0.5)
      expect(score).to.be.closeTo(1.01 * 1.08 * (1.76 / 1.01) * 0.85 * 1.02 * 0.5, 1e-5)
    })

    const halfLives: Record<MemoryType, number> = {
      preference: 365,
      rule: 365,
      decision: 180,
      fact: 120,
      commitment: 120,
      outcome: 90,
      insight: 90,
      plan: 60,
      intention: 60,
      episode: 45,
      task: 30,
      action: 30,
      cancellation: 14,
    }
    for (const [type, days] of Object.entries(halfLives) as [MemoryType, number][])
      it(`let a ${type} lose half of its freshness in ${days} days, down to a floor of 0.7`, () => {
        const freshnessAt = (age: number) =>
          ranked([candidate('a', { words: ['fox'], memoryType: type, createdAt: NOW - age * DAY })])[0]!.parts.freshness
        expect(freshnessAt(0)).to.equal(1)
        expect(freshnessAt(days)).to.be.closeTo(0.85, 1e-9)
        expect(freshnessAt(100 * days)).to.be.closeTo(0.7, 1e-9)
      })

    it('penalise outdated and conflicted rows alone', () => {
      const penalties = MEMORY_STATUSES.map(
        (status) => [status, ranked([candidate('a', { words: ['fox'], status })])[0]!.parts.status_penalty] as const,
      )
      expect(penalties.filter(([, penalty]) => penalty !== 1)).to.have.deep.members([
        ['outdated', 0.5],
        ['conflicted', 0.5],
      ])
    })

    it('never lift a row by recalls beyond 1.05', () => {
      const [row] = ranked([candidate('a', { words: ['fox'], recallCount: 10 ** 9 })])
      expect(row!.parts.recall_boost).to.equal(1.05)
    })
  })

  describe('similarity', () => {
    it('is the cosine, or the share of the query’s rarity in the words when that is more', () => {
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
      const query = { terms: ['fox', 'den'], vector: unit([1, 0]) }
      const [alone] = rank(query, [row], statistics, NOW)
      const among = rank(query, [row, candidate('b', { words: ['fox', 'den'], vector: [1, 0] })], statistics, NOW)
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
      matchedEntities: fc.nat(6),
      beside: fc.dictionary(fc.constantFrom('-2', '-1', '1', '2'), fc.nat(12).map(String)),
    })
    const arbitraryRows = fc
      .array(arbitraryRow, { maxLength: 12 })
      .map((rows) => rows.map((row, i) => candidate(String(i), row)))
    const arbitraryQuery = fc.record({
      terms: fc.uniqueArray(fc.constantFrom(...WORDS, 'unknown')),
      vector: fc.option(fc.constantFrom(unit([1, 0]), unit([1, 1]))),
    })

    it('the product of the parts but vec_sim and fts_score is the score, and no part leaves its bounds', () => {
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
            expect(parts.freshness).to.be.within(0.7, 1)
            expect([0.5, 1]).to.include(parts.status_penalty)
          }
        }),
      )
    })

    it('the order is that of the scores and repeats however the candidates come', () => {
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

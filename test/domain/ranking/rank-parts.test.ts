import { expect } from 'chai'
import { MEMORY_STATUSES, type MemoryType } from '../../../domain/memory.js'
import type { RankedMemory } from '../../../domain/ranking/candidate.js'
import { WEIGHTS } from '../../../domain/ranking/weights.js'
import { byId, candidate, DAY, idsOf, NOW, OPTIONS, ranked, unit } from '../../support/ranking.js'

const FLOOR = OPTIONS.freshnessFloor
/** The factor of a memory that no longer stands. */
const PENALTY = 0.5

/** Tests the parts of a score, and what the memories beside one add to them. */
describe('domain/ranking/rank', () => {
  describe('context', () => {
    it('boosts a row most by the row before it, and least by the one two after', () => {
      const [before, after, twoBefore, twoAfter, none] = [-1, 1, -2, 2, 3].map((offset) => {
        const rows = [
          candidate('told', { words: ['fox'] }),
          candidate('row', { words: ['den'], beside: { [offset]: 'told' } }),
        ]
        return byId(ranked(rows, { terms: ['fox', 'den'] })).get('row')!.parts.base
      })
      expect(before).to.be.greaterThan(after!)
      expect(after).to.be.closeTo(twoBefore!, 1e-6)
      expect(twoBefore).to.be.greaterThan(twoAfter!)
      expect(twoAfter).to.be.greaterThan(none!)
    })

    it('combines the vector of a row with those of the two before it', () => {
      const rows = [
        candidate('told', { vector: [1, 0] }),
        candidate('after', { vector: [0, 1], beside: { [-1]: 'told' } }),
        candidate('before', { vector: [0, 1], beside: { 1: 'told' } }),
      ]
      expect(idsOf(ranked(rows, { vector: unit([1, 0]) }))).to.deep.equal(['told', 'after'])
      const [near, far] = [-1, -2].map((offset) => {
        const beside = { [offset]: 'told' }
        const results = ranked([rows[0]!, candidate('after', { vector: [0, 1], beside })], { vector: unit([1, 0]) })
        return byId(results).get('after')!.parts.base
      })
      expect(near).to.be.greaterThan(far!)
    })

    it('boosts every row of a run by the mean of its three best, or of all when there are fewer', () => {
      const told = (id: string, runId: string) => candidate(id, { words: ['fox', 'den'], runId })
      const addedWith = (ids: string[]) => {
        const rows = [
          told('best', 'other'),
          ...ids.map((id) => told(id, 'run')),
          candidate('beside', { runId: 'run', words: ['fox'] }),
        ]
        const { base, context_boost } = byId(ranked(rows, { terms: ['fox', 'den'] })).get('beside')!.parts
        return base * (context_boost - 1)
      }
      expect(addedWith(['a'])).to.be.greaterThan(addedWith([]))
      expect(addedWith(['a', 'b', 'c'])).to.be.greaterThan(addedWith(['a']))
      expect(addedWith(['a', 'b', 'c', 'd'])).to.be.closeTo(addedWith(['a', 'b', 'c']), 0.02)
    })

    it('treats a row without a run, or alone in it, as a run of its own', () => {
      const rows = [
        candidate('none', { words: ['fox'] }),
        candidate('alone', { words: ['fox'], runId: 'run' }),
        candidate('two', { words: ['fox'], runId: 'runs' }),
        candidate('runs', { words: ['fox'], runId: 'runs' }),
      ]
      const boosts = ranked(rows).map(({ parts }) => parts.context_boost)
      expect(new Set(boosts).size).to.equal(1)
      expect(boosts[0]).to.be.greaterThan(1)
    })

    it('does not mix runs', () => {
      const rows = [candidate('told', { words: ['fox'], runId: 'one' }), candidate('row', { runId: 'two' })]
      expect(idsOf(ranked(rows))).to.deep.equal(['told'])
    })
  })

  describe('the parts', () => {
    it('scale keywords and meaning by the best candidate, and keep vec_sim as the cosine', () => {
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

    it('have the values of the formula', () => {
      const row = candidate('a', {
        words: ['fox'],
        vector: [1, 0],
        weight: 0.9,
        entities: 5,
        hop: 1,
        recallCount: 3,
        createdAt: NOW - 120 * DAY,
        status: 'outdated',
      })
      const [{ parts, score }] = ranked([row], { terms: ['fox'], vector: unit([1, 0]) }) as [RankedMemory]
      // Soft coverage, meaning, coverage and run are 1; alone in its pool, its one word is as rare as possible.
      const content = WEIGHTS.softCoverage + WEIGHTS.meaning + WEIGHTS.coverage
      const sum = content + (WEIGHTS.informativeness * Math.log(2)) / Math.log(1.5) + 0.01
      const people = 3 * WEIGHTS.entity + WEIGHTS.hop
      const factors = {
        base: sum * (0.9 + 0.2 * 0.9),
        context_boost: (sum + WEIGHTS.run) / sum,
        entity_boost: (sum + WEIGHTS.run + people) / (sum + WEIGHTS.run),
        freshness: (1 + FLOOR) / 2,
        recall_boost: 1.004,
        temporal_boost: 1,
        status_penalty: PENALTY,
      }
      for (const [part, value] of Object.entries(factors))
        expect(parts[part as keyof typeof factors], part).to.be.closeTo(value, 1e-6)
      expect(score).to.be.closeTo(
        Object.values(factors).reduce((a, b) => a * b),
        1e-5,
      )
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
      it(`let a ${type} lose half of its freshness in ${days} days, down to a floor of ${FLOOR}`, () => {
        const freshnessAt = (age: number) =>
          ranked([candidate('a', { words: ['fox'], memoryType: type, createdAt: NOW - age * DAY })])[0]!.parts.freshness
        expect(freshnessAt(0)).to.equal(1)
        expect(freshnessAt(days)).to.be.closeTo((1 + FLOOR) / 2, 1e-9)
        expect(freshnessAt(100 * days)).to.be.closeTo(FLOOR, 1e-9)
      })

    it('penalise only outdated and conflicted rows', () => {
      const penalties = MEMORY_STATUSES.map(
        (status) => [status, ranked([candidate('a', { words: ['fox'], status })])[0]!.parts.status_penalty] as const,
      )
      expect(penalties.filter(([, penalty]) => penalty !== 1)).to.have.deep.members([
        ['outdated', PENALTY],
        ['conflicted', PENALTY],
      ])
    })

    it('never boost a row by recalls beyond 1.01', () => {
      const [row] = ranked([candidate('a', { words: ['fox'], recallCount: 10 ** 9 })])
      expect(row!.parts.recall_boost).to.equal(1.01)
    })
  })
})

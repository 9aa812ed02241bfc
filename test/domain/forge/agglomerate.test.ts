import { expect } from 'chai'
import fc from 'fast-check'
import { agglomerate, type Point } from '../../../domain/forge/agglomerate.js'
import { createHeap } from '../../../domain/forge/heap.js'
import { neighbourPairs } from '../../../domain/forge/neighbours.js'

const FEATURES = 40
const point = (ids: readonly number[], group = -1): Point => ({
  ids: Uint32Array.from([...new Set(ids)].sort((a, b) => a - b)),
  weights: new Float32Array(new Set(ids).size).fill(1 / Math.sqrt(new Set(ids).size)),
  dense: null,
  group,
})
const LINKAGE = { least: 0.4, cohesion: 0, denseShare: 0, apart: 0 }
const clustersOf = (points: readonly Point[], linkage = LINKAGE) =>
  agglomerate(points, neighbourPairs(points, FEATURES), linkage)

describe('agglomerate', () => {
  it('clusters points with features in common', () => {
    const points = [point([1, 2, 3]), point([10, 11]), point([1, 2, 4]), point([10, 11, 12]), point([20])]
    expect(clustersOf(points)).to.deep.equal([[0, 2], [1, 3], [4]])
  })

  it('does not chain: a cluster does not grow into everything by way of near pairs', () => {
    const chain = Array.from({ length: 20 }, (_, i) => point([i, i + 1, i + 2]))
    expect(Math.max(...clustersOf(chain).map(({ length }) => length))).to.be.below(4)
  })

  it('keeps apart what is less similar than a share of its own cohesion', () => {
    const tight = [point([1, 2, 3, 4]), point([1, 2, 3, 4]), point([1, 2, 5, 6]), point([1, 2, 5, 6])]
    expect(clustersOf(tight)).to.deep.equal([[0, 1, 2, 3]])
    expect(clustersOf(tight, { ...LINKAGE, cohesion: 0.6 })).to.deep.equal([
      [0, 1],
      [2, 3],
    ])
  })

  it('counts two points of one group as less similar', () => {
    const same = [point([1, 2], 7), point([1, 2], 7), point([1, 2], 8)]
    expect(clustersOf(same, { ...LINKAGE, apart: 2 })).to.deep.equal([[0, 2], [1]])
  })

  it('finds the same clusters in any order of the points', () => {
    const points = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: FEATURES - 1 }), { minLength: 3, maxLength: 8 }), {
      minLength: 2,
      maxLength: 25,
    })
    // Points are put into one order by their contents, as traces are by their keys.
    const inOrder = (ids: readonly number[][]) =>
      ids.map((of) => [...of].sort((a, b) => a - b)).sort((a, b) => (String(a) < String(b) ? -1 : 1))
    fc.assert(
      fc.property(points, fc.infiniteStream(fc.nat()), (given, random) => {
        const shuffled = given
          .map((ids) => ({ ids, at: random.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ ids }) => ids)
        const of = (ids: readonly number[][]) => clustersOf(inOrder([...ids]).map((one) => point(one)))
        expect(of(shuffled)).to.deep.equal(of(given))
      }),
    )
  })

  it('returns every point once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 4 }), { maxLength: 30 }),
        (given) => {
          const found = clustersOf(given.map((ids) => point(ids))).flat()
          expect(found.sort((a, b) => a - b)).to.deep.equal([...given.keys()])
        },
      ),
    )
  })
})

describe('neighbour pairs', () => {
  it('are found for a feature that thousands of points have, without comparing all', () => {
    const points = Array.from({ length: 3_000 }, () => point([1, 2]))
    const pairs = neighbourPairs(points, FEATURES)
    expect(pairs.length).to.be.below(3_000 * 25)
    expect(agglomerate(points.slice(0, 300), neighbourPairs(points.slice(0, 300), FEATURES), LINKAGE)).to.have.length(1)
  })
})

describe('the heap', () => {
  it('returns entries from the largest on, equal ones in order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ value: fc.integer({ min: 0, max: 5 }), a: fc.nat(9), b: fc.nat(9) })),
        (entries) => {
          const heap = createHeap()
          for (const entry of entries) heap.push(entry)
          const popped = entries.map(() => heap.pop())
          expect(popped).to.deep.equal([...entries].sort((x, y) => y.value - x.value || x.a - y.a || x.b - y.b))
          expect(heap.pop()).to.equal(undefined)
        },
      ),
    )
  })
})

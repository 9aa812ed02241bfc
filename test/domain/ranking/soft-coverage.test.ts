import { expect } from 'chai'
import type { Candidate, PieceSimilarity, QueryWord } from '../../../domain/ranking/candidate.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'
import { type Pool, poolOf } from '../../../domain/ranking/pool.js'
import { softCoverage, unknownShare } from '../../../domain/ranking/soft-coverage.js'
import { runToEnd } from '../../../domain/yielding.js'

type Given = Parameters<typeof softCoverage>
/** Where `meaning` is left out, no text has any. */
const coverageOf = (words: Given[0], pool: Given[1], statistics: Given[2], space: Given[3], meaning?: number[]) =>
  runToEnd(softCoverage(words, pool, statistics, space, meaning ?? pool.candidates.map(() => 0)))

/** Every piece is similar only to itself. */
const space: PieceSimilarity = {
  similaritiesTo: (piece, others) => Float32Array.from(others, (other) => (other === piece ? 1 : 0)),
}
const wordOf = (piece: number): QueryWord => ({
  word: `w${piece}`,
  terms: [`w${piece}`],
  pieces: Uint16Array.of(piece),
})
const poolWith = (...texts: number[][]): Pool =>
  poolOf(
    texts.map(
      (pieces, i) =>
        ({ id: `m${i}`, neighbours: [], text: { pieces: Uint16Array.from(pieces) } }) as unknown as Candidate,
    ),
  )
const alone = (...pieces: number[]): Pool => poolWith(pieces)

describe('domain/ranking/soft-coverage', () => {
  const pieces = [...Array(40).keys()]
  const statistics = {
    documents: 1_000,
    averageLength: 10,
    frequency: new Map(pieces.map((piece) => [`w${piece}`, piece < 8 ? 900 : 1])),
  }

  it('is the share of the rarity that is matched', () => {
    const [half] = coverageOf([wordOf(8), wordOf(9)], alone(8), statistics, space)
    expect(half).to.be.closeTo(0.5, 1e-9)
    const [common] = coverageOf([wordOf(0), wordOf(9)], alone(0), statistics, space)
    expect(common).to.be.within(0.001, 0.1)
    expect([...coverageOf([], alone(8), statistics, space)]).to.deep.equal([0])
  })

  const unknown = (term: string): QueryWord => ({ word: term, terms: [term], pieces: new Uint16Array(0) })
  const poolOfTerms = (...texts: string[][]) =>
    poolOf(
      texts.map(
        (terms, i) =>
          ({
            id: `m${i}`,
            neighbours: [],
            text: { pieces: new Uint16Array(0), terms: hashTerms(terms) },
          }) as unknown as Candidate,
      ),
    )

  it('matches a word without pieces where its term occurs', () => {
    const pool = poolOfTerms(['w8'], ['w9', 'w10', 'w11'], [])
    const covered = coverageOf([unknown('w9'), unknown('w8'), unknown('w10')], pool, statistics, space)
    expect([...covered].map((share) => share.toFixed(2))).to.deep.equal(['0.33', '0.67', '0.00'])
    expect(unknownShare([unknown('w8'), wordOf(9)], statistics)).to.be.closeTo(0.5, 1e-9)
    expect(unknownShare([wordOf(8)], statistics)).to.equal(0)
    expect(unknownShare([], statistics)).to.equal(0)
  })

  it('matches a word that no text has by half of their meaning, and one that a text has by none', () => {
    const pool = poolOfTerms(['w8'], [])
    const covered = (...words: QueryWord[]) =>
      [...coverageOf(words, pool, statistics, space, [0.4, 1])].map((share) => share.toFixed(2))
    expect(covered(unknown('w9'))).to.deep.equal(['0.20', '0.50'])
    expect(covered(unknown('w8'))).to.deep.equal(['1.00', '0.00'])
    expect(covered(unknown('w8'), unknown('w9'))).to.deep.equal(['0.60', '0.25'])
    expect(covered(wordOf(10))).to.deep.equal(['0.00', '0.00'])
  })

  it('compares each piece of the pool once, whichever texts have it', () => {
    const pool = poolWith([8, 9], [9], [9, 8, 10])
    const compared: number[][] = []
    const counting: PieceSimilarity = {
      similaritiesTo: (piece, others) => (compared.push([...others]), space.similaritiesTo(piece, others)),
    }
    for (let time = 0; time < 2; time++)
      expect([...coverageOf([wordOf(8), wordOf(10)], pool, statistics, counting)]).to.deep.equal([0.5, 0, 1])
    expect(compared).to.deep.equal(Array.from({ length: 4 }, () => [8, 9, 10]))
  })

  it('is computed for every candidate, however many there are, and whichever pieces the others have', () => {
    const others = Array.from({ length: 1_000 }, (_, i) => [100 + 2 * i, 101 + 2 * i])
    const covered = coverageOf([wordOf(8), wordOf(9)], poolWith([9], ...others, [8], [8, 9]), statistics, space)
    expect([covered[0], ...covered.slice(-2)]).to.deep.equal([0.5, 0.5, 1])
    expect(covered.slice(1, -2).every((value) => value === 0)).to.equal(true)
  })

  it('uses no more than the 32 rarest pieces of a long query', () => {
    let asked = 0
    const counting: PieceSimilarity = { similaritiesTo: (...given) => (asked++, space.similaritiesTo(...given)) }
    expect([...coverageOf(pieces.map(wordOf), alone(0, 1, 2), statistics, counting)]).to.deep.equal([0])
    expect(asked).to.equal(32)
    expect([...coverageOf(pieces.map(wordOf), alone(...pieces.slice(8)), statistics, space)]).to.deep.equal([1])
  })
})

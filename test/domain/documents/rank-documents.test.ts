import { expect } from 'chai'
import { type DocumentCandidate, rankDocuments } from '../../../domain/documents/rank-documents.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'

const STATISTICS = {
  documents: 100,
  averageLength: 4,
  frequency: new Map([
    ['rare', 1],
    ['common', 60],
  ]),
}

function candidate(id: string, words: readonly string[], vector?: readonly number[], updatedAt = 0): DocumentCandidate {
  const text = { terms: hashTerms(words), length: words.length, vector: vector ? Float32Array.from(vector) : null }
  return { id, updatedAt, text }
}

const query = (terms: readonly string[], vector?: readonly number[]) => ({
  groups: terms.map((term) => [term]),
  vector: vector ? Float32Array.from(vector) : null,
})
const rank = (asked: ReturnType<typeof query>, ...candidates: DocumentCandidate[]) =>
  rankDocuments(asked, candidates, STATISTICS)
const ids = (ranked: ReturnType<typeof rank>) => ranked.map(({ id }) => id)

describe('documents', () => {
  it('with a rare word of the query rank before those with a common one, and the best score is 1', () => {
    const ranked = rank(query(['rare', 'common']), candidate('common', ['common']), candidate('rare', ['rare']))
    expect(ids(ranked)).to.eql(['rare', 'common'])
    expect(ranked[0]!.parts).to.eql({ vec_sim: 0, fts_score: 1 })
    expect(ranked[1]!.parts.fts_score).to.be.within(0, 0.2)
  })

  it('that are short rank before long ones with the same word', () => {
    const long = ['rare', ...Array.from({ length: 40 }, (_, i) => `w${i}`)]
    expect(ids(rank(query(['rare']), candidate('long', long), candidate('short', ['rare', 'w'])))).to.eql([
      'short',
      'long',
    ])
  })

  it('are scored by both kinds of evidence, with more weight on keywords', () => {
    const [both, words, meaning] = [
      candidate('both', ['rare'], [1, 0]),
      candidate('words', ['rare'], [0, 1]),
      candidate('meaning', ['other'], [1, 0]),
    ]
    const ranked = rank(query(['rare'], [1, 0]), meaning, words, both)
    expect(ids(ranked)).to.eql(['both', 'words', 'meaning'])
    expect(ranked.map(({ score }) => score)).to.eql([1, 0.7, 0.3])
  })

  it('without evidence are dropped, and an opposite vector is no evidence', () => {
    expect(rank(query(['rare'], [1, 0]), candidate('a', ['other'], [-1, 0]), candidate('b', []))).to.eql([])
    expect(rank(query([]), candidate('a', ['rare'], [1, 0]))).to.eql([])
  })

  it('are as similar as their cosine, or as the covered share of the query’s rarity if that is greater', () => {
    const [near] = rank(query(['absent'], [1, 0]), candidate('near', ['other'], [0.6, 0.8]))
    expect(near!.similarity).to.be.closeTo(0.6, 1e-6)
    const [whole] = rank(query(['rare'], [1, 0]), candidate('whole', ['rare'], [0.6, 0.8]))
    expect(whole!.similarity).to.equal(1)
  })

  it('with equal scores are ordered by last change, newest first, then by id', () => {
    const same = (id: string, updatedAt: number) => candidate(id, ['rare'], undefined, updatedAt)
    expect(ids(rank(query(['rare']), same('c', 1), same('a', 2), same('b', 2)))).to.eql(['b', 'a', 'c'])
  })
})

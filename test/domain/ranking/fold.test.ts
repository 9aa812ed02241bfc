import { expect } from 'chai'
import type { Ranked } from '../../../domain/ranking/candidate.js'
import { foldEqualTexts } from '../../../domain/ranking/fold.js'

const ranked = (id: string, wordsKey: string | null) => ({ candidate: { id, text: { wordsKey } } }) as unknown as Ranked

describe('domain/ranking/deduplicate', () => {
  it('keeps the best of equal texts and counts the others', () => {
    const rows = [ranked('a', 'x'), ranked('b', 'y'), ranked('c', 'x'), ranked('d', 'x')]
    expect(foldEqualTexts(rows, 9).map(({ candidate, folded }) => [candidate.id, folded])).to.deep.equal([
      ['a', 2],
      ['b', 0],
    ])
  })

  it('returns no more than requested, and also counts duplicates below them', () => {
    const rows = [ranked('a', 'x'), ranked('b', 'y'), ranked('c', 'x')]
    expect(foldEqualTexts(rows, 1).map(({ candidate, folded }) => [candidate.id, folded])).to.deep.equal([['a', 1]])
  })

  it('never deduplicates texts without words', () => {
    expect(foldEqualTexts([ranked('a', null), ranked('b', null)], 9).map(({ folded }) => folded)).to.deep.equal([0, 0])
  })
})

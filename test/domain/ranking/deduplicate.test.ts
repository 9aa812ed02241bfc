import { expect } from 'chai'
import type { RankedMemory } from '../../../domain/ranking/candidate.js'
import { deduplicate } from '../../../domain/ranking/rank.js'

const ranked = (id: string, textKey: string) => ({ candidate: { id, text: { textKey } } }) as unknown as RankedMemory

describe('domain/ranking/deduplicate', () => {
  it('keeps the best of equal texts and folds the others under it', () => {
    const rows = [ranked('a', 'x'), ranked('b', 'y'), ranked('c', 'x'), ranked('d', 'x')]
    expect(deduplicate(rows, 9).map(({ candidate, folded }) => [candidate.id, folded])).to.deep.equal([
      ['a', ['c', 'd']],
      ['b', []],
    ])
  })

  it('returns no more than requested, and also folds duplicates below them', () => {
    const rows = [ranked('a', 'x'), ranked('b', 'y'), ranked('c', 'x')]
    expect(deduplicate(rows, 1).map(({ candidate, folded }) => [candidate.id, folded])).to.deep.equal([['a', ['c']]])
  })
})

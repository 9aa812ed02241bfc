import { expect } from 'chai'
import { confidenceOf, type ConfidenceParts, probabilityOf } from '../../../domain/answers/confidence.js'
import { runToEnd } from '../../../domain/yielding.js'
import { rank } from '../../../domain/ranking/rank.js'
import { candidate, OPTIONS, queryOf, space, statisticsOf } from '../../support/ranking.js'

function told(terms: string[], texts: string[][]) {
  const rows = texts.map((words, i) => candidate(`memory-${i}`, { words }))
  const asked = queryOf({ terms })
  return confidenceOf(asked, runToEnd(rank(asked, rows, statisticsOf(rows, terms), space, OPTIONS)))
}

describe('domain/answers/confidence', () => {
  it('is higher the more of the question a result has, and names what none has', () => {
    const others = [['oak'], ['elm'], ['ash']]
    const all = told(['fox', 'den', 'moor'], [['fox', 'den', 'moor'], ...others])
    const some = told(['fox', 'den', 'moor'], [['fox', 'oak'], ...others])
    expect([all.level, all.missing]).to.deep.equal(['high', []])
    expect(some.missing).to.deep.equal(['den', 'moor'])
    expect(some.value).to.be.below(all.value)
    expect(some.level).to.equal('low')
  })

  it('does not name a word that a later result has', () => {
    expect(told(['fox', 'den'], [['fox', 'moor'], ['den']]).missing).to.deep.equal([])
  })

  it('is none, of value 0, without results', () => {
    expect(told(['fox'], [])).to.deep.include({ level: 'none', value: 0, missing: ['fox'] })
    expect(told([], [])).to.deep.include({ level: 'none', missing: [] })
  })

  it('is a probability that rises with each part but what is missing, and another author', () => {
    const parts: ConfidenceParts = {
      soft_coverage: 0.4,
      words_found: 1,
      missing_share: 0.5,
      lead: 1.2,
      other_author: 0,
    }
    const value = probabilityOf(parts)
    expect(value).to.be.within(0, 1)
    for (const part of ['soft_coverage', 'words_found', 'lead'] as const)
      expect(probabilityOf({ ...parts, [part]: parts[part] + 0.5 }), part).to.be.above(value)
    for (const part of ['missing_share', 'other_author'] as const)
      expect(probabilityOf({ ...parts, [part]: 1 }), part).to.be.below(value)
  })
})

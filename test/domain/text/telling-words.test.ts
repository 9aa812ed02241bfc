import { expect } from 'chai'
import { tellingWords, termsOfGroups } from '../../../domain/text/query-words.js'

describe('domain/text/telling-words', () => {
  const short = Array.from({ length: 64 }, (_, i) => [`a${i % 8}${i >> 3}`])

  it('are all words of a query, in its order', () => {
    expect(tellingWords([['pump', 'pumps'], ['basin']])).to.deep.equal({
      groups: [['pump', 'pumps'], ['basin']],
      leftOut: new Set(),
    })
    expect(tellingWords(short).groups).to.deep.equal(short)
  })

  it('are the 64 longest of a query that has more, in its order', () => {
    const { groups, leftOut } = tellingWords([['econnreset'], ...short, ['basin']])
    expect(groups).to.deep.equal([['econnreset'], ...short.slice(0, 62), ['basin']])
    expect([...leftOut]).to.deep.equal(short.slice(62).flat())
  })

  it('have 128 terms at most, and each its first one', () => {
    const many = short.map(([word]) => [word!, `${word}s`, `${word}t`])
    const { groups } = tellingWords(many)
    expect(termsOfGroups(groups)).to.have.length(128)
    expect(groups.map(([first]) => first)).to.deep.equal(short.flat())
    expect(groups[0]).to.deep.equal(many[0])
  })
})

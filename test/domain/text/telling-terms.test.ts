import { expect } from 'chai'
import { tellingTerms } from '../../../domain/text/query-words.js'

describe('domain/text/telling-terms', () => {
  const short = Array.from({ length: 64 }, (_, i) => `a${i % 8}${i >> 3}`)

  it('are all distinct terms of a query, in its order', () => {
    expect(tellingTerms(['pump', 'basin', 'pump'])).to.deep.equal({ terms: ['pump', 'basin'], leftOut: new Set() })
    expect(tellingTerms([...short, ...short]).terms).to.deep.equal(short)
  })

  it('are the 64 longest of a query that has more, in its order', () => {
    const { terms, leftOut } = tellingTerms(['econnreset', ...short, 'basin'])
    expect(terms).to.deep.equal(['econnreset', ...short.slice(0, 62), 'basin'])
    expect([...leftOut]).to.deep.equal(short.slice(62))
  })
})

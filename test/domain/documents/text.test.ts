import { expect } from 'chai'
import { documentTextHash, embeddedTextOf, keywordTextOf } from '../../../domain/documents/text.js'
import { reservedFault } from '../../../domain/documents/names.js'

describe('a document’s texts', () => {
  const cases: [data: Record<string, unknown>, embedded: string][] = [
    [{ summary: 'S', title: 'T', body: 'B' }, 'S'],
    [{ summary: ' ', title: 'T', body: 'B' }, 'T'],
    [{ summary: 1, description: 'D', name: 'N', title: 'T', body: 'B' }, 'T\nN\nD'],
    [{ summary: ['S'], name: 'N' }, 'N'],
    [{ title: { text: 'T' }, body: 'B', a: ['x', { c: 'z', b: 'y' }, '', 7, null] }, 'x\ny\nz\nB\nT'],
    [{}, ''],
    [{ count: 7 }, ''],
  ]
  for (const [data, embedded] of cases)
    it(`embed ${JSON.stringify(data)} as ${JSON.stringify(embedded)}`, () =>
      expect(embeddedTextOf(data)).to.equal(embedded))

  it('contain every string for the keyword search', () =>
    expect(keywordTextOf({ summary: 'S', b: [{ c: 'C' }], a: 'A', n: 1 })).to.equal('A\nC\nS'))

  it('do not depend on the order of keys', () => {
    const [one, other] = [
      { b: 'x', a: { d: 'y', c: 'z' } },
      { a: { c: 'z', d: 'y' }, b: 'x' },
    ]
    expect(keywordTextOf(one)).to.equal(keywordTextOf(other))
    expect(documentTextHash(one)).to.deep.equal(documentTextHash(other))
    expect(documentTextHash(one)).not.to.deep.equal(documentTextHash({ b: 'x' }))
  })

  it('are embedded up to 10,000 units, never splitting a character', () => {
    expect(embeddedTextOf({ summary: 'x'.repeat(10_001) })).to.have.lengthOf(10_000)
    expect(embeddedTextOf({ summary: `x${'😀'.repeat(5_000)}` })).to.equal(`x${'😀'.repeat(4_999)}`)
  })

  it('are found at any depth', () => {
    let data: Record<string, unknown> = { text: 'deep' }
    for (let i = 0; i < 20_000; i++) data = { inner: data }
    expect(keywordTextOf(data)).to.equal('deep')
    expect(embeddedTextOf(data)).to.equal('deep')
  })
})

describe('a document’s names', () => {
  it('cannot be in the service’s own collections', () => {
    expect(reservedFault('_x')).to.match(/reserved/)
    for (const collection of ['skills', 'a_b', 'notes', 'collections']) expect(reservedFault(collection)).to.equal(null)
  })
})

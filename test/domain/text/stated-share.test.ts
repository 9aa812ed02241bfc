import { expect } from 'chai'
import { statedShare } from '../../../domain/ranking/analyse-text.js'

describe('the share of a text that is not questions', () => {
  const cases: [text: string, share: number][] = [
    ['The pump failed.', 1],
    ['Did the pump fail?', 0],
    ['Ana said, "Did it fail?"', 0],
    ['It is so. Is it so', 1],
    ['It did. Why so?', 0.5],
    ['It did\nWhy so?\n', 0.461],
    ['https://x.io/a?b=c', 1],
    ['', 1],
  ]
  for (const [text, share] of cases)
    it(`of ${JSON.stringify(text)} is ${share}`, () => expect(statedShare(text)).to.be.closeTo(share, 0.001))

  it('is computed in linear time', () => {
    expect(statedShare('? '.repeat(50_000))).to.equal(0)
    expect(statedShare(`${'?"'.repeat(50_000)} a`)).to.be.closeTo(1, 1)
  })
})

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
    ['水泵坏了吗？', 0],
    ['水泵坏了吗', 0],
    ['水泵坏了。为什么？', 0.556],
    ['水泵坏了。', 1],
    ['「故障ですか？」', 0],
    ['ポンプは壊れましたか。', 0],
    ['ポンプは壊れました。', 1],
    ['펌프가 고장 났습니까', 0],
    ['펌프가 고장 났습니다', 1],
    ['هل تعطلت المضخة؟', 0],
    ['تعطلت المضخة؛ سنصلحها', 1],
    ['¿Ha fallado la bomba?', 0],
    ['La pompe est «\u00a0morte\u00a0?\u00a0»', 0.043],
  ]
  for (const [text, share] of cases)
    it(`of ${JSON.stringify(text)} is ${share}`, () => expect(statedShare(text)).to.be.closeTo(share, 0.001))

  it('is computed in linear time', () => {
    expect(statedShare('? '.repeat(50_000))).to.equal(0)
    expect(statedShare(`${'?"'.repeat(50_000)} a`)).to.be.closeTo(1, 1)
    expect(statedShare('\uff1f\u300d'.repeat(50_000))).to.equal(0)
    expect(statedShare('ですか'.repeat(50_000))).to.equal(0)
  })
})

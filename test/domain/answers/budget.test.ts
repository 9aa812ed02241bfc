import { expect } from 'chai'
import { type Budget, pack as packing, type Parcel } from '../../../domain/answers/budget.js'
import { runToEnd } from '../../../domain/yielding.js'
import { estimateTokens } from '../../../domain/answers/token-count.js'

describe('domain/answers/budget', () => {
  const pack = (parcels: readonly Parcel[], budget: Budget) => runToEnd(packing(parcels, budget))
  const parcel = (score: number, content: string, beside: string[] = []): Parcel => ({
    score,
    language: 'en',
    title: '',
    content,
    beside,
  })
  const tokens = (n: number): Budget => ({ tokens: n, characters: Infinity })
  const sentence = 'The deploy of the billing service needs two approvals.'
  const long = Array.from({ length: 30 }, (_, i) => `Sentence ${i} of a long report about the warehouse.`).join(' ')
  const placesOf = (parcels: readonly Parcel[], budget: Budget) => pack(parcels, budget).map(({ place }) => place)

  it('keeps all that fits, in the order of the list', () =>
    expect(pack([parcel(2, sentence), parcel(1, sentence)], tokens(100))).to.deep.equal([
      { place: 0, cut: null, beside: 0 },
      { place: 1, cut: null, beside: 0 },
    ]))

  it('takes the best first, then the short ones of nearly the same worth before a long one', () =>
    expect(placesOf([parcel(2, sentence), parcel(1.9, long), parcel(1.8, sentence)], tokens(30))).to.deep.equal([0, 2]))

  it('takes no worthless text because it is short', () =>
    expect(placesOf([parcel(2, sentence), parcel(1.9, sentence), parcel(0.2, 'Bread.')], tokens(21))).to.deep.equal([
      0, 1,
    ]))

  it('cuts a text at the end of a sentence', () => {
    const [, other] = pack([parcel(2, sentence), parcel(1.5, long)], tokens(100))
    expect(other!.cut).to.match(/^Sentence 0.*warehouse\.$/)
    const used = estimateTokens(sentence, 'en') + estimateTokens(other!.cut!, 'en')
    expect(used).to.be.within(70, 100)
  })

  it('cuts the first one within its only sentence, and no other', () => {
    const words = 'word '.repeat(200).trim()
    const packed = pack([parcel(2, words), parcel(1.9, words)], tokens(50))
    expect(packed).to.have.length(1)
    expect(packed[0]!.cut).to.match(/^word( word)+$/)
    expect(estimateTokens(packed[0]!.cut!, 'en')).to.be.at.most(50)
  })

  it('returns what stands beside a text where there is room, and the text first', () => {
    const long = {
      ...parcel(
        2,
        sentence,
        Array.from({ length: 20 }, (_, i) => `${i} ${sentence}`),
      ),
    }
    const [first, ...others] = pack([long, parcel(0.1, sentence)], tokens(60))
    expect([first!.cut, others]).to.deep.equal([null, []])
    expect(first!.beside).to.be.within(2, 4)
  })

  it('keeps the first one, whatever it begins with and however little room there is', () => {
    for (const content of [`\n${long}`, `\n\n \n${'word '.repeat(300)}`, '😀 smiles', '👨‍👩‍👧 is a family', 'ก็ดี'])
      for (const budget of [tokens(1), { tokens: Infinity, characters: 1 }]) {
        const packed = pack([parcel(1, content)], budget)
        expect(packed, JSON.stringify(content.slice(0, 9))).to.have.length(1)
        expect(packed[0]!.cut!.trim()).not.to.equal('')
        expect(content).to.contain(packed[0]!.cut)
      }
  })

  it('cuts two texts at most, however many do not fit', () => {
    const lines = Array.from({ length: 9 }, (_, i) => parcel(2 - i / 100, `${i}${'\n'.repeat(9_000)}${long}`))
    expect(pack(lines, tokens(200)).filter(({ cut }) => cut !== null)).to.have.length.at.most(2)
  })

  it('keeps within characters too, which are code points', () => {
    const packed = pack([parcel(2, '😀'.repeat(50))], { tokens: Infinity, characters: 7 })
    expect(packed[0]!.cut).to.equal('😀'.repeat(7))
    const whole = pack([parcel(2, '😀'.repeat(7))], { tokens: Infinity, characters: 7 })
    expect(whole[0]!.cut).to.equal(null)
  })

  it('packs nothing of nothing', () => expect(pack([], tokens(10))).to.deep.equal([]))
})

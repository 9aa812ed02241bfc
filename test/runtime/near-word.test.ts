import { expect } from 'chai'
import { nearestWord, slipsOf } from '../../runtime/near-word.js'

describe('runtime/near-word', () => {
  it('finds what a word with one or two slips of the pen means', () => {
    const choices = ['read', 'list', 'update']
    for (const [given, meant] of [
      ['lst', 'list'],
      ['updaet', 'update'],
      ['raed', null],
      ['upadeed', null],
    ] as const)
      expect(nearestWord(given, choices), given).to.equal(meant)
  })

  it('counts no slips where more than a third of a word is another', () => {
    expect(slipsOf('lost', 'list')).to.equal(1)
    expect(slipsOf('nothing', 'thing')).to.equal(Infinity)
    expect(slipsOf('is', 'it')).to.equal(Infinity)
  })
})

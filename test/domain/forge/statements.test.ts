import { expect } from 'chai'
import { statementsOf } from '../../../domain/forge/statements.js'
import { memoryOf } from './forge-memories.js'

const textsOf = (content: string) => statementsOf(memoryOf({ content })).map(({ text }) => text)
const termsOf = (content: string) => statementsOf(memoryOf({ content })).flatMap(({ terms }) => terms)

describe('statements of a memory', () => {
  it('are its sentences, lines and items, without marks and times', () => {
    expect(
      textsOf('I drained the node. Then I upgraded it; it is fine!\n- [x] uncordon\n2) close the ticket\n[14:32] note'),
    ).to.deep.equal(['I drained the node.', 'I upgraded it', 'it is fine!', 'uncordon', 'close the ticket', 'note'])
  })

  it('are parted at "then", and not after an abbreviation', () => {
    expect(textsOf('drained the node and then upgraded it')).to.deep.equal(['drained the node', 'upgraded it'])
    expect(textsOf('depr. fixed assets')).to.deep.equal(['depr. fixed assets'])
    expect(textsOf('all done. closed it')).to.deep.equal(['all done.', 'closed it'])
  })

  it('have the terms of the text without its numbers; a code keeps its words', () => {
    expect(termsOf('Refunded 129.99 EUR on 2026-03-01')).to.deep.equal(['refund', 'eur'])
    expect(termsOf('node-12')).to.include.members(['node', 'node12'])
  })

  it('are read in linear time, whatever the text', () => {
    for (const atom of ['a', '1', '- ', 'then ', 'a. ', 'a; ', '[x] ', '…', 'ok, '])
      expect(() => textsOf(atom.repeat(10_000 / atom.length))).not.to.throw()
    expect(textsOf('x. '.repeat(9_000)).length).to.be.at.most(60)
  })

  it('have whole characters, wherever a long text is cut', () => {
    for (const shift of [0, 1]) {
      const said = textsOf(`${'x'.repeat(9_900 + shift)}. Then watched ${'\u{1f600}'.repeat(100)}`)
      expect(said).to.have.length(2)
      expect(said.join(' '), `shifted by ${shift}`).to.not.match(/[\ud800-\udfff]/u)
    }
  })

  it('are none in a text without terms', () => {
    expect(textsOf('... 12 ... 34')).to.deep.equal([])
  })
})

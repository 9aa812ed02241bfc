import { expect } from 'chai'
import { withoutCopies } from '../../../domain/forge/copies.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { runOf, WINDOW } from './forge-memories.js'

type Run = readonly [agent: string, texts: readonly string[]]
const left = (...runs: readonly Run[]) =>
  withoutCopies(
    tracesOf(
      runs.flatMap(([agent, texts]) => runOf(agent, `run-${agent}`, texts)),
      WINDOW,
    ),
  ).map(({ agentId, memories }) => [agentId, memories.map(({ content }) => content)])

const LONG = 'Switched the payment gateway to the standby region because the primary lost its certificate chain.'

describe('copies of what was recalled', () => {
  it('are left out where the text says much, in any dress; the first author keeps it', () => {
    expect(left(['ana', [LONG]], ['ben', [`Recalled: ${LONG}`, 'Own words of mine.']])).to.deep.equal([
      ['ana', [LONG]],
      ['ben', ['Own words of mine.']],
    ])
  })

  it('are left out where a number is the same, and kept where it differs', () => {
    const text = (number: number) => `Drained node ${number} before the kernel upgrade.`
    expect(left(['ana', [text(12)]], ['ben', [text(12)]])).to.deep.equal([['ana', [text(12)]]])
    expect(left(['ana', [text(12)]], ['ben', [text(13)]])).to.have.length(2)
  })

  it('are not what two authors chose alike: short texts without a number', () => {
    expect(left(['ana', ['Ran the tests.']], ['ben', ['Ran the tests.', 'Read the log.']])).to.have.length(2)
  })

  it('are short texts too where the whole run repeats another', () => {
    const texts = ['Opened the hood.', 'Changed the filter.', 'Closed the hood.']
    expect(left(['ana', texts], ['ben', texts])).to.deep.equal([['ana', texts]])
  })

  it('are found among the memories of one agent’s other runs, but not within a run', () => {
    expect(left(['ana', [LONG, `${LONG} Indeed.`]])[0]![1]).to.have.length(2)
  })
})

import { expect } from 'chai'
import { misspellings } from '../../../domain/forge/spelling.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { NAME, rarities, readTraces } from '../../../domain/forge/vocabulary.js'
import { runOf, traceOf, WINDOW } from './forge-memories.js'

describe('misspelled terms', () => {
  it('stand for a term of several traces that differs by a letter, or by two swapped ones', () => {
    const frequencies = new Map([
      ['kubelet', 5],
      ['kubelt', 1],
      ['kubleet', 1],
      ['kubelets', 1],
    ])
    expect([...misspellings(frequencies)].sort()).to.deep.equal([
      ['kubelets', 'kubelet'],
      ['kubelt', 'kubelet'],
      ['kubleet', 'kubelet'],
    ])
  })

  it('are neither words of a dictionary, nor frequent, nor short', () => {
    expect(
      misspellings(
        new Map([
          ['submit', 5],
          ['summit', 1],
          ['vault', 2],
          ['vaul', 1],
          ['tmb', 9],
          ['tmc', 1],
        ]),
      ).size,
    ).to.equal(0)
  })
})

describe('the vocabulary of traces', () => {
  const traces = [
    traceOf('ana', 'r1', ['Restarted kubelet in Vault.']),
    traceOf('ben', 'r2', ['Restarted kubelet again.']),
    traceOf('cleo', 'r3', ['Restarted kubelt, with kubelet gone.']),
    traceOf('dan', 'r4', ['Kubelet is well.']),
  ]
  const vocabulary = readTraces(traces)
  const numberOf = (feature: string) => vocabulary.features.indexOf(feature)

  it('numbers terms and names, and knows their traces', () => {
    expect([...vocabulary.holders[numberOf('kubelet')]!]).to.deep.equal([0, 1, 2, 3])
    expect([...vocabulary.holders[numberOf('restart')]!]).to.deep.equal([0, 1, 2])
    expect([...vocabulary.holders[numberOf(`${NAME}vault`)]!]).to.deep.equal([0])
  })

  it('finds names in the language of each memory, and no days, which are those of one run', () => {
    const texts = ['Danach Knoten leeren.', 'Gestern den Tresor Vault gesperrt.']
    const { features } = readTraces(tracesOf(runOf('ana', 'r5', texts, { language: 'de' }), WINDOW))
    expect(features.filter((feature) => feature.startsWith(NAME))).to.deep.equal([`${NAME}tresor vault`])
  })

  it('counts a misspelled term as the right one', () => {
    expect(numberOf('kubelt')).to.equal(-1)
    expect(vocabulary.traces[2]!.statements[0]!.misspelled).to.equal(1)
  })

  it('weighs rare features more than common ones, and what all traces share still counts', () => {
    const rarity = rarities(vocabulary)
    expect(rarity[numberOf('restart')]).to.be.above(rarity[numberOf('kubelet')]!)
    expect(rarity[numberOf('kubelet')]).to.be.above(1)
  })

  it('does not depend on the order of the traces', () => {
    expect(readTraces(traces.toReversed())).to.deep.equal(vocabulary)
  })
})

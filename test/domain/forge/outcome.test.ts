import { expect } from 'chai'
import { NO_REPORTS, outcomeOf, type TraceReports } from '../../../domain/forge/outcome.js'
import { traceOf } from './forge-memories.js'

const neutral = traceOf('ana', 'r', ['Read the manual of the pump.', 'Opened the valve of the pump.'])
const labelOf = (texts: readonly string[], reports: Partial<TraceReports> = {}) =>
  outcomeOf(texts.length === 0 ? neutral : traceOf('ana', 'r', texts), { ...NO_REPORTS, ...reports }).label

describe('the outcome of a trace', () => {
  it('is unknown without any signal', () => {
    expect(outcomeOf(neutral)).to.deep.equal({ label: 'unknown', signals: [] })
  })

  it('is the sum of its signals, each counted once', () => {
    const all = { feedback: { success: 9, failure: 0 }, contradicted: true, repeatedQuery: true, reused: true }
    expect(outcomeOf(traceOf('ana', 'r', ['Failed, rolled back.']), all)).to.deep.equal({
      label: 'failure',
      signals: [
        { kind: 'feedback', weight: 1 },
        { kind: 'ending', weight: -0.9 },
        { kind: 'contradiction', weight: -0.7 },
        { kind: 'repeated_query', weight: -0.4 },
        { kind: 'reuse', weight: 0.3 },
      ],
    })
  })

  it('is read from the end of a memory that tells all of the work', () => {
    const way = [
      '- Deploy of the gateway failed.',
      '- Raised the limit.',
      '- Ran it again.',
      '- Watched the graphs.',
      '- Told the team.',
    ]
    expect(labelOf([[...way, '- Looks good.'].join('\n')])).to.equal('success')
    expect(labelOf([[...way.slice(1), '- Deploy of the gateway failed.'].join('\n')])).to.equal('failure')
  })

  const cases: [string, Partial<TraceReports>, string][] = [
    ['reuse alone is too little', { reused: true }, 'unknown'],
    ['a repeated query alone is too little', { repeatedQuery: true }, 'unknown'],
    ['a contradiction is failure', { contradicted: true }, 'failure'],
    ['feedback outweighs a contradiction', { feedback: { success: 1, failure: 0 }, contradicted: true }, 'success'],
    [
      'a contradiction and a repeated query outweigh feedback',
      { feedback: { success: 1, failure: 0 }, contradicted: true, repeatedQuery: true },
      'failure',
    ],
    [
      'a contradiction is as heavy as a repeated query and reuse are apart',
      { contradicted: true, repeatedQuery: false, reused: true },
      'failure',
    ],
    ['feedback of both kinds says nothing', { feedback: { success: 2, failure: 2 } }, 'unknown'],
    ['the majority of feedback counts', { feedback: { success: 1, failure: 2 } }, 'failure'],
  ]
  for (const [what, reports, label] of cases)
    it(`says that ${what}`, () => {
      expect(labelOf([], reports)).to.equal(label)
    })

  it('is unknown at a tie', () => {
    const tie = { feedback: { success: 1, failure: 0 }, contradicted: true, reused: false, repeatedQuery: false }
    expect(
      outcomeOf(traceOf('ana', 'r', ['Restarted the pump.']), { ...tie, repeatedQuery: true, reused: true }).signals,
    ).to.have.length(4)
    expect(labelOf([], { ...tie, repeatedQuery: true, reused: true, feedback: { success: 1, failure: 0 } })).to.equal(
      'success',
    )
    expect(
      labelOf([], { contradicted: true, repeatedQuery: true, reused: false, feedback: { success: 1, failure: 0 } }),
    ).to.equal('failure')
  })

  it('is read from the last memories, also when a note follows', () => {
    expect(
      labelOf([
        'Drained the node.',
        'Upgraded the node.',
        'Upgrade verified, done.',
        'Coffee machine is out of order.',
      ]),
    ).to.equal('success')
    expect(labelOf(['Drained the node.', 'Upgrade failed, rolled back the node.', 'Lunch was good.'])).to.equal(
      'failure',
    )
    expect(
      labelOf(['Rotated the key.', 'Rotation completed without downtime.', 'Browser crashed, had to log in again.']),
    ).to.equal('success')
  })

  it('takes the last of several ends', () => {
    expect(labelOf(['The upgrade failed.', 'Tried the other mirror.', 'Upgrade works now.'])).to.equal('success')
    expect(labelOf(['The upgrade works.', 'It failed an hour later.', 'Gave up.'])).to.equal('failure')
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import {
  evidenceOfText,
  fingerprintOf,
  SAME_WORK,
  type SharedEvidence,
  sketchLikeness,
  sketchOf,
} from '../../../domain/forge/fingerprint.js'

const EVIDENCE: SharedEvidence = {
  domain: 'keyring',
  names: ['jwks', 'vault'],
  steps: [
    ['sign', 'key', 'keyr'],
    ['publish', 'public', 'jwks'],
    ['restart', 'token', 'issuer'],
    ['retir', 'old', 'sign', 'key'],
  ],
}

describe('the fingerprint of a workflow', () => {
  it('is the same for the same evidence in any order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...EVIDENCE.steps], { minLength: 4 }),
        fc.shuffledSubarray([...EVIDENCE.names], { minLength: 2 }),
        (steps, names) => {
          expect(fingerprintOf({ ...EVIDENCE, steps: steps.map((terms) => terms.toReversed()), names })).to.equal(
            fingerprintOf(EVIDENCE),
          )
        },
      ),
    )
    expect(fingerprintOf(EVIDENCE)).to.match(/^fp:v1:[0-9a-f]{64}$/)
  })

  it('differs by domain, names and steps', () => {
    const others = [{ domain: 'vault' }, { names: ['jwks'] }, { steps: EVIDENCE.steps.slice(1) }]
    const all = [EVIDENCE, ...others.map((change) => ({ ...EVIDENCE, ...change }))].map(fingerprintOf)
    expect(new Set(all).size).to.equal(4)
  })
})

describe('the sketch', () => {
  it('is near for the same work with a step more, and far for other work', () => {
    const grown = { ...EVIDENCE, steps: [...EVIDENCE.steps, ['watch', 'login']] }
    const other = {
      domain: 'pump',
      names: ['hall'],
      steps: [
        ['drain', 'pump'],
        ['replac', 'seal'],
        ['old', 'hous'],
      ],
    }
    expect(sketchLikeness(sketchOf(EVIDENCE), sketchOf(EVIDENCE))).to.equal(1)
    expect(sketchLikeness(sketchOf(EVIDENCE), sketchOf(grown))).to.be.at.least(SAME_WORK)
    expect(sketchLikeness(sketchOf(EVIDENCE), sketchOf(other))).to.be.below(0.2)
  })

  it('estimates the share in common', () => {
    const terms = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 10, maxLength: 30 })
    fc.assert(
      fc.property(terms, terms, (a, b) => {
        const of = (numbers: readonly number[]) =>
          sketchOf({ domain: '', names: [], steps: [numbers.map((n) => `term${n}`)] })
        const both = a.filter((n) => b.includes(n)).length
        expect(sketchLikeness(of(a), of(b))).to.be.closeTo(both / (a.length + b.length - both), 0.3)
      }),
    )
  })

  it('is like nothing when there is no evidence', () => {
    const none = sketchOf({ domain: '', names: [], steps: [] })
    expect(sketchLikeness(none, none)).to.equal(0)
    expect(sketchLikeness(none, [])).to.equal(0)
  })

  it('exists for a skill that somebody wrote', () => {
    const { steps } = evidenceOfText(
      'keyring',
      'Use it often.\n\n## Steps\n\n1. Create a signing key\n2. Restart the issuer\n',
    )
    expect(steps).to.deep.equal([
      ['creat', 'sign', 'key'],
      ['restart', 'issuer'],
    ])
    expect(evidenceOfText('', 'Only a sentence.').steps).to.deep.equal([['sentenc']])
  })
})

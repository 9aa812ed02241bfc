import { expect } from 'chai'
import { countedAs, isDecision } from '../../../domain/skills/author-record.js'

describe('decisions about versions', () => {
  for (const [from, to, isReviewed, counted] of [
    ['staged', 'active', true, 'approved'],
    ['staged', 'active', false, null],
    [null, 'active', true, null],
    ['staged', 'rejected', true, 'rejected'],
    ['quarantined', 'rejected', true, 'rejected'],
    ['active', 'quarantined', false, 'quarantined'],
    [null, 'quarantined', true, 'quarantined'],
    ['quarantined', 'staged', true, null],
    ['stale', 'staged', true, null],
    ['candidate', 'staged', false, null],
    [null, 'staged', true, null],
  ] as const)
    it(`count ${from ?? 'nothing'} to ${to} by ${isReviewed ? 'a reviewer' : 'the service'} as ${counted ?? 'none'}`, () => {
      expect(isDecision({ from, to, isReviewed })).to.equal(true)
      expect(countedAs({ from, to, isReviewed })).to.equal(counted)
    })

  for (const [from, to] of [
    ['active', 'rejected'],
    ['active', 'deprecated'],
    ['active', 'stale'],
    ['quarantined', 'deprecated'],
    ['staged', 'staged'],
  ] as const)
    it(`are not ${from} to ${to}`, () => void expect(isDecision({ from, to, isReviewed: true })).to.equal(false))
})

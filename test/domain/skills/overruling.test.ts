import { expect } from 'chai'
import { isAccepted, type Overruling } from '../../../domain/skills/overruling.js'

describe('an overruled verdict', () => {
  const overruled: Overruling = {
    by: { kind: 'agent', agent_id: 'ana' },
    at: '2026-05-20T12:00:00.000Z',
    reason: 'It is the sample of a lesson.',
    content_hash: 'sha256:a',
    rules: '5',
  }
  const quarantined = { verdict: 'quarantined', version: '5' } as const

  it('accepts this content under these rules, and no other', () => {
    expect(isAccepted({ contentHash: 'sha256:a', overruled }, quarantined)).to.equal(true)
    expect(isAccepted({ contentHash: 'sha256:b', overruled }, quarantined)).to.equal(false)
    expect(isAccepted({ contentHash: 'sha256:a', overruled }, { ...quarantined, version: '6' })).to.equal(false)
    expect(isAccepted({ contentHash: 'sha256:a', overruled: null }, quarantined)).to.equal(false)
  })

  it('is needed for a quarantine alone', () => {
    expect(isAccepted({ contentHash: 'sha256:a', overruled: null }, { ...quarantined, verdict: 'flagged' })).to.equal(
      true,
    )
  })
})

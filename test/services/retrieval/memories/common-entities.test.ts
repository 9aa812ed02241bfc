import { expect } from 'chai'
import type { Audience } from '../../../../domain/visibility.js'
import { CommonEntityCache } from '../../../../services/retrieval/memories/common-entities.js'
import { createMovingClock } from '../../../support/moving-clock.js'

const ANA: Audience = { kind: 'shared', agentId: 'ana', fleets: ['red'] }
const BEN: Audience = { kind: 'shared', agentId: 'ben', fleets: ['red'] }
const NONE = { queried: [], others: [] }

describe('common entities', () => {
  it('are remembered for a minute', () => {
    const clock = createMovingClock()
    const cache = new CommonEntityCache({ clock })
    cache.addCommon('acme', ANA, { queried: ['hub'], others: ['everywhere'] })
    clock.advance(30_000)
    cache.addCommon('acme', ANA, { queried: ['other hub'], others: [] })
    expect(cache.commonOf('acme', ANA)).to.deep.equal({ queried: ['other hub', 'hub'], others: ['everywhere'] })
    clock.advance(31_000)
    expect(cache.commonOf('acme', ANA)).to.deep.equal({ queried: ['other hub'], others: [] })
    clock.advance(30_000)
    expect(cache.commonOf('acme', ANA)).to.deep.equal(NONE)
  })

  it('of one audience say nothing to another, nor to another tenant', () => {
    const cache = new CommonEntityCache()
    cache.addCommon('acme', ANA, { queried: ['hub'], others: ['everywhere'] })
    for (const audience of [BEN, { ...ANA, fleets: ['blue'] }, { kind: 'own', agentId: 'ana' }] as const)
      expect(cache.commonOf('acme', audience)).to.deep.equal(NONE)
    expect(cache.commonOf('other', ANA)).to.deep.equal(NONE)
  })

  it('are 200 of each kind at most, the newest', () => {
    const cache = new CommonEntityCache()
    const ids = Array.from({ length: 300 }, (_, i) => `entity-${i}`)
    cache.addCommon('acme', ANA, { queried: ids, others: ids })
    const { queried, others } = cache.commonOf('acme', ANA)
    expect([queried.length, others.length]).to.deep.equal([200, 200])
    expect(new Set(queried)).to.deep.equal(new Set(ids.slice(100)))
  })
})

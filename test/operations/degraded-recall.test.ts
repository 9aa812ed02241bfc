import { expect } from 'chai'
import { describeDegradedRecall } from '../behaviours/degraded-recall.js'
import { newTenant } from '../support/caller.js'
import { shareService } from '../support/shared-service.js'

describe('degraded recall', () => {
  describeDegradedRecall({})

  describe('with a search engine that was never reachable', () => {
    // Nothing listens on port 9 of loopback.
    const service = shareService({ env: { OPENSEARCH_URL: 'http://127.0.0.1:9' } })

    it('accepts writes, deletes and recalls, and reports search as degraded', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const [kept, gone] = [await ana.remember('The fox stays.'), await ana.remember('The fox goes.')]
      await ana.forget(gone.id)
      const { memories, degraded } = await ana.recall('fox')
      expect(memories.map(({ id }) => id)).to.deep.equal([kept.id])
      expect(degraded).to.equal('search')
      const { body } = await service().client().call('getHealth')
      expect(body.dependencies.search).to.equal('unavailable')
      const indexing = await service().client().call('getIndexing')
      expect(indexing.body).to.deep.include({ parked: 0 })
      expect(indexing.body.pending).to.be.greaterThan(0)
    })
  })
})

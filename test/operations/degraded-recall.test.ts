import { expect } from 'chai'
import { describeDegradedRecall } from '../behaviours/degraded-recall.test.js'
import { newTenant } from '../support/tenants.js'
import { shareService } from '../support/shared-service.js'

describe('degraded recall', () => {
  describeDegradedRecall({})

  describe('with a search engine that was never reachable', () => {
    // Nothing listens on port 9 of loopback.
    const service = shareService({ env: { OPENSEARCH_URL: 'http://127.0.0.1:9' } })

    it('accepts writes, deletes and recalls, and reports search as degraded', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const [kept, gone] = [
        await ana.memories.create('The fox stays.').ok(),
        await ana.memories.create('The fox goes.').ok(),
      ]
      await ana.memories.delete(gone.id).ok()
      const { memories, degraded } = await ana.memories.recall('fox').ok()
      expect(memories.map(({ id }) => id)).to.deep.equal([kept.id])
      expect(degraded).to.equal('search')
      const { body } = await service().client().probes.health()
      expect(body.dependencies.search).to.equal('unavailable')
      const indexing = await service().client().indexing.get()
      expect(indexing.body).to.deep.include({ parked: 0 })
      expect(indexing.body.pending).to.be.greaterThan(0)
    })
  })
})

import { expect } from 'chai'
import type { components } from '../../contract/types.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { JobQueue } from '../../workers/queue.js'
import { newTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'

type Receipt = components['schemas']['ErasureReceipt']

describeOnEmbedded(() => {
  describe('an erasure with jobs in a queue without workers', () => {
    const service = ownService({ queues: ['indexing', 'lifecycle'] })
    const queueOf = () =>
      service().context.queuedIds.find(({ queue: name }) => name === 'enrichment') as unknown as JobQueue

    it('removes the ids from the waiting jobs', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const [gone, kept] = [await ana.memories.create('A fox.').ok(), await ana.memories.create('A heron.').ok()]
      const queue = queueOf()
      await until('the queue is healthy', async () => expect(await queue.health()).to.equal(null))
      const payload = { tenantId: tenant.id, ticket: gone.id, ids: [gone.id, kept.id] }
      await queue.add([{ name: 'enrichMemories', id: 'waiting', payload }])
      const { body } = await service()
        .client()
        .erasures.create({ tenant_id: tenant.id, memory_ids: [gone.id] })
      expect(body).to.deep.include({ complete: true })
      const place = { place: 'queue.enrichment', before: 1, after: 0, mentions: 0, kept: false }
      expect((body as Receipt).places).to.deep.include(place)
      expect(await queue.mentioning([kept.id])).to.equal(1)
    })

    it('is not complete, and verified as not clean, while a place is unavailable', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const row = await ana.memories.create('A fox.').ok()
      const admin = service().client()
      const { mentioning } = queueOf()
      Object.assign(queueOf(), { mentioning: () => Promise.reject(new UnavailableError('queue')) })
      try {
        const { body } = await admin.erasures.create({ tenant_id: tenant.id, memory_ids: [row.id] })
        const { erasure_id: id, ...receipt } = body as Receipt
        expect(receipt).to.deep.include({ memory_count: 1, complete: false })
        const place = { place: 'queue.enrichment', before: null, after: null, mentions: 0, kept: false }
        expect(receipt.places).to.deep.include(place)
        const verify = async () => (await admin.erasures.verify(id)).body
        expect(await verify()).to.deep.include({ clean: false })
        Object.assign(queueOf(), { mentioning })
        expect(await verify()).to.deep.include({ clean: true })
      } finally {
        Object.assign(queueOf(), { mentioning })
      }
    })
  })
})

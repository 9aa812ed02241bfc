import { expect } from 'chai'
import pg from 'pg'
import type { components } from '../../contract/types.js'
import { settled } from '../support/indexed.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { newTenant } from '../support/tenants.js'
import { type LanguageModelStub, startLanguageModelStub } from '../support/language-model-stub.js'
import { createMovingClock } from '../support/moving-clock.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { gate, until } from '../support/states.js'

type Receipt = components['schemas']['ErasureReceipt']

const CAROL = { name: 'carol', type: null, role: null }
const NOTHING = { type: null, title: null, tags: [], triple: null, times: [] }

/** Tests erasures by entity while a language model has not yet read memories that may be about it. */
describeOnEachProfile((profile) => {
  describe('erasure of an entity with memories that a language model has not read', () => {
    let stub: LanguageModelStub
    let held = gate()
    before(async () => {
      stub = await startLanguageModelStub({
        reply: ({ messages }) => ({ ...NOTHING, entities: messages[1]!.content.includes('carol') ? [CAROL] : [] }),
        before: () => held.opened,
      })
    })
    after(() => stub.stop())
    const clock = createMovingClock()
    const service = ownService(() => ({
      profile,
      clock,
      env: { LLM_URL: stub.url, LLM_MODEL: 'stub', LLM_TIMEOUT_MS: '60000' },
    }))

    const eraseEntity = async (tenantId: string, entityId: string) => {
      const body = { tenant_id: tenantId, subject_entity_id: entityId }
      return (await service().client().erasures.create(body)).body as Receipt
    }

    /** Locks a memory until the returned function is called; `isWaitedFor` tells whether somebody waits for it. */
    async function lockMemory(id: string) {
      const locking = new pg.Client({ connectionString: service().databaseUrl })
      await locking.connect()
      await locking.query('begin')
      await locking.query('select from memories where id = $1 for update', [id])
      return { isWaitedFor: () => isWaitedFor(locking), unlock: () => locking.end() }
    }

    it('removes the entity at the first try although the time for waiting went by while it erased', async () => {
      held = gate()
      held.open()
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const linked = await ana.memories.create({ content: 'She likes foxes.', entity_links: [{ name: 'Dora' }] }).ok()
      const entity = linked.entity_links[0]!.entity_id
      await settled(service(), tenant.id)
      const lock = await lockMemory(linked.id)
      const erasing = eraseEntity(tenant.id, entity)
      await until('the statement waits for the lock', lock.isWaitedFor).finally(() => {
        clock.advance(31_000)
        return lock.unlock()
      })
      expect(await erasing).to.deep.include({ memory_count: 1, pending_count: 0, complete: true })
      expect((await ana.entities.get(entity)).status).to.equal(404)
    })

    it('is neither complete nor clean until that is read, and then goes on', async () => {
      held = gate()
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const erase = (entityId: string) => eraseEntity(tenant.id, entityId)
      const verify = async (id: string) => (await service().client().erasures.verify(id)).body

      const linked = await ana.memories.create({ content: 'She likes foxes.', entity_links: [{ name: 'Carol' }] }).ok()
      const waiting = await ana.memories.create('we saw carol at the quay.').ok()
      const other = await ana.memories.create('we saw carolina at the quay.').ok()
      const entity = linked.entity_links[0]!.entity_id
      await settled(service(), tenant.id)

      const erasing = erase(entity)
      await until('the linked memory is erased', async () =>
        expect((await ana.memories.get(linked.id)).status).to.equal(404),
      )
      clock.advance(31_000)
      const first = await erasing
      expect(first).to.deep.include({ memory_count: 1, pending_count: 1, complete: false })
      expect(await verify(first.erasure_id)).to.deep.include({ pending_count: 1, clean: false, hash: first.hash })

      held.open()
      await until('the waiting memory has its links', async () =>
        expect((await ana.memories.get(waiting.id)).body.entity_links.length).to.be.greaterThan(0),
      )
      expect(await verify(first.erasure_id)).to.deep.include({ pending_count: 0, clean: false })
      const second = await erase(entity)
      expect(second).to.deep.include({
        erasure_id: first.erasure_id,
        memory_count: 2,
        pending_count: 0,
        complete: true,
      })
      expect(await verify(second.erasure_id)).to.deep.include({ pending_count: 0, clean: true, hash: second.hash })
      expect((await ana.memories.listAll()).map(({ id }) => id)).to.deep.equal([other.id])
    })
  })
})

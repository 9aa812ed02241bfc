import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { holdIndexing } from '../support/held-indexing.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { ownService } from '../support/shared-service.js'

/** Tests what services/retrieval/README.md says of the way between this process and PostgreSQL. */
describe('the round trips of a search', () => {
  const service = ownService()
  let tenant: TestTenant
  let ana: Caller
  beforeEach(async () => {
    tenant = newTenant(service())
    ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
  })

  /** Returns the number of round trips to PostgreSQL that the work waits for, and of transactions that are not sent at once. */
  async function countTrips(work: () => Promise<unknown>): Promise<{ trips: number; inTurn: number }> {
    const { store } = service().context
    const before = store.roundTrips().count
    const { read } = store
    let inTurn = 0
    store.read = (bound, reading) => {
      if (bound.kind !== undefined) inTurn++
      return read.call(store, bound, reading) as ReturnType<typeof reading>
    }
    try {
      await work()
    } finally {
      store.read = read
    }
    return { trips: store.roundTrips().count - before, inTurn }
  }

  async function rememberRun(): Promise<void> {
    for (let i = 0; i < 8; i++)
      await ana.memories.create({ content: `Turn ${i}: Maria met the fox of Lisbon.`, run_id: 'run' }).ok()
  }

  // Beside rows that are being indexed, a search may read the marks of the index once more.
  for (const state of ['pending', 'indexed'] as const) {
    it(`are three for a recall of rows that are ${state}, new to this process or not`, async () => {
      const recall = () => ana.memories.recall('Where did Maria meet the fox?', { explain: true }).ok()
      await ana.memories.recall('So that the key is known.').ok()
      if (state === 'pending') await holdIndexing(service(), tenant.id)
      await rememberRun()
      if (state === 'indexed') await settled(service(), tenant.id)
      for (const _ of ['new', 'cached']) expect(await countTrips(recall)).to.deep.equal({ trips: 3, inTurn: 0 })
    })

    it(`are three for a search of known documents that are ${state}, and one more where no fleet is named`, async () => {
      const search = () => ana.documents.search('harbour', { fleet_id: 'red' }).ok()
      const anywhere = () => ana.documents.search('harbour').ok()
      if (state === 'pending') await holdIndexing(service(), tenant.id)
      await ana.documents.put('notes', 'a', { text: 'The fox came to the harbour.' }).ok()
      if (state === 'indexed') await settled(service(), tenant.id)
      await search()
      expect(await countTrips(search)).to.deep.equal({ trips: 3, inTurn: 0 })
      expect(await countTrips(anywhere)).to.deep.equal({ trips: 4, inTurn: 0 })
    })
  }
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { countInFlightRows } from '../../store/indexing/index-counts.js'
import { remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('the rows by which a filled index may differ from the count', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  it('are those that were pending at the count or were settled since, of the tenant, or of all, and the kind', async () => {
    const since = new Date('2026-03-01T12:00:00Z')
    const ids = await remember(test.store, 'ours', 'pending', 'settled since', 'settled before', 'long before')
    await remember(test.store, 'theirs', 'pending elsewhere')
    const settle = (id: string, at: string) =>
      test.store.asSystem(({ db }) =>
        sql`update index_pending set settled_at = ${at} where entity_id = ${id}`.execute(db),
      )
    await settle(ids[1]!, '2026-03-01T12:00:01Z')
    await settle(ids[2]!, '2026-03-01T11:59:59Z')
    await settle(ids[3]!, '2026-03-01T11:00:00Z')
    const moving = (tenantId?: string) => test.store.asSystem((system) => countInFlightRows(system, since, tenantId))
    expect(await moving('ours')).to.deep.equal({ memories: 2, documents: 0 })
    expect(await moving()).to.deep.equal({ memories: 3, documents: 0 })
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { isIdleFor, isOverdue, findTenantsWith } from '../../store/memories/lifecycle.js'
import { remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('due memories', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    await remember(test.store, 'tenant', ...Array.from({ length: 300 }, (_, i) => `note ${i}`))
    await test.store.asSystem(({ db }) =>
      sql`insert into tenants (tenant_id) values ('tenant') on conflict do nothing`.execute(db),
    )
  })
  after(() => test.stop())

  for (const [what, due] of Object.entries({ isOverdue: isOverdue(new Date()), idle: isIdleFor(90, new Date()) }))
    it(`are found without reading any other: ${what} ones`, async () => {
      await test.store.asSystem(async (system) => {
        // Uses the generic plan of a repeated statement; for so few rows PostgreSQL would scan the table.
        await sql`set local plan_cache_mode = force_generic_plan`.execute(system.db)
        await sql`set local enable_seqscan = off`.execute(system.db)
        expect(await findTenantsWith(system, due)).to.deep.equal([])
        const { rows } = await sql<{ read: number }>`
          select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
          where relname = 'memories'`.execute(system.db)
        expect(rows).to.deep.equal([{ read: 0 }])
      })
    })
})

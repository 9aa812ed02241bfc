import { expect } from 'chai'
import { sql } from 'kysely'
import { addToCounter, readPublicCounts } from '../../store/service-counters.js'
import { listTenants, patchTenant, type TenantChange } from '../../store/tenants/tenants.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { gate, until } from '../support/states.js'

describe('tenants in the store', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  const make = (tenantId: string) =>
    test.store.transact({ tenantId }, ({ db }) => db.insertInto('tenants').values({ tenant_id: tenantId }).execute())
  const patch = (tenantId: string, change: TenantChange) =>
    test.store.transact({ tenantId }, (writer) => patchTenant(writer, change))
  const read = async (tenantId: string) =>
    (await test.store.asSystem((system) => listTenants(system, { tenantId, limit: 1 })))[0]
  const stored = async (tenantId: string) =>
    (
      await test.store.asSystem(({ db }) =>
        db.selectFrom('tenants').select('stored').where('tenant_id', '=', tenantId).executeTakeFirstOrThrow(),
      )
    ).stored

  /** The columns of a memory that counting needs. */
  const insert = (tenantId: string, status = 'active') => sql`
    insert into memories (tenant_id, id, memory_type, content, content_hash, text_hash, created_at, updated_at, status, deleted_at)
    select ${tenantId}, id, 'fact', id::text, id::text::bytea, '', now(), now(), ${status},
      case when ${status} = 'deleted' then now() end from gen_random_uuid() id`

  it('counts memories that are not deleted when a limit is set, and clears the count without one', async () => {
    await make('counted')
    await test.store.transact({ tenantId: 'counted' }, async ({ db }) => {
      for (const status of ['active', 'outdated', 'deleted']) await insert('counted', status).execute(db)
    })
    const changed = await patch('counted', { memoriesLimit: 10 })
    expect([changed?.before.memoriesLimit, changed?.after.memoriesLimit]).to.deep.equal([null, 10])
    expect(await stored('counted')).to.equal(2)
    expect((await read('counted'))?.memoriesLimit).to.equal(10)
    await patch('counted', { memoriesLimit: null })
    expect(await stored('counted')).to.equal(null)
  })

  it('waits with the count for writes in progress', async () => {
    await make('waiting')
    const [written, mayCommit] = [gate(), gate()]
    const writing = test.store.transact(
      { tenantId: 'waiting' },
      async ({ db }) => {
        await insert('waiting').execute(db)
        written.open()
        await mayCommit.opened
      },
      { countsMemories: true },
    )
    await written.opened
    const limiting = patch('waiting', { memoriesLimit: 10 })
    await until('the statement waits for the lock', isWaitingForLock)
    mayCommit.open()
    await Promise.all([writing, limiting])
    expect(await stored('waiting')).to.equal(1)
  })

  const isWaitingForLock = () =>
    test.store.asSystem(async ({ db }) => {
      const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(db)
      return rows.length > 0
    })

  it('returns null when there is no such tenant', async () => {
    expect(await patch('nobody', { memoriesLimit: 1 })).to.equal(null)
    expect(await patch('nobody', { retentionDays: 1 })).to.equal(null)
  })

  it('keeps limits that a change does not name', async () => {
    await make('kept')
    await patch('kept', { memoriesLimit: 5, retentionDays: 7, rateLimits: { writes: 1 } })
    await patch('kept', {})
    expect(await read('kept')).to.deep.include({ memoriesLimit: 5, retentionDays: 7, rateLimits: { writes: 1 } })
  })

  it('sums totals and pending deltas, for a tenant and for the public', async () => {
    await make('summed')
    await test.store.asSystem(async (system) => {
      await sql`insert into tenant_totals (tenant_id, memories) values ('summed', 40)`.execute(system.db)
      await sql`insert into memory_counter_deltas (tenant_id, visibility, memory_type, status, delta)
        values ('summed', 'scope_team', 'fact', 'active', 3), ('summed', 'scope_team', 'fact', 'active', -1),
          ('summed', 'scope_team', 'fact', 'deleted', 1)`.execute(system.db)
      await addToCounter(system, 'recalls', 2)
      await addToCounter(system, 'recalls', 3)
    })
    expect((await read('summed'))?.memories).to.equal(42)
    expect(await test.store.asSystem(readPublicCounts)).to.include({ memories: 42, recalls: 5, agents: 0 })
  })
})

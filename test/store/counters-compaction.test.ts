import { expect } from 'chai'
import fc from 'fast-check'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { compactCounters } from '../../store/tenants/counters.js'
import type { Store } from '../../store/store.js'
import { runSql } from '../support/run-sql.js'
import { gate } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

interface Delta {
  readonly fleet: string | null
  readonly agent: string | null
  readonly status: string
  readonly delta: number
}

describe('compaction of counters', () => {
  let test: TestStore
  let store: Store
  let tenant: string

  before(async () => {
    test = await createTestStore()
    store = test.store
  })
  after(() => test.stop())
  beforeEach(async () => {
    tenant = `t-${randomUUID()}`
    await compactAll()
  })

  const count = (tenantId: string, deltas: readonly Delta[]) =>
    store.transact({ tenantId }, ({ db }) =>
      sql`insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
        select ${tenantId}, fleet, agent, 'scope_team', 'fact', status, delta
        from jsonb_to_recordset(${JSON.stringify(deltas)}::jsonb) as d(fleet text, agent text, status text, delta int)`.execute(
        db,
      ),
    )
  const compact = (limit?: number) => store.asSystem((system) => compactCounters(system, { limit }))
  async function compactAll(): Promise<void> {
    while ((await compact()) !== 0);
  }
  /** Sums counters and pending deltas in one statement, by fleet, agent and status; leaves out zeros. */
  async function sums(tenantId: string): Promise<Record<string, number>> {
    const { rows } = await store.read({ tenantId }, ({ db }) =>
      sql<{ key: string; sum: number }>`
        select concat_ws('/', coalesce(fleet_id, '-'), coalesce(agent_id, '-'), status) as key, sum(n)::bigint as sum from (
          select fleet_id, agent_id, status, count as n from memory_counters where tenant_id = ${tenantId}
          union all
          select fleet_id, agent_id, status, delta from memory_counter_deltas where tenant_id = ${tenantId}
        ) s group by 1 having sum(n) <> 0`.execute(db),
    )
    return Object.fromEntries(rows.map((row) => [row.key, row.sum]))
  }
  const openDeltas = async () =>
    (
      await store.asSystem(({ db }) =>
        sql<{ n: number }>`select count(*) as n from memory_counter_deltas where tenant_id = ${tenant}`.execute(db),
      )
    ).rows[0]!.n
  const total = async () =>
    (
      await store.asSystem(({ db }) =>
        db.selectFrom('tenant_totals').select('memories').where('tenant_id', '=', tenant).execute(),
      )
    )[0]?.memories

  it('adds deltas to one counter for each key, and counts no key twice', async () => {
    await count(tenant, [
      { fleet: null, agent: null, status: 'active', delta: 2 },
      { fleet: 'red', agent: 'a', status: 'active', delta: 3 },
    ])
    await compactAll()
    await count(tenant, [
      { fleet: null, agent: null, status: 'active', delta: -1 },
      { fleet: null, agent: null, status: 'deleted', delta: 1 },
    ])
    const before = await sums(tenant)
    expect(await compact()).to.equal(2)
    expect(await sums(tenant)).to.deep.equal(before)
    expect(before).to.deep.equal({ '-/-/active': 1, '-/-/deleted': 1, 'red/a/active': 3 })
    expect(await openDeltas()).to.equal(0)
    const counters = await store.asSystem(({ db }) =>
      db.selectFrom('memory_counters').selectAll().where('tenant_id', '=', tenant).execute(),
    )
    expect(counters).to.have.length(3)
  })

  it("keeps the tenant's total without deleted memories", async () => {
    await count(tenant, [{ fleet: null, agent: 'a', status: 'active', delta: 5 }])
    await count(tenant, [
      { fleet: null, agent: 'a', status: 'active', delta: -2 },
      { fleet: null, agent: 'a', status: 'deleted', delta: 2 },
    ])
    await compactAll()
    expect(await total()).to.equal(3)
  })

  it('compacts no more than the limit in one round', async () => {
    await count(
      tenant,
      Array.from({ length: 25 }, () => ({ fleet: null, agent: 'a', status: 'active', delta: 1 })),
    )
    expect(await compact(10)).to.equal(10)
    expect(await openDeltas()).to.equal(15)
    expect(await sums(tenant)).to.deep.equal({ '-/a/active': 25 })
  })

  it('does nothing while another process compacts', async () => {
    await count(tenant, [{ fleet: null, agent: 'a', status: 'active', delta: 1 }])
    const [compacted, release] = [gate(), gate()]
    const first = store.asSystem(async (system) => {
      const result = await compactCounters(system)
      compacted.open()
      await release.opened
      return result
    })
    await compacted.opened
    expect(await compact()).to.equal(null)
    release.open()
    expect(await first).to.equal(1)
    expect(await sums(tenant)).to.deep.equal({ '-/a/active': 1 })
  })

  it('keeps every sum exact, for any deltas in any rounds', async () => {
    const delta = fc.record({
      fleet: fc.constantFrom(null, 'red', 'blue'),
      agent: fc.constantFrom(null, 'a', 'b'),
      status: fc.constantFrom('active', 'deleted', 'archived'),
      delta: fc.integer({ min: -3, max: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(delta, { maxLength: 6 }), { maxLength: 5 }), async (writes) => {
        const name = `p-${randomUUID()}`
        const expected: Record<string, number> = {}
        for (const deltas of writes) {
          await count(name, deltas)
          for (const { fleet, agent, status, delta } of deltas) {
            const key = `${fleet ?? '-'}/${agent ?? '-'}/${status}`
            expected[key] = (expected[key] ?? 0) + delta
          }
          await compact(4)
          const nonzero = Object.fromEntries(Object.entries(expected).filter(([, sum]) => sum !== 0))
          expect(await sums(name)).to.deep.equal(nonzero)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('reads each delta a few times, even where PostgreSQL believes that there are none', async () => {
    const deltas = Array.from({ length: 1_000 }, (_, i) => ({
      fleet: null,
      agent: `a${i % 10}`,
      status: 'active',
      delta: 1,
    }))
    await count(tenant, deltas)
    await compactAll()
    // The pages of the deleted rows stay, as while others use them, so that the statistics say no row a page.
    await runSql(test.url, 'vacuum (analyze, truncate false) memory_counter_deltas')
    await count(tenant, deltas)
    const read = await store.asSystem(async (system) => {
      const tuples = async () => {
        const { rows } = await sql<{ read: number }>`
          select sum(pg_stat_get_xact_tuples_returned(oid))::bigint as read
          from pg_class where relname in ('memory_counter_deltas', 'memory_counter_deltas_pkey')`.execute(system.db)
        return rows[0]!.read
      }
      const before = await tuples()
      expect(await compactCounters(system)).to.equal(deltas.length)
      return (await tuples()) - before
    })
    expect(read).to.be.within(deltas.length, 10 * deltas.length)
  })

  it('shows readers the exact sum at every moment, while two processes compact and others write', async () => {
    const writes = 60
    let isWriting = true
    const writer = (async () => {
      for (let i = 0; i < writes; i++)
        await count(tenant, [
          { fleet: null, agent: 'a', status: 'active', delta: 1 },
          { fleet: null, agent: 'a', status: 'archived', delta: -1 },
        ])
      isWriting = false
    })()
    const compactor = async () => {
      while (isWriting) await compact(7)
    }
    const reader = (async () => {
      let last = 0
      while (isWriting) {
        const seen = await sums(tenant)
        const active = seen['-/a/active'] ?? 0
        expect(seen['-/a/archived'] ?? 0).to.equal(-active || 0)
        expect(active).to.be.at.least(last)
        last = active
      }
    })()
    await Promise.all([writer, compactor(), compactor(), reader])
    await compactAll()
    expect((await sums(tenant))['-/a/active']).to.equal(writes)
    expect(await total()).to.equal(0)
  })
})

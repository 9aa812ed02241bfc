import { expect } from 'chai'
import fc from 'fast-check'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { MemoryStatus, MemoryType } from '../../domain/memory.js'
import { type Audience, isVisible, type Visibility } from '../../domain/visibility.js'
import { type CountedScope, type CountFilter, countMemories } from '../../store/memories/count-memories.js'
import { compactCounters } from '../../store/tenants/counters.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { runSql } from '../support/run-sql.js'

interface Cell {
  readonly fleetId: string | null
  readonly agentId: string | null
  readonly visibility: Visibility
  readonly memoryType: MemoryType
  readonly status: MemoryStatus
  readonly count: number
}

describe('counts of memories', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  const compact = (limit?: number) => test.store.asSystem((system) => compactCounters(system, { limit }))
  const add = (tenantId: string, cells: readonly Cell[]) =>
    test.store.transact({ tenantId }, ({ db }) =>
      sql`insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
        select ${tenantId}, c."fleetId", c."agentId", c.visibility, c."memoryType", c.status, c.count
        from jsonb_to_recordset(${JSON.stringify(cells)}::jsonb)
          as c("fleetId" text, "agentId" text, visibility text, "memoryType" text, status text, count int)`.execute(db),
    )
  const counted = async (tenantId: string, scope: CountedScope, filter: CountFilter) => {
    const { byKind, byAgent } = await test.store.read({ tenantId }, (reader) => countMemories(reader, scope, filter))
    return {
      kinds: sumsOf(byKind, ({ memoryType, status }) => `${memoryType} ${status}`),
      agents: sumsOf(byAgent, ({ agentId }) => String(agentId)),
    }
  }

  const fleet = fc.constantFrom(null, 'red', 'blue')
  const agent = fc.constantFrom(null, 'ana', 'ben')
  const type = fc.constantFrom<MemoryType>('fact', 'task')
  const status = fc.constantFrom<MemoryStatus>('active', 'archived', 'deleted')
  const cell: fc.Arbitrary<Cell> = fc
    .record({
      fleetId: fleet,
      agentId: agent,
      visibility: fc.constantFrom<Visibility>('scope_agent', 'scope_team', 'scope_org'),
      memoryType: type,
      status,
      count: fc.integer({ min: 1, max: 3 }),
    })
    .filter(({ agentId, visibility }) => agentId !== null || visibility !== 'scope_agent')
  const audience: fc.Arbitrary<Audience> = fc.oneof(
    fc.constant<Audience>({ kind: 'nobody' }),
    fc.constant<Audience>({ kind: 'own', agentId: 'ana' }),
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('shared' as const),
        agentId: agent,
        fleets: fc.constantFrom('all' as const, [], ['red'], ['red', 'green'], ['red', 'blue']),
      }),
    },
  )
  const scope: fc.Arbitrary<CountedScope> = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('visible' as const), audience }) },
    { weight: 1, arbitrary: fc.constant<CountedScope>({ kind: 'agent', agentId: 'ana' }) },
    { weight: 1, arbitrary: fc.constant<CountedScope>({ kind: 'fleet', fleetId: 'red' }) },
    { weight: 1, arbitrary: fc.constant<CountedScope>({ kind: 'all' }) },
  )
  const filter: fc.Arbitrary<CountFilter> = fc.record({
    fleetId: fc.constantFrom(undefined, undefined, undefined, undefined, 'red', 'blue', 'green'),
    agentId: fc.constantFrom(undefined, undefined, undefined, undefined, 'ana', 'ben', 'nobody'),
    memoryType: fc.option(type, { nil: undefined }),
    status: fc.option(status, { nil: undefined }),
    includeDeleted: fc.boolean(),
  })

  it('equal the sums of the cells, by kind and by agent, for every scope and filter, compacted or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 4 }),
        fc.array(fc.tuple(scope, filter), { minLength: 20, maxLength: 20 }),
        fc.boolean(),
        async (writes, questions, isCompacted) => {
          const tenantId = `t-${randomUUID()}`
          for (const cells of writes) {
            await compact(5)
            await add(tenantId, cells)
          }
          if (isCompacted) await compact()
          const cells = writes.flat()
          for (const [asked, narrowed] of questions) {
            const wanted = cells.filter((one) => isCounted(one, asked, narrowed))
            expect(await counted(tenantId, asked, narrowed), JSON.stringify([asked, narrowed])).to.deep.equal({
              kinds: sumsOf(wanted, (one) => `${one.memoryType} ${one.status}`),
              agents: sumsOf(wanted, (one) => String(one.agentId)),
            })
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('leave out sums of zero', async () => {
    const tenantId = `t-${randomUUID()}`
    const one: Cell = {
      fleetId: 'red',
      agentId: 'ana',
      visibility: 'scope_team',
      memoryType: 'fact',
      status: 'active',
      count: 2,
    }
    await add(tenantId, [one, { ...one, agentId: 'ben' }])
    await compact()
    await add(tenantId, [{ ...one, count: -2 }])
    for (const round of [1, 2]) {
      expect(await counted(tenantId, { kind: 'all' }, { includeDeleted: true }), `round ${round}`).to.deep.equal({
        kinds: { 'fact active': 2 },
        agents: { ben: 2 },
      })
      await compact()
    }
  })

  it('are read from the sums: 15,000 counters do not make a plan that reads them all', async () => {
    const tenantId = `t-${randomUUID()}`
    const types = ['fact', 'episode', 'decision', 'preference', 'task'] as const
    const cells = Array.from({ length: 200 }, (_, i) => i).flatMap((i) =>
      types.flatMap((memoryType) =>
        (['active', 'archived', 'deleted', 'outdated', 'pending'] as const).flatMap((status) =>
          (['scope_agent', 'scope_team', 'scope_org'] as const).map((visibility) => ({
            fleetId: `fleet-${i % 10}`,
            agentId: `agent-${i}`,
            memoryType,
            status,
            visibility,
            count: 1,
          })),
        ),
      ),
    )
    await add(tenantId, cells)
    while ((await compact()) !== 0);
    await vacuumed()
    const mine = { kind: 'shared', agentId: 'agent-7', fleets: ['fleet-7'] } as const
    for (const asked of [{ kind: 'all' }, { kind: 'visible', audience: mine }] as const)
      expect(await rowsRead(tenantId, asked)).to.be.within(1, 5_000)
  })

  async function vacuumed(): Promise<void> {
    await runSql(test.url, 'vacuum analyze')
  }

  /** Returns the number of rows that a count reads, by PostgreSQL's statistics of this transaction. */
  async function rowsRead(tenantId: string, asked: CountedScope): Promise<number> {
    return test.store.transact({ tenantId }, async (writer) => {
      const read = async () => {
        const { rows } = await sql<{ read: number }>`
          select sum(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_fetched(oid))::bigint as read
          from pg_class where relname like 'memory_counter%' and relkind = 'r'`.execute(writer.db)
        return rows[0]!.read
      }
      const before = await read()
      await countMemories(writer, asked, { includeDeleted: false })
      return (await read()) - before
    })
  }
})

function isCounted(cell: Cell, scope: CountedScope, filter: CountFilter): boolean {
  const inScope =
    scope.kind === 'visible'
      ? isVisible(scope.audience, cell)
      : scope.kind === 'agent'
        ? cell.agentId === scope.agentId
        : scope.kind === 'fleet'
          ? cell.fleetId === scope.fleetId
          : true
  const passes =
    (filter.fleetId === undefined || cell.fleetId === filter.fleetId) &&
    (filter.agentId === undefined || cell.agentId === filter.agentId) &&
    (filter.memoryType === undefined || cell.memoryType === filter.memoryType) &&
    (filter.status === undefined || cell.status === filter.status) &&
    (filter.includeDeleted || cell.status !== 'deleted')
  return inScope && passes
}

function sumsOf<Row extends { readonly count: number }>(rows: readonly Row[], keyOf: (row: Row) => string) {
  const sums: Record<string, number> = {}
  for (const row of rows) sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + row.count
  return sums
}

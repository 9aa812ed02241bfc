import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import {
  claim,
  claimQuery,
  findLiveTickets,
  kindsWithRows,
  kindsWithRowsQuery,
  type ClaimedBatch,
} from '../../store/outbox/outbox-claim.js'
import {
  hasBacklog,
  releaseOrphanedLeases,
  enqueueAll,
  readIndexingState,
  retryFailedRows,
  sweepSettled,
} from '../../store/outbox/outbox-upkeep.js'
import { recordAttempt, enqueue, requeueWithoutAttempt, settle } from '../../store/outbox/outbox.js'
import type { PendingKind } from '../../store/schema.js'
import type { Store } from '../../store/store.js'
import { explainStatements } from '../support/explained.js'
import { remember } from '../support/memories.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { runSql } from '../support/run-sql.js'

const CLAIM = { batches: 4, batchSize: 10, leaseMs: 60_000, after: '' }

describe('outbox', () => {
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
    await store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
  })

  const put = (tenantId: string, ids: string[], kind: PendingKind = 'memory') =>
    store.transact({ tenantId }, (writer) => enqueue(writer, kind, ids))
  const take = (options: Partial<typeof CLAIM> = {}, kind: PendingKind = 'memory') =>
    store.asSystem((system) => claim(system, kind, { ...CLAIM, ...options }))
  const takeOne = async () => (await take()).batches[0]!
  const rowsOf = (tenantId: string) =>
    store.read({ tenantId }, ({ db }) =>
      db.selectFrom('index_pending').selectAll().where('tenant_id', '=', tenantId).orderBy('entity_id').execute(),
    )
  const readSeqs = async ({ tenantId, ids }: ClaimedBatch) =>
    (await rowsOf(tenantId))
      .filter((row) => ids.includes(row.entity_id))
      .map((row) => ({ id: row.entity_id, seq: row.seq }))
  const settleAll = (batch: ClaimedBatch, seqs: { id: string; seq: number }[]) =>
    store.transact({ tenantId: batch.tenantId }, (writer) => settle(writer, batch.kind, batch.ticket, seqs))
  /** Returns true when a transaction waits for a locked row. */
  const isBlocked = () =>
    store.asSystem(async ({ db }) => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(
        db,
      )
      return rows.length > 0
    })
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID())

  it('has one row for a memory however often it changes, with a higher seq each time', async () => {
    const id = randomUUID()
    await put(tenant, [id])
    const [first] = await rowsOf(tenant)
    await put(tenant, [id, id])
    const rows = await rowsOf(tenant)
    expect(rows).to.have.length(1)
    expect(rows[0]!.seq).to.be.greaterThan(first!.seq)
  })

  it('rolls a change back with its transaction', async () => {
    const failed = store.transact({ tenantId: tenant }, async (writer) => {
      await enqueue(writer, 'memory', ids(1))
      throw new Error('the write failed')
    })
    await failed.catch(() => undefined)
    expect(await rowsOf(tenant)).to.deep.equal([])
  })

  it('draws a higher seq than a change that was made while it waited for the row', async () => {
    const id = randomUUID()
    await put(tenant, [id])
    const [locked, release] = [gate(), gate()]
    const first = store.transact({ tenantId: tenant }, async (writer) => {
      await enqueue(writer, 'memory', [id])
      locked.open()
      await release.opened
      await enqueue(writer, 'memory', [id])
      return (await writer.db.selectFrom('index_pending').select('seq').where('entity_id', '=', id).execute())[0]!.seq
    })
    await locked.opened
    const second = put(tenant, [id])
    await until('the statement waits for the lock', isBlocked)
    release.open()
    const firstSeq = await first
    await second
    expect((await rowsOf(tenant))[0]!.seq).to.be.greaterThan(firstSeq)
  })

  it('does not claim a row before it is due', async () => {
    await store.transact({ tenantId: tenant }, (writer) => enqueue(writer, 'memory', ids(1), { afterMs: 60_000 }))
    expect((await take()).batches).to.deep.equal([])
  })

  it('claims only the requested kind', async () => {
    await put(tenant, ids(1), 'vector')
    expect((await take()).batches).to.deep.equal([])
    expect((await take({}, 'vector')).batches).to.have.length(1)
  })

  it('does not claim a row that another job has claimed', async () => {
    await put(tenant, ids(3))
    expect((await takeOne()).ids).to.have.length(3)
    expect((await take()).batches).to.deep.equal([])
  })

  it('claims a row again once its lease has expired, under a new ticket', async () => {
    await put(tenant, ids(1))
    const dead = (await take({ leaseMs: 0 })).batches[0]!
    const next = await takeOne()
    expect(next.ids).to.deep.equal(dead.ids)
    expect(next.ticket).not.to.equal(dead.ticket)
  })

  it('requeues every leased row at once when orphaned leases are released, and not before', async () => {
    const [id] = await remember(store, tenant, 'left behind')
    const dead = await takeOne()
    expect((await take()).batches).to.deep.equal([])
    expect(await store.asSystem(releaseOrphanedLeases)).to.equal(1)
    const { ids, ticket } = await takeOne()
    expect(ids).to.deep.equal([id])
    expect(ticket).not.to.equal(dead.ticket)
  })

  it('settles rows that are unchanged since they were read', async () => {
    await put(tenant, ids(2))
    const batch = await takeOne()
    expect(await settleAll(batch, await readSeqs(batch))).to.have.members(batch.ids)
    for (const row of await rowsOf(tenant)) expect(row).to.include({ lease: null, ticket: null })
    expect((await rowsOf(tenant)).every((row) => row.settled_at !== null)).to.equal(true)
  })

  it('settles rows by their whole key before statistics exist', async () => {
    const fresh = await createTestStore()
    try {
      const all = ids(2_000)
      await fresh.store.transact({ tenantId: tenant }, (writer) => enqueue(writer, 'memory', all))
      const { batches } = await fresh.store.asSystem((system) =>
        claim(system, 'memory', { ...CLAIM, batches: 1, batchSize: 250 }),
      )
      const [batch] = batches
      const plans = await fresh.store.transact({ tenantId: tenant }, async (writer) => {
        const { rows } = await sql<{ id: string; seq: number }>`
          select entity_id as id, seq from index_pending where ticket = ${batch!.ticket}`.execute(writer.db)
        const explained = explainStatements(writer)
        const settled = await settle({ ...writer, db: explained.reader.db }, 'memory', batch!.ticket, rows)
        expect(settled).to.have.members(batch!.ids)
        return explained.plans
      })
      expect(plans).to.have.length(1)
      expect(plans[0]!.rowsRead, plans[0]!.json).to.be.lessThan(1_000)
    } finally {
      await fresh.stop()
    }
  })

  it('names the kinds that have unsettled rows, claimed or not', async () => {
    const kinds = (...asked: PendingKind[]) =>
      store.asSystem(async (system) => [...(await kindsWithRows(system, asked))].sort())
    await store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    expect(await kinds('memory', 'document', 'enrich')).to.deep.equal([])
    await put(tenant, ids(2))
    await put(tenant, ids(1), 'enrich')
    expect(await kinds('memory', 'document', 'enrich')).to.deep.equal(['enrich', 'memory'])
    expect(await kinds('document', 'enrich')).to.deep.equal(['enrich'])
    const batch = await takeOne()
    expect(await kinds('memory')).to.deep.equal(['memory'])
    await settleAll(batch, await readSeqs(batch))
    expect(await kinds('memory')).to.deep.equal([])
  })

  it('leaves a row that changed during its job pending and due', async () => {
    const [changed, unchanged] = ids(2) as [string, string]
    await put(tenant, [changed, unchanged])
    const batch = await takeOne()
    const read = await readSeqs(batch)
    await put(tenant, [changed])
    expect(await settleAll(batch, read)).to.deep.equal([unchanged])
    expect((await takeOne()).ids).to.deep.equal([changed])
  })

  it('settles nothing under a seq that the row no longer has', async () => {
    await put(tenant, ids(1))
    const batch = await takeOne()
    const read = await readSeqs(batch)
    const older = read.map(({ id, seq }) => ({ id, seq: seq - 1 }))
    expect(await settleAll(batch, older)).to.deep.equal([])
    expect((await rowsOf(tenant))[0]).to.include({ settled_at: null, ticket: batch.ticket })
    expect(await settleAll(batch, read)).to.deep.equal(batch.ids)
  })

  it('does not let a job settle rows that another has claimed since', async () => {
    await put(tenant, ids(1))
    const dead = (await take({ leaseMs: 0 })).batches[0]!
    const read = await readSeqs(dead)
    await takeOne()
    expect(await settleAll(dead, read)).to.deep.equal([])
  })

  it('does not let a tenant settle the rows of another', async () => {
    await put(tenant, ids(1))
    const batch = await takeOne()
    const read = await readSeqs(batch)
    expect(await settleAll({ ...batch, tenantId: 'stranger' }, read)).to.deep.equal([])
  })

  it('requeues rows after an outage without counting an attempt', async () => {
    await put(tenant, ids(2))
    const batch = await takeOne()
    expect(await store.asSystem((system) => requeueWithoutAttempt(system, [batch.ticket], 0))).to.equal(2)
    expect((await rowsOf(tenant)).map((row) => row.attempts)).to.deep.equal([0, 0])
    expect((await takeOne()).ids).to.have.members(batch.ids)
  })

  it('delays requeued rows for the requested time', async () => {
    await put(tenant, ids(1))
    const batch = await takeOne()
    await store.asSystem((system) => requeueWithoutAttempt(system, [batch.ticket], 60_000))
    expect((await take()).batches).to.deep.equal([])
  })

  it('requeues no row that no longer belongs to the ticket', async () => {
    await put(tenant, ids(1))
    const dead = (await take({ leaseMs: 0 })).batches[0]!
    await takeOne()
    expect(await store.asSystem((system) => requeueWithoutAttempt(system, [dead.ticket], 0))).to.equal(0)
  })

  const fail = async (id: string, limit: number) => {
    const batch = await takeOne()
    const failure = { id, seq: null, error: 'refused' }
    return store.transact({ tenantId: tenant }, (writer) =>
      recordAttempt(writer, 'memory', batch.ticket, [failure], { baseMs: 0, maxMs: 0, limit }),
    )
  }

  it('marks a row as failed after its last attempt, and no longer counts it as pending', async () => {
    const [id] = ids(1) as [string]
    await put(tenant, [id])
    for (let attempts = 1; attempts < 8; attempts++) expect(await fail(id, 8)).to.deep.equal([])
    expect(await fail(id, 8)).to.deep.equal([id])
    expect((await take()).batches).to.deep.equal([])
    const state = await store.asSystem((system) => readIndexingState(system))
    expect(state).to.deep.equal({ pending: 0, oldestAgeS: null, failed: 1 })
    expect((await rowsOf(tenant))[0]).to.include({ attempts: 8, error: 'refused' })
  })

  it('has a backlog of the rows that wait, not of those that have failed or settled, nor of another kind', async () => {
    const [failed, settled, ...waiting] = ids(4)
    await put(tenant, [failed!, settled!, ...waiting])
    const isBehind = (most: number, kind: PendingKind = 'memory') =>
      store.asSystem((system) => hasBacklog(system, kind, most))
    expect([await isBehind(3), await isBehind(4), await isBehind(0, 'document')]).to.deep.equal([true, false, false])
    await store.transact({ tenantId: tenant }, async ({ db }) => {
      await sql`update index_pending set failed_at = now() where entity_id = ${failed}`.execute(db)
      await sql`update index_pending set settled_at = now() where entity_id = ${settled}`.execute(db)
    })
    expect([await isBehind(1), await isBehind(2)]).to.deep.equal([true, false])
  })

  it('doubles the wait after each attempt, plus or minus half, up to the maximum', async () => {
    const [id] = ids(1) as [string]
    await put(tenant, [id])
    const waits: number[] = []
    for (let attempts = 0; attempts < 6; attempts++) {
      const batch = await takeOne()
      await store.transact({ tenantId: tenant }, (writer) =>
        recordAttempt(writer, 'memory', batch.ticket, [{ id, seq: null, error: '' }], {
          baseMs: 100_000,
          maxMs: 1_000_000,
          limit: 8,
        }),
      )
      expect((await take()).batches).to.deep.equal([])
      waits.push(await endWait())
    }
    // A little less than was drawn: time passes between the two statements.
    for (const [attempts, base] of [100, 200, 400, 800, 1_000, 1_000].entries())
      expect(waits[attempts], `after attempt ${attempts + 1}`).to.be.within(base * 0.5 - 30, base * 1.5)
  })

  /** Makes the tenant's row due now; returns how many seconds it would still have waited. */
  async function endWait(): Promise<number> {
    const { rows } = await store.transact({ tenantId: tenant }, ({ db }) =>
      sql<{ wait: number }>`
        with old as (select entity_id, due_at from index_pending)
        update index_pending p set due_at = now() from old where p.entity_id = old.entity_id
        returning extract(epoch from old.due_at - now())::float8 as wait`.execute(db),
    )
    return rows[0]!.wait
  }

  it('makes failed rows of one tenant due again with all their attempts, and not those of others', async () => {
    const [mine, others] = ids(2) as [string, string]
    await put('other', [others])
    const batch = await takeOne()
    await store.transact({ tenantId: 'other' }, (writer) =>
      recordAttempt(writer, 'memory', batch.ticket, [{ id: others, seq: null, error: '' }], {
        baseMs: 0,
        maxMs: 0,
        limit: 1,
      }),
    )
    await put(tenant, [mine])
    await fail(mine, 1)
    expect(await store.asSystem((system) => retryFailedRows(system, tenant))).to.equal(1)
    expect((await rowsOf(tenant))[0]).to.include({ attempts: 0, failed_at: null, error: null })
    expect((await takeOne()).ids).to.deep.equal([mine])
    expect(await store.asSystem((system) => retryFailedRows(system))).to.equal(1)
  })

  it('clears attempts and failure when the row changes', async () => {
    const [id] = ids(1) as [string]
    await put(tenant, [id])
    await fail(id, 1)
    await put(tenant, [id])
    expect((await rowsOf(tenant))[0]).to.include({ attempts: 0, failed_at: null, error: null })
  })

  it('counts pending memories of one tenant and the age of the oldest', async () => {
    await put(tenant, ids(3))
    await put(tenant, ids(2), 'vector')
    await put('other', ids(1))
    const state = await store.asSystem((system) => readIndexingState(system, tenant))
    expect(state).to.include({ pending: 3, failed: 0 })
    expect(state.oldestAgeS).to.be.within(0, 30)
    expect(await store.asSystem((system) => readIndexingState(system, 'nobody'))).to.deep.equal({
      pending: 0,
      oldestAgeS: null,
      failed: 0,
    })
  })

  it('sweeps rows that settled long enough ago, but neither younger nor unsettled ones', async () => {
    await put(tenant, ids(3))
    const batch = await takeOne()
    const [old, young] = await readSeqs(batch)
    await settleAll(batch, [old!, young!])
    const at = (id: string, settledAt: string) =>
      store.asSystem(({ db }) =>
        sql`update index_pending set settled_at = now() - ${settledAt}::interval where entity_id = ${id}`.execute(db),
      )
    await at(old!.id, '61 s')
    await at(young!.id, '50 s')
    expect(await store.asSystem((system) => sweepSettled(system))).to.equal(1)
    expect((await rowsOf(tenant)).map((row) => row.entity_id)).to.have.members(batch.ids.filter((id) => id !== old!.id))
  })

  it('knows which tickets still have rows', async () => {
    await put(tenant, ids(1))
    const live = await takeOne()
    expect([...(await store.asSystem((system) => findLiveTickets(system, [live.ticket, randomUUID()])))]).to.deep.equal(
      [live.ticket],
    )
    await settleAll(live, await readSeqs(live))
    expect((await store.asSystem((system) => findLiveTickets(system, [live.ticket]))).size).to.equal(0)
  })

  it("enqueues every memory again page by page, deleted ones too, and only one tenant's on request", async () => {
    const mine = await remember(store, tenant, ...Array.from({ length: 7 }, (_, i) => `mine ${i}`))
    const others = await remember(store, `${tenant}-b`, 'other')
    await store.transact({ tenantId: tenant }, ({ db }) =>
      sql`update memories set status = 'deleted', deleted_at = now() where id = ${mine[0]}`.execute(db),
    )
    await store.asSystem(({ db }) => db.deleteFrom('index_pending').execute())
    expect(await enqueueAll(store, { tenantId: tenant, pageSize: 3 })).to.equal(7)
    expect((await rowsOf(tenant)).map((row) => row.entity_id)).to.have.members(mine)
    expect(await rowsOf(`${tenant}-b`)).to.deep.equal([])
    await enqueueAll(store, { pageSize: 2 })
    expect((await rowsOf(`${tenant}-b`)).map((row) => row.entity_id)).to.deep.equal(others)
  })

  describe('a claim', () => {
    it('takes a lone backlog in large batches', async () => {
      await put(tenant, ids(50))
      const { batches, next } = await take({ batches: 4, batchSize: 10 })
      expect(batches.map((batch) => batch.ids.length)).to.deep.equal([10, 10, 10, 10])
      expect(new Set(batches.map((batch) => batch.ticket)).size).to.equal(4)
      expect(next).to.equal('')
    })

    it('gives every tenant its share, whatever the backlog of another', async () => {
      await put('a', ids(100))
      await put('b', ids(1))
      await put('c', ids(12))
      const { batches } = await take({ batches: 6, batchSize: 10 })
      const rows = new Map<string, number>()
      for (const batch of batches) rows.set(batch.tenantId, (rows.get(batch.tenantId) ?? 0) + batch.ids.length)
      expect([...rows]).to.have.deep.members([
        ['a', 20],
        ['b', 1],
        ['c', 12],
      ])
    })

    it('visits every tenant in turn when there is capacity for one batch only', async () => {
      await put('a', ids(100))
      await put('b', ids(1))
      await put('c', ids(1))
      const turns: string[] = []
      for (let after = '', i = 0; i < 4; i++) {
        const { batches, next } = await take({ batches: 1, after })
        turns.push(...batches.map((batch) => batch.tenantId))
        after = next
      }
      expect(turns.slice(0, 3)).to.deep.equal(['a', 'b', 'c'])
    })

    it('skips tenants without due rows', async () => {
      await put('a', ids(1))
      await take()
      await put('b', ids(1))
      expect((await take()).batches.map((batch) => batch.tenantId)).to.deep.equal(['b'])
    })

    it('never gives one row to two concurrent claims', async () => {
      await put('a', ids(300))
      await put('b', ids(300))
      const claims = await Promise.all(Array.from({ length: 6 }, () => take({ batches: 4, batchSize: 25 })))
      const claimed = claims.flatMap(({ batches }) => batches.flatMap((batch) => batch.ids))
      expect(new Set(claimed).size).to.equal(claimed.length)
      expect(claimed.length).to.be.greaterThan(0)
    })

    it('does not wait for a row that a write has locked', async () => {
      const [held, free] = ids(2) as [string, string]
      await put(tenant, [held, free])
      const [locked, release] = [gate(), gate()]
      const write = store.transact({ tenantId: tenant }, async (writer) => {
        await enqueue(writer, 'memory', [held])
        locked.open()
        await release.opened
      })
      await locked.opened
      expect((await takeOne()).ids).to.deep.equal([free])
      release.open()
      await write
    })

    it('probes an index for tenants and rows, however large the backlog', async () => {
      await store.asSystem(({ db }) =>
        sql`insert into index_pending (tenant_id, kind, entity_id)
          select 'big', 'memory', gen_random_uuid() from generate_series(1, 20000)`.execute(db),
      )
      await put('small', ids(1))
      for (const [query, probes] of [
        [claimQuery('memory', CLAIM), 2],
        [kindsWithRowsQuery(['memory', 'document']), 1],
      ] as const) {
        const plan = await store.asSystem(async ({ db }) => {
          const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(db)
          return rows.map((row) => row['QUERY PLAN']).join('\n')
        })
        expect(plan.match(/using index_pending_due on index_pending/g), plan).to.have.length(probes)
        expect(plan).not.to.include('Seq Scan on index_pending')
      }
    })

    it('finds each row by its whole key before statistics exist', async () => {
      const fresh = await createTestStore()
      try {
        const plan = await fresh.store.asSystem(async ({ db }) => {
          await sql`insert into index_pending (tenant_id, kind, entity_id)
            select 'imported', 'memory', gen_random_uuid() from generate_series(1, 1500)`.execute(db)
          const { rows } = await sql<{
            'QUERY PLAN': unknown
          }>`explain (analyze, timing off, format json) ${claimQuery('memory', { ...CLAIM, batches: 2, batchSize: 250 })}`.execute(
            db,
          )
          return JSON.stringify(rows[0]!['QUERY PLAN'])
        })
        const removed = [...plan.matchAll(/"Rows Removed by (?:Join )?Filter":([\d.]+)/g)].map(([, count]) =>
          Number(count),
        )
        expect(plan).to.include('"Actual Rows":500')
        expect(Math.max(...removed), plan).to.be.lessThan(10)
      } finally {
        await fresh.stop()
      }
    })

    it('does not read the whole backlog of a tenant to update a few rows of it, once its size is known', async () => {
      await store.asSystem(({ db }) =>
        sql`insert into index_pending (tenant_id, kind, entity_id)
          select ${tenant}, 'enrich', gen_random_uuid() from generate_series(1, 60000)`.execute(db),
      )
      await runSql(test.url, 'analyze index_pending')
      const plan = await store.asSystem(async ({ db }) => {
        const few = claimQuery('enrich', { ...CLAIM, batchSize: 2 })
        const { rows } = await sql<{
          'QUERY PLAN': unknown
        }>`explain (analyze, timing off, format json) ${few}`.execute(db)
        return JSON.stringify(rows[0]!['QUERY PLAN'])
      })
      const read = [...plan.matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count))
      expect(Math.max(...read), plan).to.be.within(1, 100)
    })
  })
})

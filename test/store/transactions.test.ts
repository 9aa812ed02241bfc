import { expect } from 'chai'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reader } from '../../store/store.js'
import { countSocketWrites } from '../support/socket-writes.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('a transaction', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  const tenantOf = async ({ db }: Reader) =>
    (await sql<{ tenant: string }>`select current_setting('app.tenant_id') as tenant`.execute(db)).rows[0]!.tenant

  it('binds its tenant before the first of several concurrent statements', async () => {
    const seen = await Promise.all(
      ['a', 'b', 'c'].map((tenantId) =>
        test.store.read({ tenantId }, (reader) => Promise.all([tenantOf(reader), tenantOf(reader)])),
      ),
    )
    expect(seen).to.deep.equal([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
    ])
  })

  it('refuses a branch of its work that continues after its end', async () => {
    let stray: Promise<string> | undefined
    const failed = test.store.read({ tenantId: 'a' }, (reader) => {
      stray = sleep(50).then(() => tenantOf(reader))
      stray.catch(() => undefined)
      throw new Error('the other branch failed')
    })
    expect(await failed.catch((error: Error) => error.message)).to.equal('the other branch failed')
    const others = Promise.all(Array.from({ length: 20 }, () => test.store.read({ tenantId: 'b' }, tenantOf)))
    expect(await stray!.catch((error: Error) => error.message)).to.equal('The transaction of this statement is over.')
    expect(new Set(await others)).to.deep.equal(new Set(['b']))
  })

  it('throws the first failure, though the error of a later statement arrives first', async () => {
    const failed = test.store.read({ tenantId: 'a' }, async ({ db }) => {
      const late = (async () => {
        try {
          await sql`select 1 / 0`.execute(db)
        } finally {
          await sleep(20)
        }
      })()
      await Promise.all([late, sql`select 1`.execute(db)])
    })
    expect(await failed.catch((error: { code?: string }) => error.code)).to.equal('22012')
  })

  it('shows a read the same rows in every statement', async () => {
    const count = async ({ db }: Reader) =>
      (await sql<{ count: number }>`select count(*)::int as count from index_pending`.execute(db)).rows[0]!.count
    await test.store.read({ tenantId: 'same' }, async (reader) => {
      const first = await count(reader)
      await test.store.asSystem(({ db }) =>
        sql`insert into index_pending (tenant_id, kind, entity_id) values ('same', 'memory', gen_random_uuid())`.execute(
          db,
        ),
      )
      expect(await count(reader)).to.equal(first)
    })
    expect(await test.store.read({ tenantId: 'same' }, count)).to.equal(1)
  })

  describe('of a distant database', () => {
    let distant: TestStore
    before(async () => {
      distant = await createTestStore({ distanceMs: 5 })
    })
    after(() => distant.stop())

    const caller = { tenantId: 'a', kind: 'agent', agentId: 'ana', keyId: null } as const

    it('counts the round trips that a caller waits for: one for what is sent at once, and the commit of a write', async () => {
      const two = (reader: Reader) => Promise.all([tenantOf(reader), tenantOf(reader)])
      // The first measures the way.
      await distant.store.read(caller, tenantOf)
      const counted = async (work: () => Promise<unknown>) => {
        const before = distant.store.roundTrips()
        await work()
        const after = distant.store.roundTrips()
        expect(after.networkMs).to.be.greaterThan(before.networkMs)
        return after.count - before.count
      }
      expect(await counted(() => distant.store.readAtOnce(caller, two))).to.equal(1)
      expect(await counted(() => distant.store.read(caller, two))).to.equal(1)
      expect(await counted(() => distant.store.transact(caller, two))).to.equal(2)
    })

    it('does not count what the service itself does', async () => {
      await distant.store.read(caller, tenantOf)
      const before = distant.store.roundTrips()
      await distant.store.read({ tenantId: 'a' }, tenantOf)
      await distant.store.transact({ tenantId: 'a' }, tenantOf)
      await distant.store.asSystem(({ db }) => sql`select 1`.execute(db))
      expect(distant.store.roundTrips()).to.deep.equal(before)
    })
  })

  describe('of statements that are sent at once', () => {
    it('binds its tenant before them and answers each', async () => {
      const seen = await Promise.all(
        ['a', 'b'].map((tenantId) =>
          test.store.readAtOnce({ tenantId }, (reader) => Promise.all([tenantOf(reader), tenantOf(reader)])),
        ),
      )
      expect(seen).to.deep.equal([
        ['a', 'a'],
        ['b', 'b'],
      ])
    })

    it('sends them, with begin and commit, in one write', async () => {
      await test.store.readAtOnce({ tenantId: 'a' }, tenantOf)
      const writes = countSocketWrites()
      try {
        await test.store.readAtOnce({ tenantId: 'a' }, (reader) => Promise.all([tenantOf(reader), tenantOf(reader)]))
      } finally {
        writes.stop()
      }
      expect(writes.count()).to.equal(1)
    })

    it('refuses a statement that needs the answer of another', async () => {
      const failed = test.store.readAtOnce({ tenantId: 'a' }, async (reader) => {
        await tenantOf(reader)
        return tenantOf(reader)
      })
      expect(await failed.catch((error: Error) => error.message)).to.equal('The transaction of this statement is over.')
      expect(await test.store.read({ tenantId: 'b' }, tenantOf)).to.equal('b')
    })

    it('throws the first failure and gives the connection back', async () => {
      const failed = test.store.readAtOnce({ tenantId: 'a' }, ({ db }) =>
        Promise.all([sql`select 1 / 0`.execute(db), sql`select 1`.execute(db)]),
      )
      expect(await failed.catch((error: { code?: string }) => error.code)).to.equal('22012')
      const others = Array.from({ length: 20 }, () => test.store.readAtOnce({ tenantId: 'b' }, tenantOf))
      expect(new Set(await Promise.all(others))).to.deep.equal(new Set(['b']))
    })

    it('writes nothing', async () => {
      const failed = test.store.readAtOnce({ tenantId: 'a' }, ({ db }) =>
        sql`insert into index_pending (tenant_id, kind, entity_id) values ('a', 'memory', gen_random_uuid())`.execute(
          db,
        ),
      )
      expect(await failed.catch((error: { reason?: string }) => error.reason)).to.equal('read_only')
    })
  })
})

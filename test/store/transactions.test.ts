import { expect } from 'chai'
import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reader } from '../../store/store.js'
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
})

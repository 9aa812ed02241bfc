import { expect } from 'chai'
import { sql } from 'kysely'
import { RECALL_STATUSES } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { readTail } from '../../store/memories/recall-rows.js'
import { newMemory, remember } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('the pending tail', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  const inTurn = async (tenantId: string, ...contents: string[]) => {
    const ids: string[] = []
    for (const content of contents) ids.push(...(await remember(test.store, tenantId, content)))
    return ids
  }
  const tailOf = (tenantId: string, limit = 500, audience: Audience = { kind: 'own', agentId: 'agent' }) =>
    test.store.read({ tenantId }, (reader) =>
      readTail(reader, { audience, now: Date.now(), statuses: RECALL_STATUSES }, limit),
    )

  it('has the rows that the caller may see and that are not indexed yet, newest first', async () => {
    const ids = await inTurn('few', 'one', 'two', 'three')
    expect(await tailOf('few')).to.deep.equal({
      ids: ids.toReversed(),
      stale: 0,
      complete: true,
      hasJustExpired: false,
    })
    const otherAgent = { kind: 'own', agentId: 'stranger' } as const
    expect(await tailOf('few', 500, otherAgent)).to.deep.equal({
      ids: [],
      stale: 0,
      complete: true,
      hasJustExpired: false,
    })
  })

  it('reports when there are more than the limit', async () => {
    const ids = await inTurn('many', 'one', 'two', 'three')
    expect(await tailOf('many', 2)).to.deep.equal({
      ids: ids.toReversed().slice(0, 2),
      stale: 0,
      complete: false,
      hasJustExpired: false,
    })
    expect(await tailOf('many', 3)).to.include({ complete: true })
  })

  it('counts the rows of which the index may hold an older copy: erased, hidden, deleted and updated ones', async () => {
    const [erased, hidden, deleted, updated] = await inTurn('stale', 'erased', 'hidden', 'deleted', 'updated', 'new')
    await test.store.transact({ tenantId: 'stale' }, async ({ db }) => {
      await sql`delete from memories where tenant_id = 'stale' and id = ${erased}`.execute(db)
      await sql`update memories set agent_id = 'other', version = 2 where tenant_id = 'stale' and id = ${hidden}`.execute(
        db,
      )
      await sql`update memories set status = 'deleted', deleted_at = now(), version = 2
        where tenant_id = 'stale' and id = ${deleted}`.execute(db)
      await sql`update memories set version = 2 where tenant_id = 'stale' and id = ${updated}`.execute(db)
    })
    expect(await tailOf('stale')).to.include({ stale: 4, complete: true })
    expect((await tailOf('stale')).ids).to.have.length(2)
    expect(await tailOf('stale', 4)).to.include({ complete: false })
  })

  it('has no rows of another kind', async () => {
    const ids = await inTurn('kinds', 'one')
    await test.store.transact({ tenantId: 'kinds' }, ({ db }) =>
      sql`insert into index_pending (tenant_id, kind, entity_id) values ('kinds', 'document', gen_random_uuid())`.execute(
        db,
      ),
    )
    expect(await tailOf('kinds'))
      .to.include({ stale: 0 })
      .and.to.deep.include({ ids })
  })

  it('says whether a memory has expired since the minute began, whatever its status', async () => {
    const [id] = await inTurn('expiring', 'expires')
    const expireAt = (instant: string, status = 'active') =>
      test.store.transact({ tenantId: 'expiring' }, ({ db }) =>
        sql`update memories set expires_at = ${instant}, status = ${status} where tenant_id = 'expiring' and id = ${id}`.execute(
          db,
        ),
      )
    const hasJustExpired = async (tenantId = 'expiring') => {
      const filter = {
        audience: { kind: 'own', agentId: 'agent' },
        now: Date.parse('2026-06-01T10:00:30Z'),
        statuses: RECALL_STATUSES,
      } as const
      return (await test.store.read({ tenantId }, (reader) => readTail(reader, filter, 500))).hasJustExpired
    }
    expect(await hasJustExpired()).to.equal(false)
    for (const [instant, expected] of [
      ['2026-06-01T10:00:00Z', false],
      ['2026-06-01T10:00:00.001Z', true],
      ['2026-06-01T10:00:30Z', true],
      ['2026-06-01T10:00:30.001Z', false],
    ] as const) {
      await expireAt(instant)
      expect(await hasJustExpired(), instant).to.equal(expected)
    }
    await expireAt('2026-06-01T10:00:10Z', 'outdated')
    expect(await hasJustExpired()).to.equal(true)
    expect(await hasJustExpired('few')).to.equal(false)
  })

  it('reads the newest 5,000 of the tenant, and reports when there are more', async () => {
    const [id] = await remember(test.store, 'backlog', 'old')
    let written = 0
    /** Writes memories that the caller does not see. */
    const others = (count: number) => {
      const memories = Array.from({ length: count }, () => newMemory(`hidden ${++written}`, { agentId: 'other' }))
      return test.store.transact({ tenantId: 'backlog' }, (writer) => insertMemories(writer, memories))
    }
    for (let part = 0; part < 10; part++) await others(part === 0 ? 499 : 500)
    expect(await tailOf('backlog')).to.deep.equal({ ids: [id], stale: 0, complete: true, hasJustExpired: false })
    await others(1)
    expect(await tailOf('backlog')).to.include({ complete: false })
    const [latest] = await remember(test.store, 'backlog', 'new')
    expect((await tailOf('backlog')).ids).to.deep.equal([latest])
    expect((await tailOf('few')).complete).to.equal(true)
  })
})

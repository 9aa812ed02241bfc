import { expect } from 'chai'
import { sql } from 'kysely'
import { RECALL_STATUSES } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { readTail } from '../../store/memories/recall-rows.js'
import { remember } from '../support/memories.js'
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
    expect(await tailOf('few')).to.deep.equal({ ids: ids.toReversed(), stale: 0, complete: true })
    const otherAgent = { kind: 'own', agentId: 'stranger' } as const
    expect(await tailOf('few', 500, otherAgent)).to.deep.equal({ ids: [], stale: 0, complete: true })
  })

  it('reports when there are more than the limit', async () => {
    const ids = await inTurn('many', 'one', 'two', 'three')
    expect(await tailOf('many', 2)).to.deep.equal({ ids: ids.toReversed().slice(0, 2), stale: 0, complete: false })
    expect(await tailOf('many', 3)).to.include({ complete: true })
  })

  it('reads the newest 5,000 of the tenant, and reports when there are more', async () => {
    const [id] = await remember(test.store, 'backlog', 'old')
    const others = (count: number) =>
      test.store.asSystem(({ db }) =>
        sql`insert into index_pending (tenant_id, kind, entity_id)
          select 'backlog', 'memory', gen_random_uuid() from generate_series(1, ${count})`.execute(db),
      )
    await others(4_999)
    expect(await tailOf('backlog')).to.deep.equal({ ids: [id], stale: 0, complete: true })
    await others(1)
    expect(await tailOf('backlog')).to.include({ complete: false })
    expect((await tailOf('few')).complete).to.equal(true)
  })
})

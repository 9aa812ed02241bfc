import { expect } from 'chai'
import { RECALL_STATUSES } from '../../../../domain/memory.js'
import type { DeduplicatedMemory } from '../../../../domain/ranking/deduplicate.js'
import type { Principal } from '../../../../domain/principal.js'
import type { ServiceContext } from '../../../../services/context.js'
import type { RecallQuery } from '../../../../services/retrieval/memories/query.js'
import { readResults } from '../../../../services/retrieval/memories/read-results.js'
import { sql } from 'kysely'
import { remember } from '../../../support/memories.js'
import { createTestStore, type TestStore } from '../../../support/test-store.js'

describe('rows of a recall’s results', () => {
  const tenantId = 'results'
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  const query = {
    filter: { audience: { kind: 'own', agentId: 'agent' }, now: Date.now(), statuses: RECALL_STATUSES },
  } as unknown as RecallQuery
  /** Returns results with these ids, the second beside the first in its run. */
  const resultsOf = (ids: readonly string[]) =>
    ids.map((id) => ({ candidate: { id, neighbours: [null, null, ids[1]!, null] } })) as unknown as DeduplicatedMemory[]
  const read = (ids: readonly string[], withNeighbours = false) =>
    readResults({ store: test.store } as ServiceContext, { tenantId } as Principal, query, resultsOf(ids), {
      withNeighbours,
    })
  const change = (id: string, set: string) =>
    test.store.transact({ tenantId }, ({ db }) =>
      sql`update memories set ${sql.raw(set)} where tenant_id = ${tenantId} and id = ${id}`.execute(db),
    )

  it('are those that still pass the whole filter, as they are now', async () => {
    const ids = await remember(
      test.store,
      tenantId,
      'stays',
      'changes',
      'deleted',
      'another status',
      'expired',
      'hidden',
    )
    const [, changed, deleted, moved, expired, hidden] = ids
    expect((await read(ids)).rows).to.have.all.keys(...ids)
    await change(changed!, "content = 'changed'")
    await change(deleted!, "status = 'deleted', deleted_at = now()")
    await change(moved!, "status = 'cancelled'")
    await change(expired!, "expires_at = now() - interval '1 hour'")
    await change(hidden!, "agent_id = 'other'")
    const { rows } = await read(ids)
    expect([...rows.values()].map(({ content }) => content)).to.have.members(['stays', 'changed'])
  })

  it('come with the texts of their neighbours only where these are asked for', async () => {
    const ids = await remember(test.store, tenantId, 'first', 'beside it')
    expect((await read(ids.slice(0, 1))).neighbours).to.deep.equal([])
    const { neighbours } = await read([ids[0]!, ids[1]!], true)
    expect(neighbours.map(({ content }) => content)).to.deep.equal(['beside it'])
  })

  it('are none for no results, without a read', async () => {
    const { rows } = await readResults({} as ServiceContext, { tenantId } as Principal, query, [], {
      withNeighbours: true,
    })
    expect(rows.size).to.equal(0)
  })
})

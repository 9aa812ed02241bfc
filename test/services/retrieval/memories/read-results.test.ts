import { expect } from 'chai'
import { RECALL_STATUSES } from '../../../../domain/memory.js'
import type { DeduplicatedMemory } from '../../../../domain/ranking/rank.js'
import type { Principal } from '../../../../domain/principal.js'
import type { ServiceContext } from '../../../../services/context.js'
import type { RecallQuery } from '../../../../domain/query.js'
import type { Answer } from '../../../../domain/answers/compose.js'
import type { RankedRow } from '../../../../services/retrieval/memories/compose.js'
import { explainer } from '../../../../services/retrieval/memories/explain.js'
import { type ResultRows, readResults } from '../../../../services/retrieval/memories/results.js'
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
  /** Returns a result with these neighbours in its run. */
  const resultOf = (id: string, ...neighbours: (string | null)[]) =>
    ({
      candidate: { id, neighbours, text: { terms: { hashes: new Uint32Array(), counts: new Uint16Array() } } },
      evidence: {},
      folded: [],
    }) as unknown as DeduplicatedMemory
  const read = (results: readonly DeduplicatedMemory[], withNeighbours = false) =>
    readResults({ store: test.store } as ServiceContext, { tenantId } as Principal, query, results, { withNeighbours })
  /** Returns the neighbours that a result's explanation names. */
  const explainedNeighbours = (result: DeduplicatedMemory, shown: ResultRows) =>
    explainer({
      query: { words: [], groups: [] },
      candidates: { found: new Map() },
      loaded: { matchedEntities: () => [] },
      shown,
      space: { piecesOf: () => new Uint16Array() },
    } as unknown as Parameters<typeof explainer>[0])({
      result: { ranked: result },
      earlier: [],
      later: [],
    } as unknown as Answer<RankedRow>).neighbours
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
    const results = ids.map((id) => resultOf(id))
    expect((await read(results)).rows).to.have.all.keys(...ids)
    await change(changed!, "content = 'changed'")
    await change(deleted!, "status = 'deleted', deleted_at = now()")
    await change(moved!, "status = 'cancelled'")
    await change(expired!, "expires_at = now() - interval '1 hour'")
    await change(hidden!, "agent_id = 'other'")
    const { rows } = await read(results)
    expect([...rows.values()].map(({ content }) => content)).to.have.members(['stays', 'changed'])
  })

  it('come with the texts of their neighbours only where these are asked for', async () => {
    const [first, beside] = await remember(test.store, tenantId, 'first', 'beside it')
    const result = resultOf(first!, null, null, beside!, null)
    expect((await read([result])).others).to.deep.equal([])
    const shown = await read([result], true)
    expect([...shown.rows.keys()]).to.deep.equal([first])
    const text = { id: beside, title: null, content: 'beside it', agentId: 'agent', isEcho: false }
    expect(shown.others).to.deep.equal([text])
    expect(explainedNeighbours(result, shown)).to.deep.equal([beside])
  })

  it('come without a neighbour that was hidden since it was ranked, and explanations name it no more', async () => {
    const [first, beside] = await remember(test.store, tenantId, 'another', 'hidden beside it')
    const result = resultOf(first!, null, null, beside!, null)
    await change(beside!, "agent_id = 'other'")
    const shown = await read([result], true)
    expect(shown.others).to.deep.equal([])
    expect(explainedNeighbours(result, shown)).to.deep.equal([])
  })

  it('are none for no results, without a read', async () => {
    const { rows } = await readResults({} as ServiceContext, { tenantId } as Principal, query, [], {
      withNeighbours: true,
    })
    expect(rows.size).to.equal(0)
  })
})

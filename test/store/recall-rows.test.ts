import { expect } from 'chai'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { readCandidates, readNeighbours, readTail, readTexts } from '../../store/memories/recall-rows.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { recordRecalls } from '../../store/memories/memory-usage.js'
import { explainStatements } from '../support/explained.js'
import { newMemory } from '../support/memories.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

/** Memories of the tenant, in runs of 20, all written since the database last looked at its tables. */
const MEMORIES = 3_000
const RUN = 20
const FOUND = 10

describe('the rows of a recall, right after a large import', () => {
  const tenantId = 'imported'
  const filter = { audience: { kind: 'own', agentId: 'agent' }, now: Date.now(), statuses: RECALL_STATUSES } as const
  const memories = Array.from({ length: MEMORIES }, (_, i) =>
    newMemory(`note ${i}`, { runId: `run-${Math.floor(i / RUN)}`, createdAt: new Date(Date.UTC(2026, 4, 1) + i) }),
  )
  const ids = memories.map(({ id }) => id)
  /** One of each run, from the middle: each has two neighbours on either side. */
  const found = Array.from({ length: FOUND }, (_, i) => ids[i * RUN + RUN / 2]!)
  let test: TestStore

  before(async () => {
    test = await createTestStore()
    const tables = ['memories', 'memory_usage', 'vectors']
    for (const table of tables) await runSql(test.url, `alter table ${table} set (autovacuum_enabled = off)`, [])
    await test.store.transact({ tenantId }, (writer) => insertMemories(writer, memories))
    await test.store.asSystem((system) =>
      recordRecalls(
        system,
        ids.map((memoryId) => ({ tenantId, memoryId, count: 1, at: new Date() })),
      ),
    )
    await runSql(test.url, 'update index_pending set settled_at = now() where entity_id <> all($1)', [found])
  })
  after(() => test.stop())

  it('are read by their keys, with their neighbours', () =>
    test.store.read({ tenantId }, async (plain) => {
      const { reader, plans } = explainStatements(plain)
      expect(await readCandidates(reader, filter, found, [])).to.have.length(FOUND)
      const beside = await readNeighbours(reader, filter, found, [])
      const places = found.flatMap((id) => {
        const at = ids.indexOf(id)
        return [-2, -1, 1, 2].map((offset) => `${offset} ${id} ${ids[at + offset]}`)
      })
      expect(beside.map(({ offset, sourceId, id }) => `${offset} ${sourceId} ${id}`)).to.have.members(places)
      const texts = await readTexts(reader, found, 'built-in')
      expect(texts.map(({ recallCount }) => recallCount)).to.deep.equal(found.map(() => 1))
      const tail = await readTail(reader, filter, 500)
      expect(new Set(tail.ids)).to.deep.equal(new Set(found))
      expect(plans).to.have.length(4)
      for (const { rowsRead, text } of plans) expect(rowsRead, text).to.be.lessThan(500)
    }))
})

import { expect } from 'chai'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { readTexts } from '../../store/memories/candidate-texts.js'
import { readCandidates, readNewest, readTail } from '../../store/memories/recall-rows.js'
import { upsertEntities } from '../../store/entities.js'
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
      const read = await readCandidates(reader, filter, found, { sources: found, entityIds: [] })
      expect(read.found.map(({ id }) => id)).to.have.members(found)
      const places = found.flatMap((id) => {
        const at = ids.indexOf(id)
        return [-2, -1, 1, 2].map((offset) => `${offset} ${id} ${ids[at + offset]}`)
      })
      expect(read.beside.map(({ offset, sourceId, row }) => `${offset} ${sourceId} ${row.id}`)).to.have.members(places)
      const texts = await readTexts(reader, filter, found, 'built-in')
      expect(texts.map(({ recallCount }) => recallCount)).to.deep.equal(found.map(() => 1))
      const tail = await readTail(reader, filter, 500)
      expect(new Set(tail.ids)).to.deep.equal(new Set(found))
      expect(plans).to.have.length(3)
      for (const { rowsRead, text } of plans) expect(rowsRead, text).to.be.lessThan(500)
    }))
})

describe('the candidates of a recall', () => {
  const tenantId = 'candidates'
  const audience = { kind: 'shared', agentId: 'agent', fleets: ['red'] } as const
  const filter = { audience, now: Date.parse('2026-06-01'), statuses: RECALL_STATUSES } as const
  let test: TestStore
  let entityIds: string[]
  /** Turns of one run, in their order. */
  const turns = {
    first: newMemory('first', inRun(0)),
    second: newMemory('second', inRun(1)),
    expired: newMemory('expired', { ...inRun(2), expiresAt: new Date('2026-05-20T00:00:00Z') }),
    asked: newMemory('asked', inRun(3)),
    hidden: newMemory('hidden', { ...inRun(4), fleetId: 'green', agentId: 'other' }),
    third: newMemory('third', inRun(5)),
    deleted: newMemory('deleted', inRun(6)),
    fourth: newMemory('fourth', inRun(7)),
    fifth: newMemory('fifth', inRun(8)),
  }
  const alone = newMemory('of no run', { fleetId: 'red' })
  const nameOf = new Map(Object.entries(turns).map(([name, { id }]) => [id, name]))

  function inRun(second: number) {
    const createdAt = new Date(Date.UTC(2026, 4, 1, 10, 0, second))
    return { runId: 'run', fleetId: 'red', visibility: 'scope_team', createdAt } as const
  }

  before(async () => {
    test = await createTestStore()
    await test.store.transact({ tenantId }, async (writer) => {
      const ids = await upsertEntities(writer, ['kafka', 'redis'])
      entityIds = [...ids.values()]
      const link = (name: string) => ({ entityId: ids.get(name)!, name, role: '', entityType: null })
      await insertMemories(writer, [
        ...Object.values({ ...turns, asked: { ...turns.asked, links: [link('kafka'), link('redis')] } }),
        { ...alone, links: [link('kafka')] },
      ])
    })
    await runSql(test.url, `update memories set status = 'deleted', deleted_at = now() where id = $1`, [
      turns.deleted.id,
    ])
  })
  after(() => test.stop())

  const read = (ids: readonly string[], sources: readonly string[], named: readonly string[] = []) =>
    test.store.read({ tenantId }, (reader) => readCandidates(reader, filter, ids, { sources, entityIds: named }))

  it('leave out what is hidden, deleted or filtered out, and what belongs to nobody', async () => {
    const { found, beside } = await read([...Object.values(turns).map(({ id }) => id), alone.id, newMemory('').id], [])
    const names = found.map(({ id }) => nameOf.get(id) ?? 'alone')
    expect(names).to.have.members(['first', 'second', 'asked', 'third', 'fourth', 'fifth', 'alone'])
    expect(found.map(({ version }) => version)).to.deep.equal(found.map(() => 1))
    expect(beside).to.deep.equal([])
  })

  it('are the newest that the caller may see and that pass the filter, where the index is away', async () => {
    const newest = (limit: number) =>
      test.store.read({ tenantId }, async (reader) =>
        (await readNewest(reader, { ...filter, runId: 'run' }, limit)).map((id) => nameOf.get(id)),
      )
    expect(await newest(10)).to.deep.equal(['fifth', 'fourth', 'third', 'asked', 'second', 'first'])
    expect(await newest(3)).to.deep.equal(['fifth', 'fourth', 'third'])
  })

  it('come with their neighbours: what fails the filter keeps its place, what is hidden or deleted has none', async () => {
    const { found, beside } = await read([turns.asked.id], [turns.asked.id, alone.id, turns.hidden.id])
    expect(found.map(({ id }) => id)).to.have.members([turns.asked.id, alone.id])
    expect(beside.map(({ sourceId, offset, row }) => [nameOf.get(sourceId), offset, nameOf.get(row.id)])).to.deep.equal(
      [
        ['asked', -2, 'second'],
        ['asked', 1, 'third'],
        ['asked', 2, 'fourth'],
      ],
    )
  })

  it('with an empty column that the filter names fail it, whatever entities they are linked to', async () => {
    const { found } = await test.store.read({ tenantId }, (reader) =>
      readCandidates(reader, { ...filter, runId: 'run' }, [alone.id, turns.asked.id, turns.asked.id], {
        sources: [turns.asked.id, turns.asked.id],
        entityIds,
      }),
    )
    expect(found.map(({ id }) => id)).to.deep.equal([turns.asked.id])
  })

  it('bring their neighbours even if they fail the filter themselves', async () => {
    const { found, beside } = await read([], [turns.expired.id])
    expect(found).to.deep.equal([])
    expect(beside.map(({ offset, row }) => [offset, nameOf.get(row.id)])).to.deep.equal([
      [-1, 'second'],
      [-2, 'first'],
      [1, 'asked'],
      [2, 'third'],
    ])
  })

  it('name those of the entities that they are linked to', async () => {
    const { found, beside } = await read([turns.asked.id], [turns.third.id], entityIds)
    const byName = new Map(
      [...found, ...beside.map(({ row }) => row)].map((row) => [nameOf.get(row.id), row.matchedEntityIds]),
    )
    expect(byName.get('asked')).to.have.members(entityIds)
    expect(byName.get('third')).to.deep.equal([])
  })
})

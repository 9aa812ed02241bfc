import { expect } from 'chai'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { createRecallLog } from '../../../../services/retrieval/memories/recall-log.js'
import { createLogger } from '../../../../runtime/logger.js'
import { LOCKS } from '../../../../store/locks.js'
import { removeMemories } from '../../../../store/memories/remove-memories.js'
import { type AnsweredRecall, dropRecallsBefore } from '../../../../store/recalls.js'
import type { Store } from '../../../../store/store.js'
import { remember } from '../../../support/memories.js'
import { until } from '../../../support/states.js'
import { createTestStore, type TestStore } from '../../../support/test-store.js'

const NO_PARTS = {
  vec_sim: 0,
  fts_score: 0,
  base: 1,
  context_boost: 1,
  freshness: 1,
  entity_boost: 1,
  recall_boost: 1,
  temporal_boost: 1,
  status_penalty: 1,
}

describe('recall log', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  const logger = createLogger('silent')

  function recallOf(memoryIds: readonly string[], at: Date, tenantId = 'ours'): AnsweredRecall {
    const results = memoryIds.map((id) => ({
      memory_id: id,
      similarity: 1,
      score: 1,
      score_parts: NO_PARTS,
      legs: ['keyword' as const],
    }))
    const actor = { actorKind: 'agent' as const, agentId: 'ana', fleetId: null, keyId: 'k' }
    const recallId = uuidv7({ msecs: at.getTime() })
    return { tenantId, recallId, ...actor, at, request: {}, results, degraded: null, recallMs: 1, confidence: null }
  }
  const kept = async () =>
    (
      await test.store.asSystem(({ db }) =>
        sql<{ recall_id: string; day: string }>`select recall_id, tableoid::regclass::text as day from recalls`.execute(
          db,
        ),
      )
    ).rows

  it('writes the buffered recalls and counts when it stops', async () => {
    const [id] = await remember(test.store, 'ours', 'A fox.')
    const log = createRecallLog({ store: test.store, logger })
    const recalls = Array.from({ length: 1_200 }, () => recallOf([id!], new Date('2026-03-01T12:00:00Z')))
    recalls.forEach((recall) => log.record(recall))
    await log.stop()
    expect((await kept()).map((row) => row.recall_id)).to.have.members(recalls.map(({ recallId }) => recallId))
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{ recall_count: number }>`select recall_count from memory_usage where memory_id = ${id}`.execute(db),
    )
    expect(rows).to.deep.equal([{ recall_count: 1_200 }])
  })

  it('writes every half second', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const log = createRecallLog({ store: test.store, logger })
      for (let round = 0; round < 2; round++) {
        const recall = recallOf([], new Date('2026-03-07T12:00:00Z'))
        log.record(recall)
        const isKept = async () => (await kept()).some(({ recall_id: id }) => id === recall.recallId)
        expect(await isKept()).to.equal(false)
        mock.timers.tick(500)
        await until('the records are kept', isKept)
      }
      await log.stop()
    } finally {
      mock.timers.reset()
    }
  })

  it('stores no id of a memory that was deleted between the answer and the write', async () => {
    const [gone, kept] = await remember(test.store, 'ours', 'A badger.', 'An owl.')
    const log = createRecallLog({ store: test.store, logger })
    const { recallId, ...recall } = recallOf([gone!, kept!], new Date('2026-03-03T12:00:00Z'))
    log.record({ recallId, ...recall })
    await test.store.transact({ tenantId: 'ours' }, (writer) =>
      removeMemories(writer, [gone!], { action: 'memory.erased', at: new Date() }),
    )
    await log.stop()
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{ results: { memory_id: string }[]; count: number }>`
        select results, memory_count as count from recalls where recall_id = ${recallId}`.execute(db),
    )
    expect(rows[0]!.results.map(({ memory_id: id }) => id)).to.deep.equal([kept])
    expect(rows[0]!.count).to.equal(2)
  })

  /** The test's store, which is away until it is told to come back. */
  function awayStore(): { readonly store: Store; comeBack(): void; leave(): void } {
    let isAway = true
    const asSystem = (work: Parameters<Store['asSystem']>[0]) =>
      isAway ? Promise.reject(new Error('away')) : test.store.asSystem(work)
    const store = { asSystem } as unknown as Store
    return { store, comeBack: () => void (isAway = false), leave: () => void (isAway = true) }
  }

  it('retries what could not be written, and counts it once', async () => {
    const { store, comeBack } = awayStore()
    const log = createRecallLog({ store, logger })
    const recall = recallOf([], new Date('2026-03-02T12:00:00Z'))
    log.record(recall)
    await sleep(600)
    comeBack()
    await log.stop()
    expect((await kept()).filter(({ recall_id: id }) => id === recall.recallId)).to.have.length(1)
  })

  it('logs an outage once, however often it tries again, and the next one too', async () => {
    let warnings = 0
    const counting = { ...logger, warn: () => void warnings++ } as unknown as typeof logger
    const { store, comeBack, leave } = awayStore()
    const log = createRecallLog({ store, logger: counting })
    for (const outage of [1, 2]) {
      log.record(recallOf([], new Date('2026-03-08T12:00:00Z')))
      leave()
      for (let tries = 0; tries < 3; tries++) await log.stop()
      expect(warnings).to.equal(outage)
      comeBack()
      await log.stop()
    }
  })

  it('buffers the newest ten thousand while they cannot be written', async () => {
    const { store, comeBack } = awayStore()
    const log = createRecallLog({ store, logger })
    const recalls = Array.from({ length: 10_001 }, () => recallOf([], new Date('2026-03-04T12:00:00Z')))
    recalls.forEach((recall) => log.record(recall))
    comeBack()
    await log.stop()
    const ids = new Set((await kept()).map(({ recall_id: id }) => id))
    expect(recalls.map(({ recallId }) => ids.has(recallId)).lastIndexOf(false)).to.equal(0)
    expect(recalls.filter(({ recallId }) => ids.has(recallId))).to.have.length(10_000)
  })

  it('stores the time of the last recall of a memory, in whichever order recalls are written', async () => {
    const [id] = await remember(test.store, 'ours', 'A stoat.')
    for (const instant of ['2026-03-06T12:00:00Z', '2026-03-05T12:00:00Z']) {
      const log = createRecallLog({ store: test.store, logger })
      log.record(recallOf([id!], new Date(instant)))
      await log.stop()
    }
    const log = createRecallLog({ store: test.store, logger })
    for (const instant of ['2026-03-07T12:00:00Z', '2026-03-04T12:00:00Z'])
      log.record(recallOf([id!], new Date(instant)))
    await log.stop()
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{ at: Date; count: number }>`
        select last_recalled_at as at, recall_count as count from memory_usage where memory_id = ${id}`.execute(db),
    )
    expect(rows).to.deep.equal([{ at: new Date('2026-03-07T12:00:00Z'), count: 4 }])
  })

  it('stores each recall in the partition of its day, and drops whole days', async () => {
    const log = createRecallLog({ store: test.store, logger })
    const instants = ['2026-04-01T23:59:59.999Z', '2026-04-02T00:00:00.000Z', '2026-04-03T08:00:00Z']
    const recalls = instants.map((instant) => recallOf([], new Date(instant)))
    recalls.forEach((recall) => log.record(recall))
    await log.stop()
    const dayOf = new Map((await kept()).map((row) => [row.recall_id, row.day]))
    expect(recalls.map(({ recallId }) => dayOf.get(recallId))).to.deep.equal([
      'recalls_20260401',
      'recalls_20260402',
      'recalls_20260403',
    ])
    await test.store.asSystem((system) => dropRecallsBefore(system, new Date('2026-04-02T15:00:00Z')))
    const left = (await kept()).map((row) => row.recall_id)
    expect(left).to.not.include(recalls[0]!.recallId)
    expect(left).to.include.members([recalls[1]!.recallId, recalls[2]!.recallId])
  })

  it('drops no day while it is being read, and blocks no writer meanwhile', async () => {
    const january = createRecallLog({ store: test.store, logger })
    january.record(recallOf([], new Date('2026-01-31T23:59:59.999Z')))
    await january.stop()
    const log = createRecallLog({ store: test.store, logger })
    const later = recallOf([], new Date('2026-02-01T00:00:00.000Z'))
    const drop = () => test.store.asSystem((system) => dropRecallsBefore(system, new Date('2026-02-01T00:00:00Z')))
    const code = (error: unknown) => (error as { code?: string }).code
    await test.store.asSystem(async ({ db }) => {
      await sql`select from recalls`.execute(db)
      const dropping = drop().then(String, code)
      log.record(later)
      await log.stop()
      expect(await dropping).to.equal('55P03')
    })
    expect((await kept()).map((row) => row.recall_id)).to.include(later.recallId)
    expect(await drop()).to.equal(1)
  })

  it('creates the partition of a day while an index build begins', async () => {
    const log = createRecallLog({ store: test.store, logger })
    const recall = recallOf([], new Date('2026-06-01T00:00:00Z'))
    await test.store.asSystem(async ({ db }) => {
      await sql`select pg_advisory_xact_lock(${LOCKS.indexBuilds}::bigint)`.execute(db)
      log.record(recall)
      await log.stop()
    })
    expect((await kept()).map((row) => row.recall_id)).to.include(recall.recallId)
  })

  it('writes to one day from many processes at once', async () => {
    const logs = Array.from({ length: 4 }, () => createRecallLog({ store: test.store, logger }))
    const recalls = logs.map((log) => {
      const recall = recallOf([], new Date('2026-05-05T05:00:00Z'))
      log.record(recall)
      return recall
    })
    await Promise.all(logs.map((log) => log.stop()))
    const left = (await kept()).map((row) => row.recall_id)
    expect(left).to.include.members(recalls.map(({ recallId }) => recallId))
  })
})

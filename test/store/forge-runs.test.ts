import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { OutcomeLabel } from '../../domain/forge/outcome.js'
import {
  claimRun,
  type ClaimedRun,
  findRun,
  finishRun,
  insertManualRuns,
  insertScheduledRun,
  listRuns,
  lockRun,
  purgeRuns,
  releaseRun,
  renewRun,
  saveResult,
} from '../../store/forge/runs.js'
import { listTurns } from '../../store/forge/turns.js'
import { forgetTraces, purgeTraces, saveTraces } from '../../store/forge/traces.js'
import type { Writer } from '../../store/store.js'
import { storeRun } from '../support/forge.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('runs of the Forge', () => {
  let test: TestStore
  let tenantId: string
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(() => (tenantId = `t-${randomUUID()}`))

  const write = <T>(work: (writer: Writer) => Promise<T>) => test.store.transact({ tenantId }, work)
  const at = new Date()
  async function manual(): Promise<string> {
    const runId = uuidv7()
    await test.store.asSystem((system) => insertManualRuns(system, [{ tenantId, runId }], { dryRun: false, at }))
    return runId
  }
  const claim = (runId: string, leaseMs = 60_000) =>
    write((writer) => claimRun(writer, { runId, owner: randomUUID(), leaseMs, at }))
  const due = async () =>
    (await test.store.asSystem((system) => listTurns(system, { at, limit: 1_000 }))).filter(
      (run) => run.tenantId === tenantId,
    )
  const finish = (run: ClaimedRun) =>
    write((writer) => finishRun(writer, run, { at, state: 'succeeded', result: {}, error: null }))

  const schedule = async (slot: Date) => {
    const runId = uuidv7()
    await write((writer) => insertScheduledRun(writer, { runId, at, slot }))
    return runId
  }
  const slotAt = (hour: number) => new Date(Date.UTC(2026, 4, 1, hour))
  const listed = async () => (await write((writer) => listRuns(writer, { limit: 10 }))).map(({ runId }) => runId)

  it('have one run for a slot, and as many by hand as are asked for', async () => {
    const first = await schedule(slotAt(12))
    await schedule(slotAt(12))
    await claim(first)
    await schedule(slotAt(12))
    const [second, third] = [await manual(), await manual()]
    expect(await listed()).to.deep.equal([third, second, first])
  })

  it('have one scheduled run that waits to begin, however many slots pass', async () => {
    const first = await schedule(slotAt(1))
    await Promise.all([2, 3, 4].map((hour) => schedule(slotAt(hour))))
    expect(await listed()).to.deep.equal([first])
    const claimed = (await claim(first))!
    const second = await schedule(slotAt(5))
    await schedule(slotAt(6))
    expect(await listed()).to.deep.equal([second, first])
    // One that has begun and waits for its next turn leaves its place to the next slot all the same.
    await finish(claimed)
    const begun = (await claim(second))!
    await write((writer) => releaseRun(writer, begun))
    const third = await schedule(slotAt(7))
    await schedule(slotAt(8))
    expect(await listed()).to.deep.equal([third, second, first])
  })

  it('have one scheduled run that waits to begin when slots come at once', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map((hour) => schedule(slotAt(hour))))
    expect(await listed()).to.have.length(1)
    expect(ids).to.include((await listed())[0])
  })

  it('belong to one worker, and one at a time runs in a tenant', async () => {
    const [first, second] = [await manual(), await manual()]
    expect(await due()).to.deep.equal([{ tenantId, runId: first }])
    const claims = await Promise.all([claim(first), claim(first), claim(second)])
    expect(claims.filter((run) => run !== null)).to.have.length(1)
    const run = claims.find((one) => one !== null)!
    expect(run.attempts).to.equal(1)
    expect(await due()).to.deep.equal([])
    expect(await finish(run)).to.equal(true)
    const other = run.runId === first ? second : first
    expect(await due()).to.deep.equal([{ tenantId, runId: other }])
    expect(await claim(run.runId)).to.equal(null)
    expect((await claim(other))?.runId).to.equal(other)
  })

  it('are taken over when their lease is over, and the worker before can do nothing more', async () => {
    const runId = await manual()
    const dead = (await claim(runId, 0))!
    expect(await due()).to.deep.equal([{ tenantId, runId }])
    const alive = (await claim(runId))!
    expect(alive.attempts).to.equal(2)
    expect(await write((writer) => renewRun(writer, dead, { leaseMs: 60_000, progress: {} }))).to.equal(false)
    expect(await write((writer) => lockRun(writer, dead))).to.equal(false)
    expect(await finish(dead)).to.equal(false)
    await write((writer) => saveResult(writer, dead, { result: { unlisted: 7 }, spentMs: 0 }))
    expect((await write((writer) => findRun(writer, runId)))!.result).to.deep.equal({})
    expect(await write((writer) => lockRun(writer, alive))).to.equal(true)
    await write((writer) => releaseRun(writer, alive))
    expect(await claim(runId)).to.include({ attempts: 2, state: 'running' })
  })

  it('are deleted some time after they ended', async () => {
    const [ended, waiting] = [await manual(), await manual()]
    await finish((await claim(ended))!)
    await test.store.asSystem((system) => purgeRuns(system, { before: new Date(at.getTime() + 1), limit: 1_000 }))
    expect(await listed()).to.deep.equal([waiting])
  })

  describe('store how traces ended', () => {
    const memoryIds = new Map<string, string[]>()
    const outcome = (agentId: string, label: OutcomeLabel) => ({
      fleetId: 'red',
      runId: 'r',
      agentId,
      label,
      signals: [{ kind: 'ending', weight: 0.9 }] as const,
      endedAt: at,
      memoryIds: memoryIds.get(agentId) ?? [uuidv7()],
    })
    const save = (...outcomes: ReturnType<typeof outcome>[]) => {
      const forgeRunId = uuidv7()
      return write(async (writer) => {
        await saveTraces(writer, forgeRunId, outcomes)
        return forgeRunId
      })
    }
    const stored = () =>
      write(async ({ db }) => {
        const { rows } = await sql<{ agent_id: string; label: string; forge_run_id: string }>`
          select agent_id, label, forge_run_id from forge_traces where tenant_id = ${tenantId} order by agent_id`.execute(
          db,
        )
        return rows.map((row) => [row.agent_id, row.label, row.forge_run_id])
      })
    beforeEach(async () => {
      for (const agent of ['ana', 'ben']) {
        const memories = await storeRun(test.store, tenantId, agent, 'r', [`By ${agent}.`, `More by ${agent}.`])
        const ids = memories.map(({ id }) => id)
        memoryIds.set(agent, ids)
      }
    })

    it('once each, with the run that saw them end like this first', async () => {
      const first = await save(outcome('ana', 'success'), outcome('ben', 'failure'))
      const second = await save(outcome('ana', 'success'), outcome('ben', 'success'))
      expect(await stored()).to.deep.equal([
        ['ana', 'success', first],
        ['ben', 'success', second],
      ])
    })

    it('not of traces with a memory that was deleted while the run was under way', async () => {
      const [first] = memoryIds.get('ana')!
      await write(({ db }) =>
        sql`update memories set status = 'deleted', deleted_at = ${at} where tenant_id = ${tenantId} and id = ${first!}`.execute(
          db,
        ),
      )
      await save(outcome('ana', 'success'), outcome('ben', 'success'))
      expect((await stored()).map(([agent]) => agent)).to.deep.equal(['ben'])
    })

    it('not of traces whose memories are gone, and no longer than they are asked to', async () => {
      await save(outcome('ana', 'success'), outcome('nobody', 'success'))
      expect((await stored()).map(([agent]) => agent)).to.deep.equal(['ana'])
      await save(outcome('ben', 'success'))
      await write((writer) => forgetTraces(writer, 'ana'))
      expect((await stored()).map(([agent]) => agent)).to.deep.equal(['ben'])
      await test.store.asSystem((system) => purgeTraces(system, { before: new Date(at.getTime() + 1), limit: 1_000 }))
      expect(await stored()).to.deep.equal([])
    })
  })
})

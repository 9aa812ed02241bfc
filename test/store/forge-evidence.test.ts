import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { freshnessWindow, mayEnter, tracesOf } from '../../domain/forge/traces.js'
import { LIVE_STATUSES, MEMORY_STATUSES } from '../../domain/memory.js'
import { VISIBILITIES } from '../../domain/visibility.js'
import { audit } from '../../store/audit.js'
import {
  listParts,
  lockEvidence,
  type PartBounds,
  readEvidence,
  selectTraces,
  traceKey,
} from '../../store/forge/evidence.js'
import { readReports, readReused } from '../../store/forge/reports.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { recordSupersessions, type Supersession } from '../../store/memories/supersessions.js'
import { ensureRecallDay, storeRecalls } from '../../store/recalls.js'
import type { Reader } from '../../store/store.js'
import { storeRun } from '../support/forge.js'
import { newMemory } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const BOUNDS: PartBounds = { traces: 100, memories: 1_000, bytes: 1_000_000, memoriesOfTrace: 100 }
const HOUR_MS = 3600_000

describe('evidence of the Forge', () => {
  let test: TestStore
  let tenantId: string
  const window = freshnessWindow(Date.now(), 14)
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(() => (tenantId = `t-${randomUUID()}`))

  const read = <T>(work: (reader: Reader) => Promise<T>) => test.store.read({ tenantId }, work)
  const select = (fleetId: string | null, bounds = BOUNDS) =>
    read((reader) => selectTraces(reader, { fleetId }, window, bounds))
  const hoursAgo = (hours: number) => new Date(window.now - hours * HOUR_MS)
  const run = (agentId: string, runId: string, texts: readonly string[], given = {}) =>
    storeRun(test.store, tenantId, agentId, runId, texts, given)

  it('is what the rule of the domain lets in, in the part that it says', async () => {
    const at = window.now - HOUR_MS
    const ids: string[] = []
    let n = 0
    for (const fleetId of ['red', 'blue', null])
      for (const visibility of VISIBILITIES)
        for (const status of MEMORY_STATUSES.filter((one) => one !== 'deleted'))
          for (const changes of [
            {},
            { runId: null },
            { agentId: null },
            { expiresAt: new Date(at) },
            { expiresAt: new Date(window.now + HOUR_MS) },
            { createdAt: new Date(window.from - 1) },
            { validStart: new Date(window.now + HOUR_MS) },
            { validStart: new Date(window.from) },
          ]) {
            if (visibility === 'scope_agent' && 'agentId' in changes) continue
            const memory = newMemory(`text ${n}`, {
              fleetId,
              visibility,
              status,
              runId: `run-${n++ % 7}`,
              agentId: 'ana',
              createdAt: new Date(at),
              ...changes,
            })
            ids.push(memory.id)
            await test.store.transact({ tenantId }, (writer) => insertMemories(writer, [memory]))
          }
    const all = await read((reader) => readAll(reader, ids))
    const expected = tracesOf(all, window)
    expect(expected.length).to.be.greaterThan(10)
    expect(all.some((memory) => mayEnter(memory, { fleetId: null }, window))).to.equal(true)
    const parts = await read((reader) => listParts(reader, window))
    expect(parts.map(({ fleetId }) => fleetId)).to.have.members(['red', 'blue', null])
    for (const part of parts) {
      const own = expected.filter((trace) => trace.part.fleetId === part.fleetId)
      const { traces, all: counted } = await select(part.fleetId)
      const keyOf = (trace: (typeof own)[number]) => traceKey({ ...trace, fleetId: trace.memories[0]!.fleetId })
      expect(traces.map(traceKey)).to.have.members(own.map(keyOf))
      expect(counted.traces).to.equal(own.length)
      const memories = await read((reader) => readEvidence(reader, traces, window, null))
      const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)
      expect(idsOf(memories)).to.have.members(own.flatMap((trace) => idsOf(trace.memories)))
    }
  })

  /** Reads memories whatever they are, as the domain sees them. */
  async function readAll({ db }: Reader, ids: readonly string[]) {
    const rows = await db.selectFrom('memories').selectAll().where('id', 'in', ids).execute()
    expect(new Set(rows.map(({ status }) => status)).size).to.be.greaterThan(LIVE_STATUSES.length)
    return rows.map((row) => ({
      id: row.id,
      fleetId: row.fleet_id,
      agentId: row.agent_id,
      runId: row.run_id,
      title: row.title,
      content: row.content,
      memoryType: row.memory_type,
      status: row.status,
      visibility: row.visibility,
      createdAt: row.created_at,
      validStart: row.valid_start,
      expiresAt: row.expires_at,
      names: [],
    }))
  }

  it('is another tenant’s nowhere', async () => {
    await run('ana', 'r', ['One.', 'Two.'])
    const other = { tenantId: `t-${randomUUID()}` }
    expect(await test.store.read(other, (reader) => listParts(reader, window))).to.deep.equal([])
    const traces = [{ fleetId: 'red', runId: 'r', agentId: 'ana' }]
    const got = await test.store.read(other, (reader) => readEvidence(reader, traces, window, null))
    expect(got).to.deep.equal([])
    expect(await read((reader) => readEvidence(reader, traces, window, null))).to.have.length(2)
  })

  it('is the newest traces within the bounds, whole ones, and counts the others', async () => {
    for (let i = 0; i < 6; i++)
      await run('ana', `run-${i}`, [`One of ${i}.`, `Two of ${i}.`], {
        createdAt: new Date(window.now - (i + 1) * HOUR_MS),
      })
    const taken = async (bounds: Partial<PartBounds>) => {
      const { traces, all } = await select('red', { ...BOUNDS, ...bounds })
      expect(all).to.deep.equal({ traces: 6, memories: 12 })
      return traces.map(({ runId }) => runId)
    }
    expect(await taken({})).to.have.length(6)
    expect(await taken({ traces: 2 })).to.deep.equal(['run-0', 'run-1'])
    expect(await taken({ memories: 7 })).to.deep.equal(['run-0', 'run-1', 'run-2'])
    expect(await taken({ bytes: 30 })).to.deep.equal(['run-0'])
    expect(await taken({ memoriesOfTrace: 1 })).to.deep.equal([])
  })

  it('is taken from all agents alike, however much one of them stores', async () => {
    for (let i = 0; i < 4; i++)
      await run('ana', `a-${i}`, [`One of ${i}.`, `Two of ${i}.`], { createdAt: hoursAgo(30 + i) })
    for (let i = 0; i < 20; i++) await run('eve', `e-${i}`, [`x${i} `.repeat(20)], { createdAt: hoursAgo(i + 1) })
    await run('eve', 'large', ['y'.repeat(9_000)], { createdAt: hoursAgo(0.1) })
    const takenOf = async (agentId: string, bounds: Partial<PartBounds>) =>
      (await select('red', { ...BOUNDS, ...bounds })).traces.filter((trace) => trace.agentId === agentId).length
    expect(await takenOf('ana', { traces: 8 })).to.equal(4)
    expect(await takenOf('ana', { memories: 16 })).to.equal(4)
    expect(await takenOf('ana', { bytes: 2_000 })).to.equal(4)
    expect(await takenOf('eve', { traces: 8 })).to.equal(4)
  })

  it('has the names that a memory is linked to, its vector, and no more text than is read', async () => {
    const [memory] = await run('ana', 'r', ['x'.repeat(9_000)])
    await test.store.transact({ tenantId }, async ({ db }) => {
      await sql`insert into entities (tenant_id, id, name_key) values (${tenantId}, ${uuidv7()}, 'fox')`.execute(db)
      await sql`insert into entity_links (tenant_id, memory_id, entity_id, name)
        select ${tenantId}, ${memory!.id}, id, 'Fox' from entities where tenant_id = ${tenantId}`.execute(db)
      await sql`insert into vectors (tenant_id, text_hash, model, vector)
        values (${tenantId}, ${memory!.textHash}, 'm', ${Buffer.from(new Float32Array([1, 2]).buffer)})`.execute(db)
      await sql`update memories set content = repeat('y', 20000) where id = ${memory!.id}`.execute(db)
    })
    const { traces } = await select('red')
    const [got] = await read((reader) => readEvidence(reader, traces, window, 'm'))
    expect(got!.names).to.deep.equal(['Fox'])
    expect([...got!.vector!]).to.deep.equal([1, 2])
    expect(got!.content).to.have.length(10_000)
    const [without] = await read((reader) => readEvidence(reader, traces, window, null))
    expect(without!.vector).to.equal(null)
  })

  it('is locked as it was read, or not at all', async () => {
    const memories = await run('ana', 'r', ['One.', 'Two.'])
    const cites = memories.map(({ id }) => ({ id, version: 1 }))
    const lock = (part: string | null = 'red') =>
      test.store.transact({ tenantId }, (writer) => lockEvidence(writer, cites, { fleetId: part }, window))
    expect(await lock()).to.equal(true)
    // What only its fleet sees is no evidence for another part.
    expect(await lock('blue')).to.equal(false)
    expect(await lock(null)).to.equal(false)
    const change = (set: string) =>
      test.store.transact({ tenantId }, ({ db }) =>
        sql`update memories set ${sql.raw(set)} where id = ${cites[0]!.id}`.execute(db),
      )
    await change("visibility = 'scope_agent'")
    expect(await lock()).to.equal(false)
    await change("visibility = 'scope_org'")
    expect(await lock()).to.equal(true)
    await change('version = 2')
    expect(await lock()).to.equal(false)
    await change("version = 1, status = 'deleted', deleted_at = now()")
    expect(await lock()).to.equal(false)
  })

  describe('with reports', () => {
    const traces = ['ana', 'ben'].map((agentId) => ({ fleetId: 'red', runId: 'r', agentId }))
    const reportOf = async (agentId: string) => {
      const reports = await read((reader) => readReports(reader, traces))
      expect(reports).to.have.length(2)
      return reports.find((one) => one.agentId === agentId)!
    }

    it('counts the last outcome of each rater once, and says nothing of other runs', async () => {
      const [first, second] = await run('ana', 'r', ['One.', 'Two.'])
      await run('ben', 'r', ['Three.'])
      const rate = (agentId: string | null, id: string, outcome: string) =>
        test.store.transact({ tenantId, kind: 'agent', agentId, keyId: 'k' }, (writer) =>
          audit(writer, new Date(), [
            { action: 'memory.feedback', subject: { kind: 'memory', id }, details: { outcome } },
          ]),
        )
      for (let i = 0; i < 5; i++) await rate('cleo', first!.id, 'failure')
      await rate('cleo', second!.id, 'success')
      await rate('dan', second!.id, 'failure')
      await rate('eve', second!.id, 'partial')
      expect((await reportOf('ana')).feedback).to.deep.equal({ success: 1, failure: 1 })
      expect((await reportOf('ben')).feedback).to.deep.equal({ success: 0, failure: 0 })
    })

    it('is contradicted by another run, not by itself', async () => {
      const [old, own] = await run('ana', 'r', ['Port 1.', 'Port 2.'])
      const [other] = await run('ben', 'r', ['Port 3.'])
      const supersede = (newId: string, oldId: string) =>
        test.store.transact({ tenantId }, (writer) =>
          recordSupersessions(
            writer,
            [{ newId, oldId, reason: 'rdf_conflict', direction: 'canonical', oldStatus: 'outdated' } as Supersession],
            new Date(),
          ),
        )
      await supersede(own!.id, old!.id)
      expect((await reportOf('ana')).contradicted).to.equal(false)
      await supersede(other!.id, old!.id)
      expect((await reportOf('ana')).contradicted).to.equal(true)
      expect((await reportOf('ben')).contradicted).to.equal(false)
    })

    it('sees the same results asked for again and again, and memories that others were given', async () => {
      const [memory] = await run('ana', 'r', ['One.', 'Two.', 'Three.', 'Four.'])
      await run('ben', 'r', ['Five.', 'Six.'])
      const at = memory!.createdAt.getTime()
      const recall = (agentId: string, minute: number, ids: readonly string[]) => ({
        tenantId,
        recallId: uuidv7({ msecs: at + minute * 60_000 }),
        actorKind: 'agent' as const,
        agentId,
        fleetId: 'red',
        keyId: null,
        at: new Date(at + minute * 60_000),
        request: {},
        results: ids.map((id) => ({ memory_id: id, similarity: 1, score: 1, score_parts: {} as never, legs: [] })),
        degraded: null,
        recallMs: 1,
        confidence: null,
      })
      const id = memory!.id
      await test.store.asSystem(async (system) => {
        for (const day of new Set([at, at + 10 * 60_000].map((ms) => new Date(ms).toISOString().slice(0, 10))))
          await ensureRecallDay(system, day)
        await storeRecalls(system, [recall('ana', 0, [id]), recall('ana', 1, [id]), recall('ana', 9, [id])])
      })
      expect((await reportOf('ana')).repeatedQuery).to.equal(false)
      const reused = () => read((reader) => readReused(reader, traces, window))
      // It was only given to its own agent.
      expect(await reused()).to.deep.equal([])
      await test.store.asSystem((system) => storeRecalls(system, [recall('ana', 2, [id]), recall('ben', 0.5, [id])]))
      expect((await reportOf('ana')).repeatedQuery).to.equal(true)
      expect((await reportOf('ben')).repeatedQuery).to.equal(false)
      expect(await reused()).to.deep.equal([traces[0]])
      await test.store.transact({ tenantId }, (writer) =>
        audit(writer, new Date(), [
          { action: 'memory.feedback', subject: { kind: 'memory', id }, details: { outcome: 'failure' } },
        ]),
      )
      expect(await reused()).to.deep.equal([])
    })
  })
})

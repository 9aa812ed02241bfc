import { expect } from 'chai'
import { v7 as uuidv7 } from 'uuid'
import { freshnessWindow } from '../../domain/forge/traces.js'
import {
  lockEvidence,
  readEvidence,
  readEvidenceByIds,
  selectTraces,
  type SelectedTrace,
  traceKey,
} from '../../store/forge/evidence.js'
import { readReports, readReused } from '../../store/forge/reports.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { ensureRecallDay, type AnsweredRecall, storeRecalls } from '../../store/recalls.js'
import { explainStatements } from '../support/explained.js'
import { newMemory } from '../support/memories.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const TRACES = 400
const MEMORIES_OF_TRACE = 5
const PAGE_TRACES = 40
/** Rows that are read for each memory of a page, at most, however many the tenant has. */
const ROWS_OF_MEMORY = 30
const RECALLS = 300
const TABLES = ['memories', 'audit_events', 'supersessions', 'skill_outcomes', 'entity_links', 'vectors']

/** Tenants whose traces have the same shape; `keyOf` gives a trace its run and agent. */
const SHAPES: Readonly<Record<string, (n: number) => { runId: string; agentId: string }>> = {
  'of as many agents as runs': (n) => ({ runId: `run-${n}`, agentId: `agent-${n}` }),
  'of one agent': (n) => ({ runId: `run-${n}`, agentId: 'agent' }),
  'of many agents in one run': (n) => ({ runId: 'run', agentId: `agent-${n}` }),
}

/** States of the database's statistics. */
const STATES = [
  ['with statistics', (url: string) => runSql(url, 'analyze', [])],
  ['right after a large import', (url: string) => runSql(url, 'delete from pg_statistic', [])],
] as const

describe('what a run of the Forge reads', () => {
  const window = freshnessWindow(Date.now(), 14)
  const begin = window.now - 3_600_000
  let test: TestStore

  before(async () => {
    test = await createTestStore()
    for (const table of TABLES) await runSql(test.url, `alter table ${table} set (autovacuum_enabled = off)`, [])
    await test.store.asSystem((system) => ensureRecallDay(system, new Date(begin).toISOString().slice(0, 10)))
    for (const [tenantId, keyOf] of Object.entries(SHAPES)) await fill(tenantId, keyOf)
  })
  after(() => test.stop())

  async function fill(tenantId: string, keyOf: (n: number) => { runId: string; agentId: string }): Promise<void> {
    const memories = Array.from({ length: TRACES * MEMORIES_OF_TRACE }, (_, i): NewMemory => {
      const trace = Math.floor(i / MEMORIES_OF_TRACE)
      const at = new Date(begin + i)
      return newMemory(`note ${i}`, { ...keyOf(trace), fleetId: 'red', visibility: 'scope_team', createdAt: at })
    })
    await test.store.transact({ tenantId }, (writer) => insertMemories(writer, memories))
    const recalls = Array.from({ length: RECALLS }, (_, i): AnsweredRecall => {
      const at = new Date(begin + i * MEMORIES_OF_TRACE)
      return {
        tenantId,
        recallId: uuidv7({ msecs: at.getTime() }),
        actorKind: 'agent',
        agentId: `reader-${i % 7}`,
        fleetId: 'red',
        keyId: null,
        at,
        request: { run_id: 'another' },
        results: [0, 1, 2].map((n) => ({
          memory_id: memories[(i + n * 97) % memories.length]!.id,
          similarity: 1,
          score: 1,
          score_parts: {} as never,
          legs: [],
        })),
        degraded: null,
        recallMs: 1,
        confidence: null,
      }
    })
    await test.store.asSystem((system) => storeRecalls(system, recalls))
  }

  for (const [state, settle] of STATES)
    for (const tenantId of Object.keys(SHAPES))
      it(`grows with the traces of a page alone, ${tenantId}, ${state}`, async () => {
        await settle(test.url)
        await test.store.read({ tenantId }, async (plain) => {
          const traces = await select(plain)
          const page = traces.slice(PAGE_TRACES, 2 * PAGE_TRACES)
          const { reader, plans } = explainStatements(plain)
          const memories = await readEvidence(reader, page, window, 'm')
          expect(memories).to.have.length(PAGE_TRACES * MEMORIES_OF_TRACE)
          const reports = await readReports(reader, page)
          expect(reports.map(traceKey)).to.have.members(page.map(traceKey))
          expect(plans).to.have.length(2)
          for (const { rowsRead, json } of plans)
            expect(rowsRead, json).to.be.lessThan(ROWS_OF_MEMORY * PAGE_TRACES * MEMORIES_OF_TRACE)
        })
      })

  for (const [state, settle] of STATES)
    it(`locks evidence, and reads it again, by its keys, ${state}`, async () => {
      const tenantId = 'of one agent'
      await settle(test.url)
      await test.store.transact({ tenantId }, async (plain) => {
        const traces = await select(plain)
        const memories = await readEvidence(plain, traces.slice(0, PAGE_TRACES), window, null)
        const { reader, plans } = explainStatements(plain)
        expect(await lockEvidence({ ...plain, ...reader }, memories, { fleetId: 'red' }, window)).to.equal(true)
        const ids = memories.map(({ id }) => id)
        expect(await readEvidenceByIds(reader, ids, window)).to.have.length(memories.length)
        for (const { rowsRead, json } of plans) expect(rowsRead, json).to.be.lessThan(5 * memories.length)
      })
    })

  for (const tenantId of Object.keys(SHAPES))
    it(`looks through the recalls once, ${tenantId}`, async () => {
      await test.store.read({ tenantId }, async (plain) => {
        const traces = await select(plain)
        const { reader, plans } = explainStatements(plain)
        expect(await readReused(reader, traces, window)).to.have.length.greaterThan(50)
        expect(plans).to.have.length(1)
        expect(plans[0]!.rowsRead, plans[0]!.json).to.be.lessThan(10 * RECALLS * 3)
      })
    })

  async function select(reader: Parameters<typeof selectTraces>[0]): Promise<readonly SelectedTrace[]> {
    const bounds = { traces: TRACES, memories: 10_000, bytes: 10_000_000, memoriesOfTrace: 100 }
    const { traces } = await selectTraces(reader, { fleetId: 'red' }, window, bounds)
    expect(traces).to.have.length(TRACES)
    return traces
  }
})

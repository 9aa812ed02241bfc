import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { CandidateRecord } from '../../domain/forge/run-record.js'
import type { SettingsChange } from '../../domain/settings/settings.js'
import { type ForgeRun, findRun, insertManualRuns } from '../../store/forge/runs.js'
import { findLatest } from '../../store/skills/read-skills.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import type { ForgeOptions } from '../../workers/context.js'
import { jobContext } from '../../workers/context.js'
import { runForge } from '../../workers/forge/run-forge.js'
import { KEY_ROTATION, storeRun } from '../support/forge.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

const NO_MODEL: ForgeOptions = { languageModel: null, budget: { calls: 0, tokens: 0, withinMs: 1 } }

describe('a run of the Forge', function () {
  this.timeout(60_000)
  let test: TestStore
  let tenantId: string
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(async () => {
    tenantId = `t-${randomUUID()}`
    await test.store.asSystem(({ db }) => sql`insert into tenants (tenant_id) values (${tenantId})`.execute(db))
    await set({ enabled: true })
  })

  const set = (skills_factory: NonNullable<SettingsChange['skills_factory']>) =>
    test.store.transact({ tenantId }, async (writer) => {
      const { stored } = await lockSettings(writer)
      const next = { ...stored, skills_factory: { ...stored.skills_factory, ...skills_factory } }
      await replaceSettings(writer, next as typeof stored, new Date())
    })

  async function tick(options: { dryRun?: boolean; forge?: Partial<ForgeOptions> } = {}): Promise<ForgeRun> {
    const runId = uuidv7()
    const run = { tenantId, runId }
    await test.store.asSystem((system) =>
      insertManualRuns(system, [run], { dryRun: options.dryRun ?? false, at: new Date() }),
    )
    const context = jobContext(testWorkerContext(test, { forge: { ...NO_MODEL, ...options.forge } }))
    await runForge(context, run)
    return (await test.store.read({ tenantId }, (reader) => findRun(reader, runId)))!
  }
  const candidates = ({ result }: ForgeRun) => result.candidates ?? []
  const outcomes = (run: ForgeRun) => candidates(run).map(({ outcome }) => outcome)

  /** Stores the rotations of a key by four agents, and one that failed. */
  async function rotate(given = {}, suffix = '') {
    for (const [agent, texts] of KEY_ROTATION)
      await storeRun(test.store, tenantId, agent, `run-${agent}${suffix}`, texts, given)
  }
  const skillOf = (record: CandidateRecord) =>
    test.store.read({ tenantId }, (reader) => findLatest(reader, record.doc_id!))
  const everything = () =>
    test.store.read({ tenantId }, async ({ db }) => {
      const tables = ['skills', 'skill_versions', 'skill_cites', 'skill_moves', 'skill_poison', 'forge_traces'] as const
      const rows: unknown[] = []
      for (const table of tables)
        rows.push(
          (await sql`select * from ${sql.table(table)} where tenant_id = ${tenantId} order by 1, 2, 3, 4`.execute(db))
            .rows,
        )
      return rows
    })

  it('makes a candidate of what several agents did alike, from the memories that say it', async () => {
    await rotate()
    const run = await tick()
    expect(run).to.include({ state: 'succeeded', error: null })
    const [part] = run.result.parts!
    expect(part).to.deep.include({ fleet_id: 'red', state: 'succeeded', traces: 5, memories: 25 })
    expect(part!.outcomes).to.deep.equal({ success: 4, failure: 1, unknown: 0 })
    const [record] = candidates(run)
    expect(record).to.deep.include({ outcome: 'created', runs: 4, agents: 4, wording: 'extracted', reason: null })
    const skill = (await skillOf(record!))!
    expect(skill).to.include({ status: 'candidate', source: 'forge', fleetId: 'red', docId: record!.doc_id })
    expect(skill.description).to.match(/^When /)
    expect(skill.content).to.include('## Steps').and.to.include('What goes wrong')
    expect(skill.cites).to.have.length(17)
    expect(skill.origin).to.include({ run_id: run.runId, cluster_size: 4, distinct_agents: 4 })
  })

  it('changes nothing the second time', async () => {
    await rotate()
    await tick()
    const before = await everything()
    const again = await tick()
    expect(outcomes(again)).to.deep.equal(['unchanged'])
    expect(await everything()).to.deep.equal(before)
  })

  it('refreshes the candidate when another agent does the same', async () => {
    await rotate()
    const [first] = candidates(await tick())
    await storeRun(test.store, tenantId, 'finn', 'run-finn', [
      'Created signing key 4799 in the keyring.',
      'Published the new public key on the JWKS endpoint today.',
      'Restarted the token issuer once more.',
      'Retired the old signing key.',
      'Rotation finished, logins work again.',
    ])
    const [second] = candidates(await tick())
    expect(second).to.include({ outcome: 'refreshed', doc_id: first!.doc_id, runs: 5, agents: 5 })
    expect((await skillOf(second!))!.fingerprint).to.equal((await skillOf(first!))!.fingerprint)
  })

  it('changes nothing but its own record when it is dry', async () => {
    await rotate()
    const before = await everything()
    const dry = await tick({ dryRun: true })
    expect(dry).to.include({ state: 'succeeded', dryRun: true })
    expect(outcomes(dry)).to.deep.equal(['created'])
    expect(candidates(dry)[0]!.doc_id).to.match(/^forge\//)
    expect(await everything()).to.deep.equal(before)
    expect(outcomes(await tick())).to.deep.equal(['created'])
  })

  it('writes no more than it may, names the rest, and takes that first the next time', async () => {
    await rotate({ fleetId: 'red' })
    await rotate({ fleetId: 'blue' }, '-blue')
    await set({ forge: { max_writes_per_run: 1 } as never })
    const first = await tick()
    expect(outcomes(first)).to.deep.equal(['created', 'deferred'])
    expect(candidates(first)[1]!.reason).to.match(/^the run's 1 writes are used up/)
    // New evidence makes the first one due again, and heavier.
    const fleetId = candidates(first)[0]!.fleet_id
    await storeRun(
      test.store,
      tenantId,
      'finn',
      'run-finn',
      [
        'Created signing key 1 in the keyring.',
        'Published the public key to the JWKS endpoint.',
        'Restarted the token issuer.',
        'Retired the old signing key.',
        'Rotation finished, logins work.',
      ],
      { fleetId },
    )
    const second = await tick()
    expect(candidates(second).map(({ outcome, fleet_id }) => [outcome, fleet_id === fleetId])).to.deep.equal([
      ['created', false],
      ['deferred', true],
    ])
    expect(outcomes(await tick())).to.have.members(['refreshed', 'unchanged'])
  })

  it('keeps private memories out, and a workflow that is thin in two fleets is none', async () => {
    await rotate({ visibility: 'scope_agent' })
    expect(candidates(await tick())).to.deep.equal([])
    for (const [i, [agent, texts]] of KEY_ROTATION.entries())
      await storeRun(test.store, tenantId, agent, `split-${agent}`, texts, { fleetId: i % 2 ? 'red' : 'blue' })
    const run = await tick()
    for (const record of candidates(run)) expect(record.reason).to.match(/held: .* are needed/)
  })

  it('says that it is off for a tenant that opted out', async () => {
    await rotate()
    await set({ enabled: false })
    expect(await tick()).to.include({ state: 'failed', error: 'the tenant has switched skills_factory.enabled off' })
  })

  it('has failed when the thread of its only part dies, and no other part suffers from one that does', async () => {
    await rotate()
    const file = new URL('./failing-forge-thread', import.meta.url)
    const failed = await tick({ forge: { thread: { file } } })
    expect(failed).to.include({ state: 'failed', error: 'every cluster failed' })
    expect(failed.result.parts![0]).to.include({ state: 'failed', error: 'its thread ended: THREAD_EXIT' })
    const late = await tick({ forge: { thread: { timeoutMs: 1 } } })
    expect(late.result.parts![0]!.error).to.match(/^its thread took too long: no answer within 1 ms/)
    const heavy = await tick({ forge: { thread: { maxHeapMb: 8 } } })
    expect(heavy.result.parts![0]!.error).to.equal('its thread ended: ERR_WORKER_OUT_OF_MEMORY')
    expect((await tick()).state).to.equal('succeeded')
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { plantFleet } from '../../bench/forge-fleet/plant.js'
import { PLATFORM_BOOK } from '../../bench/forge-fleet/platform-book.js'
import type { ForgeRun } from '../../store/forge/runs.js'
import { insertPoison } from '../../store/skills/poison.js'
import { withConnection } from '../../store/connection.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { newMemory } from '../support/memories.js'
import { until } from '../support/states.js'
import { KEY_ROTATION, storeRun } from '../support/forge.js'
import { createMovingClock } from '../support/moving-clock.js'
import { type ForgeTenant, newForgeTenant } from '../support/forge-tenant.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

/** One more rotation of a key. */
const FINN = [
  'Created signing key 4799 in the keyring.',
  'Published the new public key on the JWKS endpoint today.',
  'Restarted the token issuer once more.',
  'Retired the old signing key.',
  'Rotation finished, logins work again.',
]

describe('a run of the Forge', function () {
  this.timeout(60_000)
  let test: TestStore
  let tenant: ForgeTenant
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(async () => (tenant = await newForgeTenant(test)))

  const candidates = ({ result }: ForgeRun) => result.candidates ?? []
  const outcomes = (run: ForgeRun) => candidates(run).map(({ outcome }) => outcome)

  it('makes a candidate of what several agents did alike, from the memories that say it', async () => {
    await tenant.rotateKeys()
    const run = await tenant.tick()
    expect(run).to.include({ state: 'succeeded', error: null })
    const [part] = run.result.parts!
    expect(part).to.deep.include({ fleet_id: 'red', state: 'succeeded', traces: 5, memories: 25 })
    expect(part!.outcomes).to.deep.equal({ success: 4, failure: 1, unknown: 0 })
    const [record] = candidates(run)
    expect(record).to.deep.include({ outcome: 'created', runs: 4, agents: 4, wording: 'extracted', reason: null })
    const skill = (await tenant.skill(record!.doc_id))!
    expect(skill).to.include({ status: 'candidate', source: 'forge', fleetId: 'red', docId: record!.doc_id })
    expect(skill.description).to.match(/^When /)
    expect(skill.content).to.include('## Steps').and.to.include('What goes wrong')
    expect(skill.cites).to.have.length(17)
    expect(skill.origin).to.include({ run_id: run.runId, cluster_size: 4, distinct_agents: 4 })
  })

  it('holds what one credential stored in the names of several agents', async () => {
    await tenant.set({ skills_factory: { sentinel: { auto_promote_clean: true } } })
    const actor = { kind: 'tenant', agentId: null, keyId: 'key-1' } as const
    for (const [agent, texts] of KEY_ROTATION)
      await storeRun(test.store, tenant.tenantId, agent, `run-${agent}`, texts, {}, actor)
    const [record] = candidates(await tenant.tick())
    expect(record).to.include({ outcome: 'created', agents: 4, reason: 'held: 1 credentials, 3 are needed' })
    const { origin } = await tenant.skill(record!.doc_id)
    expect(origin).to.include({ distinct_agents: 4, distinct_credentials: 1 })
  })

  it('makes a skill of long memories, wherever the part that is read of them ends', async () => {
    await (await newForgeTenant(test)).request()
    await tenant.rotateKeys()
    for (const agent of ['ana', 'ben', 'cleo', 'dan']) {
      const text = `${agent.repeat(2_500).slice(0, 9_930)}. Watched the graph of logins `
      await tenant.run(agent, `run-${agent}`, [`${text}${'.'.repeat(1 + (text.length % 2))}${'\u{1f600}'.repeat(200)}`])
    }
    const run = await tenant.tick()
    expect(run).to.include({ state: 'succeeded', error: null })
    expect(outcomes(run)).to.deep.equal(['created'])
    expect((await tenant.skill(candidates(run)[0]!.doc_id)).content).to.include('Watched the graph of logins')
  })

  it('counts all memories of which nobody knows the credential as of one', async () => {
    await tenant.rotateKeys()
    await test.store.transact({ tenantId: tenant.tenantId }, ({ db }) =>
      sql`delete from audit_events where tenant_id = ${tenant.tenantId}`.execute(db),
    )
    expect(candidates(await tenant.tick())[0]!.reason).to.equal('held: 1 credentials, 3 are needed')
  })

  it('changes nothing the second time', async () => {
    await tenant.rotateKeys()
    await tenant.tick()
    const before = await tenant.everything()
    const again = await tenant.tick()
    expect(outcomes(again)).to.deep.equal(['unchanged'])
    expect(await tenant.everything()).to.deep.equal(before)
  })

  it('refreshes the candidate when another agent does the same', async () => {
    await tenant.rotateKeys()
    const [first] = candidates(await tenant.tick())
    await tenant.run('finn', 'run-finn', FINN)
    const [second] = candidates(await tenant.tick())
    expect(second).to.include({ outcome: 'refreshed', doc_id: first!.doc_id, runs: 5, agents: 5 })
    expect((await tenant.skill(second!.doc_id))!.fingerprint).to.equal((await tenant.skill(first!.doc_id))!.fingerprint)
  })

  it('changes nothing but its own record when it is dry', async () => {
    await tenant.rotateKeys()
    const before = await tenant.everything()
    const dry = await tenant.tick({ dryRun: true })
    expect(dry).to.include({ state: 'succeeded', dryRun: true })
    expect(outcomes(dry)).to.deep.equal(['created'])
    expect(candidates(dry)[0]!.doc_id).to.match(/^forge\//)
    expect(await tenant.everything()).to.deep.equal(before)
    expect(outcomes(await tenant.tick())).to.deep.equal(['created'])
  })

  it('writes no more than it may, names the rest, and takes that first the next time', async () => {
    await tenant.rotateKeys({ fleetId: 'red' })
    await tenant.rotateKeys({ fleetId: 'blue' }, '-blue')
    await tenant.set({ skills_factory: { enabled: true, forge: { max_writes_per_run: 1 } } })
    const first = await tenant.tick()
    expect(outcomes(first)).to.deep.equal(['created', 'deferred'])
    expect(candidates(first)[1]!.reason).to.match(/^the run's 1 writes are used up/)
    // New evidence makes the first one due again, and heavier.
    const fleetId = candidates(first)[0]!.fleet_id
    await tenant.run('finn', 'run-finn', FINN, { fleetId })
    const second = await tenant.tick()
    expect(candidates(second).map(({ outcome, fleet_id }) => [outcome, fleet_id === fleetId])).to.deep.equal([
      ['created', false],
      ['deferred', true],
    ])
    expect(outcomes(await tenant.tick())).to.have.members(['refreshed', 'unchanged'])
  })

  it('keeps private memories out, and a workflow that is thin in two fleets is none', async () => {
    await tenant.rotateKeys({ visibility: 'scope_agent' })
    expect(candidates(await tenant.tick())).to.deep.equal([])
    for (const [i, [agent, texts]] of KEY_ROTATION.entries())
      await tenant.run(agent, `split-${agent}`, texts, { fleetId: i % 2 ? 'red' : 'blue' })
    const run = await tenant.tick()
    for (const record of candidates(run)) expect(record.reason).to.match(/held: .* are needed/)
  })

  it('says that it is off for a tenant that opted out', async () => {
    await tenant.rotateKeys()
    await tenant.set({ skills_factory: { enabled: false } })
    expect(await tenant.tick()).to.include({
      state: 'failed',
      error: 'the tenant has switched skills_factory.enabled off',
    })
  })

  it('has failed when the thread of its only part dies, and no other part suffers from one that does', async () => {
    await tenant.rotateKeys()
    const file = new URL('./failing-forge-thread', import.meta.url)
    const failed = await tenant.tick({ thread: { file } })
    expect(failed).to.include({ state: 'failed', error: 'every cluster failed' })
    expect(failed.result.parts![0]).to.include({ state: 'failed', error: 'its thread ended: THREAD_EXIT' })
    const late = await tenant.tick({ thread: { timeoutMs: 1 } })
    expect(late.result.parts![0]!.error).to.match(/^its thread took too long: no answer within 1 ms/)
    const heavy = await tenant.tick({ thread: { maxHeapMb: 8 } })
    expect(heavy.result.parts![0]!.error).to.equal('its thread ended: ERR_WORKER_OUT_OF_MEMORY')
    expect((await tenant.tick()).state).to.equal('succeeded')
  })

  it('finds the workflows that were planted in two fleets, and cites nothing that is forbidden', async () => {
    const fleet = plantFleet(PLATFORM_BOOK, 1)
    const clock = { now: () => fleet.now }
    const stored = fleet.memories.filter(({ memory }) => memory.status !== 'deleted')
    const memories = stored.map(({ memory }) => {
      const { names: _names, vector: _vector, ...fields } = memory
      return newMemory(memory.content, { ...fields, id: uuidv7() })
    })
    await test.store.transact(tenant, (writer) => insertMemories(writer, memories))
    const run = await tenant.tick({ clock })
    const wanted = fleet.workflows.reduce((sum, { fleets }) => sum + fleets.length, 0)
    const passing = candidates(run).filter(({ outcome, reason }) => outcome === 'created' && reason === null)
    expect(passing.length).to.be.within(0.8 * wanted, wanted)
    const { rows: forbidden } = await test.store.read(tenant, ({ db }) =>
      sql`select m.id from skill_cites c join skills s on s.tenant_id = c.tenant_id and s.id = c.skill_id
          join memories m on m.tenant_id = c.tenant_id and m.id = c.memory_id
        where c.tenant_id = ${tenant.tenantId} and (m.visibility = 'scope_agent' or m.fleet_id is distinct from s.fleet_id
          or m.status not in ('active', 'pending', 'confirmed'))`.execute(db),
    )
    expect(forbidden).to.deep.equal([])
    const before = await tenant.everything()
    const again = await tenant.tick({ clock })
    expect(new Set(outcomes(again))).to.deep.equal(new Set(['unchanged']))
    expect(await tenant.everything()).to.deep.equal(before)
  })

  it('does not propose again what was rejected, however its evidence grows, until its cool-off is over', async () => {
    const clock = createMovingClock()
    await tenant.rotateKeys()
    const [record] = candidates(await tenant.tick({ clock }))
    const skill = await tenant.skill(record!.doc_id)
    await test.store.transact(tenant, async (writer) => {
      const at = new Date(clock.now())
      const rejection = { extent: 'whole', added: [] } as const
      await insertPoison(writer, skill, { rejection, reason: 'no', at, until: new Date(clock.now() + 86_400_000) })
      await sql`delete from skills where tenant_id = ${tenant.tenantId}`.execute(writer.db)
    })
    await tenant.run('finn', 'run-finn', FINN)
    const held = await tenant.tick({ clock })
    expect(outcomes(held)).to.deep.equal(['held'])
    expect(candidates(held)[0]!.reason).to.include('was rejected')
    clock.advance(2 * 86_400_000)
    expect(outcomes(await tenant.tick({ clock }))).to.deep.equal(['created'])
  })

  it('goes on with another worker when its process is asked to stop', async () => {
    await tenant.rotateKeys()
    const stopping = new AbortController()
    const run = await withConnection(test.url, async (client) => {
      await client.query('begin; lock table forge_traces in exclusive mode')
      const ticking = tenant.tick({ stopping: stopping.signal })
      await until('the run has clustered', () => isWaitedFor(client), { within: 30_000 })
      stopping.abort()
      await client.query('commit')
      return ticking
    })
    expect(run).to.include({ state: 'queued', attempts: 0 })
    expect(outcomes(run)).to.deep.equal([])
    expect(await tenant.turn(run.runId)).to.equal('over')
    const ended = await tenant.find(run.runId)
    expect(ended).to.include({ state: 'succeeded', attempts: 1 })
    expect(outcomes(ended)).to.deep.equal(['created'])
    expect(outcomes(await tenant.tick())).to.deep.equal(['unchanged'])
  })

  it('holds a candidate whose evidence is hidden before it is written', async () => {
    await tenant.rotateKeys()
    const run = await withConnection(test.url, async (client) => {
      // The run reads and clusters, and then waits to store how the traces ended.
      await client.query('begin; lock table forge_traces in exclusive mode')
      const ticking = tenant.tick()
      await until('the run has clustered', () => isWaitedFor(client), { within: 30_000 })
      await client.query(`update memories set visibility = 'scope_agent' where tenant_id = $1 and agent_id = 'ana'`, [
        tenant.tenantId,
      ])
      await client.query('commit')
      return ticking
    })
    expect(candidates(run).map(({ outcome, reason }) => [outcome, reason])).to.deep.equal([
      ['held', 'its evidence changed while the run was under way'],
    ])
    expect(outcomes(await tenant.tick())).to.deep.equal(['created'])
  })
})

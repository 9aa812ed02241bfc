import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { findDocument } from '../../store/documents/read-documents.js'
import { insertManualRuns } from '../../store/forge/runs.js'
import { listMoves } from '../../store/skills/history.js'
import { saveOutcome } from '../../store/skills/outcomes.js'
import { jobContext } from '../../workers/context.js'
import { runForge } from '../../workers/forge/run-forge.js'
import { expireSkills } from '../../workers/skills/expire-skills.js'
import { KEY_ROTATION, storeRun } from '../support/forge.js'
import { candidateOf, skillsOf } from '../support/skills.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'

const DAY_MS = 86_400_000

describe('skills that expire', function () {
  this.timeout(60_000)
  let test: TestStore
  let tenantId: string
  let now: Date
  let skills: ReturnType<typeof skillsOf>
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(async () => {
    tenantId = `t-${randomUUID()}`
    now = new Date('2026-05-20T12:00:00Z')
    await test.store.asSystem(({ db }) => sql`insert into tenants (tenant_id) values (${tenantId})`.execute(db))
    skills = skillsOf(test.store, tenantId, () => now)
    await skills.optIn()
  })

  const contextAt = (at: Date) => jobContext(testWorkerContext(test, { clock: { now: () => at.getTime() } }))
  /** Lets days pass, and then the job run. */
  const expireAfter = (days: number) =>
    expireSkills(contextAt(new Date(now.getTime() + days * DAY_MS)), new AbortController().signal)
  const isServed = async (docId: string) =>
    (await test.store.read({ tenantId }, (reader) => findDocument(reader, 'skills', docId))) !== undefined
  const lastMove = async (docId: string) => {
    const { id } = (await skills.look(docId))!
    const [move] = await test.store.read({ tenantId }, (reader) => listMoves(reader, id))
    return move
  }

  it('are candidates that have waited for 60 days, and none that are younger', async () => {
    await skills.propose(candidateOf('valve', now))
    await expireAfter(59.9)
    expect((await skills.look('forge/valve'))!.waiting!.status).to.equal('candidate')
    await expireAfter(60.1)
    expect((await skills.look('forge/valve'))!.waiting).to.equal(null)
    expect(await lastMove('forge/valve')).to.deep.include({
      from: 'candidate',
      to: 'deprecated',
      reason: 'held for 60 days',
      actorKind: 'service',
    })
  })

  it('are not those that wait for a review', async () => {
    await skills.propose(candidateOf('valve', now))
    await skills.settle((await skills.look('forge/valve'))!.waiting!)
    await expireAfter(400)
    expect((await skills.look('forge/valve'))!.waiting!.status).to.equal('staged')
  })

  it('are active skills of the Forge whose work nobody has done for 90 days: they leave service', async () => {
    await skills.activate(candidateOf('valve', now))
    await expireAfter(89.9)
    expect(await isServed('forge/valve')).to.equal(true)
    await expireAfter(90.1)
    expect(await isServed('forge/valve')).to.equal(false)
    expect((await skills.look('forge/valve'))!.latest.status).to.equal('stale')
    expect(await lastMove('forge/valve')).to.include({ to: 'stale', reason: 'no fresh evidence for 90 days' })
  })

  it('are not those that an agent had success with since', async () => {
    await skills.activate(candidateOf('valve', now))
    await skills.activate(candidateOf('pump', now))
    for (const [docId, outcome] of [
      ['forge/valve', 'success'],
      ['forge/pump', 'failure'],
    ] as const)
      await test.store.transact({ tenantId }, (writer) =>
        saveOutcome(writer, docId, { outcome, runId: null, at: new Date(now.getTime() + 50 * DAY_MS) }),
      )
    await expireAfter(100)
    expect([await isServed('forge/valve'), await isServed('forge/pump')]).to.deep.equal([true, false])
  })

  it('are neither what people and agents wrote, nor those of a tenant for which the Forge does not look', async () => {
    await skills.activate(candidateOf('valve', now))
    await skills.propose(candidateOf('pump', now))
    await skills.settle((await skills.look('forge/pump'))!.waiting!)
    await test.store.transact({ tenantId }, ({ db }) =>
      sql`update skill_versions set source = 'agent' where tenant_id = ${tenantId} and fingerprint = ${candidateOf('pump', now).fingerprint}`.execute(
        db,
      ),
    )
    await skills.approve('forge/pump')
    await skills.optIn({ enabled: false })
    await expireAfter(400)
    expect(await isServed('forge/valve')).to.equal(true)
    await skills.optIn()
    await expireAfter(400)
    expect([await isServed('forge/valve'), await isServed('forge/pump')]).to.deep.equal([false, true])
  })

  it('are not those whose work the Forge has seen since', async () => {
    now = new Date()
    for (const [agent, texts] of KEY_ROTATION) await storeRun(test.store, tenantId, agent, `run-${agent}`, texts)
    const tick = async (dryRun = false) => {
      const run = { tenantId, runId: uuidv7() }
      await test.store.asSystem((system) => insertManualRuns(system, [run], { dryRun, at: now }))
      await runForge(contextAt(now), run)
    }
    const only = () =>
      test.store.read({ tenantId }, async ({ db }) => {
        const rows = await db.selectFrom('skills').selectAll().where('tenant_id', '=', tenantId).execute()
        expect(rows).to.have.length(1)
        return rows[0]!
      })
    await tick()
    const { doc_id: docId } = await only()
    await skills.settle((await skills.look(docId))!.waiting!)
    await skills.approve(docId)
    expect((await only()).confirmed_at).to.deep.equal(now)

    const old = new Date(now.getTime() - 100 * DAY_MS)
    await test.store.transact({ tenantId }, ({ db }) =>
      sql`update skills set confirmed_at = ${old} where tenant_id = ${tenantId}`.execute(db),
    )
    await tick(true)
    expect((await only()).confirmed_at).to.deep.equal(old)
    await tick()
    expect((await only()).confirmed_at!.getTime()).to.be.within(now.getTime() - DAY_MS, now.getTime())
    await expireAfter(0)
    expect(await isServed(docId)).to.equal(true)
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { SCAN_VERSION, type ScanReport } from '../../domain/scan/report.js'
import type { ScannableSkill } from '../../domain/scan/skill.js'
import type { SkillScan } from '../../domain/skills/skill.js'
import { ScanFailedError } from '../../services/skills/skill-scanner.js'
import { findDocument } from '../../store/documents/read-documents.js'
import { jobContext } from '../../workers/context.js'
import { rescanSkills } from '../../workers/skills/rescan-skills.js'
import { scanSkills } from '../../workers/skills/scan-skills.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { candidateOf, SCANNED_BAD, SCANNED_CLEAN, SCANNED_FLAGGED, skillsOf } from '../support/skills.js'
import { newJobs, takeBatch, testWorkerContext } from '../support/worker-context.js'

/** The job that scans skills, on its own. */
describe('the scan job', () => {
  let test: TestStore
  let tenant: string
  let skills: ReturnType<typeof skillsOf>
  let scanned: ScannableSkill[]
  let answer: () => Promise<ScanReport>
  let verdicts: string[]
  const now = new Date('2026-05-20T12:00:00Z')
  const never = new AbortController().signal

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    tenant = (await newJobs(test)).tenant
    skills = skillsOf(test.store, tenant, () => now)
    scanned = []
    verdicts = []
    answer = () => Promise.resolve(SCANNED_CLEAN)
  })

  function context() {
    const skillScanner = {
      scan: (skill: ScannableSkill) => {
        scanned.push(skill)
        return answer()
      },
      stop: () => Promise.resolve(),
    }
    const given = testWorkerContext(test, { skillScanner, clock: { now: () => now.getTime() } })
    const metrics = { ...given.metrics, scanned: (verdict: string) => void verdicts.push(verdict) }
    return jobContext({ ...given, metrics })
  }

  /** Runs the next batch of scans; returns its outcome, or null when nothing is due. */
  async function work(leaseMs?: number) {
    const batch = await takeBatch(test, 'scan', { leaseMs })
    return batch ? scanSkills(context(), batch) : null
  }

  const waitingScan = async () => (await skills.look('forge/valve'))!.waiting!.scan

  it('saves the verdict once, whatever text the skill has', async () => {
    await skills.propose(candidateOf('valve', now))
    expect(await waitingScan()).to.include({ state: 'pending', scanned_at: null, critical: null })
    expect(await work()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect(await waitingScan()).to.include({ state: 'clean', critical: 0, scanned_at: now.toISOString() })
    expect(scanned).to.have.lengthOf(1)
    expect(scanned[0]).to.include({ slug: 'valve', name: 'valve' })
    expect(scanned[0]!.evidence).to.deep.equal({ runs: 4 })
    expect(verdicts).to.deep.equal(['clean'])
    expect(await work()).to.equal(null)
  })

  it('quarantines what the scan refuses', async () => {
    answer = () => Promise.resolve(SCANNED_BAD)
    await skills.propose(candidateOf('valve', now))
    await work()
    const { waiting } = (await skills.look('forge/valve'))!
    expect(waiting).to.include({ status: 'quarantined', reason: 'the scan found 1 critical finding' })
    expect(waiting!.scan.findings.map(({ code }) => code)).to.deep.equal(['secret'])
  })

  it('scans again what failed, and forgets the failure with the verdict', async () => {
    answer = () => Promise.reject(new ScanFailedError('TypeError'))
    await skills.propose(candidateOf('valve', now))
    await work()
    expect((await waitingScan()).failure!.code).to.equal('crashed')
    answer = () => Promise.resolve(SCANNED_CLEAN)
    await test.store.asSystem(({ db }) => sql`update index_pending set due_at = now() - interval '1 s'`.execute(db))
    expect(await work()).to.include({ settled: 1 })
    expect(await waitingScan()).to.include({ state: 'clean', failure: null })
  })

  it('gives a scan that fails up after five attempts, and says why all the while', async () => {
    answer = () => Promise.reject(new ScanFailedError('ERR_WORKER_OUT_OF_MEMORY'))
    await skills.propose(candidateOf('valve', now))
    for (const outcome of [{ failed: 1 }, { failed: 1 }, { failed: 1 }, { failed: 1 }, { settled: 1 }]) {
      await test.store.asSystem(({ db }) => sql`update index_pending set due_at = now() - interval '1 s'`.execute(db))
      expect(await work()).to.include(outcome)
      const { state, failure } = await waitingScan()
      expect([state, failure!.code]).to.deep.equal(['settled' in outcome ? 'failed' : 'pending', 'out_of_memory'])
      expect(failure!.message).to.match('settled' in outcome ? /restore\.$/ : /It is tried again\.$/)
      expect(await work(), 'before the next attempt is due').to.equal(null)
    }
    expect(scanned).to.have.lengthOf(5)
    expect(verdicts).to.deep.equal(['failed'])
    expect(await skills.statusOf('forge/valve')).to.equal('candidate')
    expect(await work()).to.equal(null)
  })

  it('gives a text up that ends the process five times', async () => {
    await skills.propose(candidateOf('valve', now))
    // A worker that is killed in its scan has counted the attempt, and settles nothing.
    answer = () => Promise.reject(new Error('killed'))
    for (let attempt = 1; attempt <= 5; attempt++) {
      await work(0).catch(() => undefined)
      await test.store.asSystem(({ db }) =>
        sql`update index_pending set lease = null, due_at = now() - interval '1 s'`.execute(db),
      )
    }
    expect(scanned).to.have.lengthOf(5)
    expect(await work()).to.include({ settled: 1 })
    expect(scanned).to.have.lengthOf(5)
    const { state, failure } = await waitingScan()
    expect([state, failure!.code]).to.deep.equal(['failed', 'interrupted'])
  })

  it('drops the verdict on a version that another has replaced', async () => {
    const { store } = test
    const first = candidateOf('valve', now)
    await skills.propose(first)
    answer = async () => {
      await skills.propose({ ...first, content: '1. Something new.' })
      return SCANNED_BAD
    }
    await work()
    expect(await waitingScan()).to.include({ state: 'pending' })
    answer = () => Promise.resolve(SCANNED_CLEAN)
    expect(await work()).to.include({ settled: 1 })
    expect(await waitingScan()).to.include({ state: 'clean' })
    expect(scanned.at(-1)!.content).to.equal('1. Something new.')
    expect(await store.read({ tenantId: tenant }, (reader) => findDocument(reader, 'skills', 'forge/valve'))).to.equal(
      undefined,
    )
  })

  describe('of newer rules', () => {
    const served = () =>
      test.store.read({ tenantId: tenant }, (reader) => findDocument(reader, 'skills', 'forge/valve'))

    async function judgedByOldRules() {
      await skills.activate(candidateOf('valve', now))
      while (await work());
      await test.store.asSystem(({ db }) =>
        sql`update skill_versions set scan_rules = 'old' where tenant_id = ${tenant}`.execute(db),
      )
      scanned = []
    }

    it('judges what is active again, and takes what it refuses out of service', async () => {
      await judgedByOldRules()
      answer = () => Promise.resolve(SCANNED_BAD)
      await rescanSkills(context(), never)
      expect(await served()).not.to.equal(undefined)
      await work()
      expect(await served()).to.equal(undefined)
      const { active, waiting } = (await skills.look('forge/valve'))!
      expect(active).to.equal(null)
      expect(waiting).to.include({ status: 'quarantined', scanRules: SCAN_VERSION })
    })

    it('keeps what it only flags in service, and shows what it found', async () => {
      await judgedByOldRules()
      answer = () => Promise.resolve(SCANNED_FLAGGED)
      await rescanSkills(context(), never)
      await work()
      const { active, waiting } = (await skills.look('forge/valve'))!
      expect(waiting).to.equal(null)
      expect(active).to.include({ status: 'active', scanRules: SCAN_VERSION })
      expect(active!.scan).to.include({ state: 'flagged', warn: 1 })
      const shown = (await served())!.systemMetadata.skill!.scan as SkillScan
      expect(shown).to.deep.equal(active!.scan)
      await rescanSkills(context(), never)
      expect(await work()).to.equal(null)
    })

    it('asks again for what a reviewer overruled under older rules', async () => {
      await judgedByOldRules()
      const overruledFor = (rules: string) =>
        test.store.asSystem(({ db }) =>
          sql`update skill_versions set overruled = jsonb_build_object('by', jsonb_build_object('kind', 'admin', 'agent_id', null),
            'at', '2026-05-20T12:00:00.000Z', 'reason', 'Ours.', 'content_hash', content_hash, 'rules', ${rules}::text) where tenant_id = ${tenant}`.execute(
            db,
          ),
        )
      answer = () => Promise.resolve(SCANNED_BAD)
      await overruledFor(SCAN_VERSION)
      await rescanSkills(context(), never)
      await work()
      expect(await served(), 'overruled for these rules').not.to.equal(undefined)
      expect((await skills.look('forge/valve'))!.active!.scan.state).to.equal('quarantined')

      await overruledFor('old')
      await test.store.asSystem(({ db }) =>
        sql`update skill_versions set scan_rules = 'old' where tenant_id = ${tenant}`.execute(db),
      )
      await rescanSkills(context(), never)
      await work()
      expect(await served(), 'overruled for older rules').to.equal(undefined)
      expect((await skills.look('forge/valve'))!.waiting).to.include({ status: 'quarantined' })
    })

    it('leaves what it passes, once', async () => {
      await judgedByOldRules()
      await rescanSkills(context(), never)
      await rescanSkills(context(), never)
      expect(await work()).to.include({ settled: 1 })
      expect(scanned).to.have.lengthOf(1)
      await rescanSkills(context(), never)
      expect(await work()).to.equal(null)
      expect((await skills.look('forge/valve'))!.active).to.include({ scanRules: SCAN_VERSION, status: 'active' })
      // The time from its write to this verdict says nothing of how long scans take.
      expect(verdicts).to.deep.equal([])
    })

    it('keeps the last verdict when it cannot scan', async () => {
      await judgedByOldRules()
      answer = () => Promise.reject(new ScanFailedError('RangeError'))
      await rescanSkills(context(), never)
      for (let attempt = 1; attempt <= 5; attempt++) {
        await work()
        await test.store.asSystem(({ db }) => sql`update index_pending set due_at = now() - interval '1 s'`.execute(db))
      }
      expect(scanned).to.have.lengthOf(5)
      expect((await skills.look('forge/valve'))!.active!.scan).to.include({ state: 'clean', failure: null })
      expect(await served()).not.to.equal(undefined)
    })
  })
})

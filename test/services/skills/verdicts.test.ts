import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Principal } from '../../../domain/principal.js'
import type { Finding, Opinion, ScanReport } from '../../../domain/scan/report.js'
import type { ReviewName } from '../../../domain/skills/reviews.js'
import { ConflictError } from '../../../runtime/errors.js'
import { createLogger } from '../../../runtime/logger.js'
import type { ServiceContext } from '../../../services/context.js'
import { editSkill } from '../../../services/skills/edit-skill.js'
import { review } from '../../../services/skills/review.js'
import { rollbackSkill } from '../../../services/skills/rollback-skill.js'
import { settleFailedScan } from '../../../services/skills/settle-scan.js'
import type { SkillVersion } from '../../../domain/skills/skill.js'
import { saveOpinions } from '../../../store/skills/scans.js'
import { forgetSkillAuthor } from '../../../store/skills/authors.js'
import { thrownBy } from '../../support/failures.js'
import { candidateOf, SCANNED_BAD, SCANNED_CLEAN, SCANNED_FLAGGED, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** Tests what follows from each verdict, with a scan that finds what the test says. */
describe('the verdict of the scan', () => {
  let test: TestStore
  let principal: Principal
  let skills: ReturnType<typeof skillsOf>
  let found: ScanReport
  let hasModel: boolean
  const now = new Date('2026-05-20T12:00:00Z')
  const { signal } = new AbortController()

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    const tenantId = `t-${randomUUID()}`
    principal = { tenantId, kind: 'agent', keyId: null, agentId: 'olga', fleetId: null, fleetless: true, trust: 3 }
    await test.store.transact({ tenantId }, ({ db }) =>
      db.insertInto('tenants').values({ tenant_id: tenantId }).execute(),
    )
    skills = skillsOf(test.store, tenantId, () => now)
    found = SCANNED_CLEAN
    hasModel = false
  })

  const context = () =>
    ({
      store: test.store,
      clock: { now: () => now.getTime() },
      logger: createLogger('silent'),
      skillScanner: { scan: () => Promise.resolve(found), stop: () => Promise.resolve() },
      enrichment: { enabled: hasModel },
    }) as unknown as ServiceContext
  const act = (name: ReviewName, docId: string, reason?: string) =>
    review(context(), principal, name, { docId, contentHash: undefined, reason }, signal)
  const waiting = async (docId: string) => (await skills.look(docId))!.waiting!

  /** Stores a candidate that passes all gates but that of the scan, and settles this verdict on it. */
  async function judged(slug: string, report: ScanReport): Promise<string> {
    const { docId } = await skills.propose(candidateOf(slug, now))
    await skills.settle(await waiting(docId!), report)
    return docId!
  }

  describe('flagged', () => {
    it('stages a candidate for a person whatever is promoted by itself, with a gate that did not pass', async () => {
      await skills.optIn({ sentinel: { auto_promote_clean: true } })
      expect(await skills.statusOf(await judged('pump', SCANNED_CLEAN))).to.equal('active')
      const docId = await judged('valve', SCANNED_FLAGGED)
      const { status, reason, gates, scan } = await waiting(docId)
      expect([status, reason]).to.deep.equal(['staged', 'the scan flagged it; all other gates passed'])
      expect(gates.filter(({ passed }) => !passed).map(({ name }) => name)).to.deep.equal(['scan'])
      expect(scan).to.include({ state: 'flagged', warn: 1, failure: null })
    })

    it('leaves a candidate that another gate holds where it is', async () => {
      await skills.optIn()
      const { docId } = await skills.propose(
        candidateOf('valve', now, { origin: { ...candidateOf('x', now).origin, cluster_size: 1 } }),
      )
      await skills.settle(await waiting(docId!), SCANNED_FLAGGED)
      expect(await skills.statusOf(docId!)).to.equal('candidate')
    })

    it('is cleared by an approval and by a restore, and an edit of it waits', async () => {
      await skills.optIn()
      const docId = await judged('valve', SCANNED_FLAGGED)
      found = SCANNED_FLAGGED
      const texts = { summary: 'When it is edited.' }
      const edited = await editSkill(
        context(),
        principal,
        { docId, contentHash: undefined, reason: undefined, texts },
        signal,
      )
      expect(edited.version.status).to.equal('staged')
      await act('quarantine', docId, 'Odd.')
      expect((await act('restore', docId)).version.status).to.equal('staged')
      expect((await act('approve', docId)).version).to.include({ status: 'active' })
      expect((await skills.look(docId))!.active!.scan.state).to.equal('flagged')
      await act('retire', docId)
      const again = await rollbackSkill(
        context(),
        principal,
        { docId, version: 2, contentHash: undefined, reason: undefined },
        signal,
      )
      expect(again.version.status).to.equal('active')
    })
  })

  describe('flagged, with a model’s opinion beside it', () => {
    const [FLAG] = SCANNED_FLAGGED.findings as [Finding]
    const OPINION = { verdict: 'harmful', reason: 'It hides.', model: 'openai:m' } as const
    const opinionsOf = ({ scan }: SkillVersion) => scan.findings.map(({ opinion }) => opinion)

    beforeEach(() => skills.optIn())

    /** Returns a skill of which a model has this opinion. */
    async function opined(opinion: Opinion): Promise<string> {
      const docId = await judged('valve', SCANNED_FLAGGED)
      const version = await waiting(docId)
      const findings = version.scan.findings.map((finding) => ({ ...finding, opinion }))
      await test.store.transact(principal, (writer) =>
        saveOpinions(writer, { ...version, scan: { ...version.scan, findings } }),
      )
      found = SCANNED_FLAGGED
      return docId
    }

    it('keeps it through approval, retirement and rollback, of the same content by the same rules', async () => {
      const docId = await opined(OPINION)
      expect(opinionsOf((await act('approve', docId)).version)).to.deep.equal([OPINION])
      await act('retire', docId)
      const request = { docId, version: 1, contentHash: undefined, reason: undefined }
      expect(opinionsOf((await rollbackSkill(context(), principal, request, signal)).version)).to.deep.equal([OPINION])
    })

    it('loses it with another content, by other rules, and where the scan finds it certain', async () => {
      const docId = await opined(OPINION)
      found = { ...SCANNED_FLAGGED, version: 'newer' }
      const edit = { docId, contentHash: undefined, reason: undefined }
      const summary = { ...edit, texts: { summary: 'When it is edited.' } }
      const newer = await editSkill(context(), principal, summary, signal)
      expect(opinionsOf(newer.version), 'newer rules').to.deep.equal([undefined])
      found = SCANNED_FLAGGED
      const other = { ...edit, texts: { content: 'When the work is another.\n' } }
      expect(opinionsOf((await editSkill(context(), principal, other, signal)).version)).to.deep.equal([undefined])
    })

    it('is quarantined by a certain finding in spite of the opinion that it is harmless', async () => {
      const docId = await opined({ ...OPINION, verdict: 'harmless' })
      found = { ...SCANNED_BAD, findings: [{ ...FLAG, severity: 'critical' }] }
      expect(await thrownBy(act('approve', docId))).to.be.instanceOf(ConflictError)
      const version = await waiting(docId)
      expect(version).to.include({ status: 'quarantined' })
      expect(opinionsOf(version)).to.deep.equal([undefined])
    })
  })

  describe('overruled', () => {
    const OVERRULED = { rules: SCANNED_BAD.version, reason: 'Ours.', by: { kind: 'agent', agent_id: 'olga' } }
    async function overruled(slug = 'valve'): Promise<string> {
      await skills.optIn()
      const docId = await judged(slug, SCANNED_BAD)
      expect(await skills.statusOf(docId)).to.equal('quarantined')
      found = SCANNED_BAD
      await act('overrule', docId, 'Ours.')
      return docId
    }

    it('is staged with who did it, and approved, restored and rolled back to with the same findings', async () => {
      const docId = await overruled()
      const { contentHash, overruled: by } = await waiting(docId)
      expect(by).to.deep.equal({ ...OVERRULED, at: now.toISOString(), content_hash: contentHash })
      await act('quarantine', docId, 'Odd.')
      expect((await act('restore', docId)).version.status).to.equal('staged')
      expect((await act('approve', docId)).version.status).to.equal('active')
      await act('retire', docId)
      const again = await rollbackSkill(
        context(),
        principal,
        { docId, version: 1, contentHash: undefined, reason: undefined },
        signal,
      )
      expect(again.version).to.deep.include({ version: 2, status: 'active', overruled: by })
    })

    it('keeps no name of a reviewer who is erased', async () => {
      const docId = await overruled()
      await test.store.transact(principal, (writer) => forgetSkillAuthor(writer, 'somebody'))
      expect((await waiting(docId)).overruled!.by.agent_id).to.equal('olga')
      await test.store.transact(principal, (writer) => forgetSkillAuthor(writer, 'olga'))
      expect((await waiting(docId)).overruled).to.deep.include({
        reason: 'Ours.',
        by: { kind: 'agent', agent_id: null },
      })
    })

    it('does not become active by itself where nobody reviews', async () => {
      const docId = await judged('valve', SCANNED_BAD)
      found = SCANNED_BAD
      await act('overrule', docId, 'Ours.')
      await skills.settle(await waiting(docId), SCANNED_BAD)
      expect(await skills.statusOf(docId)).to.equal('staged')
    })

    it('holds for these rules alone: newer ones ask again at each step', async () => {
      const docId = await overruled()
      found = { ...SCANNED_BAD, version: 'newer' }
      const error = (await thrownBy(act('approve', docId))) as ConflictError
      expect(error.details).to.include({ status: 'quarantined' })
      expect(error.details!.findings).to.have.lengthOf(1)
      expect(await skills.statusOf(docId)).to.equal('quarantined')
      expect(await thrownBy(act('restore', docId))).to.be.instanceOf(ConflictError)
      await act('overrule', docId, 'Still ours.')
      expect((await waiting(docId)).overruled).to.include({ rules: 'newer', reason: 'Still ours.' })
      await act('approve', docId)
      await act('retire', docId)
      found = SCANNED_BAD
      const request = { docId, version: 1, contentHash: undefined, reason: undefined }
      expect(await thrownBy(rollbackSkill(context(), principal, request, signal))).to.be.instanceOf(ConflictError)
    })

    it('holds for this version alone: an edit is refused again', async () => {
      const docId = await overruled()
      const edit = { docId, contentHash: undefined, reason: undefined, texts: { summary: 'Another.' } }
      const { version } = await editSkill(context(), principal, edit, signal)
      expect(version).to.deep.include({ status: 'quarantined', overruled: null })
    })

    it('is refused where nothing critical is found, in another status, and when another review comes first', async () => {
      await skills.optIn()
      const docId = await judged('valve', SCANNED_CLEAN)
      const wrong = (await thrownBy(act('overrule', docId, 'Ours.'))) as ConflictError
      expect(wrong.details).to.include({ from: 'staged', to: 'staged' })
      await act('quarantine', docId, 'Odd.')
      const nothing = (await thrownBy(act('overrule', docId, 'Ours.'))) as ConflictError
      expect(nothing.message).to.match(/restore the skill/)
      expect(await waiting(docId)).to.include({ status: 'quarantined', overruled: null })

      found = SCANNED_BAD
      const slow = context()
      const scan = async () => {
        await act('reject', docId, 'No.')
        return SCANNED_BAD
      }
      const late = { ...slow, skillScanner: { ...slow.skillScanner, scan } }
      const request = { docId, contentHash: undefined, reason: 'Ours.' }
      expect(await thrownBy(review(late, principal, 'overrule', request, signal))).to.be.instanceOf(ConflictError)
      expect((await skills.look(docId))!.latest).to.include({ status: 'rejected', overruled: null })
    })
  })

  describe('failed', () => {
    const opinionsAsked = () =>
      test.store.read(principal, async ({ db, tenantId }) => {
        const rows = await db
          .selectFrom('index_pending')
          .select('seq')
          .where('tenant_id', '=', tenantId)
          .where('kind', '=', 'opinion')
          .execute()
        return rows.length
      })

    async function failed(slug: string): Promise<string> {
      const { docId } = await skills.propose(candidateOf(slug, now))
      const version = await waiting(docId!)
      await test.store.transact(principal, (writer) =>
        settleFailedScan(writer, version, { failure: 'crashed', isFinal: true, at: now }),
      )
      expect((await waiting(docId!)).scan).to.include({ state: 'failed' })
      return docId!
    }

    it('is asked for again by restore, and goes the way of its verdict', async () => {
      await skills.optIn()
      const ways = [
        ['pump', SCANNED_CLEAN, 'staged'],
        ['valve', SCANNED_FLAGGED, 'staged'],
        ['lamp', SCANNED_BAD, 'quarantined'],
      ] as const
      for (const [slug, report, status] of ways) {
        const docId = await failed(slug)
        found = report
        const asked = act('restore', docId)
        if (report === SCANNED_BAD) expect(await thrownBy(asked)).to.be.instanceOf(ConflictError)
        else expect((await asked).version.status).to.equal(status)
        const { scan, status: now } = await waiting(docId)
        expect([now, scan.state, scan.failure]).to.deep.equal([status, report.verdict, null])
      }
    })

    for (const [model, asked] of [
      [true, 1],
      [false, 0],
    ] as const)
      it(`has a model asked for its opinion of what restore flags: ${model ? 'where there is one' : 'of none'}`, async () => {
        await skills.optIn()
        const docId = await failed('valve')
        found = SCANNED_FLAGGED
        hasModel = model
        await act('restore', docId)
        expect(await opinionsAsked()).to.equal(asked)
        await act('approve', docId)
        expect(await opinionsAsked(), 'not for what a person has decided').to.equal(asked)
      })

    it('is no way to restore what has a verdict', async () => {
      await skills.optIn()
      const docId = await judged('valve', SCANNED_CLEAN)
      expect(await thrownBy(act('restore', docId))).to.be.instanceOf(ConflictError)
    })
  })
})

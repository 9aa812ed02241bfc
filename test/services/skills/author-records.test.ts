import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Principal } from '../../../domain/principal.js'
import { createLogger } from '../../../runtime/logger.js'
import type { ServiceContext } from '../../../services/context.js'
import { deactivate } from '../../../services/skills/publish.js'
import { editSkill } from '../../../services/skills/edit-skill.js'
import { review } from '../../../services/skills/review.js'
import { lockSkill } from '../../../store/skills/read-skills.js'
import { readRecord } from '../../../store/skills/author-records.js'
import type { ReviewName } from '../../../domain/skills/reviews.js'
import { candidateOf, SCANNED_BAD, SCANNED_CLEAN, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** Tests that each version counts once for its author, by the last decision on it. */
describe('records of authors', () => {
  let test: TestStore
  let principal: Principal
  let skills: ReturnType<typeof skillsOf>
  let context: ServiceContext
  let report = SCANNED_CLEAN
  const now = new Date('2026-05-20T12:00:00Z')
  const { signal } = new AbortController()
  const docId = 'forge/valve'

  before(async () => {
    test = await createTestStore()
    const skillScanner = { scan: () => Promise.resolve(report), stop: () => Promise.resolve() }
    const part = {
      store: test.store,
      clock: { now: () => now.getTime() },
      logger: createLogger('silent'),
      enrichment: { enabled: false },
      skillScanner,
    }
    context = part as unknown as ServiceContext
  })
  after(() => test.stop())
  beforeEach(async () => {
    const tenantId = `t-${randomUUID()}`
    principal = { tenantId, kind: 'admin', keyId: null, agentId: null, fleetId: null, fleetless: true, trust: 3 }
    await test.store.transact({ tenantId }, ({ db }) =>
      db.insertInto('tenants').values({ tenant_id: tenantId }).execute(),
    )
    skills = skillsOf(test.store, tenantId, () => now)
    await skills.optIn()
    await stage('valve')
  })

  const stage = async (slug: string, verdict = SCANNED_CLEAN) => {
    await skills.propose(candidateOf(slug, now))
    await skills.settle((await skills.look(`forge/${slug}`))!.waiting!, verdict)
  }
  const request = { docId, contentHash: undefined, reason: 'Why not.' }
  /** Lets a reviewer decide, for whom the scan finds this. */
  const decide = (name: ReviewName, found = SCANNED_CLEAN) => {
    report = found
    return review(context, principal, name, request, signal)
  }
  const edit = (found = SCANNED_CLEAN) => {
    report = found
    return editSkill(context, principal, { ...request, texts: { summary: 'When it is edited.' } }, signal)
  }
  const judgeAgain = async () => skills.settle((await skills.look(docId))!.active!, SCANNED_BAD)
  const becomeStale = () =>
    test.store.transact({ tenantId: principal.tenantId }, async (writer) => {
      const { active } = (await lockSkill(writer, docId))!
      return deactivate(writer, active!, { to: 'stale', reason: null, at: now })
    })
  /** Returns approved, rejected and quarantined after each of the steps. */
  const recordsAfter = async (...steps: readonly (() => Promise<unknown>)[]) => {
    const records: number[][] = []
    for (const step of steps) {
      await step()
      const record = await test.store.read(principal, (reader) => readRecord(reader, { isForge: true, agentId: '' }))
      records.push([record.approved, record.rejected, record.quarantined])
    }
    return records
  }

  for (const [what, decision, then] of [
    ['overruled', () => decide('overrule', SCANNED_BAD), [0, 0, 1]],
    ['restored', () => decide('restore'), [0, 0, 1]],
    ['rejected', () => decide('reject'), [0, 1, 1]],
  ] as const)
    it(`count an edit that the scan refuses as quarantined, until it is ${what}`, async () => {
      expect(
        await recordsAfter(
          () => stage('pump', SCANNED_BAD),
          () => edit(SCANNED_BAD),
          decision,
        ),
      ).to.deep.equal([[0, 0, 1], [0, 0, 2], then])
    })

  it('count an edit that the scan accepts when it is approved, and not what it replaced', async () => {
    expect(await recordsAfter(edit, () => decide('approve'))).to.deep.equal([
      [0, 0, 0],
      [1, 0, 0],
    ])
  })

  it('count a version that newer rules refuse, and that is approved again, as what it is at the time', async () => {
    const approve = () => decide('approve')
    expect(await recordsAfter(approve, judgeAgain, () => decide('restore'), approve)).to.deep.equal([
      [1, 0, 0],
      [0, 0, 1],
      [0, 0, 0],
      [1, 0, 0],
    ])
  })

  it('count a version once that becomes stale and is approved again', async () => {
    const approve = () => decide('approve')
    const cycle = [becomeStale, () => decide('restore'), approve]
    expect(await recordsAfter(approve, ...cycle, ...cycle)).to.deep.equal([
      [1, 0, 0],
      ...[
        [1, 0, 0],
        [0, 0, 0],
        [1, 0, 0],
      ],
      ...[
        [1, 0, 0],
        [0, 0, 0],
        [1, 0, 0],
      ],
    ])
  })

  it('count a version as approved that was replaced or retired, and one that a reviewer refused as rejected', async () => {
    expect(
      await recordsAfter(
        () => decide('approve'),
        () => decide('retire'),
      ),
    ).to.deep.equal([
      [1, 0, 0],
      [1, 0, 0],
    ])
    await stage('pump')
    const refused = () => review(context, principal, 'reject', { ...request, docId: 'forge/pump' }, signal)
    expect(await recordsAfter(refused)).to.deep.equal([[1, 1, 0]])
  })
})

import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { fingerprintOf, sketchOf } from '../../../domain/forge/fingerprint.js'
import type { Principal } from '../../../domain/principal.js'
import { ConflictError } from '../../../runtime/errors.js'
import { createLogger } from '../../../runtime/logger.js'
import type { ServiceContext } from '../../../services/context.js'
import { deleteSkill } from '../../../services/skills/delete-skill.js'
import { editSkill } from '../../../services/skills/edit-skill.js'
import { review } from '../../../services/skills/review.js'
import { rollbackSkill } from '../../../services/skills/rollback-skill.js'
import { ScanFailedError, type SkillScanner } from '../../../services/skills/skill-scanner.js'
import { readActiveSkills } from '../../../store/skills/read-skills.js'
import { until } from '../../support/states.js'
import { candidateOf, SCANNED_CLEAN, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** Tests reviews around their scan, which takes place outside of any transaction. */
describe('reviews', () => {
  let test: TestStore
  let principal: Principal
  let skills: ReturnType<typeof skillsOf>
  const now = new Date('2026-05-20T12:00:00Z')
  const { signal } = new AbortController()

  before(async () => {
    test = await createTestStore()
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
  })

  /** Returns the context with a scanner that does this and finds nothing. */
  function contextWhile(work: () => Promise<unknown>): ServiceContext {
    const scan: SkillScanner['scan'] = async () => {
      await work()
      return SCANNED_CLEAN
    }
    const skillScanner = { scan, stop: () => Promise.resolve() }
    const part = {
      store: test.store,
      clock: { now: () => now.getTime() },
      logger: createLogger('silent'),
      skillScanner,
    }
    return part as unknown as ServiceContext
  }
  const quiet = () => contextWhile(() => Promise.resolve())
  async function staged(slug: string): Promise<string> {
    await skills.propose(candidateOf(slug, now))
    const docId = `forge/${slug}`
    await skills.settle((await skills.look(docId))!.waiting!)
    return docId
  }
  const request = (docId: string) => ({ docId, contentHash: undefined, reason: undefined })
  const errorOf = (work: Promise<unknown>) => work.then(() => null).catch((error: Error) => error)

  /** Each review that scans, of a skill in the status that it takes. */
  const SCANNED: Readonly<Record<string, (context: ServiceContext, docId: string) => Promise<unknown>>> = {
    approve: (context, docId) => review(context, principal, 'approve', request(docId), signal),
    edit: (context, docId) =>
      editSkill(context, principal, { ...request(docId), texts: { summary: 'When it is edited.' } }, signal),
    restore: async (context, docId) => {
      await review(quiet(), principal, 'quarantine', { ...request(docId), reason: 'Odd.' }, signal)
      return review(context, principal, 'restore', request(docId), signal)
    },
    rollback: async (context, docId) => {
      await review(quiet(), principal, 'approve', request(docId), signal)
      await review(quiet(), principal, 'retire', request(docId), signal)
      return rollbackSkill(context, principal, { ...request(docId), version: 1 }, signal)
    },
  }

  for (const [name, act] of Object.entries(SCANNED)) {
    describe(name, () => {
      it('holds no connection while the scan runs', async () => {
        const context = contextWhile(() =>
          // The connection of a read is released shortly after it.
          until('no connection is in use', () => {
            const { total, idle } = test.store.poolUse().app
            return total === idle
          }),
        )
        await act(context, await staged('valve'))
      })

      it('changes nothing when the scan fails', async () => {
        const docId = await staged('valve')
        let before: unknown
        const error = await errorOf(
          act(
            contextWhile(async () => {
              before = await skills.look(docId)
              throw new ScanFailedError('THREAD_CPU_LIMIT')
            }),
            docId,
          ),
        )
        expect(error).to.be.instanceOf(ConflictError)
        expect((error as ConflictError).details!.scan).to.deep.equal({ state: 'failed', code: 'too_long' })
        expect(await skills.look(docId)).to.deep.equal(before)
      })

      it('is refused when another review comes first', async () => {
        const docId = await staged('valve')
        const other = { approve: 'reject', edit: 'quarantine', restore: 'reject' }[name] as 'reject' | undefined
        const context = contextWhile(() =>
          other
            ? review(quiet(), principal, other, { ...request(docId), reason: 'No.' }, signal)
            : rollbackSkill(quiet(), principal, { ...request(docId), version: 1 }, signal),
        )
        expect(await errorOf(act(context, docId))).to.be.instanceOf(ConflictError)
        const served = await test.store.read(principal, (reader) =>
          readActiveSkills(reader, { fleetId: 'red', limit: 9 }),
        )
        expect(served.map(({ version }) => version)).to.deep.equal(other ? [] : [2])
      })

      it('ends with the request', async () => {
        const docId = await staged('valve')
        const gone = new Error('gone')
        expect(
          await errorOf(
            act(
              contextWhile(() => Promise.reject(gone)),
              docId,
            ),
          ),
        ).to.equal(gone)
      })
    })
  }

  for (const name of ['approve', 'edit'])
    it(`to ${name} are refused when the skill is deleted and written again while it is scanned`, async () => {
      const docId = await staged('valve')
      const context = contextWhile(async () => {
        await deleteSkill(quiet(), principal, docId, () => undefined)
        await staged('valve')
      })
      expect(await errorOf(SCANNED[name]!(context, docId))).to.be.instanceOf(ConflictError)
      expect(await skills.statusOf(docId)).to.equal('staged')
    })

  it('of a skill of the Forge keep its fingerprint, evidence and gates when it is edited', async () => {
    const docId = await staged('valve')
    const before = (await skills.look(docId))!.waiting!
    await SCANNED.edit!(quiet(), docId)
    const { waiting } = (await skills.look(docId))!
    const { fingerprint, sketch, origin, evidence, source, gates } = before
    expect(waiting).to.deep.include({
      fingerprint,
      sketch,
      origin,
      evidence,
      source,
      gates,
      version: 2,
      status: 'staged',
    })
    expect(gates).to.have.length(6)
    // The next tick finds the same work with its reviewer.
    expect(await skills.propose(candidateOf('valve', now))).to.deep.include({ kind: 'unchanged', docId })
  })

  it('that refuse a content and one another in turn end without a deadlock', async () => {
    const texts = { description: 'When it is due.', content: '1. Do it.\n' }
    const workOf = (slug: string) => {
      const work = { domain: slug, names: [slug], steps: [[`${slug}1`], [`${slug}2`]] }
      return { ...texts, fingerprint: fingerprintOf(work), sketch: sketchOf(work) }
    }
    const ids: string[] = []
    for (const slug of ['a', 'b', 'c', 'd'])
      ids.push((await skills.activate(candidateOf(slug, now, workOf(slug)))).docId)
    for (const docId of ids) {
      const active = (await skills.look(docId))!.active!
      const target = { doc_id: docId, target_content_hash: active.contentHash, previous_version: 1 }
      await skills.propose(
        candidateOf(docId.slice(6), now, { ...workOf(docId.slice(6)), target, evidence: { runs: 5 } }),
      )
      await skills.settle((await skills.look(docId))!.waiting!)
    }
    const acts = ids.map((docId) =>
      review(quiet(), principal, 'quarantine', { ...request(docId), reason: 'Odd.' }, signal),
    )
    expect((await Promise.all(acts)).map(({ version }) => version.status)).to.deep.equal(ids.map(() => 'quarantined'))
    const served = await test.store.read(principal, (reader) => readActiveSkills(reader, { fleetId: 'red', limit: 9 }))
    expect(served).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { evidenceOfText, sketchOf } from '../../../domain/forge/fingerprint.js'
import { skillContentHash, targetOf } from '../../../domain/skills/skill.js'
import { eraseEvidence } from '../../../services/skills/erase-evidence.js'
import { taintSkills } from '../../../services/skills/taint.js'
import { addSources } from '../../../store/skills/cites.js'
import { insertVersion } from '../../../store/skills/write-skills.js'
import { insertPoison, purgePoison } from '../../../store/skills/poison.js'
import { listCollections } from '../../../store/documents/collections.js'
import { findDocument } from '../../../store/documents/read-documents.js'
import { lockSettings, replaceSettings } from '../../../store/tenants/settings.js'
import { changeStatus } from '../../../store/memories/change-status.js'
import { remember } from '../../support/memories.js'
import { candidateOf, OPTED_IN, SCANNED_BAD, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

const DAY_MS = 86_400_000
const WHOLE = { extent: 'whole', added: [] } as const

/** The ways of a candidate of the Forge, and what happens to a skill when its evidence is lost. */
describe('candidates', () => {
  let test: TestStore
  let tenantId: string
  let now: Date
  let skills: ReturnType<typeof skillsOf>

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => {
    tenantId = `t-${randomUUID()}`
    now = new Date('2026-05-20T12:00:00Z')
    await test.store.transact({ tenantId }, ({ db }) =>
      db.insertInto('tenants').values({ tenant_id: tenantId }).execute(),
    )
    skills = skillsOf(test.store, tenantId, () => now)
  })

  const read = <T>(work: Parameters<typeof test.store.read<T>>[1]) => test.store.read({ tenantId }, work)
  const served = (docId: string) => read((reader) => findDocument(reader, 'skills', docId))

  it('wait for their scan and their gates, and are then staged', async () => {
    await skills.optIn()
    expect(await skills.propose(candidateOf('valve', now))).to.deep.equal({
      kind: 'created',
      docId: 'forge/valve',
      reason: null,
    })
    const { waiting } = (await skills.look('forge/valve'))!
    expect(waiting).to.include({ status: 'candidate', version: 1, source: 'forge' })
    const judged = await skills.settle(waiting!)
    expect(judged!.status).to.equal('staged')
    expect(judged!.gates.map(({ passed }) => passed)).to.deep.equal([true, true, true, true, true, true])
    expect(await served('forge/valve')).to.equal(undefined)
    expect(await read((reader) => listCollections(reader, undefined))).to.deep.equal([])
  })

  it('replace what is active, while no reviews apply, only if it is what they revise', async () => {
    const active = await skills.activate(candidateOf('valve', now))
    const revise = async (version: number, content: string, targetHash: string) => {
      const target = { ...targetOf(active), target_content_hash: targetHash }
      const texts = { content, contentHash: skillContentHash({ ...active, content }) }
      await test.store.transact({ tenantId }, (writer) =>
        insertVersion(writer, { ...active, ...texts, version, status: 'staged', kind: 'update', target }),
      )
      return skills.settle((await skills.look('forge/valve'))!.waiting!)
    }
    expect(await revise(2, '1. Push.', active.contentHash)).to.include({ status: 'active', version: 2 })
    // Version 2 is active by now.
    expect(await revise(3, '1. Pull.', active.contentHash)).to.include({
      status: 'staged',
      reason: 'the active version has changed since it was written',
    })
    expect((await served('forge/valve'))!.version).to.equal(2)
  })

  it('are remembered as rejected until the cool-off ends, and no longer', async () => {
    const version = await skills.activate(candidateOf('valve', now))
    const until = new Date(now.getTime() + DAY_MS)
    await test.store.transact({ tenantId }, (writer) =>
      insertPoison(writer, version, { rejection: WHOLE, reason: 'No.', at: now, until }),
    )
    const purge = (at: Date) => test.store.asSystem((system) => purgePoison(system, { now: at, limit: 10 }))
    expect([await purge(now), await purge(until), await purge(until)]).to.deep.equal([0, 1, 0])
  })

  it('stay candidates while a gate blocks, and say why', async () => {
    await skills.optIn()
    const thin = candidateOf('valve', now)
    await skills.propose({ ...thin, origin: { ...thin.origin, distinct_agents: 2 } })
    const judged = await skills.settle((await skills.look('forge/valve'))!.waiting!)
    expect(judged!.status).to.equal('candidate')
    expect(judged!.gates.find(({ name }) => name === 'diversity')).to.deep.equal({
      name: 'diversity',
      passed: false,
      reason: '2 agents, 3 are needed',
    })
    expect(await skills.propose({ ...thin, origin: { ...thin.origin, distinct_agents: 2 } })).to.deep.equal({
      kind: 'unchanged',
      docId: 'forge/valve',
      reason: 'diversity: 2 agents, 3 are needed',
    })
    // More evidence refreshes the same skill.
    expect(await skills.propose(thin)).to.include({ kind: 'refreshed', docId: 'forge/valve' })
    expect((await skills.settle((await skills.look('forge/valve'))!.waiting!))!.status).to.equal('staged')
  })

  it('skip the inbox where the tenant wants it, when they are clean and pass', async () => {
    await skills.optIn({ sentinel: { auto_promote_clean: true } })
    await skills.propose(candidateOf('valve', now))
    expect((await skills.settle((await skills.look('forge/valve'))!.waiting!))!.status).to.equal('active')
    expect((await served('forge/valve'))!.data).to.include({ status: 'active' })
    await skills.propose(candidateOf('pump', now))
    expect((await skills.settle((await skills.look('forge/pump'))!.waiting!, SCANNED_BAD))!.status).to.equal(
      'quarantined',
    )
    expect(await served('forge/pump')).to.equal(undefined)
  })

  it('change nothing at a second tick over the same evidence', async () => {
    await skills.optIn()
    await skills.propose(candidateOf('valve', now))
    await skills.settle((await skills.look('forge/valve'))!.waiting!)
    const before = await skills.look('forge/valve')
    now = new Date(now.getTime() + 1_000)
    const again = candidateOf('valve', new Date(now.getTime() - 1_000))
    expect(await skills.propose(again)).to.include({ kind: 'unchanged', docId: 'forge/valve' })
    expect(await skills.look('forge/valve')).to.deep.equal(before)
  })

  it('are one skill for nearly the same work, also under another name', async () => {
    await skills.optIn()
    const first = candidateOf('valve', now)
    await skills.propose(first)
    const sketch = [...first.sketch.slice(0, 60), 1, 2, 3, 4]
    const near = { ...first, slug: 'other', fingerprint: `fp:v1:${'0'.repeat(64)}`, sketch, content: 'More.' }
    expect(await skills.propose(near)).to.include({ kind: 'refreshed', docId: 'forge/valve' })
    expect(await skills.look('forge/other')).to.equal(null)
  })

  it('of rejected work are held until its cool-off ends, near ones too', async () => {
    await skills.optIn()
    const candidate = candidateOf('valve', now)
    await skills.propose(candidate)
    const { waiting } = (await skills.look('forge/valve'))!
    const until = new Date(now.getTime() + 30 * DAY_MS)
    await test.store.transact({ tenantId }, (writer) =>
      insertPoison(writer, waiting!, { rejection: WHOLE, reason: 'no', at: now, until }),
    )
    const sketch = [...candidate.sketch.slice(0, 40), ...Array.from({ length: 24 }, (_, i) => i)]
    for (const one of [candidate, { ...candidate, fingerprint: 'fp:v1:other', sketch }])
      expect(await skills.propose(one)).to.include({ kind: 'held', docId: 'forge/valve' })
    // Another fleet did not reject it.
    expect(await skills.propose({ ...candidate, slug: 'blue-valve', fleetId: 'blue' })).to.include({ kind: 'created' })
    now = until
    expect((await skills.propose(candidate)).kind).not.to.equal('held')
  })

  it('that only share little with rejected work are not held', async () => {
    const sketch = sketchOf(evidenceOfText('x', '1. Something else entirely.\n2. With other words.'))
    await skills.propose(candidateOf('valve', now))
    const { waiting } = (await skills.look('forge/valve'))!
    const until = new Date(now.getTime() + DAY_MS)
    await test.store.transact({ tenantId }, (writer) =>
      insertPoison(writer, waiting!, { rejection: WHOLE, reason: 'no', at: now, until }),
    )
    const other = candidateOf('pump', now, { fingerprint: 'fp:v1:pump', sketch })
    expect(await skills.propose(other)).to.include({ kind: 'created' })
  })

  describe('with personal data', () => {
    const found = () =>
      candidateOf('valve', now, {
        content: '1. Ask jane.roe@mail-example.com for the key.',
        evidence: { runs: 4, steps: ['Ask jane.roe@mail-example.com for the key.'] },
      })
    const policy = (pii_policy: 'flag' | 'mask' | 'refuse') =>
      test.store.transact({ tenantId }, async (writer) => {
        await lockSettings(writer)
        await replaceSettings(writer, { memory: { pii_policy } }, now)
      })

    it('are masked where the tenant masks it, the same at every tick', async () => {
      await policy('mask')
      expect(await skills.propose(found())).to.include({ kind: 'created' })
      const { waiting } = (await skills.look('forge/valve'))!
      expect(waiting!.content).to.equal('1. Ask [email] for the key.')
      expect(waiting!.evidence).to.deep.equal({ runs: 4, steps: ['Ask [email] for the key.'] })
      expect(waiting!.systemMetadata.pii!.kinds).to.deep.equal(['email'])
      expect(await skills.propose(found())).to.include({ kind: 'unchanged' })
    })

    it('are held where the tenant refuses it', async () => {
      await policy('refuse')
      expect(await skills.propose(found())).to.include({ kind: 'held', docId: null })
    })

    it('are marked where the tenant only wants to know', async () => {
      expect(await skills.propose(found())).to.include({ kind: 'created' })
      const { waiting } = (await skills.look('forge/valve'))!
      expect(waiting!.content).to.include('jane.roe@')
      expect(waiting!.systemMetadata.pii!.kinds).to.deep.equal(['email'])
    })
  })

  it('with evidence that is gone are held', async () => {
    const [id] = await remember(test.store, tenantId, 'Opened the valve.')
    await test.store.transact({ tenantId }, (writer) =>
      changeStatus(writer, [id!], { from: ['active'], to: 'deleted', at: now }),
    )
    expect(await skills.propose(candidateOf('valve', now, { cites: [id!] }))).to.deep.equal({
      kind: 'held',
      docId: null,
      reason: 'some of its evidence was deleted meanwhile',
    })
  })

  describe('that revise an active skill', () => {
    it('wait beside it, and are held when it has changed', async () => {
      await skills.optIn()
      const active = await skills.activate(candidateOf('valve', now))
      const target = { doc_id: 'forge/valve', target_content_hash: active.contentHash, previous_version: 1 }
      const revision = candidateOf('valve', now, { content: '1. Open.\n2. Oil it.', fingerprint: 'fp:v1:more', target })
      const stale = { ...revision, target: { ...target, target_content_hash: 'sha256:old' } }
      expect(await skills.propose(stale)).to.deep.equal({
        kind: 'held',
        docId: 'forge/valve',
        reason: 'its target has changed',
      })
      expect(await skills.propose(revision)).to.include({ kind: 'created', docId: 'forge/valve' })
      const skill = (await skills.look('forge/valve'))!
      expect(skill.waiting).to.include({ version: 2, kind: 'update', status: 'candidate' })
      expect((await skills.settle(skill.waiting!))!.status).to.equal('staged')
      expect((await served('forge/valve'))!.version).to.equal(1)
    })
  })

  describe('whose evidence is lost', () => {
    async function activeSkill() {
      await skills.optIn()
      const ids = await remember(test.store, tenantId, 'Opened the valve.', 'Turned the key.', 'Closed the valve.')
      await skills.activate(candidateOf('valve', now, { cites: ids }))
      return ids
    }
    const taint = (ids: readonly string[], loss: 'changed' | 'deleted') =>
      test.store.transact({ tenantId }, (writer) => taintSkills(writer, ids, loss, now))
    /** Erases what a skill has of memories with these texts; returns how many are reviewed and withdrawn. */
    const erase = async (texts: ReadonlyMap<string, string>) => {
      const options = { at: now, signal: AbortSignal.timeout(10_000) }
      const { reviewed, withdrawn } = await test.store.transact({ tenantId }, (writer) =>
        eraseEvidence(writer, texts, options),
      )
      return { reviewed: reviewed.length, withdrawn: withdrawn.length }
    }

    it('are reviewed again while they stay served', async () => {
      const ids = await activeSkill()
      await taint([ids[0]!], 'deleted')
      const { active, waiting } = (await skills.look('forge/valve'))!
      expect(active!.version).to.equal(1)
      expect(waiting).to.include({ status: 'staged', version: 2, reason: '1 of the 3 cited memories was deleted' })
      expect(waiting!.contentHash).to.equal(active!.contentHash)
      expect(waiting!.cites).to.have.members(ids.slice(1))
      expect((await served('forge/valve'))!.version).to.equal(1)
      // A second loss only tells the reviewer more.
      await taint([ids[1]!], 'changed')
      expect((await skills.look('forge/valve'))!.waiting!.version).to.equal(2)
    })

    const rowsOf = async (table: string) =>
      (await read(({ db }) => sql`select 1 from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(db))).rows

    it('cite what was erased no more, and stay served while what is left says all of it', async () => {
      const [opened, turned, closed] = await activeSkill()
      const [again] = await remember(
        test.store,
        tenantId,
        'Will open the valve, turn the key of it, and close the valve.',
      )
      await test.store.transact({ tenantId }, async (writer) => {
        const { rows } = await sql<{ id: string }>`select id from skills where tenant_id = ${tenantId}`.execute(
          writer.db,
        )
        await addSources(writer, rows[0]!.id, [again!])
      })
      expect(await erase(new Map([[opened!, 'Opened the valve.']]))).to.deep.equal({ reviewed: 1, withdrawn: 0 })
      expect((await served('forge/valve'))!.systemMetadata.skill!.cites).to.have.members([turned, closed])
      const { waiting } = (await skills.look('forge/valve'))!
      expect(waiting).to.include({ status: 'staged', reason: '1 of the 3 cited memories was erased' })
    })

    it('go with all that the service says of them when words of theirs are erased', async () => {
      const [opened] = await activeSkill()
      expect(await erase(new Map([[opened!, 'Opened the valve.']]))).to.deep.equal({ reviewed: 0, withdrawn: 1 })
      expect(await served('forge/valve')).to.equal(undefined)
      expect(await skills.look('forge/valve')).to.equal(null)
      for (const table of ['skills', 'skill_versions', 'skill_cites', 'skill_sources', 'skill_moves'])
        expect(await rowsOf(table), table).to.deep.equal([])
      // The Forge may make it anew at once.
      expect(await skills.propose(candidateOf('valve', now))).to.include({ kind: 'created', docId: 'forge/valve' })
    })

    it('go when all that they cite is erased, whatever they say', async () => {
      const ids = await activeSkill()
      expect(await erase(new Map(ids.map((id) => [id, 'Mm.'])))).to.deep.equal({ reviewed: 0, withdrawn: 1 })
      expect(await skills.look('forge/valve')).to.equal(null)
    })

    it('go by the words of a goal that they do not cite', async () => {
      const [goal] = await remember(test.store, tenantId, 'Task: please the harbour master.')
      await skills.optIn()
      const description = 'When the work is: please the harbour master.'
      await skills.propose(candidateOf('valve', now, { description, sources: [goal!] }))
      expect(await erase(new Map([[goal!, 'Task: please the harbour master.']]))).to.deep.equal({
        reviewed: 0,
        withdrawn: 1,
      })
      expect(await skills.look('forge/valve')).to.equal(null)
    })

    it('lose only the version that has the words, while another is served or waits', async () => {
      await activeSkill()
      const [extra] = await remember(test.store, tenantId, 'Oiled the hinge of Ottilie Grandcourt.')
      const { active } = (await skills.look('forge/valve'))!
      const content = `${active!.content}4. Oiled the hinge of Ottilie Grandcourt.\n`
      const revision = candidateOf('valve', now, {
        cites: [...active!.cites, extra!],
        content,
        target: targetOf(active!),
      })
      expect(await skills.propose(revision)).to.include({ kind: 'created' })
      const erased = new Map([[extra!, 'Oiled the hinge of Ottilie Grandcourt.']])
      expect(await erase(erased)).to.deep.equal({ reviewed: 0, withdrawn: 1 })
      expect((await served('forge/valve'))!.version).to.equal(1)
      expect((await skills.look('forge/valve'))!.waiting).to.equal(null)
      expect(await rowsOf('skill_versions')).to.have.length(1)
    })

    it('are reviewed again also while another skill of the same work waits', async () => {
      const ids = await activeSkill()
      expect(await skills.propose(candidateOf('valve', now, { slug: 'twin' }))).to.include({ docId: 'forge/twin' })
      await skills.settle((await skills.look('forge/twin'))!.waiting!)
      await taint([ids[0]!], 'deleted')
      expect((await skills.look('forge/valve'))!.waiting).to.include({ status: 'staged', version: 2 })
    })

    it('tell a reviewer the same reason once', async () => {
      const ids = await activeSkill()
      for (let i = 0; i < 3; i++) await taint([ids[0]!], 'changed')
      const { rows } = await read(({ db }) =>
        sql`select 1 from skill_moves where tenant_id = ${tenantId} and version = 2`.execute(db),
      )
      expect(rows).to.have.length(1)
    })

    it('are left alone when they cite other memories', async () => {
      await activeSkill()
      const [other] = await remember(test.store, tenantId, 'Something else.')
      await taint([other!], 'deleted')
      expect(await erase(new Map([[other!, 'Turned the key.']]))).to.deep.equal({ reviewed: 0, withdrawn: 0 })
      expect((await skills.look('forge/valve'))!.waiting).to.equal(null)
    })
  })

  it('of a tenant that opted out meanwhile stay candidates', async () => {
    await skills.propose(candidateOf('valve', now), OPTED_IN)
    expect((await skills.settle((await skills.look('forge/valve'))!.waiting!))!.status).to.equal('candidate')
  })
})

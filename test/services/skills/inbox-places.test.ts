import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type AuthorRecord, NO_RECORD } from '../../../domain/skills/author-record.js'
import { AUTHOR_SHARE, HOUR_MS, placeReasons, SHARE_HOURS } from '../../../domain/skills/priority.js'
import { PENDING_SCAN } from '../../../domain/skills/skill.js'
import { taintSkills } from '../../../services/skills/taint.js'
import { addDecisions, readRecord, readRecords } from '../../../store/skills/author-records.js'
import { forgetSkillAuthor } from '../../../store/skills/authors.js'
import { newPlace, placeColumns, rankedOf } from '../../../store/skills/inbox-place.js'
import { listWaiting } from '../../../store/skills/read-skills.js'
import type { Writer } from '../../../store/store.js'
import { insertSkill, insertVersion } from '../../../store/skills/write-skills.js'
import { remember } from '../../support/memories.js'
import { candidateOf, SCANNED_BAD, SCANNED_FLAGGED, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** A version that an agent wrote, and nobody has scanned yet. */
const AGENTS = { source: 'agent', origin: null, scan: PENDING_SCAN } as const

/** Tests the places of the Forge's skills in the inbox, and what thousands of one author's do to it. */
describe('places in the inbox', () => {
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
    await skills.optIn({})
  })

  const staged = () =>
    test.store.read({ tenantId }, (reader) =>
      listWaiting(reader, { status: 'staged', fleetId: undefined, after: undefined, limit: 100 }),
    )
  const order = async () => (await staged()).map(({ docId }) => docId)
  const forged = async (slug: string, given: Parameters<typeof candidateOf>[2] = {}, report = SCANNED_FLAGGED) => {
    const { docId } = await skills.propose(candidateOf(slug, now, given))
    await skills.settle((await skills.look(docId!))!.waiting!, report)
    return docId!
  }
  const evidence = (runs: number, agents: number) => ({
    origin: {
      ...candidateOf('any', now).origin,
      cluster_size: runs,
      distinct_agents: agents,
      distinct_credentials: agents,
    },
  })

  /** Stores a version that waits; returns for how many hours it stands behind the author's others. */
  const stage = async (
    writer: Writer,
    version: Parameters<typeof newPlace>[1] & Parameters<typeof placeColumns>[1],
  ) => {
    const kept = await newPlace(writer, version, now)
    const { place } = await placeColumns(writer, version, kept)
    const id = randomUUID()
    await sql`insert into skills (tenant_id, id, doc_id, slug, last_version, waiting_version, created_at, updated_at)
      values (${tenantId}, ${id}, ${id}, ${id}, 1, 1, ${now}, ${now})`.execute(writer.db)
    await sql`insert into skill_versions (tenant_id, skill_id, version, status, source, kind, name, description, content, domain, fleet_key,
        content_hash, fingerprint, sketch, place, waiting_since, behind_hours, author_agent_id, author_key_id, created_at, updated_at)
      values (${tenantId}, ${id}, 1, 'staged', ${version.source}, 'create', 'n', 'd', 'c', 'd', '', 'h', ${id}, '[]', ${place},
        ${now}, ${kept.behindHours}, ${version.authorAgentId}, ${version.authorKeyId}, ${now}, ${now})`.execute(
      writer.db,
    )
    return kept.behindHours
  }

  it('are by the evidence, and of the same evidence by the time', async () => {
    await forged('valve', evidence(4, 4))
    await forged('pump', evidence(30, 6))
    now = new Date(now.getTime() + 1_000)
    await forged('hose', evidence(30, 6))
    expect(await order()).to.deep.equal(['forge/pump', 'forge/hose', 'forge/valve'])
  })

  it('count what became of the skills of the Forge, as one author', async () => {
    const record = () => test.store.read({ tenantId }, (reader) => readRecord(reader, { isForge: true, agentId: '' }))
    await forged('valve', {}, SCANNED_BAD)
    expect(await record()).to.deep.equal({ approved: 0, rejected: 0, quarantined: 1 })
    await forged('pump')
    const [pump] = await staged()
    const reasons = placeReasons(rankedOf(pump!, pump!.stored))
    expect(reasons.find(({ code }) => code === 'author')).to.deep.equal({
      code: 'author',
      message: 'Of the Forge, 0 approved, 0 rejected, 1 quarantined.',
      hours: -12,
    })
  })

  it('forget the record of an agent with the agent, and no other', async () => {
    const authors = ['ana', 'ben'].map((agentId) => ({ isForge: false, agentId }))
    const records = await test.store.transact({ tenantId }, async (writer) => {
      for (const { agentId } of authors)
        await addDecisions(
          writer,
          { source: 'agent', authorAgentId: agentId },
          { approved: 1, rejected: 0, quarantined: 0 },
        )
      await forgetSkillAuthor(writer, 'ana')
      const recordOf = await readRecords(writer, authors)
      return authors.map(recordOf)
    })
    expect(records.map(({ approved }) => approved)).to.deep.equal([0, 1])
  })

  /** Stores as many skills of an agent as wait at their author's share, and three more; returns their places as hours after now. */
  const placesOf = async (agentId: string, record: AuthorRecord) => {
    await forged('valve')
    const [model] = await staged()
    await test.store.transact({ tenantId }, (writer) =>
      addDecisions(writer, { source: 'agent', authorAgentId: agentId }, record),
    )
    for (let i = 0; i < AUTHOR_SHARE + 3; i++) {
      const docId = `agent/${agentId}-${i}`
      const version = { ...model!, ...AGENTS, authorAgentId: agentId, skillId: randomUUID(), docId, createdAt: now }
      await test.store.transact({ tenantId }, async (writer) => {
        await insertSkill(writer, version)
        await insertVersion(writer, version)
      })
    }
    const own = (await staged()).filter(({ authorAgentId }) => authorAgentId === agentId)
    return own.map(({ place }) => (place.getTime() - now.getTime()) / HOUR_MS)
  }

  for (const [name, record, first] of [
    ['without a record', NO_RECORD, 0],
    ['with one approval', { ...NO_RECORD, approved: 1 }, -12],
    ['with three approvals', { ...NO_RECORD, approved: 3 }, -24],
    ['with a thousand approvals', { ...NO_RECORD, approved: 1_000 }, -48],
    ['with two rejections', { ...NO_RECORD, rejected: 2 }, 19],
  ] as const)
    it(`of an author ${name} beyond the share are a day behind the author's last`, async () => {
      const share = Array.from({ length: AUTHOR_SHARE }, () => first)
      const further = [1, 2, 3].map((n) => first + n * SHARE_HOURS)
      expect(await placesOf('ana', record)).to.deep.equal([...share, ...further])
    })

  it('put a skill first that is served after some of its evidence is gone', async () => {
    const cited = await remember(test.store, tenantId, 'Open it.', 'Turn the key.')
    await skills.activate(candidateOf('valve', now, { cites: cited }))
    await forged('pump', evidence(30, 6))
    now = new Date(now.getTime() + 1_000)
    await test.store.transact({ tenantId }, (writer) => taintSkills(writer, [cited[0]!], 'deleted', now))
    expect(await order()).to.deep.equal(['forge/valve', 'forge/pump'])
  })

  it('count the share of a credential, whatever agents it names, and none of who reviews', async () => {
    await forged('valve')
    const [model] = await staged()
    const place = (keyId: string, authorAgentId: string | null, source: 'agent' | 'manual' = 'agent') =>
      test.store.transact({ tenantId, kind: 'tenant', agentId: null, keyId }, (writer) =>
        stage(writer, { ...model!, source, authorAgentId, authorKeyId: source === 'agent' ? keyId : null }),
      )
    const hours = async (count: number, next: (n: number) => Promise<number>) => {
      const found: number[] = []
      for (let n = 0; n < count; n++) found.push(await next(n))
      return found
    }
    expect(await hours(5, (n) => place('one', `agent-${n}`))).to.deep.equal([0, 0, 0, 24, 48])
    expect(await hours(4, () => place('two', null))).to.deep.equal([0, 0, 0, 24])
    expect(await hours(1, () => place('three', null))).to.deep.equal([0])
    expect(await hours(5, () => place('one', null, 'manual'))).to.deep.equal([0, 0, 0, 0, 0])
  })

  it('let an author of ten thousand skills stand before others with three', async () => {
    await forged('valve')
    const [model] = await staged()
    await test.store.transact({ tenantId }, async ({ db }) => {
      await sql`insert into skills (tenant_id, id, doc_id, slug, last_version, waiting_version, created_at, updated_at)
        select ${tenantId}, gen_random_uuid(), 'agent/s' || n, 's' || n, 1, 1, ${now}, ${now} from generate_series(1, 10000) n`.execute(
        db,
      )
      await sql`insert into skill_versions (tenant_id, skill_id, version, status, source, kind, name, description, content, domain, fleet_key,
          content_hash, fingerprint, sketch, place, waiting_since, behind_hours, author_agent_id, created_at, updated_at)
        select tenant_id, id, 1, 'staged', 'agent', 'create', slug, 'd', 'c', 'd', '', 'h', doc_id, '[]',
          ${now}::timestamptz + greatest(0, substr(slug, 2)::int - 3) * interval '24 hours', ${now},
          greatest(0, substr(slug, 2)::int - 3) * 24, 'mallory', ${now}, ${now}
        from skills where tenant_id = ${tenantId} and doc_id like 'agent/s%'`.execute(db)
    })
    const anas = { ...model!, ...AGENTS, authorAgentId: 'ana' }
    const { ana, mallory } = await test.store.transact({ tenantId }, async (writer) => ({
      ana: await newPlace(writer, anas, now),
      mallory: await newPlace(writer, { ...anas, authorAgentId: 'mallory' }, now),
    }))
    expect(ana.behindHours).to.equal(0)
    expect(mallory.behindHours).to.equal(9_998 * 24)
    expect((await order()).filter((docId) => docId === 'agent/s4')).to.have.length(1)
    expect((await order()).indexOf('agent/s4')).to.equal(4)
  })
})

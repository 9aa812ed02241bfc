import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { settleFailedScan } from '../../../services/skills/settle-scan.js'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { readSkillWrite } from '../../../services/skills/read-skill-write.js'
import { writeSkill } from '../../../services/skills/write-skill.js'
import { listWaiting } from '../../../store/skills/read-skills.js'
import { skillOf } from '../../support/clients/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('skills that agents write', () => {
  let test: TestStore
  const tenantId = `t-${randomUUID()}`

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  async function write(agentId: string, slug: string, at: string, content?: string, hash?: string) {
    const author = { agentId, fleetId: 'red' }
    const data = skillOf(slug, {
      ...(content !== undefined && { content }),
      ...(hash !== undefined && { kind: 'update', target: { target_content_hash: hash } }),
    })
    const acting = { author, viewer: { ...author, trust: 1 as const, fleetless: false } }
    const skill = {
      docId: null,
      data: data as Record<string, unknown>,
      fleetId: null,
      isAdmin: false,
      requireVersion: () => undefined,
    }
    const read = await readSkillWrite(skill, DEFAULT_SETTINGS, new AbortController().signal)
    return test.store.transact({ tenantId }, (writer) => writeSkill(writer, acting, read, new Date(at)))
  }

  it('do not let one author stand before what others write later', async () => {
    const first = await write('ana', 'flood-0', '2026-05-20T12:00:00Z')
    for (let i = 1; i < 12; i++) await write('ana', `flood-${i}`, `2026-05-20T12:00:${10 + i}Z`)
    await write('ben', 'late', '2026-05-20T12:05:00Z')
    const slugs = async () => {
      const query = { status: 'staged', fleetId: undefined, after: undefined, limit: 50 } as const
      const rows = await test.store.read({ tenantId }, (reader) => listWaiting(reader, query))
      return rows.map(({ slug }) => slug)
    }
    expect((await slugs()).slice(0, 5)).to.deep.equal(['flood-0', 'flood-1', 'flood-2', 'late', 'flood-3'])
    expect(await slugs()).to.have.lengthOf(13)
    // A revision by its author keeps the place.
    await write('ana', 'flood-0', '2026-05-20T13:00:00Z', 'Do it in another way.', first.contentHash)
    expect((await slugs())[0]).to.equal('flood-0')
  })

  it('give what could not be scanned another try when its author writes it again', async () => {
    const stored = await write('dan', 'stuck', '2026-05-20T12:00:00Z')
    const again = () => write('dan', 'stuck', '2026-05-20T12:01:00Z', stored.content, stored.contentHash)
    expect((await again()).version).to.equal(1)
    await test.store.transact({ tenantId }, (writer) =>
      settleFailedScan(writer, stored, { failure: 'crashed', isFinal: true, at: new Date('2026-05-20T12:00:30Z') }),
    )
    const next = await again()
    expect([next.version, next.scan.state]).to.deep.equal([2, 'pending'])
  })
})

import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { readSkillWrite } from '../../../services/skills/read-skill-write.js'
import { writeSkill } from '../../../services/skills/write-skill.js'
import { findSkill, listVersions } from '../../../store/skills/read-skills.js'
import { skillOf } from '../../support/clients/skills.js'
import { SCANNED_BAD, skillsOf } from '../../support/skills.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('old versions of a skill', () => {
  let test: TestStore
  const tenantId = `t-${randomUUID()}`
  const now = new Date('2026-05-20T12:00:00Z')

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  it('that were served stay, however many others somebody writes', async () => {
    const skills = skillsOf(test.store, tenantId, () => now)
    const write = async (agentId: string, content: string) => {
      const author = { agentId, fleetId: 'red' }
      const acting = { author, viewer: { ...author, trust: 1 as const, fleetless: false } }
      const skill = await test.store.read({ tenantId }, (reader) => findSkill(reader, 'agent/npm'))
      const target = skill?.active && { target_content_hash: skill.active.contentHash }
      const data = skillOf('npm', { content, ...(target && { kind: 'update', target }) }) as Record<string, unknown>
      const draft = { docId: null, data, fleetId: null, isAdmin: false, requireVersion: () => undefined }
      const read = await readSkillWrite(draft, DEFAULT_SETTINGS, new AbortController().signal)
      return test.store.transact({ tenantId }, (writer) => writeSkill(writer, acting, read, now))
    }
    for (const content of ['1. One.', '1. Two.']) await skills.settle(await write('ana', content))
    for (let i = 0; i < 105; i++) await skills.settle(await write('eve', `1. Harmful ${i}.`), SCANNED_BAD)
    const versions = await test.store.read({ tenantId }, (reader) => listVersions(reader, 'agent/npm', { limit: 200 }))
    const statusOf = (number: number) => versions!.find(({ version }) => version === number)?.status
    expect([statusOf(1), statusOf(2), statusOf(3), statusOf(107)]).to.deep.equal([
      'deprecated',
      'active',
      undefined,
      'quarantined',
    ])
    expect(versions).to.have.length(102)
  })
})

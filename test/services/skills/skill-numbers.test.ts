import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import { ConflictError } from '../../../runtime/errors.js'
import { readSkillWrite } from '../../../services/skills/read-skill-write.js'
import { writeSkill } from '../../../services/skills/write-skill.js'
import { lockSkill } from '../../../store/skills/read-skills.js'
import { insertSkill, removeSkill } from '../../../store/skills/write-skills.js'
import type { Writer } from '../../../store/store.js'
import { skillOf } from '../../support/clients/skills.js'
import { runSql } from '../../support/run-sql.js'
import { candidateOf, skillsOf } from '../../support/skills.js'
import { until } from '../../support/states.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

/** Tests that no two skills which had one name, one after the other, had a version of the same number. */
describe('the number of a version', () => {
  let test: TestStore
  let tenantId: string
  const now = new Date('2026-05-20T12:00:00Z')

  before(async () => {
    test = await createTestStore()
  })
  beforeEach(() => (tenantId = `t-${randomUUID()}`))
  after(() => test.stop())

  const transact = <T>(work: (writer: Writer) => Promise<T>) => test.store.transact({ tenantId }, work)

  async function write(agentId = 'ana') {
    const author = { agentId, fleetId: 'red' }
    const acting = { author, viewer: { ...author, trust: 1 as const, fleetless: false } }
    const data = skillOf('npm') as Record<string, unknown>
    const draft = { docId: null, data, fleetId: null, isAdmin: false, requireVersion: () => undefined }
    const read = await readSkillWrite(draft, DEFAULT_SETTINGS, new AbortController().signal)
    return transact((writer) => writeSkill(writer, acting, read, now))
  }
  async function remove(writer: Writer, docId = 'agent/npm'): Promise<void> {
    await removeSkill(writer, (await lockSkill(writer, docId))!, now)
  }
  const insert = (writer: Writer) =>
    insertSkill(writer, {
      ...{ skillId: uuidv7(), docId: 'agent/npm', slug: 'npm', fleetId: 'red', createdAt: now },
    })

  /** Resolves once a statement waits for the lock of another. */
  const isWaiting = () =>
    until('a statement waits', async () => {
      const sql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      return (await runSql(test.url, sql)).length > 0
    })

  it('is above those of the skill that a transaction at work removes', async () => {
    await write()
    const written = await transact(async (writer) => {
      await remove(writer)
      const next = write('ben')
      await isWaiting()
      return { next }
    })
    expect((await written.next).version).to.equal(2)
  })

  it('is above those of a skill that came and went while another wrote', async () => {
    const lastVersion = await transact(async (writer) => {
      expect(await lockSkill(writer, 'agent/npm')).to.equal(null)
      await write('ben')
      await transact(remove)
      return insert(writer)
    })
    expect(lastVersion).to.equal(1)
  })

  it('is taken by one of two who write at once', async () => {
    await write()
    await transact(remove)
    const all = await Promise.allSettled([write('ana'), write('ben')])
    const stored = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.version] : []))
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
    expect(stored).to.deep.equal([2])
    expect(refused).to.have.length(1)
    expect(refused[0]).to.be.instanceOf(ConflictError)
  })

  it('is not lost with a transaction that is rolled back', async () => {
    await write()
    await transact(remove)
    const failed = transact(async (writer) => {
      expect(await insert(writer)).to.equal(1)
      throw new Error('rolled back')
    })
    await failed.catch((error: Error) => expect(error.message).to.equal('rolled back'))
    expect((await write()).version).to.equal(2)
  })

  it('is above those of a skill of the Forge that was removed', async () => {
    const skills = skillsOf(test.store, tenantId, () => now)
    await skills.propose(candidateOf('valve', now))
    await transact((writer) => remove(writer, 'forge/valve'))
    await skills.propose(candidateOf('valve', now))
    expect((await skills.look('forge/valve'))!.waiting!.version).to.equal(2)
  })

  it('is stored without the name', async () => {
    await write()
    await transact(remove)
    const rows = await runSql(test.url, 'select s::text as text from skill_numbers s where tenant_id = $1', [tenantId])
    expect(rows).to.have.length(1)
    expect((rows[0] as { text: string }).text).not.to.include('npm')
  })
})

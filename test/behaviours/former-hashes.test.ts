import { expect } from 'chai'
import { formerContentHash } from '../../domain/memory-draft.js'
import { JOBS } from '../../workers/jobs.js'
import { renewHashes } from '../../store/memories/former-hashes.js'
import { runSql } from '../support/run-sql.js'
import type { Caller } from '../support/client.js'
import { newTeam } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'

/** Tests rows whose content hashes are of the form that an earlier version wrote, with no job but those that the tests run. */
describeOnEmbedded(() => {
  const service = ownService({ queues: [] })
  describe('a memory of an earlier version', () => {
    let ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ ana, ben, operator } = await newTeam(service())))

    const formOf = async (id: string) =>
      (
        await runSql<{ form: number }>(
          service().databaseUrl,
          `select content_hash_form as form from memories where id = '${id}'`,
        )
      )[0]!.form

    /** Writes a text and gives its row the hash that an earlier version stored. */
    async function formerly(caller: Caller, content: string, more: object = {}): Promise<string> {
      const { id } = await caller.memories.create({ content, ...more }).ok()
      await runSql(
        service().databaseUrl,
        `update memories set content_hash = '\\x${formerContentHash(content).toString('hex')}', content_hash_form = 1 where id = '${id}'`,
      )
      return id
    }

    it('is found as the duplicate of its text, and of no other', async () => {
      const id = await formerly(ana, 'Use git branch -d.')
      const again = await ana.memories.create('Use git branch -d. \r\n')
      expect([again.status, again.body.error.details]).to.deep.equal([409, { existing_id: id }])
      await formerly(ana, 'Use tar -c.')
      expect((await ana.memories.create('Use tar -C.')).status).to.equal(201)
      const other = await formerly(ana, 'Use chmod -r.')
      const { results } = await ana.memories
        .createMany([{ content: 'Use chmod -R.' }, { content: 'Use chmod -r.' }])
        .ok()
      expect(results.map(({ status, id: found }) => [status, found === other])).to.deep.equal([
        ['created', false],
        ['duplicate', true],
      ])
    })

    it('is found when another memory gets its text, or comes back with it', async () => {
      const id = await formerly(ana, 'The port is 6432.')
      const other = await ana.memories.create('The port is 5432.').ok()
      const patched = await ana.memories.patch(other.id, { content: 'The port is 6432.' })
      expect([patched.status, patched.body.error.details]).to.deep.equal([409, { existing_id: id }])
      expect((await ana.memories.patch(other.id, { content: 'the port is 6432.' })).status).to.equal(200)
      const archived = await formerly(ana, 'The port is 7432.')
      await ana.memories.patch(archived, { status: 'archived' }).ok()
      await runSql(
        service().databaseUrl,
        `update memories set content_hash = '\\x${formerContentHash('The port is 7432.').toString('hex')}', content_hash_form = 1 where id = '${archived}'`,
      )
      await ana.memories.create('The port is 7432.').ok()
      expect((await ana.memories.patch(archived, { status: 'active' })).status).to.equal(409)
    })

    it('is handed to another agent unless that one has its text', async () => {
      await formerly(ana, 'Shared.')
      await ben.memories.create('Shared.').ok()
      await ana.memories.create('Both.').ok()
      await formerly(ben, 'Both.')
      await formerly(ana, 'Small.')
      await formerly(ben, 'SMALL.')
      const { body } = await operator.memories.redistribute('ana', 'ben')
      expect(body).to.deep.equal({ moved: 1, duplicates: 2, private: 0, remaining: 0 })
    })

    it('gets a hash of the current form by a job, which resumes where it was stopped', async () => {
      const { store } = service().context
      // Those that the tests before have left.
      await store.asSystem((system) => renewHashes(system, { limit: 100 }))
      const ids: string[] = []
      for (const text of ['One.', 'Two.', 'Three.']) ids.push(await formerly(ana, text))
      for (const renewed of [2, 3]) {
        await store.asSystem((system) => renewHashes(system, { limit: 2 }))
        expect((await Promise.all(ids.map(formOf))).filter((form) => form === 2)).to.have.length(renewed)
      }
      for (const text of ['One.', 'Two.', 'Three.']) expect((await ana.memories.create(text)).status).to.equal(409)
      expect(JOBS.renewHashes).to.include({ queue: 'lifecycle', repeatedBy: 'process' })
    })

    it('is indexed again when its metadata has a list, and only then', async () => {
      const listed = await formerly(ana, 'Listed.', { metadata: { tags: ['fox'], n: 1 } })
      const plain = await formerly(ana, 'Plain.', { metadata: { deep: { tags: ['fox'] } } })
      const { databaseUrl } = service()
      const changes = () =>
        runSql<{ id: string; seq: string }>(
          databaseUrl,
          `select entity_id as id, seq from index_pending where kind = 'memory' and entity_id in ('${listed}', '${plain}')`,
        )
      const before = new Map((await changes()).map(({ id, seq }) => [id, seq]))
      await service().context.store.asSystem((system) => renewHashes(system, { limit: 10 }))
      expect([await formOf(listed), await formOf(plain)]).to.deep.equal([2, 2])
      const after = new Map((await changes()).map(({ id, seq }) => [id, seq]))
      expect(after.get(listed)).to.not.equal(before.get(listed))
      expect(after.get(plain)).to.equal(before.get(plain))
    })

    it('that an earlier version wrote beside this one keeps its hash where another has its text', async () => {
      const first = await ana.memories.create('Beside.').ok()
      const second = await ana.memories.create('Another.').ok()
      await runSql(
        service().databaseUrl,
        `update memories set content = 'Beside.', content_hash = '\\x${formerContentHash('Beside.').toString('hex')}', content_hash_form = 1
         where id = '${second.id}'`,
      )
      const third = await formerly(ana, 'Third.')
      await service().context.store.asSystem((system) => renewHashes(system, { limit: 10 }))
      expect([await formOf(second.id), await formOf(third)]).to.deep.equal([2, 2])
      expect((await ana.memories.create('Beside.')).body.error.details).to.deep.equal({ existing_id: first.id })
      expect((await ana.memories.create('Third.')).status).to.equal(409)
    })
  })
})

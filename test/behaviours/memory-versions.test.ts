import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { moment } from '../support/moment.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTeam, type TestTenant } from '../support/tenants.js'

/** The versions of a memory, the restore of one, and lists and reads of what was stored at a moment. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })
  describe('versions of a memory', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

    const versionsOf = async (caller: Caller, id: string) =>
      (await caller.memories.versions(id).ok()).items.map(({ version, content }) => [version, content])
    const contentsAt = async (caller: Caller, known_at: string, more = {}) =>
      (await caller.memories.listAll({ known_at, ...more })).map(({ content }) => content).sort()

    it('are each as they were, the newest first, and join without a gap', async () => {
      const first = await ana.memories.create({ content: 'The port is 1.', metadata: { a: 1 }, title: 'Port' }).ok()
      await ana.memories.patch(first.id, { content: 'The port is 2.', metadata: { b: 2 } }).ok()
      await ana.memories.patch(first.id, { status: 'archived', title: null }).ok()
      const { items, next_cursor: next, memory_id: id } = await ben.memories.versions(first.id).ok()
      expect({ next, id }).to.deep.equal({ next: null, id: first.id })
      expect(
        items.map(({ version, content, status, title, metadata }) => [version, content, status, title, metadata]),
      ).to.deep.equal([
        [3, 'The port is 2.', 'archived', null, { b: 2 }],
        [2, 'The port is 2.', 'active', 'Port', { b: 2 }],
        [1, 'The port is 1.', 'active', 'Port', { a: 1 }],
      ])
      expect(items.map(({ known_until: until }) => until)).to.deep.equal([
        null,
        items[0]!.known_from,
        items[1]!.known_from,
      ])
      expect(items[2]!.known_from).to.equal(first.created_at)
    })

    it('come page by page', async () => {
      const { id } = await ana.memories.create('Round 0.').ok()
      for (const round of [1, 2, 3, 4]) await ana.memories.patch(id, { content: `Round ${round}.` }).ok()
      const read: number[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await ana.memories.versions(id, { limit: 2, ...(cursor && { cursor }) }).ok()
        read.push(...page.items.map(({ version }) => version))
        cursor = page.next_cursor
      }
      expect(read).to.deep.equal([5, 4, 3, 2, 1])
      const other = await ana.memories.create('Another.').ok()
      const { next_cursor: cursor } = await ana.memories.versions(id, { limit: 2 }).ok()
      expect((await ana.memories.versions(other.id, { limit: 2, cursor })).status).to.equal(400)
    })

    it('are kept of what the service changes too, and not of a weight alone', async () => {
      const { id } = await ana.memories.create('The port is 1.').ok()
      await ana.memories.rate(id, 'success').ok()
      await ana.memories.patch(id, { weight: 0.9 }).ok()
      expect(await versionsOf(ana, id)).to.deep.equal([[3, 'The port is 1.']])
      await ana.memories.create({ content: 'The port is 2.', supersedes_id: id }).ok()
      const { items } = await ana.memories.versions(id).ok()
      expect(items.map(({ version, status }) => [version, status])).to.deep.equal([
        [4, 'outdated'],
        [3, 'active'],
      ])
      expect(items.map(({ superseded_by }) => superseded_by.length)).to.deep.equal([1, 0])
    })

    it('of two changes at once are one each', async () => {
      const { id } = await ana.memories.create('Round 0.').ok()
      const rounds = Array.from({ length: 8 }, (_, i) => `Round ${i + 1}.`)
      await Promise.all(rounds.map((content) => ana.memories.patch(id, { content }).ok()))
      const { items } = await ana.memories.versions(id).ok()
      expect(items.map(({ version }) => version)).to.deep.equal([9, 8, 7, 6, 5, 4, 3, 2, 1])
      expect(items.map(({ content }) => content).sort()).to.deep.equal(['Round 0.', ...rounds])
    })

    it('are restored with all that a caller gave, and so is the version before the restore', async () => {
      const given = {
        content: 'The port is 1.',
        title: 'Port',
        metadata: { a: 1 },
        memory_type: 'decision',
        ts_valid_start: '2026-01-01T00:00:00.000Z',
        ts_valid_end: '2036-01-01T00:00:00.000Z',
        predicate: 'port',
        object_value: '1',
        source_uri: 'https://example.org/1',
      }
      const first = await ana.memories.create({ ...given, weight: 0.7 }).ok()
      const changed = {
        content: 'The port is 2.',
        title: null,
        metadata: { b: 2 },
        memory_type: 'fact',
        ts_valid_start: null,
        ts_valid_end: null,
        predicate: null,
        object_value: null,
        source_uri: null,
      }
      await ana.memories.patch(first.id, { ...changed, weight: 0.2, visibility: 'scope_org' }).ok()
      const restored = await ana.memories.restore(first.id, 1)
      expect(restored.status).to.equal(200)
      expect(restored.headers.get('ETag')).to.equal('"3"')
      expect(restored.body).to.deep.include({ ...given, weight: 0.2, visibility: 'scope_org', version: 3 })
      expect((await ana.memories.restore(first.id, 1)).body).to.deep.include({ version: 3 })
      expect((await ana.memories.restore(first.id, 2)).body).to.deep.include({ ...changed, version: 4 })
      expect(await ana.memories.recallContents('port')).to.deep.equal(['The port is 2.'])
      const events = (await operator.audit.list({ subject_id: first.id, action: 'memory.updated' }).ok()).items
      expect(events.map(({ details }) => details.restored_version)).to.deep.equal([2, 1, undefined])
    })

    it('are restored with the status that callers may set, and refused where they may not', async () => {
      const { id } = await ana.memories.create('The port is 1.').ok()
      await ana.memories.patch(id, { status: 'archived' }).ok()
      expect((await ana.memories.restore(id, 1)).body).to.deep.include({ status: 'active', version: 3 })
      await ana.memories.create({ content: 'The port is 2.', supersedes_id: id }).ok()
      const refused = await ana.memories.restore(id, 2)
      expect([refused.status, (refused.body as unknown as Refusal).error.details]).to.deep.equal([
        409,
        { from: 'outdated', to: 'archived' },
      ])
    })

    it('are not restored over another live text, or over a version that the caller has not read', async () => {
      const { id } = await ana.memories.create('The port is 1.').ok()
      await ana.memories.patch(id, { content: 'The port is 2.' }).ok()
      const stale = await ana.memories.restore(id, 1, { 'If-Match': '"1"' })
      expect([stale.status, (stale.body as unknown as Refusal).error.details]).to.deep.equal([
        409,
        { current_version: 2 },
      ])
      const other = await ana.memories.create('The port is 1.').ok()
      const duplicate = await ana.memories.restore(id, 1)
      expect([duplicate.status, (duplicate.body as unknown as Refusal).error.details]).to.deep.equal([
        409,
        { existing_id: other.id },
      ])
      expect((await ana.memories.restore(id, 7)).status).to.equal(404)
      expect((await ana.memories.restore(id, 0)).status).to.equal(422)
    })

    it('are screened again when they are restored', async () => {
      const { id } = await ana.memories.create('Ask kim@example.org.').ok()
      await ana.memories.patch(id, { content: 'Ask somebody.' }).ok()
      await operator.settings.patch({ memory: { pii_policy: 'refuse' } }).ok()
      expect((await ana.memories.restore(id, 1)).status).to.equal(422)
    })

    it('are restored by their author, or at trust 3', async () => {
      const { id } = await ana.memories.create('The port is 1.').ok()
      await ana.memories.patch(id, { content: 'The port is 2.' }).ok()
      expect((await ben.memories.restore(id, 1)).status).to.equal(403)
      expect((await operator.memories.restore(id, 1)).body).to.deep.include({ content: 'The port is 1.' })
      await ana.memories.delete(id).ok()
      expect((await ana.memories.restore(id, 1)).status).to.equal(404)
      expect((await ana.memories.versions(id)).status).to.equal(404)
    })

    describe('that were private', () => {
      it('are shown to, and restored by, nobody but their author', async () => {
        const { id } = await ana.memories.create({ content: 'A secret.', visibility: 'scope_agent' }).ok()
        const before = await moment()
        await ana.memories.patch(id, { content: 'No secret.', visibility: 'scope_org' }).ok()
        for (const caller of [ben, operator]) {
          expect(await versionsOf(caller, id)).to.deep.equal([[2, 'No secret.']])
          expect((await caller.memories.get(id, { known_at: before })).status).to.equal(404)
          expect(await contentsAt(caller, before)).to.deep.equal([])
        }
        expect((await operator.memories.restore(id, 1)).status).to.equal(404)
        expect((await ana.memories.get(id, { known_at: before })).body).to.deep.include({ content: 'A secret.' })
        expect(await versionsOf(ana, id)).to.deep.equal([
          [2, 'No secret.'],
          [1, 'A secret.'],
        ])
      })

      it('and those that were open stay closed once the memory is private', async () => {
        const { id } = await ana.memories.create({ content: 'Open.', visibility: 'scope_org' }).ok()
        const before = await moment()
        await ana.memories.patch(id, { visibility: 'scope_agent' }).ok()
        for (const caller of [ben, operator]) {
          expect((await caller.memories.versions(id)).status).to.equal(404)
          expect((await caller.memories.get(id, { known_at: before })).status).to.equal(404)
          expect(await contentsAt(caller, before)).to.deep.equal([])
        }
        expect(await contentsAt(ana, before)).to.deep.equal(['Open.'])
      })

      it('stay with their author when another agent becomes the author', async () => {
        const { id } = await ana.memories.create({ content: 'Mine.', visibility: 'scope_agent' }).ok()
        await ana.memories.patch(id, { content: 'Ours.', visibility: 'scope_team' }).ok()
        await operator.memories.redistribute('ana', 'ben').ok()
        expect(await versionsOf(ben, id)).to.deep.equal([
          [3, 'Ours.'],
          [2, 'Ours.'],
        ])
      })
    })

    describe('at a moment', () => {
      it('are what was stored then, by id and in lists', async () => {
        const before = await moment()
        const port = await ana.memories.create({ content: 'The port is 1.', run_id: 'one' }).ok()
        const other = await ana.memories.create('Untouched.').ok()
        const first = await moment()
        await ana.memories.patch(port.id, { content: 'The port is 2.', run_id: 'two' }).ok()
        await ana.memories.rate(other.id, 'success').ok()
        const second = await moment()
        const third = await ana.memories.create({ content: 'The port is 3.', supersedes_id: port.id }).ok()
        const now = await moment()

        expect(await contentsAt(ben, before)).to.deep.equal([])
        expect(await contentsAt(ben, first)).to.deep.equal(['The port is 1.', 'Untouched.'])
        expect(await contentsAt(ben, second)).to.deep.equal(['The port is 2.', 'Untouched.'])
        expect(await contentsAt(ben, now)).to.deep.equal(['The port is 2.', 'The port is 3.', 'Untouched.'])
        expect(await contentsAt(ben, first, { run_id: 'one' })).to.deep.equal(['The port is 1.'])
        expect(await contentsAt(ben, first, { run_id: 'two' })).to.deep.equal([])
        expect(await contentsAt(ben, second, { status: 'outdated' })).to.deep.equal([])
        expect(await contentsAt(ben, now, { status: 'outdated' })).to.deep.equal(['The port is 2.'])

        expect((await ben.memories.get(third.id, { known_at: second })).status).to.equal(404)
        const then = await ben.memories.get(port.id, { known_at: second }).ok()
        expect(then).to.deep.include({ content: 'The port is 2.', status: 'active', version: 2, superseded_by: [] })
        const after = await ben.memories.get(port.id, { known_at: now }).ok()
        expect(after).to.deep.equal(await ben.memories.get(port.id).ok())
      })

      it('come page by page in every order, each once', async () => {
        const rows: string[] = []
        for (const n of [1, 2, 3, 4, 5, 6])
          rows.push((await ana.memories.create({ content: `Row ${n}.`, weight: n / 10 }).ok()).id)
        const at = await moment()
        for (const id of rows.slice(0, 3)) await ana.memories.patch(id, { content: `Changed ${id}.` }).ok()
        await ana.memories.create('Later.').ok()
        for (const sort of ['created_at', 'weight', 'recall_count'])
          for (const order of ['asc', 'desc']) {
            const found = await ben.memories.listAll({ known_at: at, sort, order, limit: 2 })
            expect(found.map(({ content }) => content).sort()).to.deep.equal(rows.map((_, i) => `Row ${i + 1}.`))
          }
      })

      it('leave out what was stored later, though a clock that is slow has changed it', async () => {
        const { id, created_at: createdAt } = await ana.memories.create('Untouched.').ok()
        await runSql(
          service().databaseUrl,
          `update memories set updated_at = created_at - interval '1 minute' where id = $1`,
          [id],
        )
        const before = new Date(Date.parse(createdAt) - 1_000).toISOString()
        expect(await contentsAt(ana, before)).to.deep.equal([])
        expect((await ana.memories.get(id, { known_at: before })).status).to.equal(404)
      })

      it('include what has been deleted since for operators who ask for it', async () => {
        const { id } = await ana.memories.create('Deleted later.').ok()
        const at = await moment()
        await ana.memories.delete(id).ok()
        for (const caller of [ana, ben, operator]) {
          expect((await caller.memories.get(id, { known_at: at })).status).to.equal(404)
          expect(await contentsAt(caller, at)).to.deep.equal([])
        }
        const asked = { known_at: at, include_deleted: true }
        expect((await ben.memories.get(id, asked)).status).to.equal(403)
        expect((await operator.memories.get(id, asked)).body).to.deep.include({
          content: 'Deleted later.',
          status: 'active',
        })
        expect(await contentsAt(operator, at, { include_deleted: true })).to.deep.equal(['Deleted later.'])
      })

      for (const [what, known_at] of [
        ['in the future', () => new Date(Date.now() + 60_000).toISOString()],
        ['without an offset', () => '2026-01-01T00:00:00'],
        ['of a day', () => '2026-01-01'],
      ] as const)
        it(`are refused for a moment ${what}`, async () => {
          const { id } = await ana.memories.create('The port is 1.').ok()
          for (const answer of [
            await ana.memories.list({ known_at: known_at() }),
            await ana.memories.get(id, { known_at: known_at() }),
          ])
            expect(answer.status).to.equal(422)
        })
    })

    describe('that are erased', () => {
      /** Counts the former versions with a text, of all tenants. */
      async function versionsWith(text: string): Promise<number> {
        const rows = await runSql(
          service().databaseUrl,
          `select from memory_versions where former::text ilike '%${text}%'`,
        )
        return rows.length
      }

      it('leave no trace with their memory, and none with an agent who was its author', async () => {
        const own = await ana.memories.create('Wombat one.').ok()
        await ana.memories.patch(own.id, { content: 'Wombat two.' }).ok()
        const given = await ana.memories.create('Quokka one.').ok()
        await ana.memories.patch(given.id, { content: 'Quokka two.' }).ok()
        await settled(service(), tenant.id)
        const admin = service().client()
        await admin.erasures.create({ tenant_id: tenant.id, memory_ids: [own.id] }).ok()
        expect(await versionsWith('wombat')).to.equal(0)
        await operator.memories.redistribute('ana', 'ben').ok()
        expect(await versionsWith('quokka')).to.equal(2)
        const receipt = await admin.erasures.create({ tenant_id: tenant.id, agent_id: 'ana' }).ok()
        expect(receipt).to.deep.include({ memory_count: 0, complete: true })
        expect(await versionsWith('quokka')).to.equal(0)
        expect(await versionsOf(ben, given.id)).to.deep.equal([[3, 'Quokka two.']])
      })

      it('are those that name an entity, though the memory names it no more', async () => {
        const { id } = await ana.memories.create('Tessa Numbat keeps the keys.').ok()
        await ana.memories.create('Tessa Numbat has a bicycle.').ok()
        await settled(service(), tenant.id)
        await ana.memories.patch(id, { content: 'Somebody keeps the keys.' }).ok()
        await settled(service(), tenant.id)
        const { items } = await ana.entities.list({ limit: 200 }).ok()
        const entity = items.find(({ name }) => name === 'Tessa Numbat')!
        const receipt = await service()
          .client()
          .erasures.create({ tenant_id: tenant.id, subject_entity_id: entity.id })
          .ok()
        expect(receipt).to.deep.include({ memory_count: 1, complete: true })
        const left = await runSql(
          service().databaseUrl,
          `select from memory_versions where former::text ilike '%numbat%'`,
        )
        expect(left).to.have.length(0)
        expect(await versionsOf(ana, id)).to.deep.equal([[2, 'Somebody keeps the keys.']])
      })

      it('are those that were linked to an entity, or had it as their subject, and name it nowhere', async () => {
        const about = { entity_links: [{ name: 'Tessa Numbat' }] }
        const staying = await ana.memories.create({ content: 'A bicycle.', ...about }).ok()
        const entity = staying.entity_links[0]!.entity_id
        const linked = await ana.memories.create({ content: 'Her salary is 100k.', ...about }).ok()
        const inferred = await ana.memories.create({ content: 'Her salary was 90k.', ...about }).ok()
        const subject = await ana.memories.create({ content: 'She is paid.', subject_entity_id: entity }).ok()
        await runSql(
          service().databaseUrl,
          `update entity_links set origin = 'inferred' where memory_id = '${inferred.id}';
          update memories set system_metadata = system_metadata || '{"enrichment": ${JSON.stringify(ENRICHMENT)}}' where id = '${inferred.id}'`,
        )
        await ana.memories.patch(linked.id, { content: 'Nothing.', entity_links: [] }).ok()
        await ana.memories.patch(inferred.id, { content: 'Nothing more.' }).ok()
        await ana.memories.patch(subject.id, { content: 'Nothing at all.', subject_entity_id: null }).ok()
        const other = await ana.memories.create('The port is 1.').ok()
        await ana.memories.patch(other.id, { content: 'The port is 2.' }).ok()
        const receipt = await service()
          .client()
          .erasures.create({ tenant_id: tenant.id, subject_entity_id: entity })
          .ok()
        expect(receipt).to.deep.include({ memory_count: 1, complete: true })
        const { places } = receipt as {
          places: readonly { place: string; before: number | null; after: number | null }[]
        }
        const { before, after } = places.find(({ place }) => place === 'postgres.memory_versions')!
        expect({ before, after }).to.deep.equal({ before: 3, after: 0 })
        for (const [{ id }, content] of [
          [linked, 'Nothing.'],
          [inferred, 'Nothing more.'],
          [subject, 'Nothing at all.'],
        ] as const)
          expect(await versionsOf(ana, id)).to.deep.equal([[2, content]])
        expect(await versionsOf(ana, other.id)).to.have.length(2)
      })

      it('are none of those that name the entity by their tenant alone', async () => {
        const { id } = await ana.memories.create('The port is 1.').ok()
        await ana.memories.patch(id, { content: 'The port is 2.' }).ok()
        const named = await ana.memories.create({ content: 'A bicycle.', entity_links: [{ name: tenant.id }] }).ok()
        const { entity_id: entity } = named.entity_links[0]!
        await service().client().erasures.create({ tenant_id: tenant.id, subject_entity_id: entity }).ok()
        expect(await versionsOf(ana, id)).to.have.length(2)
      })
    })

    it('are the newest 200 of a memory', async () => {
      const { id } = await ana.memories.create('Round 0.').ok()
      await runSql(
        service().databaseUrl,
        `do $$ begin
          for round in 1..205 loop
            update memories set content = 'Round ' || round || '.', version = version + 1, updated_at = now() where id = '${id}';
          end loop;
        end $$`,
      )
      const kept = await runSql(
        service().databaseUrl,
        `select count(*)::int as kept, min(version) as oldest from memory_versions where memory_id = $1`,
        [id],
      )
      expect(kept).to.deep.equal([{ kept: 200, oldest: 6 }])
      expect((await ana.memories.restore(id, 5)).status).to.equal(404)
      expect((await ana.memories.restore(id, 6)).body).to.deep.include({ content: 'Round 5.' })
    })

    it('are kept by the database, whatever statement changes the row', async () => {
      const { id } = await ana.memories.create('By hand.').ok()
      await withConnection(service().databaseUrl, (client) =>
        client.query(
          `update memories set content = 'Changed.', version = version + 1, updated_at = now() where id = $1`,
          [id],
        ),
      )
      expect(await versionsOf(ana, id)).to.deep.equal([
        [2, 'Changed.'],
        [1, 'By hand.'],
      ])
    })
  })
})

/** Says that a language model has read a text, and has found nothing in it but links. */
const ENRICHMENT = { state: 'done', model: 'm', prompt: 1, text: 'key', at: '2026-01-01T00:00:00.000Z', inferred: [] }

interface Refusal {
  readonly error: { readonly details: unknown }
}

import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { components } from '../../contract/types.js'
import { openUnread } from '../../services/erasure/unread-memories.js'
import { withConnection } from '../../store/connection.js'
import type { Caller } from '../support/client.js'
import type { ClientAnswer } from '../support/clients/request.js'
import { settled } from '../support/indexed.js'
import { newTeam, newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { everythingIn } from '../support/everything.js'
import { holdIndexing } from '../support/held-indexing.js'
import { until } from '../support/states.js'
import { runSql } from '../support/run-sql.js'

type Place = components['schemas']['ErasurePlace']

/** Tests POST /admin/erasures and its verification. The test searches all places by itself. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })
  describe('erasure', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

    const erase = (body: Record<string, unknown>) =>
      service()
        .client()
        .erasures.create({ tenant_id: tenant.id, ...body })
    const verify = (id: string) => service().client().erasures.verify(id)

    const everything = () => everythingIn(service())

    const placesOf = ({ body }: ClientAnswer<{ places: Place[] }>) =>
      new Map(body.places.map((place) => [place.place, place]))

    for (const state of ['just written', 'indexed'])
      it(`leaves no trace of a marker text that was ${state} on every route`, async () => {
        const mark = `zq${randomBytes(6).toString('hex')}`
        const fields = {
          content: `The fox says ${mark}.`,
          title: `${mark} title`,
          run_id: `${mark}-run`,
          source_uri: `https://example.org/${mark}`,
          metadata: { [mark]: mark },
          scope: { about: mark },
          predicate: 'works_at',
          object_value: `${mark} Ltd`,
          entity_links: [{ name: `${mark} Person`, entity_type: mark, role: mark }],
        }
        await tenant.admin.agents.patch('ana', { display_name: `${mark} Smith` })
        const first = await ana.memories.create(fields, { 'Idempotency-Key': `once-${mark.slice(2)}` }).ok()
        const { body: bulk } = await ana.memories.createMany([{ content: `Bulk ${mark}.`, visibility: 'scope_agent' }])
        const changed = await ana.memories.create('Harmless at first.').ok()
        await ana.memories.patch(changed.id, { content: `Changed to ${mark}.` }).ok()
        const away = await ana.memories
          .create({
            content: `Built by ${mark} Works Ltd.`,
            entity_links: [{ name: `${mark} Harbour` }],
          })
          .ok()
        if (state === 'indexed') await settled(service())
        await ana.memories.patch(away.id, { content: 'Built by nobody.', entity_links: [] }).ok()
        const newer = await ana.memories
          .create({ content: `Instead of ${mark}.`, supersedes_id: first.id }, { 'Idempotency-Key': 'superseding' })
          .ok()
        const gone = await ana.memories.create({ content: `Deleted ${mark}.` }).ok()
        await ana.memories.rate(first.id, 'success', { run_id: `${mark}-feedback` })
        await ana.memories.delete(gone.id).ok()
        const heron = await ben.memories.create(`Not ana's: heron.`).ok()
        if (state === 'indexed') await settled(service())
        const { recall_id: narrowedId } = await ben.memories
          .recall('fox', { run_id: `${mark}-run`, memory_types: ['fact'] })
          .ok()
        const { recall_id: recallId } = await ben.memories.recall(`what says ${mark}`).ok()
        const { recall_id: herOwnId } = await ana.memories.recall('heron').ok()
        for (const id of [narrowedId, recallId, herOwnId])
          await until('the recall is recorded', async () =>
            expect((await operator.recalls.get(id)).status).to.equal(200),
          )
        expect(await everything()).to.contain(mark)

        const preview = await erase({ agent_id: 'ana', preview: true })
        expect(preview.status).to.equal(200)
        expect(preview.body).to.deep.equal({ preview: true, tenant_id: tenant.id, memory_count: 6 })
        expect(await everything()).to.contain(mark)

        const answer = await erase({ agent_id: 'ana' })
        expect(answer.status).to.equal(201)
        const receipt = answer.body as components['schemas']['ErasureReceipt']
        expect(receipt).to.deep.include({ tenant_id: tenant.id, memory_count: 6, complete: true })
        const places = placesOf(answer as ClientAnswer<{ places: Place[] }>)
        expect(places.get('postgres.memories')).to.deep.include({ before: 6, after: 0, kept: false })
        expect(places.get('postgres.idempotency_keys')!.before).to.equal(2)
        expect(places.get('postgres.recalls')!.before).to.equal(3)
        expect([...places.keys()]).to.include.members([
          'postgres.vectors',
          'postgres.entity_links',
          'postgres.analysed_texts',
          'postgres.near_keys',
          'postgres.near_duplicates',
          'queue.indexing',
        ])
        const index = receipt.places.find(({ place }) => /^(sqlite|opensearch)\./.test(place))!
        if (state === 'indexed') expect(index.before).to.equal(5)
        for (const { place, after, kept } of receipt.places) if (!kept) expect(after, place).to.equal(0)

        const left = await everything()
        expect(
          left.includes(mark),
          left.slice(Math.max(0, left.indexOf(mark) - 200), left.indexOf(mark) + 200),
        ).to.equal(false)
        for (const id of [first.id, bulk.results[0]!.id, newer.id, changed.id, gone.id] as string[])
          expect((await operator.memories.get(id, { include_deleted: true })).status).to.equal(404)
        expect((await operator.memories.stats({ scope: 'all', include_deleted: true })).body).to.deep.include({
          total: 1,
          by_agent: { ben: 1 },
        })
        expect(await ben.memories.recallContents('heron')).to.have.length(1)
        expect((await operator.recalls.get(herOwnId)).status).to.equal(404)
        const recalled = (await ben.recalls.get(recallId)).body.memories as { memory_id: string }[]
        expect(recalled.map(({ memory_id: id }) => id)).to.deep.equal([heron.id])
        const { request } = (await ben.recalls.get(narrowedId)).body
        expect(request).to.deep.include({ memory_types: ['fact'] })
        expect(request).to.not.have.property('run_id')

        const check = await verify(receipt.erasure_id)
        expect(check.body).to.deep.include({ clean: true, memory_count: 6, hash: receipt.hash })
      })

    /** Makes the deletion of the newest of 250 rows fail. Returns a function that ends this. */
    async function breakDeletions(): Promise<() => Promise<void>> {
      const name = `broken_${tenant.id.replaceAll(/\W/g, '_')}`
      const run = async (text: string) => void (await runSql(service().databaseUrl, text))
      await run(`
        create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
        create trigger ${name} before delete on memories for each row
          when (old.tenant_id = ${pg.escapeLiteral(tenant.id)} and old.content = 'Row 249.') execute function ${name}()`)
      return () => run(`drop trigger ${name} on memories`)
    }

    it('continues an interrupted erasure, whose receipt covers all of it', async () => {
      await ana.memories.createMany([...Array(250).keys()].map((i) => ({ content: `Row ${i}.` })))
      const mend = await breakDeletions()
      expect((await erase({ agent_id: 'ana' })).status).to.equal(500)
      expect(await ana.memories.total()).to.equal(50)
      await mend()
      const { body } = await erase({ agent_id: 'ana' })
      expect(body).to.deep.include({ memory_count: 250, complete: true })
      const check = await verify((body as components['schemas']['ErasureReceipt']).erasure_id)
      expect(check.body).to.deep.include({ clean: true, memory_count: 250 })
      expect((await erase({ agent_id: 'ana' })).body).to.deep.include({ memory_count: 0, complete: true })
    })

    it('waits for indexes that are being removed, and reports one that still exists', async () => {
      const row = await ana.memories.create('A fox.').ok()
      await withConnection(service().databaseUrl, async (client) => {
        const unserved = (state: string) =>
          client.query(
            `insert into index_builds (id, model, dimensions, generation, state, lease, created_at)
           select gen_random_uuid(), model, dimensions, $2, $1, case when $1 = 'dropping' then now() + interval '1 day' end, created_at
           from index_builds where state = 'serving'`,
            [state, randomBytes(4).toString('hex')],
          )
        await unserved('failed')
        const { body } = await erase({ memory_ids: [row.id] })
        const removed = { place: 'search.removed', before: 1, after: 0, mentions: 0, kept: false }
        expect((body as components['schemas']['ErasureReceipt']).places).to.deep.include(removed)
        expect(body).to.deep.include({ complete: true })
        const { erasure_id: id } = body as components['schemas']['ErasureReceipt']
        await unserved('dropping')
        const check = await verify(id)
        expect(check.body.clean).to.equal(false)
        expect(check.body.places).to.deep.include({ place: 'search.removed', found: 1, mentions: 0, kept: false })
        await client.query(`delete from index_builds where state = 'dropping'`)
        expect((await verify(id)).body.clean).to.equal(true)
      })
    })

    it('finds by verification what was restored', async () => {
      const row = await ana.memories.create('A fox.').ok()
      const { body } = await erase({ memory_ids: [row.id] })
      const { erasure_id: id } = body as components['schemas']['ErasureReceipt']
      await runSql(
        service().databaseUrl,
        `insert into idempotency_keys (tenant_id, identity, route, idempotency_key, request_hash, body)
         values ($1, 'i', 'r', 'k', '', $2)`,
        [tenant.id, JSON.stringify({ id: row.id })],
      )
      const check = await verify(id)
      expect(check.body.clean).to.equal(false)
      const found = check.body.places.filter(({ found, kept }) => found !== 0 && !kept)
      expect(found).to.deep.equal([{ place: 'postgres.idempotency_keys', found: 1, mentions: 0, kept: false }])
    })

    it('is complete when other texts name an id, and counts these mentions', async () => {
      const row = await ana.memories.create('A fox.').ok()
      const naming = await ben.memories.create({ content: `See ${row.id} for it.`, metadata: { about: [row.id] } }).ok()
      await settled(service())
      const answer = await erase({ memory_ids: [row.id] })
      expect(answer.body).to.deep.include({ memory_count: 1, complete: true })
      const places = placesOf(answer as ClientAnswer<{ places: Place[] }>)
      const memories = { place: 'postgres.memories', before: 1, after: 0, mentions: 1, kept: false }
      expect(places.get('postgres.memories')).to.deep.equal(memories)
      expect((await ben.memories.get(naming.id)).body).to.deep.include({
        content: naming.content,
        metadata: naming.metadata,
      })

      const { erasure_id: id } = answer.body as components['schemas']['ErasureReceipt']
      const check = (await verify(id)).body
      expect(check.clean).to.equal(true)
      expect(check.places).to.deep.include({ place: 'postgres.memories', found: 0, mentions: 1, kept: false })
      await ben.memories.delete(naming.id).ok()
      await erase({ memory_ids: [naming.id] })
      const memoriesOf = async () =>
        (await verify(id)).body.places.find(({ place }: { place: string }) => place === 'postgres.memories')
      expect(await memoriesOf()).to.deep.include({ found: 0, mentions: 0 })
    })

    it('marks the memories that an erased one had outdated or put in conflict, and nothing else', async () => {
      const erased = async (id: string) => {
        const { body } = await erase({ memory_ids: [id] })
        return body as { erasure_id: string; derived_count: number }
      }
      const old = await ana.memories.create('The harbour opens at six.').ok()
      const lone = await ana.memories.create('The harbour has two cranes.').ok()
      const older = await ana.memories.create('The quay is empty.').ok()
      const newer = await ana.memories.create({ content: 'The harbour opens at seven.', supersedes_id: old.id }).ok()
      await ana.memories.create({ content: 'The quay is full.', supersedes_id: older.id }).ok()
      const { erasure_id: id, derived_count: count } = await erased(newer.id)
      expect(count).to.equal(1)
      const marked = (await ana.memories.get(old.id)).body
      expect(marked).to.include({ status: 'outdated', version: 2 })
      expect(marked.system_metadata.derived_from_erased).to.deep.equal({ erasure_id: id, fields: ['status'] })
      for (const other of [lone, older])
        expect((await ana.memories.get(other.id)).body.system_metadata).not.to.have.property('derived_from_erased')
      expect((await erased(lone.id)).derived_count).to.equal(0)
    })

    it('keeps documents that name an id or have the same text, and counts those that name it', async () => {
      const row = await ana.memories.create('A fox of the north.').ok()
      const naming = await ben.documents.put('notes', `about/${row.id}`, { about: row.id, see: [row.id] }).ok()
      const saying = await ben.documents.put('notes', 'fox', { summary: 'A fox of the north.' }).ok()
      await settled(service())
      const answer = await erase({ memory_ids: [row.id] })
      expect(answer.body).to.deep.include({ memory_count: 1, complete: true })
      const places = placesOf(answer as ClientAnswer<{ places: Place[] }>)
      const found = (place: string) => ({ place: `postgres.${place}`, before: 0, after: 0, mentions: 1, kept: false })
      for (const place of ['documents', 'document_fields', 'document_members'])
        expect(places.get(`postgres.${place}`)).to.deep.equal(found(place))
      expect((await ben.documents.get('notes', naming.doc_id)).body).to.deep.equal(naming)
      expect((await ben.documents.get('notes', 'fox')).body).to.deep.equal(saying)
      const { erasure_id: id } = answer.body as components['schemas']['ErasureReceipt']
      expect((await verify(id)).body.clean).to.equal(true)
    })

    it('erases an entity and the memories about it, by subject or link', async () => {
      const named = await ana.memories.create({ content: 'Carol likes foxes.', entity_links: [{ name: 'Carol' }] }).ok()
      const subject = named.entity_links[0]!.entity_id
      await ben.memories.create({ content: 'She moved.', subject_entity_id: subject, visibility: 'scope_org' }).ok()
      const other = await ben.memories.create({ content: 'A heron.', entity_links: [{ name: 'Dave' }] }).ok()
      const { body } = await erase({ subject_entity_id: subject })
      expect(body).to.deep.include({ memory_count: 2, complete: true })
      expect((await ana.entities.get(subject)).status).to.equal(404)
      expect((await ben.memories.listAll()).map(({ id }) => id)).to.deep.equal([other.id])
    })

    it('is audited with the caller and the count and without text, and not when refused', async () => {
      await ana.memories.create('The heron is leaving.').ok()
      const events = async (caller: Caller) => {
        const { items } = (await caller.audit.list()).body as components['schemas']['AuditPage']
        const own = items.filter(({ subject }) => subject.kind === 'erasure')
        return own.map(({ action, actor, subject, details }) => [action, actor.kind, subject.id, details])
      }
      await erase({ agent_id: 'ana', preview: true })
      await erase({})
      await ana.erasures.create({ tenant_id: tenant.id, agent_id: 'ana' })
      expect(await events(operator)).to.deep.equal([])
      const { erasure_id: id } = (await erase({ agent_id: 'ana' })).body as components['schemas']['ErasureReceipt']
      expect(await events(operator)).to.deep.equal([
        ['erasure.finished', 'admin', id, { memory_count: 1, complete: true }],
        ['erasure.begun', 'admin', id, { agent_id: 'ana', memory_count: 1 }],
      ])
      const otherTenantCaller = await newTenant(service()).caller({ trust: 3 })
      expect(await events(otherTenantCaller)).to.deep.equal([])
    })

    it('erases memories that name the entity in a text that no job has read yet, and nothing else', async () => {
      const linked = await ana.memories
        .create({ content: 'She likes foxes.', entity_links: [{ name: 'carol danvers' }] })
        .ok()
      const entity = linked.entity_links[0]!.entity_id
      const moved = await ben.memories.create('We sailed with Carol Danvers.').ok()
      await settled(service())
      const release = await holdIndexing(service(), tenant.id)
      const texts = (text: string, count: number) =>
        [...Array(count).keys()].map((i) => ({ content: `${text} ${i}.`, visibility: 'scope_agent' }))
      await ana.memories.createMany(texts('We met Carol Danvers at quay', 300))
      const { body: others } = await ben.memories.createMany(texts('We met Carol Smith at quay', 3))
      await ben.memories.patch(moved.id, { content: 'We sailed with nobody.' }).ok()
      const gone = await ana.memories.create('Deleted unread, with Carol Danvers.').ok()
      await ana.memories.delete(gone.id).ok()
      await release()

      expect((await erase({ subject_entity_id: entity, preview: true })).body.memory_count).to.equal(302)
      const { body } = await erase({ subject_entity_id: entity })
      expect(body).to.deep.include({ memory_count: 302, pending_count: 0, complete: true })
      const { erasure_id: id } = body as components['schemas']['ErasureReceipt']
      expect((await verify(id)).body).to.deep.include({ clean: true, pending_count: 0, memory_count: 302 })
      const left = (others.results as { id: string }[]).map((result) => result.id)
      expect((await ben.memories.listAll()).map(({ id: one }) => one)).to.have.members([moved.id, ...left])
      expect((await ana.memories.listAll()).map(({ id: one }) => one)).to.deep.equal([moved.id])
    })

    it('has nothing to read of what was deleted, whether or not the indexing job came by before', async () => {
      const linked = await ana.memories
        .create({ content: 'She likes foxes.', entity_links: [{ name: 'Eva Lind' }] })
        .ok()
      const entity = linked.entity_links[0]!.entity_id
      const early = await ana.memories.create('a text without names.').ok()
      await settled(service(), tenant.id)
      const late = await ana.memories.create('another text without names.').ok()
      const naming = await ana.memories.create('We met Eva Lind at the quay.').ok()
      for (const { id } of [early, late, naming]) await ana.memories.delete(id).ok()
      await settled(service(), tenant.id)
      const unread = await openUnread(service().context, tenant.id, { subjectEntityId: entity })
      expect(await unread!.find({ links: true, until: 0, signal: AbortSignal.timeout(10_000) })).to.equal(0)
      expect((await erase({ subject_entity_id: entity })).body).to.deep.include({ memory_count: 2, complete: true })
      expect((await operator.memories.get(late.id, { include_deleted: true })).status).to.equal(200)
    })

    it('removes dead rows of the tables that it wrote, and says what is outside of it', async () => {
      const row = await ana.memories.create('A fox.').ok()
      await withConnection(service().databaseUrl, async (client) => {
        const counted = async () => {
          const { rows } = await client.query<{ n: number }>(
            `select vacuum_count::int as n from pg_stat_user_tables where relname = 'memories'`,
          )
          return rows[0]!.n
        }
        const before = await counted()
        const { body } = await erase({ memory_ids: [row.id] })
        const { vacuumed, not_vacuumed: left, outside } = body as components['schemas']['ErasureReceipt']
        expect(vacuumed).to.include.members(['memories', 'entities', 'entity_links', 'vectors', 'erasures'])
        expect(left).to.deep.equal([])
        expect(outside.join(' ')).to.match(/write-ahead log.*backups/)
        await until('the vacuum is counted', async () => expect(await counted()).to.be.greaterThan(before))
      })
    })

    it('changes nothing of another tenant, and frees quota', async () => {
      const otherTenant = newTenant(service())
      const otherTenantCaller = await otherTenant.caller({ agentId: 'ana' })
      const theirs = await otherTenantCaller.memories.create('Theirs.').ok()
      await service().client().tenants.patch(tenant.id, { memories_limit: 1 })
      const row = await ana.memories.create('One.').ok()
      expect((await ana.memories.create('Two.')).status).to.equal(402)
      const { body } = await erase({ memory_ids: [theirs.id, row.id] })
      expect(body).to.deep.include({ memory_count: 1 })
      expect((await otherTenantCaller.memories.get(theirs.id)).status).to.equal(200)
      expect((await ana.memories.create('Two.').ok()).usage).to.deep.include({
        memories_stored: 1,
        writes_remaining: 0,
      })
    })

    it('requires exactly one of agent, entity and memories, a known tenant and the admin credential', async () => {
      expect((await erase({})).status).to.equal(422)
      expect((await erase({ agent_id: 'ana', memory_ids: ['01890000-0000-7000-8000-000000000000'] })).status).to.equal(
        422,
      )
      expect((await erase({ agent_id: 'ana', tenant_id: 'nobody-of-this-name' })).status).to.equal(404)
      expect((await verify('01890000-0000-7000-8000-000000000000')).status).to.equal(404)
      const refused = await operator.erasures.create({ tenant_id: tenant.id, agent_id: 'ana' })
      expect(refused.status).to.equal(403)
      expect((await erase({ agent_id: 'nobody' })).body).to.deep.include({ memory_count: 0, complete: true })
    })
  })
})

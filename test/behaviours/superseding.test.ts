import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTeam, type TestTenant } from '../support/tenants.js'
import { until } from '../support/states.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

type Fields = Record<string, unknown>

/** Tests supersedes_id, contradictions of triples, and lineage. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('superseding', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))
    const statusOf = async (id: string) => (await ana.memories.get(id)).body.status as string

    it('marks the older memory outdated, shows it on both, and counts it', async () => {
      const older = await ana.memories.create(`Port 5432. ${'x'.repeat(300)}`).ok()
      const newer = await ana.memories.create({ content: 'Port 6432.', supersedes_id: older.id }).ok()
      const superseded = {
        old_memory_id: older.id,
        new_memory_id: newer.id,
        old_status: 'outdated',
        reason: 'explicit',
        old_content_preview: older.content.slice(0, 200),
        direction: 'canonical',
      }
      expect(newer).to.deep.include({ supersedes_id: older.id, status: 'active', superseded_by: [superseded] })
      const { body } = await ana.memories.get(older.id)
      expect(body).to.deep.include({ status: 'outdated', version: 2, supersedes_id: null, superseded_by: [superseded] })
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 1, outdated: 1 })
      expect(newer.usage!.memories_stored).to.equal(2)
    })

    it('finds a contradiction by the name of the subject, singly, in bulk and beside its id', async () => {
      const triple = (port: string, name = 'Checkout') => ({
        content: `${name} listens on ${port}.`,
        entity_links: [{ name, role: 'subject' }, { name: 'Web' }],
        predicate: 'port',
        object_value: port,
      })
      const first = await ana.memories.create(triple('6432')).ok()
      expect(first.subject_entity_id).to.equal(first.entity_links.find(({ name }) => name === 'Checkout')!.entity_id)
      const second = await ana.memories.create(triple('6433', 'CHECKOUT')).ok()
      expect(second.superseded_by).to.have.nested.property('0.old_memory_id', first.id)
      const bulk = await ana.memories.createMany([triple('6434')]).ok()
      expect(bulk.created).to.equal(1)
      expect(await statusOf(second.id)).to.equal('outdated')
      const { entity_links: _, ...byId } = { ...triple('6435'), subject_entity_id: first.subject_entity_id }
      expect((await ana.memories.create(byId).ok()).superseded_by).to.have.length(1)
      const other = await ana.memories.create({ ...triple('6436'), entity_links: [{ name: 'Checkout' }] }).ok()
      expect([other.subject_entity_id, other.superseded_by]).to.deep.equal([null, []])

      const two = [
        { name: 'Checkout', role: 'subject' },
        { name: 'Web', role: 'subject' },
      ]
      const refused = await ana.memories.create({ ...triple('1'), entity_links: two })
      expect(refused.status).to.equal(422)
      expect(refused.body.error!.details)
        .to.have.nested.property('errors.0.loc')
        .that.deep.equals(['body', 'entity_links'])
      const without = { content: 'Checkout and web.', entity_links: two }
      expect((await ana.memories.create(without).ok()).subject_entity_id).to.equal(null)
    })

    it('takes the subject of a changed memory from its links as that of a new one', async () => {
      const links = (...names: string[]) => names.map((name) => ({ name, role: 'subject' }))
      const triple = { predicate: 'port', object_value: '6432' }
      const bare = await ana.memories.create({ content: 'It listens there.' }).ok()
      const whole = await ana.memories.patch(bare.id, { ...triple, entity_links: links('Checkout') }).ok()
      const id = whole.entity_links[0]!.entity_id
      expect(whole.subject_entity_id).to.equal(id)
      const linked = await ana.memories.create({ content: 'It listens.', entity_links: links('Checkout') }).ok()
      expect((await ana.memories.patch(linked.id, { content: 'It listens!' }).ok()).subject_entity_id).to.equal(null)
      expect((await ana.memories.patch(linked.id, triple).ok()).subject_entity_id).to.equal(id)
      const cleared = await ana.memories.patch(linked.id, { ...triple, subject_entity_id: null }).ok()
      expect(cleared.subject_entity_id).to.equal(null)

      const two = await ana.memories.create({ content: 'Both listen.', entity_links: links('Checkout', 'Web') }).ok()
      for (const [memoryId, change] of [
        [two.id, triple],
        [bare.id, { subject_entity_id: null, entity_links: links('Checkout', 'Web') }],
      ] as const) {
        const refused = await ana.memories.patch(memoryId, change)
        expect([refused.status, refused.body.error!.details]).to.have.nested.property(
          '1.errors.0.loc.1',
          'entity_links',
        )
        expect(refused.status).to.equal(422)
      }
    })

    it('shows the current older text in a replayed answer, and none that was deleted or hidden', async () => {
      const preview = async (again: () => Promise<{ superseded_by: { old_content_preview: string | null }[] }>) =>
        (await again()).superseded_by.map((one) => one.old_content_preview)
      const superseding = async (caller: Caller, older: string, content: string) => {
        const write = () =>
          caller.memories
            .create({ content, supersedes_id: older }, { 'Idempotency-Key': content.replaceAll(' ', '-') })
            .ok()
        await write()
        return write
      }
      const older = await ana.memories.create('Port 5432.').ok()
      const again = await superseding(ana, older.id, 'Port 6432.')
      expect(await preview(again)).to.deep.equal(['Port 5432.'])
      await ana.memories.patch(older.id, { content: 'Port 5433.' }).ok()
      expect(await preview(again)).to.deep.equal(['Port 5433.'])
      await ana.memories.delete(older.id).ok()
      expect(await preview(again)).to.deep.equal([null])

      const bens = await ben.memories.create('Port 1.').ok()
      const hiding = await superseding(operator, bens.id, 'Port 2.')
      await ben.memories.patch(bens.id, { visibility: 'scope_agent' }).ok()
      expect(await preview(hiding)).to.deep.equal([null])
    })

    it('ranks the newer memory before the older one, before and after indexing', async () => {
      const older = await ana.memories.create('The staging database listens on port 5432.').ok()
      await settled(service())
      const newer = await ana.memories
        .create({
          content: 'The staging database listens on port 6432.',
          supersedes_id: older.id,
        })
        .ok()
      const query = 'which port does the staging database listen on'
      const apart = { compose: false }
      expect(await ana.memories.recallContents(query, apart)).to.deep.equal([newer.content, older.content])
      await settled(service())
      const { memories } = await ana.memories.recall(query, apart).ok()
      expect(memories.map(({ id }) => id)).to.deep.equal([newer.id, older.id])
      expect(memories[1]!.score_parts!.status_penalty).to.equal(0.5)
    })

    it('accepts the same text', async () => {
      const older = await ana.memories.create('One.').ok()
      const newer = await ana.memories
        .create({ content: 'One.', metadata: { reviewed: true }, supersedes_id: older.id })
        .ok()
      expect(await statusOf(older.id)).to.equal('outdated')
      expect(newer.superseded_by).to.have.length(1)
    })

    it('needs trust 1 for one’s own memory and trust 3 for others’, and stores nothing when refused', async () => {
      const row = await ana.memories.create({ content: 'One.', visibility: 'scope_org' }).ok()
      const refused = await ben.memories.create({ content: 'Two.', supersedes_id: row.id })
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 1 })
      expect(await ben.memories.total({ agent_id: 'ben' })).to.equal(0)
      const trusted = await tenant.caller({ agentId: 'cy', trust: 2 })
      expect((await trusted.memories.create({ content: 'Two.', supersedes_id: row.id })).status).to.equal(403)
      expect(await statusOf(row.id)).to.equal('active')
      expect((await operator.memories.create({ content: 'Three.', supersedes_id: row.id })).status).to.equal(201)
      const secret = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      expect((await operator.memories.create({ content: 'Four.', supersedes_id: secret.id })).status).to.equal(404)
      const unknown = '01890000-0000-7000-8000-000000000000'
      expect((await ana.memories.create({ content: 'Five.', supersedes_id: unknown })).status).to.equal(404)
    })

    it('refuses a memory that is no longer standing', async () => {
      const row = await ana.memories.create('One.').ok()
      await ana.memories.create({ content: 'Two.', supersedes_id: row.id }).ok()
      const again = await ana.memories.create({ content: 'Three.', supersedes_id: row.id })
      expect(again.status).to.equal(409)
      expect(again.body.error.details).to.deep.equal({ from: 'outdated', to: 'outdated' })
      const gone = await ana.memories.create('Gone.').ok()
      await ana.memories.delete(gone.id).ok()
      expect((await ana.memories.create({ content: 'Four.', supersedes_id: gone.id })).status).to.equal(404)
    })

    it('succeeds for one of many concurrent writers', async () => {
      const row = await ana.memories.create('One.').ok()
      const writes = Array.from({ length: 6 }, (_, i) =>
        ana.memories.create({ content: `Next ${i}.`, supersedes_id: row.id }),
      )
      const statuses = (await Promise.all(writes)).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal([201, 409, 409, 409, 409, 409])
      expect((await ana.memories.get(row.id)).body.superseded_by).to.have.length(1)
    })

    it('refuses the second item of a bulk that supersedes the same memory, and keeps the others', async () => {
      const row = await ana.memories.create('One.').ok()
      const { status, body } = await ana.memories.createMany([
        { content: 'Two.', supersedes_id: row.id },
        { content: 'Three.', supersedes_id: row.id },
        { content: 'Four.' },
      ])
      expect(status).to.equal(207)
      expect(body.results.map((result: { status: string }) => result.status)).to.deep.equal([
        'created',
        'error',
        'created',
      ])
      expect(body.results[1]!.error!.code).to.equal('CONFLICT')
    })

    it('does not change the older memory when the new text is a duplicate', async () => {
      const row = await ana.memories.create('One.').ok()
      const other = await ana.memories.create('Two.').ok()
      const { body } = await ana.memories.createMany([{ content: 'Two.', supersedes_id: row.id }, { content: 'One.' }])
      expect(body.results).to.deep.equal([
        { index: 0, status: 'duplicate', id: other.id },
        { index: 1, status: 'duplicate', id: row.id },
      ])
      expect(await statusOf(row.id)).to.equal('active')
    })

    it('shows no preview of a deleted memory, not even to its author', async () => {
      const row = await ana.memories.create('One.').ok()
      const newer = await ana.memories.create({ content: 'Two.', supersedes_id: row.id }).ok()
      await ana.memories.delete(row.id).ok()
      expect((await ana.memories.get(newer.id)).body).to.deep.include({ supersedes_id: null, superseded_by: [] })
    })

    it('shows a superseded private memory to its author only', async () => {
      const secret = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      const newer = await ana.memories
        .create({ content: 'Open.', visibility: 'scope_org', supersedes_id: secret.id })
        .ok()
      expect((await ana.memories.get(newer.id)).body.superseded_by).to.have.length(1)
      for (const other of [ben, operator])
        expect((await other.memories.get(newer.id)).body).to.deep.include({ supersedes_id: null, superseded_by: [] })
      expect((await ben.memories.lineage(newer.id)).body.items.map(({ id }: { id: string }) => id)).to.deep.equal([
        newer.id,
      ])
      expect((await ben.memories.lineage(secret.id)).status).to.equal(404)
    })

    it('returns the lineage, oldest first, for any of its members', async () => {
      const ids: string[] = []
      for (const content of ['One.', 'Two.', 'Three.'])
        ids.push((await ana.memories.create({ content, ...(ids.length > 0 && { supersedes_id: ids.at(-1) }) }).ok()).id)
      await ana.memories.create('Beside it.').ok()
      for (const id of ids) {
        const { status, body } = await ben.memories.lineage(id)
        expect(status).to.equal(200)
        expect(body.memory_id).to.equal(id)
        expect(body.items.map((item: { id: string }) => item.id)).to.deep.equal(ids)
      }
      const shouted = (await ben.memories.lineage(ids[1]!.toUpperCase())).body
      expect([shouted.memory_id, shouted.items.length]).to.deep.equal([ids[1], 3])
      await ana.memories.delete(ids[1]!).ok()
      expect((await ana.memories.lineage(ids[0]!)).body.items).to.have.length(1)
      expect((await ana.memories.lineage(ids[1]!)).status).to.equal(404)
    })

    it('ends a lineage at a member that the caller may not see', async () => {
      const one = await ana.memories.create('One.').ok()
      const two = await ana.memories.create({ content: 'Two.', supersedes_id: one.id, visibility: 'scope_agent' }).ok()
      const three = await ana.memories.create({ content: 'Three.', supersedes_id: two.id }).ok()
      const idsFor = async (caller: Caller) =>
        ((await caller.memories.lineage(one.id)).body.items as { id: string }[]).map(({ id }) => id)
      expect(await idsFor(ana)).to.deep.equal([one.id, two.id, three.id])
      expect(await idsFor(ben)).to.deep.equal([one.id])
    })
  })

  describe('a contradiction', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller
    let subject: string
    beforeEach(async () => {
      ;({ tenant, ana, ben } = await newTeam(service()))
      const named = await ana.memories
        .create({
          content: 'Carol.',
          visibility: 'scope_org',
          entity_links: [{ name: 'Carol' }],
        })
        .ok()
      subject = named.entity_links[0]!.entity_id
    })
    const claim = (object: string, fields: Fields = {}): Fields => ({
      content: `Carol: ${object} ${JSON.stringify(fields)}`,
      subject_entity_id: subject,
      predicate: 'works_at',
      object_value: object,
      ...fields,
    })
    const stateOf = async (id: string) => (await tenant.admin.memories.get(id)).body.status as string

    it('supersedes the same agent’s older claim, in the write’s answer', async () => {
      const older = await ana.memories.create(claim('Acme')).ok()
      const newer = await ana.memories.create(claim('Globex', { predicate: 'Works At' })).ok()
      expect(newer.superseded_by).to.have.length(1)
      expect(newer.superseded_by[0]).to.deep.include({
        old_memory_id: older.id,
        old_status: 'outdated',
        reason: 'rdf_conflict',
        direction: 'canonical',
      })
      expect(newer.supersedes_id).to.equal(null)
      expect(await stateOf(older.id)).to.equal('outdated')
      expect((await ana.memories.lineage(newer.id)).body.items).to.have.length(2)
    })

    it('supersedes the new memory when it is about an earlier time', async () => {
      const standing = await ana.memories.create(claim('Globex', { ts_valid_start: '2024-01-01T00:00:00Z' })).ok()
      const late = await ana.memories.create(claim('Acme', { ts_valid_start: '2020-01-01T00:00:00Z' })).ok()
      expect(late.status).to.equal('outdated')
      expect(late.superseded_by[0]).to.deep.include({
        old_memory_id: late.id,
        new_memory_id: standing.id,
        direction: 'flipped',
      })
      expect(await stateOf(standing.id)).to.equal('active')
      const { items } = (await ana.memories.lineage(standing.id)).body
      expect(items.map(({ id }: { id: string }) => id)).to.deep.equal([late.id, standing.id])
    })

    it('marks both conflicted when the writer may not supersede the other agent’s memory, and supersedes it at trust 2', async () => {
      const hers = await ana.memories.create(claim('Acme')).ok()
      const his = await ben.memories.create(claim('Globex')).ok()
      expect(his.status).to.equal('conflicted')
      expect(his.superseded_by[0]).to.deep.include({ old_memory_id: hers.id, old_status: 'conflicted' })
      expect(await stateOf(hers.id)).to.equal('conflicted')
      const chief = await tenant.caller({ agentId: 'chief', fleetId: 'red', trust: 2 })
      const settling = await chief.memories.create(claim('Initech')).ok()
      expect(settling.status).to.equal('active')
      expect([await stateOf(hers.id), await stateOf(his.id)]).to.deep.equal(['outdated', 'outdated'])
    })

    const HARMLESS: Readonly<Record<string, [Fields, Fields]>> = {
      'the same object in another spelling': [{}, { object_value: ' ACME ' }],
      'a predicate with many values': [{ predicate: 'knows' }, { predicate: 'knows', object_value: 'Globex' }],
      'another predicate': [{}, { predicate: 'lives_in', object_value: 'Globex' }],
      'validity that does not overlap': [
        { ts_valid_start: '2020-01-01T00:00:00Z', ts_valid_end: '2021-01-01T00:00:00Z' },
        { object_value: 'Globex', ts_valid_start: '2021-01-01T00:00:00Z' },
      ],
      'another audience': [{ visibility: 'scope_org' }, { object_value: 'Globex', visibility: 'scope_team' }],
      'no subject': [{}, { object_value: 'Globex', subject_entity_id: null }],
    }
    for (const [what, [first, second]] of Object.entries(HARMLESS))
      it(`is not ${what}`, async () => {
        const one = await ana.memories.create(claim('Acme', first)).ok()
        const two = await ana.memories.create(claim('Acme', second)).ok()
        expect(two).to.deep.include({ status: 'active', superseded_by: [] })
        expect(await stateOf(one.id)).to.equal('active')
      })

    it('is not found in another fleet, another author’s private memory or another tenant', async () => {
      const blue = await tenant.caller({ agentId: 'blu', fleetId: 'blue' })
      const team = await ana.memories.create(claim('Acme')).ok()
      const secret = await ana.memories.create(claim('Acme', { visibility: 'scope_agent' })).ok()
      expect(await blue.memories.create(claim('Globex')).ok()).to.deep.include({ status: 'active', superseded_by: [] })
      expect(await ben.memories.create(claim('Globex', { visibility: 'scope_agent' })).ok()).to.deep.include({
        status: 'active',
      })
      for (const { id } of [team, secret]) expect((await ana.memories.get(id)).body.status).to.equal('active')
    })

    it('is found when a change alters the claim', async () => {
      const one = await ana.memories.create(claim('Acme')).ok()
      const two = await ana.memories.create(claim('Acme', { run_id: 'r' })).ok()
      const changed = await ana.memories.patch(two.id, { object_value: 'Globex' }).ok()
      expect(changed.superseded_by[0]).to.deep.include({ old_memory_id: one.id, new_memory_id: two.id })
      expect(await stateOf(one.id)).to.equal('outdated')
    })

    const [january, june] = ['2024-01-01T00:00:00.000Z', '2024-06-01T00:00:00.000Z']
    const untilJune = { ts_valid_start: january, ts_valid_end: june }
    const changes: [what: string, first: Fields, second: Fields, changed: Fields][] = [
      ['the predicate', {}, { predicate: 'lives_in' }, { predicate: 'works_at' }],
      ['its visibility', {}, { visibility: 'scope_org' }, { visibility: 'scope_team' }],
      [
        'the start of its validity',
        untilJune,
        { ts_valid_start: june },
        { ts_valid_start: '2024-05-01T00:00:00.000Z' },
      ],
      ['the end of its validity', { ts_valid_start: june }, untilJune, { ts_valid_end: '2024-07-01T00:00:00.000Z' }],
    ]
    for (const [what, first, second, changed] of changes)
      it(`is found by a change of ${what}`, async () => {
        const one = await ana.memories.create(claim('Acme', first)).ok()
        const two = await ana.memories.create(claim('Globex', second)).ok()
        expect([await stateOf(one.id), two.status]).to.deep.equal(['active', 'active'])
        await ana.memories.patch(two.id, changed).ok()
        expect([await stateOf(one.id), await stateOf(two.id)].sort()).to.deep.equal(['active', 'outdated'])
      })

    it('is found when a change extends an expired claim', async () => {
      const expiresAt = new Date(Date.now() + 500).toISOString()
      const expired = await ana.memories.create(claim('Acme', { expires_at: expiresAt })).ok()
      await until('the expiry has passed', () => expect(Date.now()).to.be.greaterThan(Date.parse(expiresAt)))
      const standing = await ana.memories.create(claim('Globex')).ok()
      expect(standing.superseded_by).to.deep.equal([])
      const back = await ana.memories.patch(expired.id, { expires_at: null }).ok()
      expect(back.status).to.equal('outdated')
      expect(back.superseded_by[0]).to.deep.include({ new_memory_id: standing.id, direction: 'flipped' })
    })

    it('is found among items of one bulk, in order', async () => {
      const { body } = await ana.memories.createMany(['Acme', 'Globex', 'Initech'].map((object) => claim(object)))
      const states = await Promise.all(body.results.map(({ id }) => stateOf(id!)))
      expect(states).to.deep.equal(['outdated', 'outdated', 'active'])
    })

    it('is found among hundreds of memories, and shown for as many as a record may contain', async () => {
      const claims = (object: string) => Array.from({ length: 100 }, (_, i) => claim(object, { run_id: `${i}` }))
      expect((await ana.memories.createMany(claims('Acme'))).body.created).to.equal(100)
      const { status, body } = await ben.memories.createMany(claims('Globex'))
      expect(status).to.equal(200)
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 1, conflicted: 200 })
      const conflicted = await ana.memories.listAll({ status: 'conflicted' })
      expect([...new Set(conflicted.map(({ superseded_by: shown }) => shown.length))]).to.deep.equal([50])
      const lineage = await ben.memories.lineage(body.results[0]!.id!)
      expect(lineage.body.items.map((row) => row.agent_id)).to.deep.equal([
        ...Array<string>(100).fill('ana'),
        ...Array<string>(100).fill('ben'),
      ])
      // Explicit supersessions are listed before those that were found.
      const [first] = conflicted.filter(({ agent_id: agentId }) => agentId === 'ana')
      const newer = await ana.memories.create({ content: 'Acme it is.', supersedes_id: first!.id }).ok()
      const { body: older } = await ana.memories.get(first!.id)
      expect(older.superseded_by).to.have.length(50)
      expect(older.superseded_by.at(-1)).to.deep.include({ reason: 'explicit', new_memory_id: newer.id })
    })

    it('leaves one standing claim of many written concurrently', async () => {
      const objects = Array.from({ length: 10 }, (_, i) => `Company ${i}`)
      await Promise.all(objects.map((object) => ana.memories.create(claim(object)).ok()))
      const rows = (await ana.memories.listAll()).filter(({ predicate }) => predicate !== null)
      expect(rows.filter(({ status }) => status === 'active')).to.have.length(1)
      expect(rows.filter(({ status }) => status === 'outdated')).to.have.length(9)
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 2, outdated: 9 })
    })
  })
})

import { expect } from 'chai'
import { textHash } from '../../domain/memory-draft.js'
import { storeVectors } from '../../store/vectors.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTeam, newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** PATCH, moves of status one by one and in bulk, and feedback. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  describe('changing a memory', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

    it('changes the named fields, clears those that are null and keeps the rest', async () => {
      const row = await ana.memories
        .create({
          content: 'The fox sleeps.',
          title: 'Fox',
          run_id: 'run',
          metadata: { a: 1, b: 2 },
          entity_links: [{ name: 'Den', role: 'place' }],
          ts_valid_start: '2024-01-01T00:00:00.000Z',
        })
        .ok()
      const answer = await ana.memories.patch(row.id, {
        content: ' The fox hunts. ',
        title: null,
        metadata: { c: 3 },
        weight: 0.75,
        memory_type: 'semantic',
        entity_links: [{ name: 'Wood' }],
        visibility: 'scope_org',
      })
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('ETag')).to.equal('"2"')
      const { entity_links: links, updated_at: updatedAt, ...body } = answer.body
      expect(body).to.deep.include({
        content: ' The fox hunts. ',
        title: null,
        metadata: { c: 3 },
        weight: 0.75,
        memory_type: 'fact',
        visibility: 'scope_org',
        run_id: 'run',
        ts_valid_start: '2024-01-01T00:00:00.000Z',
        created_at: row.created_at,
        version: 2,
        usage: null,
      })
      expect(links.map(({ name, role }: { name: string; role: string | null }) => [name, role])).to.deep.equal([
        ['Wood', null],
      ])
      expect(Date.parse(updatedAt)).to.be.at.least(Date.parse(row.updated_at))
      expect((await ana.memories.get(row.id)).body).to.deep.equal({ ...answer.body })
    })

    for (const state of ['just written', 'indexed'])
      it(`recalls the new text of a memory that was ${state}, and no longer the old one`, async () => {
        const row = await ana.memories.create('The fox sleeps in the den.').ok()
        await ana.memories.create('A heron fishes.').ok()
        if (state === 'indexed') await settled(service())
        await ana.memories.patch(row.id, { content: 'An otter swims in the river.' }).ok()
        expect(await ana.memories.recallContents('otter river')).to.include('An otter swims in the river.')
        expect(await ana.memories.recallContents('fox den')).to.not.include('The fox sleeps in the den.')
        await settled(service())
        expect((await ana.memories.recallContents('otter river'))[0]).to.equal('An otter swims in the river.')
        // Found by the index's own copy, which only the change can have written.
        const { memories } = await ana.memories.recall('otter river', { explain: true }).ok()
        expect(memories[0]!.explanation!.legs).to.include('keyword')
      })

    it('hides a memory at once when it becomes private, and keeps the counts exact', async () => {
      const row = await ana.memories.create({ content: 'A fox.', visibility: 'scope_org' }).ok()
      await settled(service())
      expect(await ben.memories.recallContents('fox')).to.deep.equal(['A fox.'])
      await ana.memories.patch(row.id, { visibility: 'scope_agent', memory_type: 'decision', status: 'confirmed' }).ok()
      expect(await ben.memories.recallContents('fox')).to.deep.equal([])
      expect((await ben.memories.get(row.id)).status).to.equal(404)
      expect((await ben.memories.stats()).body.total).to.equal(0)
      expect((await ana.memories.stats()).body).to.deep.equal({
        total: 1,
        by_type: { decision: 1 },
        by_agent: { ana: 1 },
        by_status: { confirmed: 1 },
      })
    })

    it('shows an operator who makes a memory private no other private data of its author', async () => {
      const row = await ana.memories.create({ content: 'A fox.', visibility: 'scope_agent' }).ok()
      const newer = await ana.memories
        .create({ content: 'No fox.', visibility: 'scope_org', supersedes_id: row.id })
        .ok()
      const { body } = await operator.memories.patch(newer.id, { visibility: 'scope_agent' })
      expect(body.superseded_by).to.deep.equal([])
      expect((await operator.memories.get(newer.id)).status).to.equal(404)
      expect((await ana.memories.get(newer.id)).body.superseded_by).to.have.length(1)
    })

    it('removes the vector of a text that no memory has any more', async () => {
      const isKept = (content: string, title: string | null = null) =>
        service().context.store.read({ tenantId: tenant.id }, async ({ db }) => {
          const rows = await db.selectFrom('vectors').select('text_hash').execute()
          return rows.some(({ text_hash: hash }) => hash.equals(textHash({ title, content })))
        })
      const [fox, heron] = ['The fox sleeps in its den.', 'The heron stands by the river.']
      const row = await ana.memories.create(fox).ok()
      const other = await ben.memories.create(fox).ok()
      // Vectors of the built-in model are not stored separately.
      const keep = (content: string) =>
        service().context.store.transact({ tenantId: tenant.id }, (writer) =>
          storeVectors(writer, 'm', [{ textHash: textHash({ title: null, content }), vector: Float32Array.of(1) }]),
        )
      await keep(fox)
      await ana.memories.patch(row.id, { content: heron }).ok()
      expect(await isKept(fox)).to.equal(true)
      await keep(heron)
      await ana.memories.patch(row.id, { weight: 0.9 }).ok()
      expect(await isKept(heron)).to.equal(true)
      await ben.memories.patch(other.id, { title: 'Fox' }).ok()
      expect(await isKept(fox)).to.equal(false)
      await ana.memories.patch(row.id, { content: 'The boat is painted red.' }).ok()
      expect(await isKept(heron)).to.equal(false)
    })

    it('does not show the id of a private duplicate to an operator', async () => {
      const row = await ana.memories.create('The fox sleeps.').ok()
      const secret = await ana.memories.create({ content: 'The fox hunts.', visibility: 'scope_agent' }).ok()
      const told = await ana.memories.patch(row.id, { content: 'The fox hunts.' })
      expect([told.status, told.body.error.details]).to.deep.equal([409, { existing_id: secret.id }])
      const refused = await operator.memories.patch(row.id, { content: 'The fox hunts.' })
      expect(refused.status).to.equal(409)
      expect(JSON.stringify(refused.body)).to.not.include(secret.id)
    })

    /** Fields of a memory, in spellings that mean the stored values. */
    const MEMORY_FIELDS = {
      content: 'The fox sleeps. ',
      title: ' Fox',
      memory_type: 'semantic',
      weight: 0.3,
      run_id: 'run',
      source_uri: 'https://example.org/fox',
      metadata: { b: { d: 1, c: [2, 1] }, a: null },
      entity_links: [
        { name: 'Den', role: 'place', entity_type: 'hole' },
        { name: 'den', role: 'place' },
        { name: 'Wood' },
      ],
      expires_at: '2100-01-01T01:00:00+01:00',
      ts_valid_start: '2024-01-01T00:00:00Z',
      ts_valid_end: null,
      predicate: 'works_at',
      object_value: 'Wood Ltd',
      status: 'confirmed',
      visibility: 'scope_org',
      confidence: 0.7,
      scope: { about: 'foxes' },
    }

    it('changes nothing when all values are the same, and answers with the current version', async () => {
      const row = await ana.memories.create(MEMORY_FIELDS).ok()
      await settled(service())
      const { body: known } = await ana.memories.get(row.id)
      const events = async () => (await operator.audit.list({ subject_id: row.id })).body.items
      const audited = await events()
      const [den, wood] = ['Den', 'Wood'].map(
        (name) => known.entity_links.find((link: { name: string }) => link.name === name)!.entity_id,
      )
      const byId = [{ entity_id: wood }, { entity_id: den!.toUpperCase(), role: 'place', entity_type: 'hole' }]
      for (const again of [
        MEMORY_FIELDS,
        { ...MEMORY_FIELDS, entity_links: byId },
        { status: 'confirmed' },
        { title: 'Fox' },
      ]) {
        const { status, body, headers } = await ana.memories.patch(row.id, again, { 'If-Match': '"1"' })
        expect(status).to.equal(200)
        expect(headers.get('ETag')).to.equal('"1"')
        expect(body).to.deep.equal(known)
      }
      expect(await events()).to.deep.equal(audited)
      expect((await service().client().indexing.get({ tenant_id: tenant.id })).body.pending).to.equal(0)
      expect((await ana.memories.patch(row.id, MEMORY_FIELDS, { 'If-Match': '"2"' })).status).to.equal(409)
      expect((await ben.memories.patch(row.id, MEMORY_FIELDS)).status).to.equal(403)
    })

    const OTHER: Readonly<Record<string, unknown>> = {
      content: 'The fox hunts.',
      title: null,
      memory_type: 'decision',
      weight: 0.31,
      run_id: null,
      source_uri: null,
      metadata: { b: { d: 1, c: [1, 2] }, a: null },
      entity_links: [
        { name: 'Den', role: 'place', entity_type: 'hole' },
        { name: 'Wood', role: 'place' },
      ],
      expires_at: '2100-01-01T00:00:00.001Z',
      ts_valid_start: null,
      ts_valid_end: '2030-01-01T00:00:00Z',
      predicate: 'lives_in',
      object_value: 'Den Ltd',
      visibility: 'scope_team',
      confidence: null,
      scope: {},
    }

    it('changes, and audits, only the one of many fields that differs', async () => {
      for (const [field, other] of Object.entries(OTHER)) {
        const row = await ana.memories.create({ ...MEMORY_FIELDS, content: `${MEMORY_FIELDS.content}${field}` }).ok()
        const again = { ...MEMORY_FIELDS, content: `${MEMORY_FIELDS.content}${field}`, [field]: other }
        expect((await ana.memories.patch(row.id, again)).body.version, field).to.equal(2)
        const [event] = (await operator.audit.list({ subject_id: row.id })).body.items
        expect(event).to.deep.include({ action: 'memory.updated', details: { fields: [field], version: 2 } })
        await ana.memories.delete(row.id).ok()
      }
    })

    it('accepts a matching If-Match and refuses another with the current version', async () => {
      const row = await ana.memories.create('One.').ok()
      expect((await ana.memories.patch(row.id, { weight: 0.1 }, { 'If-Match': '"1"' })).status).to.equal(200)
      const late = await ana.memories.patch(row.id, { weight: 0.2 }, { 'If-Match': '"1"' })
      expect(late.status).to.equal(409)
      expect(late.body.error.details).to.deep.equal({ current_version: 2 })
      expect((await ana.memories.patch(row.id, { weight: 0.2 }, { 'If-Match': 'W/"2"' })).status).to.equal(409)
      expect((await ana.memories.patch(row.id, { weight: 0.2 }, { 'If-Match': '2' })).status).to.equal(400)
      expect((await ana.memories.get(row.id)).body.weight).to.equal(0.1)
      expect((await ana.memories.patch(row.id, { weight: 0.2 }, { 'If-Match': '"1", "2"' })).status).to.equal(200)
      expect((await ana.memories.patch(row.id, { weight: 0.3 }, { 'If-Match': '*' })).status).to.equal(200)
      expect((await ana.memories.patch(row.id, { weight: 0.4 })).body.version).to.equal(5)
    })

    it('accepts exactly one of many concurrent changes of the same version', async () => {
      const row = await ana.memories.create('One.').ok()
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => ana.memories.patch(row.id, { weight: i / 10 }, { 'If-Match': '"1"' })),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(7).fill(409)])
      expect((await ana.memories.get(row.id)).body.version).to.equal(2)
    })

    it('needs trust 1 for one’s own memories and trust 3 for others’', async () => {
      const row = await ana.memories.create({ content: 'A fox.', visibility: 'scope_org' }).ok()
      const refused = await ben.memories.patch(row.id, { weight: 1 })
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 1 })
      const trusted = await tenant.caller({ agentId: 'dan', trust: 2 })
      expect((await trusted.memories.patch(row.id, { weight: 1 })).status).to.equal(403)
      expect((await trusted.memories.move([row.id], 'archived')).body.results[0]).to.deep.include({ status: 'error' })
      expect((await operator.memories.patch(row.id, { weight: 1 })).status).to.equal(200)
      const secret = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      expect((await operator.memories.patch(secret.id, { weight: 1 })).status).to.equal(404)
      const restricted = await tenant.caller({ agentId: 'cy', trust: 0 })
      expect((await restricted.memories.patch(row.id, { weight: 1 })).status).to.equal(403)
      await ana.memories.delete(row.id).ok()
      expect((await ana.memories.patch(row.id, { weight: 1 })).status).to.equal(404)
    })

    it('refuses what a write would refuse, and changes nothing', async () => {
      const row = await ana.memories.create('One.').ok()
      expect(faultsOf(await ana.memories.patch(row.id, { content: '  ' }))).to.deep.equal(['body.content'])
      expect(faultsOf(await ana.memories.patch(row.id, { content: null }))).to.deep.equal(['body.content'])
      expect(faultsOf(await ana.memories.patch(row.id, { agent_id: 'ben' }))).to.deep.equal(['body.agent_id'])
      expect(faultsOf(await ana.memories.patch(row.id, { expires_at: '2020-01-01T00:00:00Z' }))).to.deep.equal([
        'body.expires_at',
      ])
      expect(faultsOf(await ana.memories.patch(row.id, {}))).to.deep.equal(['body'])
      await ana.memories.patch(row.id, { ts_valid_start: '2024-01-01T00:00:00Z' }).ok()
      expect(faultsOf(await ana.memories.patch(row.id, { ts_valid_end: '2023-01-01T00:00:00Z' }))).to.deep.equal([
        'body.ts_valid_end',
      ])
      const nobodys = await operator.memories.create('Of nobody.').ok()
      expect(faultsOf(await operator.memories.patch(nobodys.id, { visibility: 'scope_agent' }))).to.deep.equal([
        'body.visibility',
      ])
      const unknown = '01890000-0000-7000-8000-000000000000'
      expect((await ana.memories.patch(row.id, { subject_entity_id: unknown })).status).to.equal(404)
      expect((await ana.memories.get(row.id)).body).to.deep.include({ version: 2, content: 'One.' })
    })

    it('refuses the text of another live memory until that one is deleted', async () => {
      const one = await ana.memories.create('One.').ok()
      const two = await ana.memories.create('Two.').ok()
      const refused = await ana.memories.patch(two.id, { content: 'One. ' })
      expect(refused.status).to.equal(409)
      expect(refused.body.error.details).to.deep.equal({ existing_id: one.id })
      expect((await ana.memories.get(two.id)).body).to.deep.include({ version: 1, content: 'Two.' })
      await ana.memories.patch(one.id, { status: 'archived' }).ok()
      await ana.memories.patch(two.id, { content: 'One. ' }).ok()
      const back = await ana.memories.patch(one.id, { status: 'active' })
      expect(back.status).to.equal(409)
      expect(back.body.error.details).to.deep.equal({ existing_id: two.id })
    })

    it('accepts the text of an expired memory, which becomes outdated', async () => {
      const expiresAt = new Date(Date.now() + 500).toISOString()
      const expired = await ana.memories.create({ content: 'One.', expires_at: expiresAt }).ok()
      const row = await ana.memories.create('Two.').ok()
      expect((await ana.memories.patch(row.id, { content: 'One.' })).status).to.equal(409)
      await until('the expiry has passed', () => expect(Date.now()).to.be.greaterThan(Date.parse(expiresAt)))
      expect((await ana.memories.patch(row.id, { content: 'One.' }).ok()).content).to.equal('One.')
      expect((await ana.memories.get(expired.id)).body.status).to.equal('outdated')
      const { body } = await operator.audit.list({ subject_id: expired.id })
      expect(body.items[0]).to.deep.include({ action: 'memory.status_changed' })
      expect(body.items[0]!.details).to.deep.include({ from: 'active', to: 'outdated', reason: 'expired' })
    })

    const MOVES: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
      active: { active: true, pending: true, confirmed: true, cancelled: true, archived: true },
      pending: { active: true, pending: true, confirmed: true, cancelled: true, archived: true },
      confirmed: { active: true, pending: true, confirmed: true, cancelled: true, archived: true },
      archived: { active: true, pending: false, confirmed: false, cancelled: false, archived: true },
      cancelled: { active: false, pending: false, confirmed: false, cancelled: true, archived: false },
      outdated: { active: false, pending: false, confirmed: false, cancelled: false, archived: false },
    }

    async function memoryIn(status: string, content: string): Promise<string> {
      const row = await ana.memories.create({ content }).ok()
      if (status === 'outdated') await ana.memories.create({ content: `Not ${content}`, supersedes_id: row.id }).ok()
      else if (status !== 'active') await ana.memories.patch(row.id, { status }).ok()
      return row.id
    }

    for (const [from, targets] of Object.entries(MOVES))
      it(`changes the status from ${from} to the allowed ones, singly and in bulk`, async () => {
        for (const [to, allowed] of Object.entries(targets)) {
          const [one, two] = [await memoryIn(from, `${to} 1`), await memoryIn(from, `${to} 2`)]
          const single = await ana.memories.patch(one, { status: to })
          const bulk = await ana.memories.move([two], to)
          expect(single.status, `${from} to ${to}`).to.equal(allowed ? 200 : 409)
          expect(bulk.status).to.equal(allowed ? 200 : 207)
          expect(bulk.body.results[0]!.status).to.equal(allowed ? (from === to ? 'unchanged' : 'moved') : 'error')
          if (!allowed) {
            expect(single.body.error.details).to.deep.equal({ from, to })
            expect(bulk.body.results[0]!.error).to.deep.include({ code: 'CONFLICT', details: { from, to } })
          }
          for (const id of [one, two]) expect((await ana.memories.get(id)).body.status).to.equal(allowed ? to : from)
        }
      })

    it('refuses statuses that only the service may set', async () => {
      const row = await ana.memories.create('One.').ok()
      for (const status of ['outdated', 'conflicted', 'deleted']) {
        expect(faultsOf(await ana.memories.patch(row.id, { status }))).to.deep.equal(['body.status'])
        expect(faultsOf(await ana.memories.move([row.id], status))).to.deep.equal(['body.status'])
      }
    })

    it('changes the status of many memories, each with an outcome of its own', async () => {
      const mine = await Promise.all(['One.', 'Two.'].map((content) => ana.memories.create(content).ok()))
      const his = await ben.memories.create({ content: 'His.', visibility: 'scope_org' }).ok()
      const secret = await ben.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      const unknown = '01890000-0000-7000-8000-000000000000'
      const ids = [mine[0]!.id, his.id, secret.id, unknown, mine[1]!.id.toUpperCase()]
      const { status, body } = await ana.memories.move(ids, 'archived')
      expect(status).to.equal(207)
      expect(body).to.deep.include({ moved: 2, unchanged: 0, errors: 3 })
      expect(body.results.map((result: { error?: { code: string } }) => result.error?.code ?? 'moved')).to.deep.equal([
        'moved',
        'FORBIDDEN',
        'NOT_FOUND',
        'NOT_FOUND',
        'moved',
      ])
      expect((await ben.memories.get(his.id)).body.status).to.equal('active')
      expect(await ana.memories.recallContents('One')).to.not.include('One.')
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ archived: 2, active: 1 })
    })

    it('reactivates a memory in bulk, unless another memory has its text by then', async () => {
      const [one, two] = await Promise.all(['One.', 'Two.'].map((content) => ana.memories.create(content).ok()))
      await ana.memories.move([one!.id, two!.id], 'archived')
      const again = await ana.memories.create('One.').ok()
      const { body } = await ana.memories.move([one!.id, two!.id], 'active')
      expect(body.results[0]).to.deep.include({ status: 'error' })
      expect(body.results[0]!.error!.details).to.deep.equal({ existing_id: again.id })
      expect(body.results[1]!.status).to.equal('moved')
      expect(await ana.memories.total()).to.equal(3)
    })

    it('changes a memory once when a bulk names it in two spellings', async () => {
      const row = await ana.memories.create('One.').ok()
      await ana.memories.move([row.id], 'archived')
      const { body } = await ana.memories.move([row.id, row.id.toUpperCase()], 'active')
      expect(body).to.deep.equal({ moved: 1, unchanged: 0, errors: 0, results: [{ id: row.id, status: 'moved' }] })
      expect((await ana.memories.stats()).body.by_status).to.deep.equal({ active: 1 })
    })

    it('reactivates a memory in bulk that supersedes another one of the bulk', async () => {
      const { entity_links: links } = await ana.memories
        .create({ content: 'Carol.', entity_links: [{ name: 'Carol' }] })
        .ok()
      const claim = { subject_entity_id: links[0]!.entity_id, predicate: 'works_at' }
      const back = await ana.memories.create({ ...claim, content: 'Acme.', object_value: 'Acme' }).ok()
      await ana.memories.move([back.id], 'archived')
      const pending = await ana.memories
        .create({ ...claim, content: 'Globex.', object_value: 'Globex', status: 'pending' })
        .ok()
      await ana.memories.patch(back.id, { ts_valid_start: '2100-01-01T00:00:00Z' }).ok()
      const { status, body } = await ana.memories.move([back.id, pending.id], 'active')
      expect(status).to.equal(200)
      expect(body).to.deep.include({ moved: 2, errors: 0 })
      expect((await ana.memories.get(back.id)).body.status).to.equal('active')
      expect((await ana.memories.get(pending.id)).body.status).to.equal('outdated')
    })
  })

  describe('feedback', () => {
    it('changes the weight within its limits, for every caller that sees the memory', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const row = await ana.memories.create({ content: 'A fox.' }).ok()
      const weigh = async (caller: Caller, outcome: string) => (await caller.memories.rate(row.id, outcome)).body.weight
      expect(await weigh(ben, 'success')).to.be.closeTo(0.6, 1e-6)
      expect(await weigh(ben, 'failure')).to.be.closeTo(0.45, 1e-6)
      expect(await weigh(ana, 'partial')).to.be.closeTo(0.48, 1e-6)
      await ana.memories.patch(row.id, { weight: 0.95 }).ok()
      expect(await weigh(ben, 'success')).to.equal(1)
      await ana.memories.patch(row.id, { weight: 0.1 }).ok()
      const last = await ben.memories.rate(row.id, 'failure', { run_id: 'r1' })
      expect(last.body.weight).to.be.closeTo(0.05, 1e-6)
      expect(last.headers.get('ETag')).to.equal(`"${last.body.version}"`)
      expect(last.body.version).to.equal(8)

      const foreign = await tenant.caller({ agentId: 'cy', fleetId: 'blue' })
      expect((await foreign.memories.rate(row.id, 'success')).status).to.equal(404)
      const restricted = await tenant.caller({ agentId: 'dee', fleetId: 'red', trust: 0 })
      expect((await restricted.memories.rate(row.id, 'success')).status).to.equal(403)
      expect(faultsOf(await ben.memories.rate(row.id, 'great'))).to.deep.equal(['body.outcome'])
      await ana.memories.delete(row.id).ok()
      expect((await ben.memories.rate(row.id, 'success')).status).to.equal(404)
    })

    it('loses none of many concurrent changes', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      const row = await ana.memories.create({ content: 'A fox.', weight: 0.2 }).ok()
      await Promise.all(Array.from({ length: 10 }, () => ana.memories.rate(row.id, 'partial')))
      expect((await ana.memories.get(row.id)).body).to.deep.include({ version: 11 })
      expect((await ana.memories.get(row.id)).body.weight).to.be.closeTo(0.5, 1e-6)
    })
  })
})

import { expect } from 'chai'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { Keystone } from '../support/clients/keystones.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

type Row = Readonly<Record<string, unknown>>

/** Tests the records about rules: versions, audit events, personal data and acknowledgements. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let tenant: TestTenant
  let ana: Caller, ben: Caller, restricted: Caller, operator: Caller, key: Caller
  beforeEach(async () => {
    tenant = newTenant(service())
    ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
    restricted = await tenant.caller({ agentId: 'zoe', fleetId: 'red', trust: 0 })
    operator = await tenant.caller({ agentId: 'olga', trust: 3 })
    key = await tenant.caller({ trust: 2 })
  })
  const levels = (required: number, caller: number) => ({ required_trust_level: required, caller_trust_level: caller })
  const tagOf = async (caller: Caller, query = {}) => (await caller.keystones.list(query)).headers.get('ETag')!

  describe('versions of a rule', () => {
    it('show text and author, newest first, and remain when the rule is deleted', async () => {
      const first = await operator.keystones.set({ doc_id: 'x', content: 'One.' }).ok()
      await key.keystones.set({ doc_id: 'x', content: 'Two.', scope: 'fleet', fleet_id: 'red', weight: 'high' }).ok()
      await operator.keystones.delete('x')
      await tenant.admin.keystones.set({ doc_id: 'x', content: 'Three.' }).ok()
      const { status, body } = await ana.keystones.versions('x')
      expect([status, body.next_cursor]).to.deep.equal([200, null])
      const seen = (body.items as Row[]).map((item) =>
        ['version', 'change', 'content', 'scope', 'author_agent_id', 'author_kind'].map((name) => item[name]),
      )
      expect(seen).to.deep.equal([
        [4, 'created', 'Three.', 'tenant', null, 'admin'],
        [3, 'deleted', 'Two.', 'fleet', 'olga', 'agent'],
        [2, 'updated', 'Two.', 'fleet', null, 'tenant'],
        [1, 'created', 'One.', 'tenant', 'olga', 'agent'],
      ])
      const { created_at, updated_at: _, ...said } = first
      expect(body.items[3]).to.deep.equal({ ...said, change: 'created', author_kind: 'agent', at: created_at })
      expect(((await ana.keystones.list()).body as Keystone[])[0]!.version).to.equal(4)
    })

    it('are listed page by page, with cursors valid for this rule only', async () => {
      for (let i = 0; i < 5; i++)
        for (const doc_id of ['x', 'y']) await key.keystones.set({ doc_id, content: `${i}` }).ok()
      const seen: number[] = []
      let cursor: string | null | undefined
      do {
        const { body } = await ana.keystones.versions('x', { limit: 2, ...(cursor != null && { cursor }) })
        seen.push(...body.items.map(({ version }) => version))
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen).to.deep.equal([5, 4, 3, 2, 1])
      const foreign = (await ana.keystones.versions('y', { limit: 2 })).body.next_cursor as string
      expect((await ana.keystones.versions('x', { limit: 2, cursor: foreign })).status).to.equal(400)
    })

    it('need trust 1 and a rule that exists or existed', async () => {
      await key.keystones.set({ doc_id: 'x' }).ok()
      expect((await restricted.keystones.versions('x')).body.error.details).to.deep.equal(levels(1, 0))
      expect((await ana.keystones.versions('y')).status).to.equal(404)
      expect(faultsOf(await ana.keystones.versions('Y'))).to.deep.equal(['path.doc_id'])
    })
  })

  it('every change of a rule is in the audit log with its actor, and no refused change', async () => {
    await key.actingAs('olga').keystones.set({ doc_id: 'x' }).ok()
    await ana.keystones.set({ doc_id: 'x', content: 'Refused.' })
    await ana.keystones.delete('x')
    await ana.keystones.acknowledge('run', await tagOf(ana))
    await key.keystones.set({ doc_id: 'x', content: 'Secret words.', weight: 'high' }).ok()
    await tenant.admin.keystones.delete('x')
    const { body } = await operator.audit.list({ subject_id: 'x' })
    expect(JSON.stringify(body)).to.not.contain('Secret words')
    const reach = { scope: 'tenant', fleet_id: null, agent_id: null }
    expect((body.items as Row[]).map(({ action, actor, subject, details }) => ({ action, actor, subject, details }))) //
      .to.deep.equal([
        {
          action: 'keystone.deleted',
          actor: { kind: 'admin', agent_id: null, key_id: null },
          subject: { kind: 'keystone', id: 'x' },
          details: { version: 3, weight: 'high', ...reach },
        },
        {
          action: 'keystone.updated',
          actor: { kind: 'tenant', agent_id: null, key_id: body.items[1]!.actor.key_id },
          subject: { kind: 'keystone', id: 'x' },
          details: { version: 2, weight: 'high', fields: ['content', 'weight'], ...reach },
        },
        {
          action: 'keystone.created',
          actor: { kind: 'tenant', agent_id: 'olga', key_id: body.items[1]!.actor.key_id },
          subject: { kind: 'keystone', id: 'x' },
          details: { version: 1, weight: 'low', ...reach },
        },
      ])
    expect((await operator.audit.list({ action: 'keystone.updated' })).body.items).to.have.length(1)
  })

  describe('personal data in a rule', () => {
    const EMAIL = 'ana.lopez@example.com'
    const choose = (pii_policy: string) => tenant.admin.settings.patch({ memory: { pii_policy } }).ok()
    const fields = { doc_id: 'x', title: `Ask ${EMAIL}`, content: `Write to ${EMAIL}, or call +49 170 1234567.` }

    it('is flagged and kept, unless the tenant chose otherwise', async () => {
      const rule = await key.keystones.set(fields).ok()
      expect([rule.title, rule.content]).to.deep.equal([fields.title, fields.content])
      const pii = { kinds: ['email', 'phone'], count: 3 }
      expect(rule.system_metadata.pii).to.deep.include(pii)
      expect(Object.keys(rule.system_metadata.pii!.fields).sort()).to.deep.equal(['content', 'title'])
      expect((await ana.keystones.list()).body).to.deep.equal([rule])
      expect((await key.keystones.set({ doc_id: 'x', content: 'Ask.' }).ok()).system_metadata).to.deep.equal({})
    })

    it('is masked before anything is stored, in every version', async () => {
      await choose('mask')
      const rule = await key.keystones.set(fields).ok()
      expect([rule.title, rule.content]).to.deep.equal(['Ask [email]', 'Write to [email], or call [phone].'])
      const kept = JSON.stringify([(await ana.keystones.list()).body, (await ana.keystones.versions('x')).body])
      expect(kept).to.contain('[email]').and.not.contain(EMAIL).and.not.contain('1234567')
      // Texts that are equal once masked are equal.
      expect((await key.keystones.set({ ...fields, title: 'Ask ben@example.com' }).ok()).version).to.equal(1)
    })

    it('is refused with 422 that names the kinds and never the value', async () => {
      const before = await key.keystones.set({ doc_id: 'x' }).ok()
      await choose('refuse')
      const answer = await key.keystones.set(fields)
      expect(faultsOf(answer).sort()).to.deep.equal(['body.content', 'body.title'])
      expect(JSON.stringify(answer.body)).to.contain('email').and.not.contain(EMAIL)
      expect((await ana.keystones.list()).body).to.deep.equal([before])
      expect((await key.keystones.set({ doc_id: 'x', content: 'Write to nobody.' })).status).to.equal(200)
    })
  })

  describe('an acknowledgement', () => {
    it('records that a run of the acting agent has received the list with this entity tag', async () => {
      await key.keystones.set({ doc_id: 'x' }).ok()
      const etag = await tagOf(ana)
      const { status, body } = await ana.keystones.acknowledge('run-1', etag)
      expect(status).to.equal(200)
      expect(body).to.deep.include({ agent_id: 'ana', fleet_id: 'red', run_id: 'run-1', etag, current: true })
      expect((await key.keystones.coverage()).body).to.deep.equal({ etag: await tagOf(key), count: 1, agents: [body] })
      for (const way of [etag.slice(1, -1), `W/${etag}`])
        expect((await ana.keystones.acknowledge('run-1', way)).body).to.deep.equal(body)
      expect((await key.actingAs('ben').keystones.acknowledge('run-2', await tagOf(ben))).body).to.include({
        agent_id: 'ben',
      })
    })

    it('is open to trust 0, like the list', async () => {
      await key.keystones.set({ doc_id: 'x' }).ok()
      const { status, body } = await restricted.keystones.acknowledge('run', await tagOf(restricted))
      expect([status, body.current]).to.deep.equal([200, true])
    })

    it('of an older list, or of another agent’s, is accepted and not current', async () => {
      const old = await tagOf(ana)
      await key.keystones.set({ doc_id: 'x' }).ok()
      expect((await ana.keystones.acknowledge('run', old)).body.current).to.equal(false)
      await key.keystones.set({ doc_id: 'of-ben', scope: 'agent', agent_id: 'ben' }).ok()
      expect((await ana.keystones.acknowledge('run', await tagOf(ana, { agent_id: 'ben' }))).body.current).to.equal(
        false,
      )
      expect((await ana.keystones.acknowledge('run', await tagOf(ana))).body.current).to.equal(true)
    })

    it('of a tag that was never issued to this tenant is refused', async () => {
      const etag = await tagOf(ana)
      const theirs = await newTenant(service()).caller({ agentId: 'ana', trust: 2 })
      await theirs.keystones.set({ doc_id: 'x' }).ok()
      const other = etag.replace(/"(.)/, (_, first: string) => `"${first === '0' ? '1' : '0'}`)
      const unknown = [other, '"1"', '*', 'x', `${etag}, ${etag}`, etag.toUpperCase(), await tagOf(theirs)]
      for (const tag of unknown)
        expect(faultsOf(await ana.keystones.acknowledge('run', tag)), tag).to.deep.equal(['body.etag'])
      expect((await key.keystones.coverage()).body.agents).to.deep.equal([])
    })

    it('needs an acting agent, a run and a tag', async () => {
      const etag = await tagOf(key)
      expect(faultsOf(await key.keystones.acknowledge('run', etag))).to.deep.equal(['header.X-Agent-ID'])
      expect(faultsOf(await tenant.admin.keystones.acknowledge('run', etag))).to.deep.equal(['header.X-Agent-ID'])
      expect((await key.actingAs('nobody').keystones.acknowledge('run', etag)).status).to.equal(403)
      expect((await ana.actingAs('ben').keystones.acknowledge('run', etag)).status).to.equal(403)
      expect(faultsOf(await ana.keystones.acknowledge('', ''))).to.deep.equal(['body.run_id', 'body.etag'])
      expect(faultsOf(await ana.keystones.acknowledge('r'.repeat(201), etag))).to.deep.equal(['body.run_id'])
      const body = { tenant_id: tenant.id, run_id: 'run', etag, agent_id: 'ana' }
      expect(faultsOf(await ana.call('acknowledgeKeystones', { body }))).to.deep.equal(['body.agent_id'])
    })
  })

  describe('coverage', () => {
    const seen = async (caller: Caller, query = {}) => {
      const { status, body } = await caller.keystones.coverage(query)
      if (status !== 200) return status
      expect(body.count).to.equal((body.agents as Row[]).length)
      return (body.agents as Row[]).map(({ agent_id, run_id, current }) => [agent_id, run_id, current])
    }

    it('shows which agent has which list, compared with the agent’s own list', async () => {
      await key.keystones.set({ doc_id: 'of-ana', scope: 'agent', agent_id: 'ana' }).ok()
      await key.keystones.set({ doc_id: 'of-blue', scope: 'fleet', fleet_id: 'blue' }).ok()
      for (const caller of [ana, ben, restricted]) await caller.keystones.acknowledge('first', await tagOf(caller))
      expect(await seen(key)).to.deep.equal([
        ['ana', 'first', true],
        ['ben', 'first', true],
        ['zoe', 'first', true],
      ])
      await key.keystones.set({ doc_id: 'of-blue', scope: 'fleet', fleet_id: 'blue', content: 'New.' }).ok()
      expect(await seen(key, { current: true })).to.deep.equal([
        ['ana', 'first', true],
        ['zoe', 'first', true],
      ])
      expect(await seen(key, { current: false })).to.deep.equal([['ben', 'first', false]])
      await key.keystones.set({ doc_id: 'of-all' }).ok()
      expect(await seen(key, { current: true })).to.deep.equal([])
      await ben.keystones.acknowledge('second', await tagOf(ben))
      expect(await seen(key)).to.deep.equal([
        ['ana', 'first', false],
        ['ben', 'second', true],
        ['zoe', 'first', false],
      ])
      expect(await seen(key, { run_id: 'first' })).to.deep.equal([
        ['ana', 'first', false],
        ['ben', 'first', false],
        ['zoe', 'first', false],
      ])
      expect((await key.keystones.coverage()).body.etag).to.equal(await tagOf(key))
      expect((await key.keystones.coverage({ fleet_id: 'blue' })).body.etag).to.equal(
        await tagOf(key, { fleet_id: 'blue' }),
      )
    })

    it('shows since when, which a repeated acknowledgement does not change', async () => {
      const etag = await tagOf(ana)
      const { acknowledged_at: since } = (await ana.keystones.acknowledge('run', etag)).body
      expect((await ana.keystones.acknowledge('run', etag)).body.acknowledged_at).to.equal(since)
      await key.keystones.set({ doc_id: 'x' }).ok()
      const { body } = await ana.keystones.acknowledge('run', await tagOf(ana))
      expect(Date.parse(body.acknowledged_at)).to.be.greaterThan(Date.parse(since))
    })

    it('leaves out deleted agents, and agents without an acknowledgement unless requested', async () => {
      await ana.keystones.acknowledge('run', await tagOf(ana))
      const { body } = await key.keystones.coverage({ include_silent: true, fleet_id: 'blue' })
      const nulls = { run_id: null, etag: null, acknowledged_at: null, current: false }
      expect(body.agents).to.deep.equal([{ agent_id: 'ben', fleet_id: 'blue', ...nulls }])
      expect(await seen(key, { include_silent: true })).to.have.length(4)
      await operator.agents.delete('ana')
      expect(await seen(key)).to.deep.equal([])
    })

    it('of one’s own agent and fleet needs trust 1, of others trust 2', async () => {
      expect(await seen(ana, { agent_id: 'ana' })).to.deep.equal([])
      expect(await seen(ana, { fleet_id: 'red' })).to.deep.equal([])
      for (const query of [{}, { fleet_id: 'blue' }, { agent_id: 'ben' }, { agent_id: 'zoe' }])
        expect((await ana.keystones.coverage(query)).body.error.details, JSON.stringify(query)).to.deep.equal(
          levels(2, 1),
        )
      expect((await restricted.keystones.coverage({ agent_id: 'zoe' })).body.error.details).to.deep.equal(levels(1, 0))
      expect((await restricted.keystones.coverage()).body.error.details).to.deep.equal(levels(2, 0))
      // For a caller without a fleet, a request without fleet_id is not its own fleet.
      const loner = await tenant.caller({ agentId: 'loner' })
      expect((await loner.keystones.coverage()).body.error.details).to.deep.equal(levels(2, 1))
      for (const query of [{}, { fleet_id: 'blue' }, { agent_id: 'ben' }])
        expect((await key.keystones.coverage(query)).status).to.equal(200)
    })
  })

  it('an erased agent is removed as author and receiver of rules, which stay in force', async () => {
    const etag = await tagOf(operator)
    await operator.keystones.acknowledge('run', etag)
    const rule = await operator.keystones.set({ doc_id: 'x' }).ok()
    await key.keystones.set({ doc_id: 'y' }).ok()
    const before = await tagOf(ana)
    const { body } = await service().client().erasures.create({ tenant_id: tenant.id, agent_id: 'olga' })
    expect(body).to.deep.include({ complete: true })
    const rules = (await ana.keystones.list()).body as Keystone[]
    expect(rules.find(({ doc_id }) => doc_id === 'x')).to.deep.equal({ ...rule, author_agent_id: null })
    expect(await tagOf(ana)).to.not.equal(before)
    expect((await ana.keystones.versions('x')).body.items[0]!.author_agent_id).to.equal(null)
    expect((await key.keystones.coverage()).body.agents).to.deep.equal([])
  })

  it('an erased memory’s id in a rule counts as a mention, and the rule stays', async () => {
    const memory = await ana.memories.create('A fox.').ok()
    const rule = await key.keystones.set({ doc_id: memory.id, content: `See ${memory.id}.` }).ok()
    const { body } = await service()
      .client()
      .erasures.create({ tenant_id: tenant.id, memory_ids: [memory.id] })
    expect(body).to.deep.include({ complete: true })
    expect((await ana.keystones.list()).body).to.deep.equal([rule])
  })
})

import { expect } from 'chai'
import { type Caller, faultsOf, type Keystone, newTenant, type TestTenant } from '../support/caller.js'
import type { SharedService } from '../support/shared-service.js'

type Row = Readonly<Record<string, unknown>>

/** Tests the records about rules: versions, audit events, personal data and acknowledgements. */
export function describeKeystoneRecords(service: SharedService): void {
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
  const tagOf = async (caller: Caller, query = {}) => (await caller.rules(query)).headers.get('ETag')!

  describe('versions of a rule', () => {
    it('show text and author, newest first, and remain when the rule is deleted', async () => {
      const first = await operator.rule({ doc_id: 'x', content: 'One.' })
      await key.rule({ doc_id: 'x', content: 'Two.', scope: 'fleet', fleet_id: 'red', weight: 'high' })
      await operator.deleteRule('x')
      await tenant.admin.rule({ doc_id: 'x', content: 'Three.' })
      const { status, body } = await ana.ruleVersions('x')
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
      expect(((await ana.rules()).body as Keystone[])[0]!.version).to.equal(4)
    })

    it('are listed page by page, with cursors valid for this rule only', async () => {
      for (let i = 0; i < 5; i++) for (const doc_id of ['x', 'y']) await key.rule({ doc_id, content: `${i}` })
      const seen: number[] = []
      let cursor: string | null | undefined
      do {
        const { body } = await ana.ruleVersions('x', { limit: 2, ...(cursor != null && { cursor }) })
        seen.push(...(body.items as Keystone[]).map(({ version }) => version))
        cursor = body.next_cursor as string | null
      } while (cursor !== null)
      expect(seen).to.deep.equal([5, 4, 3, 2, 1])
      const foreign = (await ana.ruleVersions('y', { limit: 2 })).body.next_cursor as string
      expect((await ana.ruleVersions('x', { limit: 2, cursor: foreign })).status).to.equal(400)
    })

    it('need trust 1 and a rule that exists or existed', async () => {
      await key.rule({ doc_id: 'x' })
      expect((await restricted.ruleVersions('x')).body.error.details).to.deep.equal(levels(1, 0))
      expect((await ana.ruleVersions('y')).status).to.equal(404)
      expect(faultsOf(await ana.ruleVersions('Y'))).to.deep.equal(['path.doc_id'])
    })
  })

  it('every change of a rule is in the audit log with its actor, and no refused change', async () => {
    await key.actingAs('olga').rule({ doc_id: 'x' })
    await ana.setRule({ doc_id: 'x', content: 'Refused.' })
    await ana.deleteRule('x')
    await ana.acknowledge('run', await tagOf(ana))
    await key.rule({ doc_id: 'x', content: 'Secret words.', weight: 'high' })
    await tenant.admin.deleteRule('x')
    const { body } = await operator.audit({ subject_id: 'x' })
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
          actor: { kind: 'tenant', agent_id: null, key_id: body.items[1].actor.key_id },
          subject: { kind: 'keystone', id: 'x' },
          details: { version: 2, weight: 'high', fields: ['content', 'weight'], ...reach },
        },
        {
          action: 'keystone.created',
          actor: { kind: 'tenant', agent_id: 'olga', key_id: body.items[1].actor.key_id },
          subject: { kind: 'keystone', id: 'x' },
          details: { version: 1, weight: 'low', ...reach },
        },
      ])
    expect((await operator.audit({ action: 'keystone.updated' })).body.items).to.have.length(1)
  })

  describe('personal data in a rule', () => {
    const EMAIL = 'ana.lopez@example.com'
    const choose = (pii_policy: string) => tenant.admin.set({ memory: { pii_policy } })
    const fields = { doc_id: 'x', title: `Ask ${EMAIL}`, content: `Write to ${EMAIL}, or call +49 170 1234567.` }

    it('is flagged and kept, unless the tenant chose otherwise', async () => {
      const rule = await key.rule(fields)
      expect([rule.title, rule.content]).to.deep.equal([fields.title, fields.content])
      const pii = { kinds: ['email', 'phone'], count: 3 }
      expect(rule.system_metadata.pii).to.deep.include(pii)
      expect(Object.keys(rule.system_metadata.pii!.fields).sort()).to.deep.equal(['content', 'title'])
      expect((await ana.rules()).body).to.deep.equal([rule])
      expect((await key.rule({ doc_id: 'x', content: 'Ask.' })).system_metadata).to.deep.equal({})
    })

    it('is masked before anything is stored, in every version', async () => {
      await choose('mask')
      const rule = await key.rule(fields)
      expect([rule.title, rule.content]).to.deep.equal(['Ask [email]', 'Write to [email], or call [phone].'])
      const kept = JSON.stringify([(await ana.rules()).body, (await ana.ruleVersions('x')).body])
      expect(kept).to.contain('[email]').and.not.contain(EMAIL).and.not.contain('1234567')
      // Texts that are equal once masked are equal.
      expect((await key.rule({ ...fields, title: 'Ask ben@example.com' })).version).to.equal(1)
    })

    it('is refused with 422 that names the kinds and never the value', async () => {
      const before = await key.rule({ doc_id: 'x' })
      await choose('refuse')
      const answer = await key.setRule(fields)
      expect(faultsOf(answer).sort()).to.deep.equal(['body.content', 'body.title'])
      expect(JSON.stringify(answer.body)).to.contain('email').and.not.contain(EMAIL)
      expect((await ana.rules()).body).to.deep.equal([before])
      expect((await key.setRule({ doc_id: 'x', content: 'Write to nobody.' })).status).to.equal(200)
    })
  })

  describe('an acknowledgement', () => {
    it('records that a run of the acting agent has received the list with this entity tag', async () => {
      await key.rule({ doc_id: 'x' })
      const etag = await tagOf(ana)
      const { status, body } = await ana.acknowledge('run-1', etag)
      expect(status).to.equal(200)
      expect(body).to.deep.include({ agent_id: 'ana', fleet_id: 'red', run_id: 'run-1', etag, current: true })
      expect((await key.coverage()).body).to.deep.equal({ etag: await tagOf(key), count: 1, agents: [body] })
      for (const way of [etag.slice(1, -1), `W/${etag}`])
        expect((await ana.acknowledge('run-1', way)).body).to.deep.equal(body)
      expect((await key.actingAs('ben').acknowledge('run-2', await tagOf(ben))).body).to.include({ agent_id: 'ben' })
    })

    it('is open to trust 0, like the list', async () => {
      await key.rule({ doc_id: 'x' })
      const { status, body } = await restricted.acknowledge('run', await tagOf(restricted))
      expect([status, body.current]).to.deep.equal([200, true])
    })

    it('of an older list, or of another agent’s, is accepted and not current', async () => {
      const old = await tagOf(ana)
      await key.rule({ doc_id: 'x' })
      expect((await ana.acknowledge('run', old)).body.current).to.equal(false)
      await key.rule({ doc_id: 'of-ben', scope: 'agent', agent_id: 'ben' })
      expect((await ana.acknowledge('run', await tagOf(ana, { agent_id: 'ben' }))).body.current).to.equal(false)
      expect((await ana.acknowledge('run', await tagOf(ana))).body.current).to.equal(true)
    })

    it('of a tag that was never issued to this tenant is refused', async () => {
      const etag = await tagOf(ana)
      const theirs = await newTenant(service()).caller({ agentId: 'ana', trust: 2 })
      await theirs.rule({ doc_id: 'x' })
      const other = etag.replace(/"(.)/, (_, first: string) => `"${first === '0' ? '1' : '0'}`)
      const unknown = [other, '"1"', '*', 'x', `${etag}, ${etag}`, etag.toUpperCase(), await tagOf(theirs)]
      for (const tag of unknown) expect(faultsOf(await ana.acknowledge('run', tag)), tag).to.deep.equal(['body.etag'])
      expect((await key.coverage()).body.agents).to.deep.equal([])
    })

    it('needs an acting agent, a run and a tag', async () => {
      const etag = await tagOf(key)
      expect(faultsOf(await key.acknowledge('run', etag))).to.deep.equal(['header.X-Agent-ID'])
      expect(faultsOf(await tenant.admin.acknowledge('run', etag))).to.deep.equal(['header.X-Agent-ID'])
      expect((await key.actingAs('nobody').acknowledge('run', etag)).status).to.equal(403)
      expect((await ana.actingAs('ben').acknowledge('run', etag)).status).to.equal(403)
      expect(faultsOf(await ana.acknowledge('', ''))).to.deep.equal(['body.run_id', 'body.etag'])
      expect(faultsOf(await ana.acknowledge('r'.repeat(201), etag))).to.deep.equal(['body.run_id'])
      const body = { tenant_id: tenant.id, run_id: 'run', etag, agent_id: 'ana' }
      expect(faultsOf(await ana.client.call('acknowledgeKeystones', { body }))).to.deep.equal(['body.agent_id'])
    })
  })

  describe('coverage', () => {
    const seen = async (caller: Caller, query = {}) => {
      const { status, body } = await caller.coverage(query)
      if (status !== 200) return status
      expect(body.count).to.equal((body.agents as Row[]).length)
      return (body.agents as Row[]).map(({ agent_id, run_id, current }) => [agent_id, run_id, current])
    }

    it('shows which agent has which list, compared with the agent’s own list', async () => {
      await key.rule({ doc_id: 'of-ana', scope: 'agent', agent_id: 'ana' })
      await key.rule({ doc_id: 'of-blue', scope: 'fleet', fleet_id: 'blue' })
      for (const caller of [ana, ben, restricted]) await caller.acknowledge('first', await tagOf(caller))
      expect(await seen(key)).to.deep.equal([
        ['ana', 'first', true],
        ['ben', 'first', true],
        ['zoe', 'first', true],
      ])
      await key.rule({ doc_id: 'of-blue', scope: 'fleet', fleet_id: 'blue', content: 'New.' })
      expect(await seen(key, { current: true })).to.deep.equal([
        ['ana', 'first', true],
        ['zoe', 'first', true],
      ])
      expect(await seen(key, { current: false })).to.deep.equal([['ben', 'first', false]])
      await key.rule({ doc_id: 'of-all' })
      expect(await seen(key, { current: true })).to.deep.equal([])
      await ben.acknowledge('second', await tagOf(ben))
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
      expect((await key.coverage()).body.etag).to.equal(await tagOf(key))
      expect((await key.coverage({ fleet_id: 'blue' })).body.etag).to.equal(await tagOf(key, { fleet_id: 'blue' }))
    })

    it('shows since when, which a repeated acknowledgement does not change', async () => {
      const etag = await tagOf(ana)
      const { acknowledged_at: since } = (await ana.acknowledge('run', etag)).body as Row
      expect((await ana.acknowledge('run', etag)).body.acknowledged_at).to.equal(since)
      await key.rule({ doc_id: 'x' })
      const { body } = await ana.acknowledge('run', await tagOf(ana))
      expect(Date.parse(body.acknowledged_at as string)).to.be.greaterThan(Date.parse(since as string))
    })

    it('leaves out deleted agents, and agents without an acknowledgement unless requested', async () => {
      await ana.acknowledge('run', await tagOf(ana))
      const { body } = await key.coverage({ include_silent: true, fleet_id: 'blue' })
      const nulls = { run_id: null, etag: null, acknowledged_at: null, current: false }
      expect(body.agents).to.deep.equal([{ agent_id: 'ben', fleet_id: 'blue', ...nulls }])
      expect(await seen(key, { include_silent: true })).to.have.length(4)
      await operator.client.call('deleteAgent', { params: { agent_id: 'ana' } })
      expect(await seen(key)).to.deep.equal([])
    })

    it('of one’s own agent and fleet needs trust 1, of others trust 2', async () => {
      expect(await seen(ana, { agent_id: 'ana' })).to.deep.equal([])
      expect(await seen(ana, { fleet_id: 'red' })).to.deep.equal([])
      for (const query of [{}, { fleet_id: 'blue' }, { agent_id: 'ben' }, { agent_id: 'zoe' }])
        expect((await ana.coverage(query)).body.error.details, JSON.stringify(query)).to.deep.equal(levels(2, 1))
      expect((await restricted.coverage({ agent_id: 'zoe' })).body.error.details).to.deep.equal(levels(1, 0))
      expect((await restricted.coverage()).body.error.details).to.deep.equal(levels(2, 0))
      // For a caller without a fleet, a request without fleet_id is not its own fleet.
      const loner = await tenant.caller({ agentId: 'loner' })
      expect((await loner.coverage()).body.error.details).to.deep.equal(levels(2, 1))
      for (const query of [{}, { fleet_id: 'blue' }, { agent_id: 'ben' }])
        expect((await key.coverage(query)).status).to.equal(200)
    })
  })

  it('an erased agent is removed as author and receiver of rules, which stay in force', async () => {
    const etag = await tagOf(operator)
    await operator.acknowledge('run', etag)
    const rule = await operator.rule({ doc_id: 'x' })
    await key.rule({ doc_id: 'y' })
    const before = await tagOf(ana)
    const { body } = await service()
      .client()
      .call('createErasure', { body: { tenant_id: tenant.id, agent_id: 'olga' } })
    expect(body).to.deep.include({ complete: true })
    const rules = (await ana.rules()).body as Keystone[]
    expect(rules.find(({ doc_id }) => doc_id === 'x')).to.deep.equal({ ...rule, author_agent_id: null })
    expect(await tagOf(ana)).to.not.equal(before)
    expect((await ana.ruleVersions('x')).body.items[0].author_agent_id).to.equal(null)
    expect((await key.coverage()).body.agents).to.deep.equal([])
  })

  it('an erased memory’s id in a rule counts as a mention, and the rule stays', async () => {
    const memory = await ana.remember('A fox.')
    const rule = await key.rule({ doc_id: memory.id, content: `See ${memory.id}.` })
    const { body } = await service()
      .client()
      .call('createErasure', { body: { tenant_id: tenant.id, memory_ids: [memory.id] } })
    expect(body).to.deep.include({ complete: true })
    expect((await ana.rules()).body).to.deep.equal([rule])
  })
}

import { expect } from 'chai'
import type { Trust } from '../../domain/trust.js'
import { withConnection } from '../../store/connection.js'
import { parseAnswer, RawConnection } from '../http/raw-connection.js'
import { faultsOf, itemFaultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests the identities of credentials. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let tenant: TestTenant
  beforeEach(() => {
    tenant = newTenant(service())
  })
  const agentIds = async (caller: Caller) => {
    const answer = await caller.agents.list({ tenant_id: tenant.id })
    return answer.body.items.map((agent) => agent.agent_id)
  }
  const levels = (required: number, caller: number) => ({ required_trust_level: required, caller_trust_level: caller })

  describe('an agent key', () => {
    let ana: Caller
    beforeEach(async () => {
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    it('writes as its agent, whether the body names it or not', async () => {
      expect(await ana.memories.create('A.').ok()).to.include({
        agent_id: 'ana',
        fleet_id: 'red',
        tenant_id: tenant.id,
      })
      expect(await ana.memories.create({ content: 'B.', agent_id: 'ana' }).ok()).to.include({ agent_id: 'ana' })
      expect(await ana.actingAs('ana').memories.create('C.').ok()).to.include({ agent_id: 'ana' })
    })

    it('is refused when it names another agent, in the body, in bulk and in X-Agent-ID', async () => {
      await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      for (const agent of ['ben', 'nobody']) {
        expect((await ana.memories.create({ content: 'A.', agent_id: agent })).status).to.equal(403)
        expect((await ana.memories.createMany([{ content: 'A.' }], { agent_id: agent })).status).to.equal(403)
        expect((await ana.actingAs(agent).memories.create('A.')).status).to.equal(403)
        expect(await ana.actingAs(agent).memories.recall('A.').ok().catch(String)).to.include('403')
        expect((await ana.actingAs(agent).memories.list()).status).to.equal(403)
      }
      expect(await ana.memories.total()).to.equal(0)
      expect(await agentIds(ana)).to.deep.equal(['ana', 'ben'])
    })

    it('is refused when it names another tenant, in body and query, whether it exists or not', async () => {
      const other = newTenant(service())
      await other.caller()
      for (const id of [other.id, 'no-such-tenant']) {
        const stray = { tenant_id: id }
        const answers = [
          await ana.memories.create({ content: 'A.', ...stray }),
          await ana.memories.createMany([{ content: 'A.' }], stray),
          await ana.memories.recall('A', stray),
          await ana.memories.list(stray),
          await ana.memories.stats(stray),
          await ana.memories.get('01890000-0000-7000-8000-000000000000', stray),
          await ana.entities.list(stray),
        ]
        for (const answer of answers) {
          expect(answer.status).to.equal(403)
          expect(answer.body.error.code).to.equal('FORBIDDEN')
        }
      }
    })

    it('writes for another fleet at trust 2, and is refused below', async () => {
      const refused = await ana.memories.create({ content: 'A.', fleet_id: 'blue' })
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal(levels(2, 1))
      expect((await ana.memories.createMany([{ content: 'A.' }], { fleet_id: 'blue' })).status).to.equal(403)
      const two = await tenant.caller({ agentId: 'two', fleetId: 'red', trust: 2 })
      const row = await two.memories.create({ content: 'A.', fleet_id: 'blue' }).ok()
      expect(row).to.include({ agent_id: 'two', fleet_id: 'blue' })
      expect((await two.memories.get(row.id)).status).to.equal(200)
    })

    it('follows changes of its agent’s fleet and trust within a moment', async () => {
      const body = { fleet_id: 'blue', trust_level: 2, tenant_id: tenant.id }
      await tenant.admin.agents.patch('ana', body)
      expect(await ana.memories.create('After.').ok()).to.include({ fleet_id: 'blue' })
      expect((await ana.memories.create({ content: 'For green.', fleet_id: 'green' })).status).to.equal(201)
    })

    it('of trust 0 writes nothing on any route, and reads only its own', async () => {
      const zoe = await tenant.caller({ agentId: 'zoe', fleetId: 'red' })
      const own = await zoe.memories.create('Zoe’s fox.').ok()
      const org = await ana.memories.create({ content: 'Ana’s fox.', visibility: 'scope_org' }).ok()
      await tenant.admin.agents.patch('zoe', { trust_level: 0 })
      for (const refused of [
        await zoe.memories.create('More.'),
        await zoe.memories.createMany([{ content: 'More.' }]),
      ]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(1, 0))
      }
      expect((await zoe.memories.get(own.id)).status).to.equal(200)
      expect((await zoe.memories.get(org.id)).status).to.equal(404)
      expect((await zoe.memories.listAll()).map(({ id }) => id)).to.deep.equal([own.id])
      expect(await zoe.memories.recallContents('fox')).to.deep.equal([own.content])
      expect(await zoe.memories.total()).to.equal(1)
    })
  })

  describe('a key that changes while the body of its request is being sent', () => {
    /** Sends a request with `key`, runs `meanwhile` between the two halves of its body, and returns the status. */
    async function heldBack(
      key: string,
      line: string,
      body: object,
      meanwhile: () => Promise<unknown>,
    ): Promise<number> {
      const text = JSON.stringify(body)
      const connection = await RawConnection.open(Number(new URL(service().url).port))
      const typed = ['Content-Type: application/json', `Content-Length: ${text.length}`, 'Expect: 100-continue']
      connection.send(
        `${line} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${key}`,
        'Connection: close',
        ...typed,
        '',
        '',
      )
      await connection.until(/100 Continue/)
      connection.send(text.slice(0, 10))
      await meanwhile()
      connection.send(text.slice(10))
      return parseAnswer((await connection.ended()).replace(/^HTTP\/1.1 100 Continue\r\n\r\n/, '')).status
    }
    const agentKey = (trust: Trust = 3) =>
      service().mintKey({ tenantId: tenant.id, agentId: 'chief', fleetId: 'red', trust })
    const write = (key: string, content: string, meanwhile: () => Promise<unknown>) =>
      heldBack(key, 'POST /api/v1/memories', { tenant_id: tenant.id, content }, meanwhile)
    const query = () => ({ tenant_id: tenant.id })

    it('writes nothing once it is revoked', async () => {
      const key = await agentKey()
      const keyId = key.split('_')[1]!
      expect(await write(key, 'Before.', () => Promise.resolve())).to.equal(201)
      expect(await write(key, 'After.', () => service().client().keys.delete(keyId))).to.equal(401)
      expect((await tenant.admin.memories.listAll()).map(({ content }) => content)).to.deep.equal(['Before.'])
    })

    it('registers no agent once its agent is deleted', async () => {
      const key = await agentKey()
      const remove = () => tenant.admin.agents.delete('chief', query())
      const line = 'PUT /api/v1/agents/planted'
      expect(await heldBack(key, line, { trust_level: 3 }, remove)).to.equal(401)
      expect(await agentIds(tenant.admin)).to.deep.equal([])
    })

    it('has the trust and the fleet of its agent at the end of the body', async () => {
      const key = await agentKey()
      const patch = (fields: object) => () => tenant.admin.agents.patch('chief', { ...query(), ...fields })
      expect(await write(key, 'For blue.', patch({ fleet_id: 'blue' }))).to.equal(201)
      expect((await tenant.admin.memories.listAll())[0]).to.include({ content: 'For blue.', fleet_id: 'blue' })
      expect(await write(key, 'Not any more.', patch({ trust_level: 0 }))).to.equal(403)
      expect(await tenant.admin.memories.total()).to.equal(1)
    })
  })

  describe('a tenant key', () => {
    let key: Caller
    beforeEach(async () => {
      key = await tenant.caller({ trust: 2 })
    })

    it('without an agent writes memories without one', async () => {
      expect(await key.memories.create('A.').ok()).to.include({
        agent_id: null,
        fleet_id: null,
        agent_display_name: null,
      })
      expect(faultsOf(await key.memories.create({ content: 'B.', visibility: 'scope_agent' }))).to.deep.equal([
        'body.visibility',
      ])
      const bulk = await key.memories.createMany([{ content: 'B.', visibility: 'scope_agent' }])
      expect(itemFaultsOf(bulk.body.results[0]!)).to.deep.equal(['body.items.0.visibility'])
    })

    it('registers an agent by its first write, at trust 1, in the fleet of that write', async () => {
      const row = await key.memories.create({ content: 'A.', agent_id: 'new', fleet_id: 'red' }).ok()
      expect(row).to.include({ agent_id: 'new', fleet_id: 'red' })
      const { body } = await key.agents.get('new')
      expect(body).to.include({ agent_id: 'new', fleet_id: 'red', trust_level: 1, display_name: null })
      expect(await key.memories.create({ content: 'B.', agent_id: 'new' }).ok()).to.include({ fleet_id: 'red' })
    })

    it('registers an agent once for 20 concurrent first writes', async () => {
      const writes = [...Array(20).keys()].map((i) => key.memories.create({ content: `A ${i}.`, agent_id: 'new' }))
      expect((await Promise.all(writes)).map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
      expect(await agentIds(key)).to.deep.equal(['new'])
    })

    it('writes with trust and fleet of an agent that is registered concurrently', async () => {
      await withConnection(service().databaseUrl, async (registering) => {
        const raced = async (agentId: string, trust: number, fields: object) => {
          await registering.query('begin')
          await registering.query(
            'insert into agents (tenant_id, agent_id, fleet_id, trust_level) values ($1, $2, $3, $4)',
            [tenant.id, agentId, 'blue', trust],
          )
          const write = key.memories.create({ content: `Of ${agentId}.`, agent_id: agentId, ...fields })
          await until('the write waits for the lock', () => isWaitedFor(registering))
          await registering.query('commit')
          return write
        }
        const restricted = await raced('restricted', 0, {})
        expect([restricted.status, restricted.body.error.details]).to.deep.equal([403, levels(1, 0)])
        const elsewhere = await raced('elsewhere', 1, { fleet_id: 'red' })
        expect([elsewhere.status, elsewhere.body.error.details]).to.deep.equal([403, levels(2, 1)])
        const own = await raced('own', 1, {})
        expect([own.status, own.body.fleet_id]).to.deep.equal([201, 'blue'])
      })
    })

    it('registers no agent by a write that failed, by a header or by reading', async () => {
      await key.memories.create({ content: '', agent_id: 'new' })
      await key.memories.create({
        content: 'A.',
        agent_id: 'new',
        subject_entity_id: '01890000-0000-7000-8000-000000000000',
      })
      expect((await key.actingAs('new').memories.create('A.')).status).to.equal(403)
      expect((await key.actingAs('new').memories.list()).status).to.equal(403)
      await key.memories.list({ agent_id: 'new' })
      await key.memories.recall('A', { filter_agent_id: 'new' }).ok()
      await key.memories.stats({ agent_id: 'new' })
      expect(await agentIds(key)).to.deep.equal([])
    })

    it('acts for a registered agent by X-Agent-ID, on writes and reads', async () => {
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const secret = await ana.memories.create({ content: 'Secret fox.', visibility: 'scope_agent' }).ok()
      const acting = key.actingAs('ana')
      expect(await acting.memories.create('B.').ok()).to.include({ agent_id: 'ana', fleet_id: 'red' })
      expect(await acting.memories.create({ content: 'C.', agent_id: 'ana' }).ok()).to.include({ agent_id: 'ana' })
      expect((await acting.memories.get(secret.id)).status).to.equal(200)
      expect(await acting.memories.recallContents('secret fox')).to.include(secret.content)
      expect((await key.memories.get(secret.id)).status).to.equal(404)
      expect(await key.memories.recallContents('secret fox')).to.not.include(secret.content)
    })

    it('is refused when body and X-Agent-ID name two agents', async () => {
      for (const agentId of ['ana', 'ben']) await tenant.caller({ agentId })
      expect((await key.actingAs('ana').memories.create({ content: 'A.', agent_id: 'ben' })).status).to.equal(403)
      expect((await key.actingAs('ana').memories.createMany([{ content: 'A.' }], { agent_id: 'ben' })).status).to.equal(
        403,
      )
    })

    it('acts with the lower trust of key and agent', async () => {
      await tenant.caller({ agentId: 'one', fleetId: 'red', trust: 1 })
      await tenant.caller({ agentId: 'zero', trust: 0 })
      await tenant.caller({ agentId: 'three', fleetId: 'red', trust: 3 })
      const weak = await tenant.caller({ trust: 1 })
      for (const refused of [
        await key.actingAs('one').memories.create({ content: 'A.', fleet_id: 'blue' }),
        await key.memories.create({ content: 'A.', agent_id: 'one', fleet_id: 'blue' }),
        await weak.memories.create({ content: 'A.', agent_id: 'three', fleet_id: 'blue' }),
      ]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(2, 1))
      }
      for (const refused of [
        await key.actingAs('zero').memories.create('A.'),
        await key.memories.create({ content: 'A.', agent_id: 'zero' }),
      ]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(1, 0))
      }
      const abroad = await key.memories.create({ content: 'A.', agent_id: 'zero', fleet_id: 'blue' })
      expect(abroad.body.error.details).to.deep.equal(levels(2, 0))
      expect((await key.memories.create({ content: 'A.', agent_id: 'three', fleet_id: 'blue' })).status).to.equal(201)
    })

    it('can link an entity that its agent sees, and no other', async () => {
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      const link = (name: string) => ({ entity_links: [{ name }] })
      const hers = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent', ...link('Hers') }).ok()
      const his = await ben.memories.create({ content: 'Team.', ...link('His') }).ok()
      const [hersId, hisId] = [hers, his].map((row) => row.entity_links[0]!.entity_id)
      const write = (content: string, subject_entity_id: string | undefined, rest: object = {}) =>
        key.memories.create({ content, subject_entity_id, ...rest })
      expect((await write('By ana.', hersId, { agent_id: 'ana' })).status).to.equal(201)
      expect((await write('By none.', hersId)).status).to.equal(404)
      expect((await write('By none.', hisId)).status).to.equal(201)
      expect((await write('By ana, his.', hisId, { agent_id: 'ana' })).status).to.equal(404)
      expect((await write('By a new one, his.', hisId, { agent_id: 'new' })).status).to.equal(404)
    })

    it('in a fleet acts for agents of that fleet and those without one, and for others at trust 2', async () => {
      for (const [agentId, fleetId] of [
        ['ana', 'red'],
        ['ben', 'blue'],
      ] as const)
        await tenant.caller({ agentId, fleetId })
      await tenant.caller({ agentId: 'loner' })
      const named = async (caller: Caller, agent: string) => {
        const answers = [
          await caller.memories.create({ content: `By the body of ${agent}.`, agent_id: agent }),
          await caller.memories.createMany([{ content: `Many of ${agent}.` }], { agent_id: agent }),
          await caller.actingAs(agent).memories.create(`By the header of ${agent}.`),
          await caller.actingAs(agent).memories.list(),
          await caller.actingAs(agent).memories.recall('header'),
        ]
        return answers
      }
      const weak = await tenant.caller({ fleetId: 'red', trust: 1 })
      for (const refused of await named(weak, 'ben')) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(2, 1))
      }
      const allowed = [201, 200, 201, 200, 200]
      for (const agent of ['ana', 'loner'])
        expect((await named(weak, agent)).map(({ status }) => status)).to.deep.equal(allowed)
      const wide = await tenant.caller({ fleetId: 'red', trust: 2 })
      expect((await named(wide, 'ben')).map(({ status }) => status)).to.deep.equal(allowed)
      // A key without a fleet is not limited to any fleet's agents.
      const free = await tenant.caller({ trust: 1 })
      expect((await free.actingAs('ana').memories.list()).status).to.equal(200)
    })

    it('in a fleet writes for it by default, and for others at trust 2', async () => {
      const red = await tenant.caller({ fleetId: 'red', trust: 1 })
      expect(await red.memories.create('A.').ok()).to.include({ agent_id: null, fleet_id: 'red' })
      expect(await red.memories.create({ content: 'B.', agent_id: 'new' }).ok()).to.include({
        agent_id: 'new',
        fleet_id: 'red',
      })
      expect((await red.memories.create({ content: 'C.', fleet_id: 'blue' })).status).to.equal(403)
      expect((await red.memories.create({ content: 'C.', fleet_id: 'blue', agent_id: 'newer' })).status).to.equal(403)
      expect(await key.memories.create({ content: 'C.', fleet_id: 'blue' }).ok()).to.include({ fleet_id: 'blue' })
    })

    it('without a fleet reaches every fleet at trust 2, and none below', async () => {
      const weak = await tenant.caller({ trust: 1 })
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const row = await ana.memories.create('A red fox.').ok()
      expect((await key.memories.get(row.id)).status).to.equal(200)
      expect((await key.memories.listAll()).map(({ id }) => id)).to.deep.equal([row.id])
      expect(await key.memories.recallContents('fox')).to.deep.equal([row.content])
      expect(await key.memories.total()).to.equal(1)
      expect((await weak.memories.get(row.id)).status).to.equal(404)
      expect(await weak.memories.listAll()).to.deep.equal([])
      expect(await weak.memories.recallContents('fox')).to.deep.equal([])
      expect(await weak.memories.total()).to.equal(0)
      expect((await weak.memories.create({ content: 'B.', fleet_id: 'red' })).status).to.equal(403)
    })
  })

  describe('the admin credential', () => {
    it('acts for the named tenant, at trust 3 and without an agent', async () => {
      await tenant.caller()
      const row = await tenant.admin.memories.create({ content: 'A fox.', fleet_id: 'red' }).ok()
      expect(row).to.include({ tenant_id: tenant.id, agent_id: null, fleet_id: 'red' })
      expect(await tenant.admin.memories.recallContents('fox')).to.deep.equal([row.content])
      expect((await tenant.admin.memories.get(row.id, { include_deleted: true })).status).to.equal(200)
    })

    it('must name an existing tenant', async () => {
      const admin = service().client()
      expect(faultsOf(await admin.memories.list())).to.deep.equal(['query.tenant_id'])
      expect(faultsOf(await admin.memories.recall('x'))).to.deep.equal(['body.tenant_id'])
      expect((await newTenant(service()).admin.memories.create('A.')).status).to.equal(404)
    })

    it('registers the agent that the body names', async () => {
      await tenant.caller()
      expect(await tenant.admin.memories.create({ content: 'A.', agent_id: 'new' }).ok()).to.include({
        agent_id: 'new',
      })
      expect(await agentIds(tenant.admin)).to.deep.equal(['new'])
    })
  })

  describe('asking for another fleet', () => {
    const asks: [route: string, ask: (caller: Caller, fleet: string) => Promise<{ status: number; body: never }>][] = [
      ['list', (caller, fleet_id) => caller.memories.list({ fleet_id }) as never],
      ['recall', (caller, fleet) => caller.memories.recall('fox', { fleet_ids: ['red', fleet] }) as never],
      ['statistics', (caller, fleet_id) => caller.memories.stats({ fleet_id }) as never],
      ['statistics of a fleet', (caller, fleet_id) => caller.memories.stats({ fleet_id, scope: 'fleet' }) as never],
    ]
    for (const [route, ask] of asks)
      it(`on ${route} is refused below trust 2, with both levels, and never narrowed`, async () => {
        const one = await tenant.caller({ agentId: 'one', fleetId: 'red' })
        const two = await tenant.caller({ agentId: 'two', fleetId: 'red', trust: 2 })
        const refused = (await ask(one, 'blue')) as { status: number; body: { error: { details: unknown } } }
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(2, 1))
        expect((await ask(one, 'red')).status).to.equal(200)
        expect((await ask(two, 'blue')).status).to.equal(200)
      })
  })
})

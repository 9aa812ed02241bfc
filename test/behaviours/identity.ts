import { expect } from 'chai'
import pg from 'pg'
import type { Trust } from '../../domain/trust.js'
import { parseAnswer, RawConnection } from '../http/raw-connection.js'
import { faultsOf, newTenant, type Caller, type TestTenant } from '../support/caller.js'
import type { SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests the identities of credentials. */
export function describeIdentity(service: SharedService): void {
  let tenant: TestTenant
  beforeEach(() => {
    tenant = newTenant(service())
  })
  const agentIds = async (caller: Caller) => {
    const answer = await caller.client.call('listAgents', { query: { tenant_id: tenant.id } })
    return answer.body.items.map((agent) => agent.agent_id)
  }
  const levels = (required: number, caller: number) => ({ required_trust_level: required, caller_trust_level: caller })

  describe('an agent key', () => {
    let ana: Caller
    beforeEach(async () => {
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    it('writes as its agent, whether the body names it or not', async () => {
      expect(await ana.remember('A.')).to.include({ agent_id: 'ana', fleet_id: 'red', tenant_id: tenant.id })
      expect(await ana.remember({ content: 'B.', agent_id: 'ana' })).to.include({ agent_id: 'ana' })
      expect(await ana.actingAs('ana').remember('C.')).to.include({ agent_id: 'ana' })
    })

    it('is refused when it names another agent, in the body, in bulk and in X-Agent-ID', async () => {
      await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      for (const agent of ['ben', 'nobody']) {
        expect((await ana.write({ content: 'A.', agent_id: agent })).status).to.equal(403)
        expect((await ana.writeMany([{ content: 'A.' }], { agent_id: agent })).status).to.equal(403)
        expect((await ana.actingAs(agent).write('A.')).status).to.equal(403)
        expect(await ana.actingAs(agent).recall('A.').catch(String)).to.include('403')
        expect((await ana.actingAs(agent).list()).status).to.equal(403)
      }
      expect(await ana.total()).to.equal(0)
      expect(await agentIds(ana)).to.deep.equal(['ana', 'ben'])
    })

    it('is refused when it names another tenant, in body and query, whether it exists or not', async () => {
      const other = newTenant(service())
      await other.caller()
      for (const id of [other.id, 'no-such-tenant']) {
        const stray = { tenant_id: id }
        const answers = [
          await ana.write({ content: 'A.', ...stray }),
          await ana.writeMany([{ content: 'A.' }], stray),
          await ana.tryRecall('A', stray),
          await ana.list(stray),
          await ana.stats(stray),
          await ana.get('01890000-0000-7000-8000-000000000000', stray),
          await ana.entities(stray),
        ]
        for (const answer of answers) {
          expect(answer.status).to.equal(403)
          expect(answer.body.error.code).to.equal('FORBIDDEN')
        }
      }
    })

    it('writes for another fleet at trust 2, and is refused below', async () => {
      const refused = await ana.write({ content: 'A.', fleet_id: 'blue' })
      expect(refused.status).to.equal(403)
      expect(refused.body.error.details).to.deep.equal(levels(2, 1))
      expect((await ana.writeMany([{ content: 'A.' }], { fleet_id: 'blue' })).status).to.equal(403)
      const two = await tenant.caller({ agentId: 'two', fleetId: 'red', trust: 2 })
      const row = await two.remember({ content: 'A.', fleet_id: 'blue' })
      expect(row).to.include({ agent_id: 'two', fleet_id: 'blue' })
      expect((await two.get(row.id)).status).to.equal(200)
    })

    it('follows changes of its agent’s fleet and trust within a moment', async () => {
      const body = { fleet_id: 'blue', trust_level: 2, tenant_id: tenant.id }
      await tenant.admin.client.call('patchAgent', { params: { agent_id: 'ana' }, body })
      expect(await ana.remember('After.')).to.include({ fleet_id: 'blue' })
      expect((await ana.write({ content: 'For green.', fleet_id: 'green' })).status).to.equal(201)
    })

    it('of trust 0 writes nothing on any route, and reads only its own', async () => {
      const zoe = await tenant.caller({ agentId: 'zoe', fleetId: 'red' })
      const own = await zoe.remember('Zoe’s fox.')
      const org = await ana.remember({ content: 'Ana’s fox.', visibility: 'scope_org' })
      await tenant.admin.client.call('patchAgent', {
        params: { agent_id: 'zoe' },
        body: { trust_level: 0, tenant_id: tenant.id },
      })
      for (const refused of [await zoe.write('More.'), await zoe.writeMany([{ content: 'More.' }])]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(1, 0))
      }
      expect((await zoe.get(own.id)).status).to.equal(200)
      expect((await zoe.get(org.id)).status).to.equal(404)
      expect((await zoe.listAll()).map(({ id }) => id)).to.deep.equal([own.id])
      expect(await zoe.recalled('fox')).to.deep.equal([own.content])
      expect(await zoe.total()).to.equal(1)
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
      const params = { key_id: key.split('_')[1]! }
      expect(await write(key, 'Before.', () => Promise.resolve())).to.equal(201)
      expect(await write(key, 'After.', () => service().client().call('deleteKey', { params }))).to.equal(401)
      expect((await tenant.admin.listAll()).map(({ content }) => content)).to.deep.equal(['Before.'])
    })

    it('registers no agent once its agent is deleted', async () => {
      const key = await agentKey()
      const remove = () => tenant.admin.client.call('deleteAgent', { params: { agent_id: 'chief' }, query: query() })
      const line = 'PUT /api/v1/agents/planted'
      expect(await heldBack(key, line, { trust_level: 3 }, remove)).to.equal(401)
      expect(await agentIds(tenant.admin)).to.deep.equal([])
    })

    it('has the trust and the fleet of its agent at the end of the body', async () => {
      const key = await agentKey()
      const patch = (fields: object) => () =>
        tenant.admin.client.call('patchAgent', { params: { agent_id: 'chief' }, body: { ...query(), ...fields } })
      expect(await write(key, 'For blue.', patch({ fleet_id: 'blue' }))).to.equal(201)
      expect((await tenant.admin.listAll())[0]).to.include({ content: 'For blue.', fleet_id: 'blue' })
      expect(await write(key, 'Not any more.', patch({ trust_level: 0 }))).to.equal(403)
      expect(await tenant.admin.total()).to.equal(1)
    })
  })

  describe('a tenant key', () => {
    let key: Caller
    beforeEach(async () => {
      key = await tenant.caller({ trust: 2 })
    })

    it('without an agent writes memories without one', async () => {
      expect(await key.remember('A.')).to.include({ agent_id: null, fleet_id: null, agent_display_name: null })
      expect(faultsOf(await key.write({ content: 'B.', visibility: 'scope_agent' }))).to.deep.equal(['body.visibility'])
      const bulk = await key.writeMany([{ content: 'B.', visibility: 'scope_agent' }])
      expect(bulk.body.results[0].error.details.errors[0].loc).to.deep.equal(['body', 'items', '0', 'visibility'])
    })

    it('registers an agent by its first write, at trust 1, in the fleet of that write', async () => {
      const row = await key.remember({ content: 'A.', agent_id: 'new', fleet_id: 'red' })
      expect(row).to.include({ agent_id: 'new', fleet_id: 'red' })
      const { body } = await key.client.call('getAgent', { params: { agent_id: 'new' } })
      expect(body).to.include({ agent_id: 'new', fleet_id: 'red', trust_level: 1, display_name: null })
      expect(await key.remember({ content: 'B.', agent_id: 'new' })).to.include({ fleet_id: 'red' })
    })

    it('registers an agent once for 20 concurrent first writes', async () => {
      const writes = [...Array(20).keys()].map((i) => key.write({ content: `A ${i}.`, agent_id: 'new' }))
      expect((await Promise.all(writes)).map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
      expect(await agentIds(key)).to.deep.equal(['new'])
    })

    it('writes with trust and fleet of an agent that is registered concurrently', async () => {
      const registering = new pg.Client({ connectionString: service().databaseUrl })
      await registering.connect()
      try {
        const raced = async (agentId: string, trust: number, fields: object) => {
          await registering.query('begin')
          await registering.query(
            'insert into agents (tenant_id, agent_id, fleet_id, trust_level) values ($1, $2, $3, $4)',
            [tenant.id, agentId, 'blue', trust],
          )
          const write = key.write({ content: `Of ${agentId}.`, agent_id: agentId, ...fields })
          await until(async () => {
            const { rows } = await registering.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and application_name = 'cairn_app'`,
            )
            return rows.length > 0
          })
          await registering.query('commit')
          return write
        }
        const restricted = await raced('restricted', 0, {})
        expect([restricted.status, restricted.body.error.details]).to.deep.equal([403, levels(1, 0)])
        const elsewhere = await raced('elsewhere', 1, { fleet_id: 'red' })
        expect([elsewhere.status, elsewhere.body.error.details]).to.deep.equal([403, levels(2, 1)])
        const own = await raced('own', 1, {})
        expect([own.status, own.body.fleet_id]).to.deep.equal([201, 'blue'])
      } finally {
        await registering.end()
      }
    })

    it('registers no agent by a write that failed, by a header or by reading', async () => {
      await key.write({ content: '', agent_id: 'new' })
      await key.write({ content: 'A.', agent_id: 'new', subject_entity_id: '01890000-0000-7000-8000-000000000000' })
      expect((await key.actingAs('new').write('A.')).status).to.equal(403)
      expect((await key.actingAs('new').list()).status).to.equal(403)
      await key.list({ agent_id: 'new' })
      await key.recall('A', { filter_agent_id: 'new' })
      await key.stats({ agent_id: 'new' })
      expect(await agentIds(key)).to.deep.equal([])
    })

    it('acts for a registered agent by X-Agent-ID, on writes and reads', async () => {
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const secret = await ana.remember({ content: 'Secret fox.', visibility: 'scope_agent' })
      const acting = key.actingAs('ana')
      expect(await acting.remember('B.')).to.include({ agent_id: 'ana', fleet_id: 'red' })
      expect(await acting.remember({ content: 'C.', agent_id: 'ana' })).to.include({ agent_id: 'ana' })
      expect((await acting.get(secret.id)).status).to.equal(200)
      expect(await acting.recalled('secret fox')).to.include(secret.content)
      expect((await key.get(secret.id)).status).to.equal(404)
      expect(await key.recalled('secret fox')).to.not.include(secret.content)
    })

    it('is refused when body and X-Agent-ID name two agents', async () => {
      for (const agentId of ['ana', 'ben']) await tenant.caller({ agentId })
      expect((await key.actingAs('ana').write({ content: 'A.', agent_id: 'ben' })).status).to.equal(403)
      expect((await key.actingAs('ana').writeMany([{ content: 'A.' }], { agent_id: 'ben' })).status).to.equal(403)
    })

    it('acts with the lower trust of key and agent', async () => {
      await tenant.caller({ agentId: 'one', fleetId: 'red', trust: 1 })
      await tenant.caller({ agentId: 'zero', trust: 0 })
      await tenant.caller({ agentId: 'three', fleetId: 'red', trust: 3 })
      const weak = await tenant.caller({ trust: 1 })
      for (const refused of [
        await key.actingAs('one').write({ content: 'A.', fleet_id: 'blue' }),
        await key.write({ content: 'A.', agent_id: 'one', fleet_id: 'blue' }),
        await weak.write({ content: 'A.', agent_id: 'three', fleet_id: 'blue' }),
      ]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(2, 1))
      }
      for (const refused of [
        await key.actingAs('zero').write('A.'),
        await key.write({ content: 'A.', agent_id: 'zero' }),
      ]) {
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal(levels(1, 0))
      }
      const abroad = await key.write({ content: 'A.', agent_id: 'zero', fleet_id: 'blue' })
      expect(abroad.body.error.details).to.deep.equal(levels(2, 0))
      expect((await key.write({ content: 'A.', agent_id: 'three', fleet_id: 'blue' })).status).to.equal(201)
    })

    it('can link an entity that its agent sees, and no other', async () => {
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      const link = (name: string) => ({ entity_links: [{ name }] })
      const hers = await ana.remember({ content: 'Secret.', visibility: 'scope_agent', ...link('Hers') })
      const his = await ben.remember({ content: 'Team.', ...link('His') })
      const [hersId, hisId] = [hers, his].map((row) => row.entity_links[0]!.entity_id)
      const write = (content: string, subject_entity_id: string | undefined, rest: object = {}) =>
        key.write({ content, subject_entity_id, ...rest })
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
          await caller.write({ content: `By the body of ${agent}.`, agent_id: agent }),
          await caller.writeMany([{ content: `Many of ${agent}.` }], { agent_id: agent }),
          await caller.actingAs(agent).write(`By the header of ${agent}.`),
          await caller.actingAs(agent).list(),
          await caller.actingAs(agent).tryRecall('header'),
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
      expect((await free.actingAs('ana').list()).status).to.equal(200)
    })

    it('in a fleet writes for it by default, and for others at trust 2', async () => {
      const red = await tenant.caller({ fleetId: 'red', trust: 1 })
      expect(await red.remember('A.')).to.include({ agent_id: null, fleet_id: 'red' })
      expect(await red.remember({ content: 'B.', agent_id: 'new' })).to.include({ agent_id: 'new', fleet_id: 'red' })
      expect((await red.write({ content: 'C.', fleet_id: 'blue' })).status).to.equal(403)
      expect((await red.write({ content: 'C.', fleet_id: 'blue', agent_id: 'newer' })).status).to.equal(403)
      expect(await key.remember({ content: 'C.', fleet_id: 'blue' })).to.include({ fleet_id: 'blue' })
    })

    it('without a fleet reaches every fleet at trust 2, and none below', async () => {
      const weak = await tenant.caller({ trust: 1 })
      const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const row = await ana.remember('A red fox.')
      expect((await key.get(row.id)).status).to.equal(200)
      expect((await key.listAll()).map(({ id }) => id)).to.deep.equal([row.id])
      expect(await key.recalled('fox')).to.deep.equal([row.content])
      expect(await key.total()).to.equal(1)
      expect((await weak.get(row.id)).status).to.equal(404)
      expect(await weak.listAll()).to.deep.equal([])
      expect(await weak.recalled('fox')).to.deep.equal([])
      expect(await weak.total()).to.equal(0)
      expect((await weak.write({ content: 'B.', fleet_id: 'red' })).status).to.equal(403)
    })
  })

  describe('the admin credential', () => {
    it('acts for the named tenant, at trust 3 and without an agent', async () => {
      await tenant.caller()
      const row = await tenant.admin.remember({ content: 'A fox.', fleet_id: 'red' })
      expect(row).to.include({ tenant_id: tenant.id, agent_id: null, fleet_id: 'red' })
      expect(await tenant.admin.recalled('fox')).to.deep.equal([row.content])
      expect((await tenant.admin.get(row.id, { include_deleted: true })).status).to.equal(200)
    })

    it('must name an existing tenant', async () => {
      const admin = service().client()
      expect(faultsOf(await admin.call('listMemories'))).to.deep.equal(['query.tenant_id'])
      expect(faultsOf(await admin.call('recall', { body: { query: 'x' } }))).to.deep.equal(['body.tenant_id'])
      expect((await newTenant(service()).admin.write('A.')).status).to.equal(404)
    })

    it('registers the agent that the body names', async () => {
      await tenant.caller()
      expect(await tenant.admin.remember({ content: 'A.', agent_id: 'new' })).to.include({ agent_id: 'new' })
      expect(await agentIds(tenant.admin)).to.deep.equal(['new'])
    })
  })

  describe('asking for another fleet', () => {
    const asks: [route: string, ask: (caller: Caller, fleet: string) => Promise<{ status: number; body: never }>][] = [
      ['list', (caller, fleet_id) => caller.list({ fleet_id }) as never],
      ['recall', (caller, fleet) => caller.tryRecall('fox', { fleet_ids: ['red', fleet] }) as never],
      ['statistics', (caller, fleet_id) => caller.stats({ fleet_id }) as never],
      ['statistics of a fleet', (caller, fleet_id) => caller.stats({ fleet_id, scope: 'fleet' }) as never],
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
}

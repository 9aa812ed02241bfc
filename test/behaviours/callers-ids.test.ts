import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import { faultsOf } from '../support/answers.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { settled } from '../support/indexed.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const IDS = [
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'google-oauth2|ana@example.com',
  'discord:1234#5678',
  'slack:T012AB3C4:U061F7AUR',
  '张三',
  'Ольга',
  'ज्योति',
  'user/1',
  'team/eu-west/~ana',
  'a+b=c',
  '𠮷'.repeat(200),
]

const NO_IDS = [
  '_ana',
  '+49',
  'a b',
  'a\u00a0b',
  'a/',
  '/a',
  'a/../b',
  'a/.',
  '..',
  'a\nb',
  'a\u0000',
  'a\u200db',
  'a\u202eb',
  'a\ufe0f',
  'a\u3164b',
  'a%2Fb',
  'a?b',
  'a\\b',
  'a,b',
  '👩',
  '\u0301a',
  'x'.repeat(201),
]

/** Tests what the ids of agents, fleets, runs and documents may hold, wherever one is given. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)

  describe("a user's id", () => {
    for (const id of IDS)
      it(`is one of an agent, a fleet, a run and a document: ${[...id].slice(0, 40).join('')}`, async () => {
        const tenant = newTenant(service())
        const ana = await tenant.caller({ agentId: id, fleetId: id })
        const written = await ana.memories.create({ content: 'The depot has nine trucks.', run_id: id }).ok()
        expect([written.agent_id, written.fleet_id, written.run_id]).to.deep.equal([id, id, id])
        const filter = { run_id: id, filter_agent_id: id, fleet_ids: [id] }
        const found = async () => (await ana.memories.recall('how many trucks?', filter).ok()).memories.map((m) => m.id)
        expect(await found(), 'before it is indexed').to.deep.equal([written.id])
        await settled(service(), tenant.id)
        expect(await found(), 'from the index').to.deep.equal([written.id])
        expect((await ana.memories.listAll({ agent_id: id, run_id: id })).map((m) => m.id)).to.deep.equal([written.id])
        expect((await ana.memories.stats({ agent_id: id, fleet_id: id }).ok()).by_agent).to.deep.equal({ [id]: 1 })

        await ana.documents.put('notes', id, { a: 1 }).ok()
        expect((await ana.documents.get('notes', id).ok()).doc_id).to.equal(id)
        expect((await ana.agents.get(id).ok()).agent_id).to.equal(id)
        expect((await ana.fleets.get(id).ok()).fleet_id).to.equal(id)
        expect((await ana.documents.delete('notes', id)).status).to.equal(204)
      })

    it('acts for the agent when it is percent-encoded in X-Agent-ID, or UTF-8 as curl sends it, by REST and by tools', async () => {
      const tenant = newTenant(service())
      const key = await tenant.caller()
      await tenant.admin.agents.put('张/三|é', { trust_level: 2 }).ok()
      const headers = [encodeURIComponent('张/三|é'), '张/三|é'.replace(/[^\0-\x7f]+/g, encodeURIComponent)]
      headers.push(Buffer.from('张/三|é').toString('latin1'), encodeURIComponent('张/三|é'.normalize('NFD')))
      for (const header of headers) {
        const acting = key.actingAs(header)
        expect((await acting.agents.whoami().ok()).agent_id, header).to.equal('张/三|é')
        const { agent_id } = await acting
          .byTools()
          .memories.create(`By a tool, ${headers.indexOf(header)}.`)
          .ok()
        expect(agent_id).to.equal('张/三|é')
      }
      const latin1 = await key.actingAs('Jos\u00e9').agents.whoami()
      expect([latin1.status, faultsOf(latin1)]).to.deep.equal([422, ['header.X-Agent-ID']])
      expect((await key.actingAs('a%2').agents.whoami()).status).to.equal(400)
      expect((await key.actingAs(encodeURIComponent('李四')).agents.whoami()).status).to.equal(403)
    })

    it('is registered, read, changed and deleted by its path, raw or encoded', async () => {
      const tenant = newTenant(service())
      await tenant.caller()
      await tenant.admin.agents.put('user/1', { display_name: 'One' }).ok()
      for (const path of ['user/1', 'user%2F1', 'user%2f1/']) {
        const { status, body } = await tenant.admin.raw('GET', `/api/v1/agents/${path}?tenant_id=${tenant.id}`)
        expect([status, (body as { agent_id: string }).agent_id], path).to.deep.equal([200, 'user/1'])
      }
      await tenant.admin.agents.patch('user/1', { display_name: 'Two' }).ok()
      expect((await tenant.admin.agents.delete('user/1')).status).to.equal(204)
      expect((await tenant.admin.agents.get('user/1')).status).to.equal(404)
    })

    it('is the same in every form of Unicode', async () => {
      const tenant = newTenant(service())
      const [composed, decomposed] = ['José/é', 'José/é'.normalize('NFD')]
      const ana = await tenant.caller({ agentId: decomposed, fleetId: decomposed })
      const written = await ana.memories.create({ content: 'x', agent_id: decomposed, run_id: decomposed }).ok()
      expect([written.agent_id, written.fleet_id, written.run_id]).to.deep.equal([composed, composed, composed])
      for (const id of [composed, decomposed]) {
        expect(await ana.memories.listAll({ agent_id: id, run_id: id })).to.have.length(1)
        await ana.documents.put('notes', id, { a: 1 }).ok()
        expect((await ana.documents.get('notes', id).ok()).doc_id).to.equal(composed)
      }
      expect((await ana.documents.list('notes').ok()).items).to.have.length(1)
      expect((await ana.documents.put('notes', 'é'.normalize('NFD').repeat(200), {})).status).to.equal(200)
      expect((await ana.documents.put('notes', 'é'.normalize('NFD').repeat(201), {})).status).to.equal(422)
    })
  })

  describe('what is no id', () => {
    it('is refused wherever one is given, with what an id may hold', async () => {
      const tenant = newTenant(service())
      const key = await tenant.caller({ trust: 3 })
      for (const id of NO_IDS) {
        const write = await key.memories.create({ content: 'x', agent_id: id, fleet_id: id, run_id: id })
        expect(faultsOf(write), id).to.have.members(['body.agent_id', 'body.fleet_id', 'body.run_id'])
        expect(faultsOf(await key.memories.createMany([{ content: 'x' }], { agent_id: id }))).to.deep.equal([
          'body.agent_id',
        ])
        expect(faultsOf(await key.documents.put('c', id, {})), id).to.deep.equal(['body.doc_id'])
        expect(faultsOf(await key.keystones.acknowledge(id, '"1"')), id).to.deep.equal(['body.run_id'])
        const minted = await tenant.admin.keys.create({ tenant_id: tenant.id, kind: 'agent', agent_id: id })
        expect(faultsOf(minted), id).to.deep.equal(['body.agent_id'])
        if (/^\.\.$|\0/.test(id)) continue
        expect(faultsOf(await key.agents.put(id)), id).to.deep.equal(['path.agent_id'])
        if (id !== '_ana') expect(faultsOf(await key.memories.list({ agent_id: id }))).to.deep.equal(['query.agent_id'])
      }
      const { body } = await key.memories.create({ content: 'x', agent_id: 'a b' })
      expect(JSON.stringify(body)).to.include('Must begin with a letter or digit')
    })

    it('names what was stored under it before, which is read, listed, recalled and deleted', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      await ana.documents.put('notes', 'a', { a: 1 }).ok()
      const { id } = await ana.memories.create({ content: 'Nine trucks.', run_id: 'a' }).ok()
      await tenant.admin.agents.put('a', { trust_level: 2 }).ok()
      await withConnection(service().databaseUrl, async (client) => {
        const values = [tenant.id]
        await client.query(`update documents set doc_id = 'a b' where tenant_id = $1 and doc_id = 'a'`, values)
        await client.query(`update memories set run_id = 'run 7' where tenant_id = $1 and run_id = 'a'`, values)
        await client.query(`update agents set agent_id = '_a' where tenant_id = $1 and agent_id = 'a'`, values)
      })
      expect((await ana.memories.listAll({ run_id: 'run 7' })).map((memory) => memory.id)).to.deep.equal([id])
      expect((await ana.memories.recall('trucks').ok()).memories[0]!.run_id).to.equal('run 7')
      expect((await (await tenant.caller()).actingAs('_a').agents.whoami().ok()).agent_id).to.equal('_a')
      expect((await tenant.admin.agents.get('_a').ok()).trust_level).to.equal(2)
      expect((await ana.documents.get('notes', 'a b').ok()).data).to.deep.equal({ a: 1 })
      expect((await ana.documents.delete('notes', 'a b')).status).to.equal(204)
    })
  })
})

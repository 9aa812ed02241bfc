import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { newTeam, type TestTenant } from '../support/tenants.js'
import { until } from '../support/states.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** Tests POST /memories/redistribute and GET /audit. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
  beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

  describe('redistribution', () => {
    it('hands over memories that are neither private nor duplicates, in portions, with exact counts', async () => {
      const rows = []
      for (const content of ['One.', 'Two.', 'Three.', 'Shared.']) rows.push(await ana.memories.create(content).ok())
      const secret = await ana.memories.create({ content: 'Secret.', visibility: 'scope_agent' }).ok()
      await ben.memories.create('Shared.').ok()
      const gone = await ana.memories.create('Gone.').ok()
      await ana.memories.delete(gone.id).ok()
      await settled(service())

      const first = await operator.memories.redistribute('ana', 'ben', { limit: 2 })
      expect(first.body).to.deep.equal({ moved: 2, duplicates: 1, private: 1, remaining: 1 })
      const second = await operator.memories.redistribute('ana', 'ben')
      expect(second.body).to.deep.equal({ moved: 1, duplicates: 1, private: 1, remaining: 0 })
      expect((await operator.memories.redistribute('ana', 'ben')).body.moved).to.equal(0)

      for (const row of rows.slice(0, 3)) {
        const { body } = await ben.memories.get(row.id)
        expect(body).to.deep.include({ agent_id: 'ben', fleet_id: 'red', version: 2, content: row.content })
        expect((await ben.memories.patch(row.id, { weight: 1 })).status).to.equal(200)
      }
      expect((await operator.memories.stats({ scope: 'all' })).body.by_agent).to.deep.equal({ ana: 2, ben: 4 })
      expect((await ben.memories.get(secret.id)).status).to.equal(404)
      expect(await ben.memories.recallContents('Two', { filter_agent_id: 'ben' })).to.include('Two.')
      await settled(service())
      expect(await ben.memories.recallContents('Two', { filter_agent_id: 'ben' })).to.include('Two.')
      expect(await ben.memories.recallContents('Two', { filter_agent_id: 'ana' })).to.not.include('Two.')
    })

    it('keeps a text that the other agent is writing concurrently, and hands over the rest', async () => {
      const one = await ana.memories.create('One.').ok()
      await ana.memories.create('Two.').ok()
      await withConnection(service().databaseUrl, async (writing) => {
        await writing.query('begin')
        await writing.query(
          `insert into memories (tenant_id, id, fleet_id, agent_id, memory_type, content, content_hash, content_hash_form, text_hash, created_at, updated_at)
           select tenant_id, gen_random_uuid(), fleet_id, 'ben', memory_type, content, content_hash, content_hash_form, text_hash, created_at, updated_at
           from memories where id = $1`,
          [one.id],
        )
        const handing = operator.memories.redistribute('ana', 'ben')
        await until('the hand-over waits for the lock', () => isWaitedFor(writing))
        await writing.query('commit')
        const { status, body } = await handing
        expect([status, body]).to.deep.equal([200, { moved: 1, duplicates: 1, private: 0, remaining: 0 }])
      })
      expect((await operator.audit.list({ action: 'memory.redistributed' })).body.items).to.have.length(1)
    })

    it('hands nothing over to an agent that is being deleted', async () => {
      await ana.memories.create('One.').ok()
      await withConnection(service().databaseUrl, async (deleting) => {
        const isBen = `tenant_id = '${tenant.id}' and agent_id = 'ben'`
        await deleting.query(`begin; select from agents where ${isBen} for update`)
        await deleting.query(`update agents set deleted_at = now() where ${isBen}`)
        const handing = operator.memories.redistribute('ana', 'ben')
        await until('the deletion waits for the lock', () => isWaitedFor(deleting))
        await deleting.query('commit')
        expect((await handing).status).to.equal(404)
      })
      expect(await ana.memories.total({ agent_id: 'ana' })).to.equal(1)
    })

    it('requires trust 3, two agents and a registered receiver', async () => {
      await ana.memories.create('One.').ok()
      for (const trust of [1, 2] as const) {
        const caller = await tenant.caller({ trust })
        const refused = await caller.memories.redistribute('ana', 'ben')
        expect(refused.status).to.equal(403)
        expect(refused.body.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: trust })
      }
      expect(faultsOf(await operator.memories.redistribute('ana', 'ana'))).to.deep.equal(['body.to_agent_id'])
      expect((await operator.memories.redistribute('ana', 'nobody')).status).to.equal(404)
      expect(await ana.memories.total({ agent_id: 'ana' })).to.equal(1)
    })
  })

  describe('the audit log', () => {
    type Event = { action: string; actor: unknown; subject: { id: string }; details: Record<string, unknown> }
    const eventsOf = async (id: string) => (await operator.audit.list({ subject_id: id })).body.items as Event[]

    it('shows who changed a memory and how, newest first, without text', async () => {
      const row = await ana.memories.create({ content: 'A heron.', title: 'Heron' }).ok()
      await ana.memories
        .patch(row.id, {
          content: 'An otter.',
          memory_type: 'task',
          entity_links: [{ name: 'Otter' }],
          status: 'pending',
        })
        .ok()
      await operator.memories.patch(row.id, { weight: 0.9 })
      await ben.memories.rate(row.id.toUpperCase(), 'success', { run_id: 'r1' })
      await ana.memories.create({ content: 'A fox.', supersedes_id: row.id }).ok()
      await ana.memories.delete(row.id).ok()
      const events = await eventsOf(row.id)
      expect(events.map(({ action, details }) => [action, details])).to.deep.equal([
        ['memory.deleted', { from: 'outdated', to: 'deleted', version: 6 }],
        ['memory.status_changed', { from: 'pending', to: 'outdated', version: 5, reason: 'explicit' }],
        ['memory.feedback', { outcome: 'success', run_id: 'r1', from: 0.9, to: 1 }],
        ['memory.updated', { fields: ['weight'], version: 3 }],
        ['memory.updated', { fields: ['content', 'memory_type', 'entity_links'], version: 2 }],
        ['memory.status_changed', { from: 'active', to: 'pending', version: 2 }],
        ['memory.created', {}],
      ])
      const kinds = events.map(({ actor }) => actor as { kind: string; agent_id: string | null; key_id: string | null })
      expect(kinds.map(({ kind, agent_id: agentId }) => [kind, agentId])).to.deep.equal([
        ['agent', 'ana'],
        ['agent', 'ana'],
        ['agent', 'ben'],
        ['tenant', null],
        ['agent', 'ana'],
        ['agent', 'ana'],
        ['agent', 'ana'],
      ])
      expect(kinds.every(({ key_id: keyId }) => keyId !== null)).to.equal(true)
      expect(JSON.stringify(events)).to.not.match(/heron|otter|fox/i)
    })

    it('shows as actor the agent that a tenant key acts for, the service, or the admin credential', async () => {
      const row = await operator.memories.create({ content: 'For ana.', agent_id: 'ana' }).ok()
      expect((await eventsOf(row.id))[0]!.actor).to.deep.include({ kind: 'tenant', agent_id: 'ana' })
      await tenant.admin.memories.patch(row.id, { weight: 0.1 }).ok()
      expect((await eventsOf(row.id))[0]!.actor).to.deep.equal({ kind: 'admin', agent_id: null, key_id: null })
    })

    it('has no events of requests that were refused or rolled back', async () => {
      const row = await ana.memories.create('One.').ok()
      await ana.memories.create('One.')
      await ben.memories.patch(row.id, { weight: 1 })
      await ana.memories.patch(row.id, { weight: 1 }, { 'If-Match': '"7"' })
      await ben.memories.delete(row.id)
      expect((await eventsOf(row.id)).map(({ action }) => action)).to.deep.equal(['memory.created'])
    })

    it('is listed page by page, filtered, at trust 3 only', async () => {
      for (let i = 0; i < 5; i++) await ana.memories.create(`Row ${i}.`).ok()
      await ben.memories.create('His.').ok()
      await operator.agents.patch('ben', { trust_level: 2 })
      const walked: Event[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await operator.audit.list({ limit: 2, cursor })
        walked.push(...(body.items as Event[]))
        if (body.next_cursor === null) break
        cursor = body.next_cursor
      }
      expect(walked.map(({ action }) => action)).to.deep.equal([
        'agent.updated',
        ...Array<string>(6).fill('memory.created'),
        // The operator's key, and one key of each agent.
        'key.created',
        ...['key.created', 'agent.registered', 'key.created', 'agent.registered'],
      ])
      expect((await operator.audit.list({ agent_id: 'ben' })).body.items).to.have.length(1)
      expect((await operator.audit.list({ action: 'agent.updated' })).body.items).to.have.length(1)
      const { at } = walked[3] as unknown as { at: string }
      const later = (await operator.audit.list({ after: at })).body.items as { at: string }[]
      expect(later.every((event) => event.at > at)).to.equal(true)
      const earlier = (await operator.audit.list({ before: at })).body.items as { at: string }[]
      expect(earlier.every((event) => event.at < at)).to.equal(true)
      expect(later.length + earlier.length).to.be.within(1, walked.length - 1)
      const { next_cursor: cursor } = (await operator.audit.list({ limit: 2 })).body
      expect((await operator.audit.list({ limit: 2, cursor, agent_id: 'ana' })).status).to.equal(400)
      for (const trust of [1, 2] as const)
        expect((await (await tenant.caller({ trust })).audit.list()).status).to.equal(403)
    })
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { compactCounters } from '../../store/tenants/counters.js'
import { purgeDue } from '../../store/memories/lifecycle.js'
import type { Caller } from '../support/client.js'
import { createMovingClock } from '../support/moving-clock.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTeam, type TestTenant } from '../support/tenants.js'

const DAY = 86_400_000
const NONE = { created: 0, superseded: 0, deleted: 0, recalled: 0 }

/** Tests GET /memories/stats/timeline and GET /recalls/stats. Needs a service of its own, whose clock it moves. */
describeOnEmbedded(() => {
  const clock = createMovingClock()
  const service = ownService({ clock })
  let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
  beforeEach(async () => {
    // Events of one test are in one interval.
    clock.advance(DAY - (clock.now() % DAY) + 3_600_000)
    ;({ tenant, ana, ben, operator } = await newTeam(service()))
  })
  const at = (days = 0) => new Date(clock.now() + days * DAY).toISOString()
  const dayOf = (instant: string) => `${instant.slice(0, 10)}T00:00:00.000Z`
  const compact = () => service().context.store.asSystem((system) => compactCounters(system))
  const recalled = async (caller: Caller, query: string) => {
    const { recall_id: id, memories } = await caller.memories.recall(query).ok()
    await until('the recall is recorded', async () => expect((await caller.recalls.get(id)).status).to.equal(200))
    return memories
  }

  describe('the timeline of memories', () => {
    it('counts what was written, superseded, deleted and recalled, each day', async () => {
      const yesterday = dayOf(at())
      const [old, gone] = [
        await ana.memories.create('The port is 6432.').ok(),
        await ana.memories.create('A fox.').ok(),
      ]
      clock.advance(DAY)
      await ana.memories.create({ content: 'The port is 6433.', supersedes_id: old.id }).ok()
      await ana.memories.delete(gone.id).ok()
      const found = await recalled(ana, 'which port?')
      const shown = async () => {
        const { items, totals, from, to } = await ana.memories.timeline({ from: yesterday, to: at() }).ok()
        expect([from, to]).to.deep.equal([yesterday, dayOf(at(1))])
        expect(totals).to.deep.equal({ created: 3, superseded: 1, deleted: 1, recalled: found.length })
        expect(items).to.deep.equal([
          { start: yesterday, ...NONE, created: 2 },
          { start: dayOf(at()), created: 1, superseded: 1, deleted: 1, recalled: found.length },
        ])
      }
      await shown()
      await compact()
      await shown()
      await service().context.store.transact({ tenantId: tenant.id }, (writer) =>
        purgeDue(writer, sql<boolean>`m.status = 'deleted'`, { at: new Date(clock.now()), limit: 100 }),
      )
      await shown()
    })

    it('counts each value apart', async () => {
      await ana.memories.create({ content: 'A.', memory_type: 'decision' }).ok()
      await ana.memories.create({ content: 'B.', visibility: 'scope_org' }).ok()
      await ben.memories.create('C.').ok()
      const groupsBy = async (by: string) =>
        (await operator.memories.timeline({ by, from: at(), scope: 'all' }).ok()).items[0]!.groups!.map(
          ({ key, created }) => [key, created],
        )
      expect(await groupsBy('type')).to.deep.equal([
        ['decision', 1],
        ['fact', 2],
      ])
      expect(await groupsBy('agent')).to.deep.equal([
        ['ana', 2],
        ['ben', 1],
      ])
      expect(await groupsBy('fleet')).to.deep.equal([['red', 3]])
      expect(await groupsBy('visibility')).to.deep.equal([
        ['scope_org', 1],
        ['scope_team', 2],
      ])
      const { items } = await ana.memories.timeline({ from: at() }).ok()
      expect(items[0]).not.to.have.property('groups')
    })

    it('counts for each caller what it may see', async () => {
      const blue = await tenant.caller({ agentId: 'cy', fleetId: 'blue' })
      await ana.memories.create('In red.').ok()
      await ana.memories.create({ content: 'Private.', visibility: 'scope_agent' }).ok()
      await ana.memories.create({ content: 'For all.', visibility: 'scope_org' }).ok()
      const created = async (caller: Caller, query = {}) =>
        (await caller.memories.timeline({ from: at(), ...query }).ok()).totals.created
      for (const compacted of [false, true]) {
        if (compacted) await compact()
        expect([await created(ana), await created(ben), await created(blue)]).to.deep.equal([3, 2, 1])
        expect(await created(ben, { agent_id: 'ana', memory_type: 'fact', visibility: 'scope_org' })).to.equal(1)
        expect(await created(ben, { scope: 'fleet' })).to.equal(3)
        expect(await created(operator, { scope: 'all' })).to.equal(3)
        expect(await created(operator, { fleet_id: 'red' })).to.equal(2)
      }
      for (const query of [{ scope: 'all' }, { scope: 'fleet', fleet_id: 'red' }, { fleet_id: 'red' }])
        expect((await blue.memories.timeline(query)).status).to.equal(403)
      expect(
        (await (await tenant.caller({ agentId: 'dee', trust: 0 })).memories.timeline({ scope: 'agent' })).status,
      ).to.equal(403)
    })

    it('forgets an agent whose memories are erased, and keeps what happened to those of others', async () => {
      await ben.memories.create('The port is 6433.').ok()
      for (const compacted of [true, false]) {
        await ana.memories.create(`The port is 6432 (${compacted}).`).ok()
        if (compacted) await compact()
      }
      const keysOf = async () =>
        (await operator.memories.timeline({ from: at(), by: 'agent', scope: 'all' }).ok()).items[0]!.groups!.map(
          ({ key }) => key,
        )
      expect(await keysOf()).to.deep.equal(['ana', 'ben'])
      await tenant.admin.erasures.create({ agent_id: 'ana' }).ok()
      expect(await keysOf()).to.deep.equal(['ben'])
      await compact()
      expect(await keysOf()).to.deep.equal(['ben'])
    })

    it('shows the recalls of private memories to their author and at trust 3 alone', async () => {
      await ana.memories.create({ content: 'The secret port is 6432.', visibility: 'scope_agent' }).ok()
      await recalled(ana, 'which port?')
      const counted = async (caller: Caller, query: Record<string, string>) => {
        const { created, recalled: times } = (await caller.memories.timeline({ from: at(), ...query }).ok()).totals
        return [created, times]
      }
      expect(await counted(ana, {})).to.deep.equal([1, 1])
      expect(await counted(operator, { scope: 'all' })).to.deep.equal([1, 1])
      const ofAna = { scope: 'fleet', agent_id: 'ana', visibility: 'scope_agent' }
      for (const query of [{ scope: 'fleet' }, ofAna] as Record<string, string>[])
        expect(await counted(ben, query)).to.deep.equal([1, 0])
      expect(await counted(await tenant.caller({ trust: 2 }), { scope: 'all' })).to.deep.equal([1, 0])
    })

    it('counts a memory as superseded by another with its own text', async () => {
      const { id } = await ana.memories.create('The port is 6432.').ok()
      await ana.memories.create({ content: 'The port is 6432.', supersedes_id: id }).ok()
      expect((await ana.memories.timeline({ from: at() }).ok()).totals).to.deep.equal({
        ...NONE,
        created: 2,
        superseded: 1,
      })
    })

    it('takes times with any offset', async () => {
      const { from } = await ana.memories.timeline({ from: '2026-01-01T00:00:00+02', to: '2026-01-02T00:00Z' }).ok()
      expect(from).to.equal('2025-12-31T00:00:00.000Z')
    })

    it('is that of a zone', async () => {
      await ana.memories.create('At one in the morning, UTC.').ok()
      const { items, timezone } = await ana.memories
        .timeline({ timezone: 'America/New_York', from: at(-1), to: at(1) })
        .ok()
      expect(timezone).to.equal('America/New_York')
      const [item] = items.filter(({ created }) => created > 0)
      expect(item!.start < dayOf(at())).to.equal(true)
    })

    const refused: [what: string, query: Record<string, string>][] = [
      ['a beginning after the end', { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' }],
      ['an end beyond the last year', { from: '9999-12-31T00:00:00Z', to: '9999-12-31T23:59:59Z', interval: 'week' }],
      ['more than a thousand intervals', { from: '2020-01-01T00:00:00Z', interval: 'hour' }],
      ['another interval', { interval: 'minute' }],
      ['no zone', { timezone: 'Europe/Nowhere' }],
      ['no moment', { from: 'yesterday' }],
      ['another group', { by: 'content' }],
    ]
    for (const [what, query] of refused)
      it(`refuses ${what}`, async () => expect((await ana.memories.timeline(query)).status).to.equal(422))
  })

  describe('a list of memories', () => {
    it('goes by the last recall, and has only those that were recalled, or never were', async () => {
      const [port, fox] = [
        await ana.memories.create('The port is 6432.').ok(),
        await ana.memories.create('A fox.').ok(),
      ]
      await ana.memories.create('Bread and salt.').ok()
      const shown = async (query: Record<string, string>) =>
        (await ana.memories.listAll({ ...query, limit: 1 })).map(({ content }) => content)
      expect(await shown({ recalled: 'never' })).to.have.length(3)
      const top = { top_k: 1 }
      for (const [query, { id }] of [
        ['which port?', port],
        ['a fox', fox],
      ] as const) {
        const answer = await ana.memories.recall(query, top).ok()
        expect(answer.memories.map((memory) => memory.id)).to.deep.equal([id])
        await until('the recall is counted', async () => (await ana.memories.get(id).ok()).recall_count === 1)
        clock.advance(1_000)
      }
      expect(await shown({ recalled: 'never' })).to.deep.equal(['Bread and salt.'])
      expect(await shown({ recalled: 'ever', sort: 'last_recalled_at' })).to.deep.equal(['A fox.', 'The port is 6432.'])
      expect(await shown({ sort: 'last_recalled_at', order: 'asc' })).to.deep.equal([
        'Bread and salt.',
        'The port is 6432.',
        'A fox.',
      ])
      expect((await ana.memories.list({ recalled: 'often' })).status).to.equal(422)
    })
  })

  describe('an agent', () => {
    it('shows when it last wrote and recalled to those that may know', async () => {
      await ana.memories.create('The port is 6432.').ok()
      await recalled(ben, 'which port?')
      const shown = async (caller: Caller, id: string) => {
        const {
          memory_count: count,
          last_write_at: wrote,
          recall_count: recalls,
          last_recall_at: last,
        } = await caller.agents.get(id).ok()
        return [count, wrote === null ? null : wrote.slice(0, 10), recalls, last === null ? null : last.slice(0, 10)]
      }
      const day = at().slice(0, 10)
      expect(await shown(operator, 'ana')).to.deep.equal([1, day, 0, null])
      expect(await shown(operator, 'ben')).to.deep.equal([0, null, 1, day])
      expect(await shown(ben, 'ben')).to.deep.equal([0, null, 1, day])
      expect(await shown(ana, 'ben')).to.deep.equal([null, null, null, null])
      expect(await shown(await tenant.caller({ trust: 2 }), 'ana')).to.deep.equal([1, day, null, null])
    })
  })

  describe('the statistics of recalls', () => {
    it('count one’s own below trust 3, and those of all agents at it', async () => {
      await ana.memories.create('The port is 6432.').ok()
      await recalled(ana, 'which port?')
      await recalled(ana, 'which port?')
      await recalled(ben, 'which port?')
      const nothing = await recalled(await tenant.caller({ agentId: 'cy', fleetId: 'blue' }), 'which port?')
      expect(nothing).to.deep.equal([])
      const own = await ana.recalls.stats({ from: at() }).ok()
      expect(own.total).to.deep.include({ count: 2, empty: 0, degraded: 0 })
      expect(own.agents.map(({ agent_id, count }) => [agent_id, count])).to.deep.equal([['ana', 2]])
      expect(own.total.recall_ms!.p95).to.be.at.least(own.total.recall_ms!.p50)
      const all = await operator.recalls.stats({ from: at(-1) }).ok()
      expect(all.items.map(({ count, recall_ms: ms }) => [count, ms === null])).to.deep.equal([
        [0, true],
        [4, false],
      ])
      expect(all.agents.map(({ agent_id, count, empty }) => [agent_id, count, empty])).to.deep.equal([
        ['ana', 2, 0],
        ['ben', 1, 0],
        ['cy', 1, 1],
      ])
      const { high, low, none } = all.total.confidence
      expect(high + low + none).to.equal(4)
      expect((await operator.recalls.stats({ from: at(), agent_id: 'ben' }).ok()).total.count).to.equal(1)
      expect((await ana.recalls.stats({ from: at(), agent_id: 'ana' }).ok()).total.count).to.equal(2)
      expect((await ana.recalls.stats({ agent_id: 'ben' })).status).to.equal(403)
      expect((await (await tenant.caller({ agentId: 'dee', trust: 0 })).recalls.stats()).status).to.equal(403)
    })

    it('count those of a key that acts for no agent apart from those of another', async () => {
      const [one, two] = [await tenant.caller({ trust: 2 }), await tenant.caller({ trust: 2 })]
      await recalled(one, 'anything')
      expect((await one.recalls.stats({ from: at() }).ok()).agents).to.have.length(1)
      expect((await two.recalls.stats({ from: at() }).ok()).total).to.deep.include({ count: 0, recall_ms: null })
    })

    it('say what was missing', async () => {
      const { store } = service().context
      await recalled(ana, 'anything')
      await store.asSystem(({ db }) =>
        db.updateTable('recalls').set({ degraded: 'vector,rerank' }).where('tenant_id', '=', tenant.id).execute(),
      )
      const { total } = await ana.recalls.stats({ from: at() }).ok()
      expect(total.degraded).to.equal(1)
      expect(total.degraded_by).to.deep.equal({ vector: 1, keyword: 0, entity: 0, rerank: 1, pending: 0, search: 0 })
    })
  })
})

import { expect } from 'chai'
import type { Trust } from '../../domain/trust.js'
import { audienceOf, isVisible, type Viewer, VISIBILITIES } from '../../domain/visibility.js'
import type { Caller } from '../support/client.js'
import type { MemoryRecord } from '../support/clients/memories.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService, type SharedService } from '../support/shared-service.js'

interface Row {
  readonly id: string
  readonly agentId: string | null
  readonly fleetId: string | null
  readonly visibility: (typeof VISIBILITIES)[number]
  readonly entityId: string
}

interface Someone {
  readonly name: string
  readonly viewer: Viewer
  /** Creates the caller. Changes the agent's row to the viewer's trust and fleet. */
  become(): Promise<Caller>
}

describeOnEachProfile((profile) => describeVisibility(sharedService(profile), { indexed: true }))
describeOnEmbedded(() => describeVisibility(ownService({ queues: [] }), { indexed: false }))

/**
 * Tests every read route against the visibility rule: rows of every author, fleet and visibility, read by viewers of every kind. `indexed`
 * is true when the rows are indexed, false when they are pending.
 */
function describeVisibility(service: SharedService, { indexed }: { indexed: boolean }): void {
  describe(`visibility of rows that are ${indexed ? 'indexed' : 'pending'}`, () => {
    let tenant: TestTenant
    let rows: Row[]
    let operator: Caller
    before(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
      for (const agentId of ['ana', 'ben']) await tenant.caller({ agentId, trust: 3 })
      rows = await writeRows(operator)
      if (indexed) await settled(service())
    })

    for (const someone of everyone(
      () => tenant,
      () => operator,
    )) {
      describe(`to ${someone.name}`, () => {
        const { viewer } = someone
        let caller: Caller
        before(async () => {
          caller = await someone.become()
        })
        const seen = (asked: 'all' | string[], among = rows) =>
          among.filter((row) => isVisible(audienceOf(viewer, asked), row))
        const ids = (among: readonly { id: string }[]) => among.map(({ id }) => id).sort()

        it('by id follows the rule, with every fleet requested', async () => {
          const statuses = await Promise.all(
            rows.map(async (row) => [row.id, (await caller.memories.get(row.id)).status] as const),
          )
          expect(
            statuses
              .filter(([, status]) => status === 200)
              .map(([id]) => id)
              .sort(),
          ).to.deep.equal(ids(seen('all')))
          expect(new Set(statuses.map(([, status]) => status))).to.be.deep.equal(
            new Set([...(seen('all').length > 0 ? [200] : []), ...(seen('all').length < rows.length ? [404] : [])]),
          )
        })

        it('of versions, and of what was known, follows the rule', async () => {
          const statuses = await Promise.all(
            rows.map(async ({ id }) => [id, (await caller.memories.versions(id)).status] as const),
          )
          const found = statuses.filter(([, status]) => status === 200).map(([id]) => id)
          expect(found.sort()).to.deep.equal(ids(seen('all')))
          const query = { known_at: new Date().toISOString() }
          expect(ids(await caller.memories.listAll(query))).to.deep.equal(ids(seen([])))
        })

        it('in lists, recalls, statistics and entities follows the rule', async () => {
          expect(ids(await caller.memories.listAll())).to.deep.equal(ids(seen([])))
          const { memories, degraded } = await caller.memories.recall('zebra', { top_k: 100, compose: false }).ok()
          expect(degraded).to.equal(null)
          expect(ids(memories)).to.deep.equal(ids(seen([])))
          expect((await caller.memories.stats()).body).to.deep.equal(statisticsOf(seen([])))
          const written = (await caller.memories.timeline({ interval: 'week' }).ok()).totals.created
          expect(written).to.equal(statisticsOf(seen([])).total)
          const entities = (await caller.entities.list({ limit: 200 })).body.items as {
            id: string
            memory_count: number
          }[]
          expect(ids(entities)).to.deep.equal(
            seen([])
              .map(({ entityId }) => entityId)
              .sort(),
          )
          expect(entities.map(({ memory_count }) => memory_count)).to.deep.equal(Array(entities.length).fill(1))
        })

        it('of an entity by id follows that of its memories', async () => {
          const found = await Promise.all(
            rows.map(async (row) => [row.entityId, (await caller.entities.get(row.entityId)).status] as const),
          )
          expect(
            found
              .filter(([, status]) => status === 200)
              .map(([id]) => id)
              .sort(),
          ).to.deep.equal(
            seen('all')
              .map(({ entityId }) => entityId)
              .sort(),
          )
        })

        for (const fleet of ['red', 'blue'])
          it(`of fleet ${fleet} follows the rule, or is refused`, async () => {
            const allowed = viewer.trust >= 2 || viewer.fleetId === fleet
            const among = rows.filter(({ fleetId }) => fleetId === fleet)
            const expected = seen([fleet], among)
            if (!allowed) {
              for (const refused of [
                await caller.memories.list({ fleet_id: fleet }),
                await caller.memories.recall('zebra', { fleet_ids: [fleet] }),
                await caller.memories.stats({ fleet_id: fleet }),
              ])
                expect(refused.status).to.equal(403)
              return
            }
            expect(ids(await caller.memories.listAll({ fleet_id: fleet }))).to.deep.equal(ids(expected))
            const { memories } = await caller.memories
              .recall('zebra', { fleet_ids: [fleet], top_k: 100, compose: false })
              .ok()
            expect(ids(memories)).to.deep.equal(ids(expected))
            expect((await caller.memories.stats({ fleet_id: fleet })).body).to.deep.equal(statisticsOf(expected))
          })

        it('is not widened by a filter that is true of every row, or names another fleet', async () => {
          const always = { or: [{ 'metadata.k': { exists: true } }, { not: { 'metadata.k': { exists: true } } }] }
          const blue = { fleet_id: 'blue' }
          for (const [filter, among] of [
            [always, rows],
            [{ not: { run_id: 'none' } }, rows],
            [{ agent_id: 'ben' }, rows.filter(({ agentId }) => agentId === 'ben')],
            [{ not: { agent_id: 'ana' } }, rows.filter(({ agentId }) => agentId !== 'ana')],
            [{ or: [blue, { not: blue }] }, rows],
            [blue, rows.filter(({ fleetId }) => fleetId === 'blue')],
          ] as const) {
            const list = await caller.memories.list({ filter: JSON.stringify(filter), limit: 200 })
            const recall = await caller.memories.recall('zebra', { filter, top_k: 100, compose: false })
            if (JSON.stringify(filter).includes('blue') && viewer.trust < 2) {
              expect([list.status, recall.status]).to.deep.equal([403, 403])
              continue
            }
            const expected = ids(seen([], among))
            expect(ids(list.body.items), JSON.stringify(filter)).to.deep.equal(expected)
            expect(ids(recall.body.memories), JSON.stringify(filter)).to.deep.equal(expected)
          }
        })

        it('is not widened by a filter for another agent', async () => {
          const expected = seen(
            [],
            rows.filter(({ agentId }) => agentId === 'ben'),
          )
          expect(ids(await caller.memories.listAll({ agent_id: 'ben' }))).to.deep.equal(ids(expected))
          const { memories } = await caller.memories
            .recall('zebra', { filter_agent_id: 'ben', top_k: 100, compose: false })
            .ok()
          expect(ids(memories)).to.deep.equal(ids(expected))
          expect((await caller.memories.stats({ agent_id: 'ben' })).body).to.deep.equal(statisticsOf(expected))
        })
      })
    }
  })
}

async function writeRows(operator: Caller): Promise<Row[]> {
  const rows: Row[] = []
  for (const visibility of VISIBILITIES)
    for (const agentId of [null, 'ana', 'ben'])
      for (const fleetId of [null, 'red', 'blue']) {
        if (visibility === 'scope_agent' && agentId === null) continue
        const record: MemoryRecord = await operator.memories
          .create({
            content: `The zebra of ${agentId ?? 'nobody'} in ${fleetId ?? 'no fleet'}, ${visibility.replace('_', ' ')}.`,
            visibility,
            agent_id: agentId,
            fleet_id: fleetId,
            entity_links: [{ name: `Zebra ${rows.length}` }],
          })
          .ok()
        const { id, entity_links } = record
        rows.push({ id, agentId, fleetId, visibility, entityId: entity_links[0]!.entity_id })
      }
  return rows
}

function everyone(tenant: () => TestTenant, operator: () => Caller): Someone[] {
  const trusts: Trust[] = [0, 1, 2, 3]
  const agents = trusts.flatMap((trust) =>
    [null, 'red'].map((fleetId) => ({
      name: `an agent of trust ${trust} in ${fleetId ?? 'no fleet'}`,
      viewer: { agentId: 'ana', fleetId, trust, fleetless: false },
      async become() {
        await changeAgent(operator(), { fleet_id: fleetId, trust_level: trust })
        return tenant().caller({ agentId: 'ana' })
      },
    })),
  )
  const keys = trusts.flatMap((trust) =>
    [null, 'red'].map((fleetId) => ({
      name: `a key of trust ${trust} in ${fleetId ?? 'every fleet'}`,
      viewer: { agentId: null, fleetId, trust, fleetless: fleetId === null },
      become: () => tenant().caller({ trust, ...(fleetId && { fleetId }) }),
    })),
  )
  const acting = {
    name: 'a key of trust 3 acting for an agent of trust 1',
    viewer: { agentId: 'ana', fleetId: 'red', trust: 1 as const, fleetless: false },
    async become() {
      await changeAgent(operator(), { fleet_id: 'red', trust_level: 1 })
      return operator().actingAs('ana')
    },
  }
  const admin = {
    name: 'the admin credential',
    viewer: { agentId: null, fleetId: null, trust: 3 as const, fleetless: true },
    become: () => Promise.resolve(tenant().admin),
  }
  return [...agents, ...keys, acting, admin]
}

async function changeAgent(operator: Caller, body: Record<string, unknown>): Promise<void> {
  const answer = await operator.agents.patch('ana', body)
  expect(answer.status).to.equal(200)
}

function statisticsOf(rows: readonly Row[]) {
  const by_agent: Record<string, number> = {}
  for (const { agentId } of rows) by_agent[agentId ?? '(none)'] = (by_agent[agentId ?? '(none)'] ?? 0) + 1
  const counted = <Key extends string>(key: Key) => (rows.length > 0 ? { [key]: rows.length } : {})
  return { total: rows.length, by_type: counted('fact'), by_agent, by_status: counted('active') }
}

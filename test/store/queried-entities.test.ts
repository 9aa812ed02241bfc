import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { RECALL_STATUSES } from '../../domain/memory.js'
import type { Audience } from '../../domain/visibility.js'
import { type CommonEntities, readQueriedEntities } from '../../store/memories/queried-entities.js'
import { explainStatements } from '../support/explained.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const ANA: Audience = { kind: 'shared', agentId: 'ana', fleets: ['red'] }
const EVERY_FLEET: Audience = { kind: 'shared', agentId: null, fleets: 'all' }
const OWN: Audience = { kind: 'own', agentId: 'ana' }

/** Memories that are written at once: `count` of one author and visibility, each linked to all of these names. */
interface Written {
  readonly count: number
  readonly names: readonly string[]
  readonly agentId?: string
  readonly fleetId?: string
  readonly visibility?: string
  readonly entityType?: string
  readonly roles?: readonly string[]
}

describe('entities that a query names', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    for (const table of ['memories', 'entities', 'entity_links', 'memory_counter_deltas'])
      await runSql(test.url, `alter table ${table} set (autovacuum_enabled = off)`)
  })
  after(() => test.stop())

  const write = async (tenantId: string, written: readonly Written[]) => {
    for (const { count, names, agentId = 'ana', fleetId = 'red', visibility = 'scope_team', ...link } of written)
      await runSql(
        test.url,
        `with named as (
          insert into entities (tenant_id, id, name_key) select $1, gen_random_uuid(), unnest($2::text[])
          on conflict (tenant_id, name_key) do update set name_key = excluded.name_key returning id, name_key
        ), made as (
          insert into memories (tenant_id, id, fleet_id, agent_id, memory_type, content, content_hash, text_hash, created_at, updated_at,
            visibility, type_given)
          select $1, gen_random_uuid(), $4, $5, 'fact', 'x', decode(md5(random()::text), 'hex'), '\\x00', now(), now(), $6, true
          from generate_series(1, $3::int) returning id
        ), counted as (
          insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
          values ($1, $4, $5, $6, 'fact', 'active', $3)
        )
        insert into entity_links (tenant_id, memory_id, entity_id, name, role, entity_type, audience)
        select $1, made.id, named.id, name_key, role, $8,
          case $6 when 'scope_org' then 'o' when 'scope_agent' then 'a:' || $5 else 't:' || $4 end
        from made cross join named cross join unnest($7::text[]) as role`,
        [tenantId, names, count, fleetId, agentId, visibility, link.roles ?? [''], link.entityType ?? null],
      )
  }
  const filterOf = (audience: Audience) => ({ audience, now: Date.now(), statuses: RECALL_STATUSES })
  const read = async (tenantId: string, audience: Audience, names: readonly string[], known?: CommonEntities) =>
    test.store.read({ tenantId }, async (plain) => {
      const { reader, plans } = explainStatements(plain)
      const found = await readQueriedEntities(reader, filterOf(audience), names, known)
      return { ...found, plans }
    })
  const newTenantId = () => `t-${randomUUID()}`

  const HUBS: readonly Written[] = [
    { count: 5_000, names: ['hub'] },
    { count: 20_000, names: ['quiet', 'hub'], agentId: 'ben', visibility: 'scope_agent' },
    { count: 3, names: ['quiet', 'shared'] },
    { count: 4, names: ['shared'] },
    { count: 20_000, names: ['shared'], agentId: 'ben', visibility: 'scope_agent' },
  ]
  const counts = async (tenantId: string, audience: Audience, ...names: string[]) => {
    const { memories, named, reached } = await read(tenantId, audience, names)
    const linked = named.map((one) => one.linked).sort((a, b) => a - b)
    const linksOf = new Map(named.map((one) => [one.id, one.linked]))
    return { memories, linked, reached: reached.map((one) => [linksOf.get(one.namedId)!, one.linked]) }
  }
  const NONE = { memories: 0, linked: [], reached: [] }

  it('are counted over the memories that each audience sees', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 200, names: ['filler'], visibility: 'scope_org' },
      { count: 2, names: ['acme'], visibility: 'scope_org' },
      { count: 3, names: ['acme'] },
      { count: 4, names: ['acme'], fleetId: 'blue' },
      { count: 5, names: ['acme'], visibility: 'scope_agent' },
      { count: 6, names: ['acme'], agentId: 'ben', visibility: 'scope_agent' },
    ])
    expect(await counts(tenantId, ANA, 'acme')).to.deep.include({ memories: 214, linked: [14] })
    expect(await counts(tenantId, EVERY_FLEET, 'acme')).to.deep.include({ memories: 209, linked: [9] })
    expect(await counts(tenantId, { kind: 'shared', agentId: 'ben', fleets: [] }, 'acme')).to.deep.include({
      memories: 208,
      linked: [8],
    })
    expect(await counts(tenantId, OWN, 'acme')).to.deep.include({ memories: 214, linked: [14] })
    expect(await counts(tenantId, { kind: 'nobody' }, 'acme')).to.deep.equal(NONE)
    expect(await counts(newTenantId(), ANA, 'acme')).to.deep.equal(NONE)
  })

  it('of an author in another fleet are counted among the newest of what it wrote', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 50, names: [], visibility: 'scope_org' },
      { count: 2, names: ['acme'], fleetId: 'blue' },
      { count: 3, names: ['acme'], agentId: 'ben', fleetId: 'blue' },
    ])
    expect(await counts(tenantId, ANA, 'acme')).to.deep.include({ memories: 52, linked: [2] })
    expect(await counts(tenantId, { ...ANA, agentId: 'cleo' }, 'acme')).to.deep.equal(NONE)
    await write(tenantId, [{ count: 20_000, names: ['acme'], agentId: 'ben', fleetId: 'blue' }])
    const { named, plans } = await read(tenantId, ANA, ['acme'])
    expect(named.map(({ linked }) => linked)).to.deep.equal([2])
    expect(plans[0]!.rowsRead, 'others’ links in that fleet are not read').to.be.below(500)
  })

  it('do not exist where only hidden memories name them, however many', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 50, names: [] },
      { count: 2, names: ['acme'] },
      { count: 3, names: ['secret'], agentId: 'ben', visibility: 'scope_agent' },
      { count: 3, names: ['secret'], agentId: 'ben', fleetId: 'blue' },
    ])
    for (const audience of [ANA, OWN, { ...ANA, agentId: null }] as const) {
      const known = await counts(tenantId, audience, 'acme')
      expect(known).to.deep.include({ linked: [2] })
      expect(await counts(tenantId, audience, 'acme', 'secret')).to.deep.equal(known)
    }
  })

  it('lead over a shared entity by its visible memories alone', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 300, names: [] },
      { count: 2, names: ['acme', 'beacon'] },
      { count: 3, names: ['beacon'] },
    ])
    const alone = await counts(tenantId, ANA, 'acme')
    expect(alone.reached).to.deep.equal(Array.from({ length: 3 }, () => [2, 5]))
    await write(tenantId, [
      { count: 100, names: ['beacon'], agentId: 'ben', visibility: 'scope_agent' },
      { count: 1, names: ['acme', 'hidden path'], agentId: 'ben', fleetId: 'blue' },
      { count: 5, names: ['hidden path'] },
    ])
    expect((await counts(tenantId, ANA, 'acme')).reached).to.deep.equal(alone.reached)
  })

  it('are left out when they are common, and their dates are not followed', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 100, names: ['common'] },
      { count: 2, names: ['acme', '2026-05-01'], entityType: 'date' },
      { count: 2, names: ['2026-05-01'], entityType: 'date' },
    ])
    expect(await counts(tenantId, ANA, 'common', 'acme')).to.deep.equal({ memories: 104, linked: [2], reached: [] })
  })

  it('are not read again where they are known to be common', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [
      { count: 1_000, names: ['hub'] },
      { count: 2, names: ['acme', 'beacon', 'everywhere'] },
      { count: 3, names: ['beacon'] },
      { count: 30, names: ['everywhere'] },
      { count: 3_000, names: [], visibility: 'scope_org' },
    ])
    const first = await read(tenantId, ANA, ['hub', 'acme'])
    expect([first.common.queried.length, first.common.others.length]).to.deep.equal([1, 1])
    const again = await read(tenantId, ANA, ['hub', 'acme'], first.common)
    for (const key of ['memories', 'named', 'reached'] as const) expect(again[key]).to.deep.equal(first[key])
    expect(again.reached).to.have.length(3)
    expect(again.common).to.deep.equal({ queried: [], others: [] })
    expect(again.plans[0]!.rowsRead).to.be.below(first.plans[0]!.rowsRead / 3)
  })

  it('lead to the same memories, whatever is known to be common, where there are more than are followed', async () => {
    const tenantId = newTenantId()
    const others = Array.from({ length: 80 }, (_, i) => [`rare ${i}`, `everywhere ${i}`]).flat()
    await write(tenantId, [
      { count: 1, names: ['acme', ...others] },
      { count: 30, names: others.filter((name) => name.startsWith('everywhere')) },
      ...others.filter((name) => name.startsWith('rare')).map((name) => ({ count: 1, names: [name] })),
      { count: 500, names: [] },
    ])
    const first = await read(tenantId, ANA, ['acme'])
    expect(first.common.others.length).to.be.within(20, 80)
    const again = await read(tenantId, ANA, ['acme'], first.common)
    expect(again.reached).to.deep.equal(first.reached)
  })

  it('are not reported as common where few links tell so: a small tenant grows out of it', async () => {
    const tenantId = newTenantId()
    await write(tenantId, [{ count: 15, names: ['acme', 'beacon'] }])
    const { named, common } = await read(tenantId, ANA, ['acme', 'beacon'])
    expect([named, common]).to.deep.equal([[], { queried: [], others: [] }])
  })

  for (const statistics of ['before', 'after'])
    it(`are read by few links of entities with thousands, ${statistics} statistics exist`, async () => {
      const tenantId = newTenantId()
      await write(tenantId, HUBS)
      if (statistics === 'after') await runSql(test.url, 'analyze')
      for (const audience of [ANA, EVERY_FLEET, OWN]) {
        const { plans } = await read(tenantId, audience, ['hub', 'quiet'])
        expect(plans).to.have.length(1)
        // Up to 500 links of an entity are needed to see that it is common, and 500 memories of an audience's own.
        expect(plans[0]!.rowsRead).to.be.below(2_500)
      }
      const { named, reached } = await read(tenantId, ANA, ['hub', 'quiet'])
      expect(named.map(({ linked }) => linked)).to.deep.equal([3])
      expect(reached.map(({ linked }) => linked)).to.deep.equal([7, 7, 7, 7])
    }).timeout(60_000)
})

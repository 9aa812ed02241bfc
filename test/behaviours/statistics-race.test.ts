import { expect } from 'chai'
import fc from 'fast-check'
import { sql } from 'kysely'
import { purgeDue } from '../../store/memories/lifecycle.js'
import { compactCounters } from '../../store/tenants/counters.js'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { countRows, type Counts, scanMemories } from '../support/counted-rows.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService, type SharedService } from '../support/shared-service.js'

/** Crews of two agents each, so that one can take over the memories of the other. */
const CREWS = 200
const STEPS_AT_MOST = 3

const TYPES = ['fact', 'task', 'decision'] as const
const VISIBILITIES = ['scope_agent', 'scope_team', 'scope_org'] as const
const LIVE = ['active', 'pending', 'confirmed'] as const

const picked = fc.nat({ max: 9 })
const kind = fc.record({
  memory_type: fc.constantFrom(...TYPES),
  visibility: fc.constantFrom(...VISIBILITIES),
  status: fc.constantFrom(...LIVE),
})
const anyStep = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), kind }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('write many' as const), kind }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('patch' as const), picked, kind }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('archive' as const), picked }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), picked }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('purge' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), picked }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hand over' as const) }) },
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never
const anyCrew = fc.record({
  fleet: fc.constantFrom('red', 'blue', null),
  steps: fc.array(anyStep, { minLength: 1, maxLength: STEPS_AT_MOST }),
})

interface Row {
  readonly id: string
  agent_id: string
  memory_type: string
  visibility: string
  status: string
}

/**
 * Tests that statistics are exact under concurrency: 200 crews write, change, delete, purge, erase and redistribute, and each checks the
 * statistics of its agent after each step. Other callers read meanwhile, and counters are compacted all the time.
 */
describeOnEmbedded(() => {
  // All need a permit and a connection at once, and none may time out waiting.
  const service = ownService({ env: { DATABASE_CONNECT_TIMEOUT_MS: '60000', TENANT_CONCURRENCY: '0' } })
  it('are exact at every moment, for 200 concurrent writers while counters are compacted', async function () {
    this.timeout(300_000)
    await fc.assert(
      // A failure reports the seed only: the plans of all crews would fill pages.
      fc.asyncProperty(fc.nat(), async (seed) => {
        const crews = fc.sample(anyCrew, { seed, numRuns: CREWS })
        const tenant = newTenant(service())
        const key = await tenant.caller({ trust: 3 })
        const rows: Row[] = []
        const running = { is: true }
        const beside = Promise.allSettled([
          compactMeanwhile(service, running, 7),
          compactMeanwhile(service, running, 500),
          readMeanwhile(key, running),
          readMeanwhile(key.actingAs('crew-0'), running),
        ])
        const plans = crews.map(({ fleet, steps }, i) =>
          new Crew(service, tenant, key, `crew-${i}`, fleet).perform(steps).then((left) => void rows.push(...left)),
        )
        const performed = await Promise.allSettled(plans)
        running.is = false
        const failed = [...performed, ...(await beside)].find((one) => one.status === 'rejected')
        if (failed) throw failed.reason
        await expectExact(service, tenant, key, rows)
        await compactAll(service)
        await expectExact(service, tenant, key, rows)
        await expectSums(service, tenant.id)
      }),
      { numRuns: 1, endOnFailure: true },
    )
  })
})

/** One agent and the agent that takes over its memories, their actions, and the counts that they must have. */
class Crew {
  readonly #rows: Row[] = []
  readonly #heir: string
  #written = 0

  constructor(
    readonly service: SharedService,
    readonly tenant: TestTenant,
    readonly key: Caller,
    readonly name: string,
    readonly fleet: string | null,
  ) {
    this.#heir = `${name}-heir`
  }

  /** Returns the remaining steps. */
  async perform(steps: readonly Step[]): Promise<Row[]> {
    await this.#write(this.name, [{ memory_type: 'fact', visibility: 'scope_team', status: 'active' }])
    await this.#check(this.name)
    for (const step of steps) {
      await this.#take(step)
      await this.#check(this.name)
    }
    await this.#check(this.#heir)
    return this.#rows
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'write':
        return this.#write(this.name, [step.kind])
      case 'write many':
        return this.#write(this.name, [step.kind, step.kind, { ...step.kind, visibility: 'scope_org' }])
      case 'patch':
        return this.#patch(this.#pick(step.picked, LIVE), step.kind)
      case 'archive':
        return this.#archive(this.#pick(step.picked, LIVE))
      case 'delete':
        return this.#delete(this.#pick(step.picked, [...LIVE, 'archived']))
      case 'purge':
        return this.#purge()
      case 'erase':
        return this.#erase(this.#pick(step.picked, [...LIVE, 'archived', 'deleted']))
      case 'hand over':
        return this.#handOver()
    }
  }

  /** Returns a row of the agent in one of these statuses; undefined when it has none. */
  #pick(at: number, statuses: readonly string[]): Row | undefined {
    const own = this.#rows.filter((row) => row.agent_id === this.name && statuses.includes(row.status))
    return own[at % own.length]
  }

  async #write(agentId: string, kinds: readonly Omit<Row, 'id' | 'agent_id'>[]): Promise<void> {
    const by = { agent_id: agentId, ...(this.fleet !== null && { fleet_id: this.fleet }) }
    const items = kinds.map((one) => ({ ...one, content: `${agentId}, its row ${this.#written++}.` }))
    if (items.length === 1) {
      const { id } = await this.key.memories.create({ ...items[0], ...by }).ok()
      this.#rows.push({ id, agent_id: agentId, ...kinds[0]! })
      return
    }
    const { status, body } = await this.key.memories.createMany(items, by)
    expect(status, JSON.stringify(body)).to.equal(200)
    const ids = (body.results as { id: string }[]).map(({ id }) => id)
    this.#rows.push(...kinds.map((one, i) => ({ id: ids[i]!, agent_id: agentId, ...one })))
  }

  async #patch(row: Row | undefined, to: Omit<Row, 'id' | 'agent_id'>): Promise<void> {
    if (!row) return
    // Sent by its author: nobody else sees it while it is private.
    await this.key
      .actingAs(this.name)
      .memories.patch(row.id, { ...to })
      .ok()
    Object.assign(row, to)
  }

  async #archive(row: Row | undefined): Promise<void> {
    if (!row) return
    const { status, body } = await this.key.actingAs(this.name).memories.move([row.id], 'archived')
    expect(status, JSON.stringify(body)).to.equal(200)
    row.status = 'archived'
  }

  async #delete(row: Row | undefined): Promise<void> {
    if (!row) return
    await this.key.actingAs(this.name).memories.delete(row.id).ok()
    row.status = 'deleted'
  }

  /** Purges rows as the lifecycle job does. The job skips rows that are locked, and retries them. */
  async #purge(): Promise<void> {
    const { store } = this.service().context
    let left = this.#rows.filter((row) => row.agent_id === this.name && row.status === 'deleted').length
    while (left > 0) {
      const due = sql<boolean>`m.status = 'deleted' and m.agent_id = ${this.name}`
      left -= await store.transact({ tenantId: this.tenant.id }, (writer) =>
        purgeDue(writer, due, { at: new Date(), limit: 100 }),
      )
    }
    this.#drop((row) => row.agent_id === this.name && row.status === 'deleted')
  }

  async #erase(row: Row | undefined): Promise<void> {
    if (!row) return
    const body = { tenant_id: this.tenant.id, memory_ids: [row.id] }
    const answer = await this.tenant.admin.erasures.create(body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    this.#drop(({ id }) => id === row.id)
  }

  async #handOver(): Promise<void> {
    await this.#write(this.#heir, [{ memory_type: 'task', visibility: 'scope_org', status: 'active' }])
    const answer = await this.key.memories.redistribute(this.name, this.#heir)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    for (const row of this.#rows)
      if (row.status !== 'deleted' && row.visibility !== 'scope_agent') row.agent_id = this.#heir
  }

  #drop(isGone: (row: Row) => boolean): void {
    const left = this.#rows.filter((row) => !isGone(row))
    this.#rows.splice(0, this.#rows.length, ...left)
  }

  /** Compares the statistics with the steps done, the last included. Nobody else changes these rows. */
  async #check(agentId: string): Promise<void> {
    const wanted = countRows(this.#rows.filter((row) => row.agent_id === agentId))
    const { status, body } = await this.key.memories.stats({ scope: 'all', agent_id: agentId, include_deleted: true })
    expect([status, body]).to.deep.equal([200, wanted])
  }
}

async function compactMeanwhile(service: SharedService, running: { is: boolean }, limit: number): Promise<void> {
  while (running.is) await service().context.store.asSystem((system) => compactCounters(system, { limit }))
}

async function compactAll(service: SharedService): Promise<void> {
  // Null when the service's own worker is compacting.
  while ((await service().context.store.asSystem((system) => compactCounters(system))) !== 0);
}

const QUESTIONS: readonly Record<string, string | boolean>[] = [
  { scope: 'all', include_deleted: true },
  { scope: 'all' },
  {},
  { scope: 'fleet', fleet_id: 'red', include_deleted: true },
  { fleet_id: 'blue' },
  { scope: 'all', memory_type: 'task' },
  { scope: 'all', status: 'archived' },
]

/** Reads until the end, and checks that the sums within every answer agree. */
async function readMeanwhile(caller: Caller, running: { is: boolean }): Promise<void> {
  for (let turn = 0; running.is; turn++) {
    const { status, body } = await caller.memories.stats(QUESTIONS[turn % QUESTIONS.length])
    // The agent does not exist before its first write.
    if (status === 403) continue
    const { total, ...parts } = body as Counts
    for (const [name, part] of Object.entries(parts)) {
      const counts = Object.values(part)
      expect(
        counts.reduce((sum, count) => sum + count, 0),
        name,
      ).to.equal(total)
      expect(
        counts.every((count) => count > 0),
        name,
      ).to.equal(true)
    }
  }
}

/** Compares the counts of the steps done, of a table scan, and of the statistics. */
async function expectExact(
  service: SharedService,
  tenant: TestTenant,
  key: Caller,
  rows: readonly Row[],
): Promise<void> {
  const scan = (where?: string) => scanMemories(service(), tenant.id, where)
  const stats = async (query: Record<string, string | boolean>) => (await key.memories.stats(query)).body as Counts
  expect(await scan()).to.deep.equal(countRows(rows))
  expect(await stats({ scope: 'all', include_deleted: true })).to.deep.equal(await scan())
  const live = await scan("status <> 'deleted'")
  expect(await stats({ scope: 'all' })).to.deep.equal(live)
  expect(await stats({ scope: 'fleet', fleet_id: 'red' })).to.deep.equal(
    await scan("status <> 'deleted' and fleet_id = 'red'"),
  )
  expect(await stats({})).to.deep.equal(await scan("status <> 'deleted' and visibility <> 'scope_agent'"))
  const tenants = await tenant.admin.tenants.list()
  const agents = await runSql(service().databaseUrl, 'select from agents where tenant_id = $1', [tenant.id])
  expect(tenants.body.items[0]).to.include({ memory_count: live.total, agent_count: agents.length })
  const fleets = await key.fleets.list()
  const counted = await runSql<{ fleet_id: string; agent_count: number; memory_count: number }>(
    service().databaseUrl,
    `select fleet_id, (select count(*) from agents a where a.tenant_id = $1 and a.fleet_id = m.fleet_id)::int as agent_count,
      count(*) filter (where status <> 'deleted')::int as memory_count
     from memories m where tenant_id = $1 and fleet_id is not null group by fleet_id order by fleet_id`,
    [tenant.id],
  )
  expect(fleets.body.items).to.deep.equal(counted.map((fleet) => ({ tenant_id: tenant.id, ...fleet })))
}

/** Checks that every stored sum equals its counters, and that the counters equal the rows. */
async function expectSums(service: SharedService, tenantId: string): Promise<void> {
  const all = ['agent_id', 'fleet_id', 'memory_type', 'status', 'visibility']
  for (const [table, left] of [
    ['memory_counters', ''],
    ['memory_counters_by_kind', 'agent_id fleet_id'],
    ['memory_counters_by_fleet', 'agent_id'],
    ['memory_counters_by_agent', 'memory_type'],
  ] as const) {
    const key = all.filter((column) => !left.split(' ').includes(column)).join(', ')
    const [kept, rows] = await Promise.all([
      runSql(service().databaseUrl, `select ${key}, count::int from ${table} where tenant_id = $1 and count <> 0`, [
        tenantId,
      ]),
      runSql(service().databaseUrl, `select ${key}, count(*)::int from memories where tenant_id = $1 group by ${key}`, [
        tenantId,
      ]),
    ])
    expect(kept, table).to.have.deep.members(rows)
  }
}

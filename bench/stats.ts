import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.js'
import { sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type BenchEnvironment, type Profile } from './environment.js'
import { timesRow } from './samples.js'
import { withConnection } from '../store/connection.js'
import { mintKey, type Service, startService } from './service.js'

interface StatsOptions {
  readonly profiles: readonly Profile[]
  /** Number of agents with 312 counters each: of 13 types, 8 statuses and 3 visibilities. */
  readonly agents: number
  readonly fleets: number
  /** Number of other tenants, for GET /stats. */
  readonly tenants: number
  /** Number of reads of each question. */
  readonly reads: number
}

const TENANT = 'stats'
const MEMORIES = 1_000_000
const KINDS = 13 * 8 * 3
const FOLDING_LIMIT_MS = 600_000

/** Measures statistics of a tenant with as many counters as there can be, at rest and while memories are written. */
export async function benchStats(options: StatsOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup })
    const noise = createNoise()
    const agent = await mintKey(service, TENANT, 'agent-7', `fleet-${7 % options.fleets}`)
    const operator = await mintOperator(service)
    await fill(environment, options)
    console.log(
      `\n${profile}: ${options.agents * KINDS} counters of ${options.agents} agents in ${options.fleets} fleets`,
    )
    const rest = await recallAll(service, { agent, operator }, options)
    noise.sample()
    const writing = { is: true }
    const writer = writeMeanwhile(service, agent, writing)
    const busy = await recallAll(service, { agent, operator }, options)
    writing.is = false
    const written = await writer
    noise.sample()
    console.table(rest)
    console.log(`the same while ${written} memories are written`)
    console.table(busy)
    await measurePublicStats(service, options)
    console.log('noise', noise.summary())
    await service.stop()
  }
}

async function mintOperator(service: Service): Promise<string> {
  const body = { tenant_id: TENANT, kind: 'tenant', trust_level: 2 }
  const call = { method: 'POST', path: '/api/v1/admin/keys', key: service.adminKey, body }
  return (await sendJson<{ api_key: string }>(service.client, call)).value.api_key
}

/** Inserts the deltas that writing such memories would have left, and waits until the service has compacted them. */
async function fill(environment: BenchEnvironment, { agents, fleets, tenants }: StatsOptions): Promise<void> {
  await withConnection(environment.databaseUrl(), async (client) => {
    await client.query(
      `insert into memory_counter_deltas (tenant_id, fleet_id, agent_id, visibility, memory_type, status, delta)
       select $1, 'fleet-' || (a % $2::int), 'agent-' || a, v, t, s, $3::int
       from generate_series(1, $4::int) a,
         unnest(array['scope_agent', 'scope_team', 'scope_org']) v,
         unnest(array['fact', 'episode', 'decision', 'preference', 'task', 'intention', 'plan', 'commitment', 'action',
           'cancellation', 'outcome', 'rule', 'insight']) t,
         unnest(array['active', 'pending', 'confirmed', 'cancelled', 'outdated', 'conflicted', 'archived', 'deleted']) s`,
      [TENANT, fleets, Math.max(1, Math.round(MEMORIES / (agents * KINDS))), agents],
    )
    await client.query(`insert into tenants (tenant_id) select 'other-' || i from generate_series(1, $1::int) i`, [
      tenants,
    ])
    await client.query(
      `insert into tenant_totals (tenant_id, memories, agents) select tenant_id, 10, 1 from tenants where tenant_id <> $1
       on conflict do nothing`,
      [TENANT],
    )
    const limit = performance.now() + FOLDING_LIMIT_MS
    for (;;) {
      const { rows } = await client.query<{ left: boolean }>(
        `select exists (select from memory_counter_deltas) as left`,
      )
      if (!rows[0]!.left) return
      if (performance.now() > limit) throw new Error('the counters are not compacted')
      await sleep(500)
    }
  })
}

async function recallAll(service: Service, keys: { agent: string; operator: string }, { reads }: StatsOptions) {
  const questions: [label: string, key: string, path: string][] = [
    ['what an agent sees', keys.agent, '/memories/stats'],
    ['scope agent', keys.agent, '/memories/stats?scope=agent'],
    ['scope fleet', keys.agent, '/memories/stats?scope=fleet'],
    ['scope all', keys.operator, '/memories/stats?scope=all'],
    ['scope all, deleted too', keys.operator, '/memories/stats?scope=all&include_deleted=true'],
    ['scope all, one type', keys.operator, '/memories/stats?scope=all&memory_type=fact'],
    ['scope all, one status', keys.operator, '/memories/stats?scope=all&status=active'],
    ['scope all, one agent', keys.operator, '/memories/stats?scope=all&agent_id=agent-9'],
    ['fleets', keys.operator, '/fleets?limit=200'],
    ['whoami, which counts nothing', keys.operator, '/whoami'],
  ]
  const times = questions.map(() => [] as number[])
  // The kinds alternate, so that the machine's noise affects all of them; the first ten warm up.
  for (let i = -10; i < reads; i++)
    for (const [n, [, key, path]] of questions.entries()) {
      const { ms } = await sendJson(service.client, { method: 'GET', path: `/api/v1${path}`, key })
      if (i >= 0) times[n]!.push(ms)
    }
  return Object.fromEntries(questions.map(([label], n) => [label, timesRow(times[n]!)]))
}

async function writeMeanwhile(service: Service, key: string, writing: { is: boolean }): Promise<number> {
  let written = 0
  for (; writing.is; written++) {
    const body = { tenant_id: TENANT, content: `Memory ${written} that is written while statistics are read.` }
    await sendJson(service.client, { method: 'POST', path: '/api/v1/memories', key, body })
  }
  return written
}

/** Measures GET /stats when it is read anew, and as a thousand callers get it. */
async function measurePublicStats(service: Service, { tenants }: StatsOptions): Promise<void> {
  const ask = async () => (await sendJson(service.client, { method: 'GET', path: '/api/v1/stats' })).ms
  const anew: number[] = []
  for (let i = 0; i < 15; i++) {
    await sleep(1_050)
    anew.push(await ask())
  }
  const many: number[] = []
  for (let i = 0; i < 50; i++) many.push(...(await Promise.all(Array.from({ length: 20 }, ask))))
  console.log(`GET /stats over ${tenants} tenants`)
  console.table({ 'read anew': timesRow(anew), 'twenty at a time': timesRow(many) })
}

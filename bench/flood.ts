import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Cleanup } from './cleanup.js'
import { startDatabase, startDelayingProxy } from './distant-database.js'
import { bulkBodies, sendRecall, loadFleet, type Tenant, untilTailIsEmpty, writeBulk } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import type { FloodOrder, FloodTally } from './flood-caller.js'
import { type FloodKind, FLOODS } from './flood-requests.js'
import { longMemories } from './hostile-bodies.js'
import { createNoise, type Noise } from './noise.js'
import { createEnvironment, type BenchEnvironment, type Profile } from './environment.js'
import { ratioOf, round, timesRow } from './samples.js'
import { lookAt, type Service, startService, untilIndexed } from './service.js'

export interface FloodOptions {
  readonly profiles: readonly Profile[]
  readonly memories: number
  /** Recalls of the neighbour in each round. */
  readonly questions: number
  readonly kinds: readonly FloodKind[]
  readonly connections: number
  /** TENANT_CONCURRENCY of each run; 0 turns the guard off. */
  readonly shares: readonly number[]
  /** Milliseconds that a round trip to PostgreSQL takes longer; 0 for the service's own way to it. */
  readonly latency: number
}

/** Number of idle and flooded rounds, which alternate. */
const ROUNDS = 3
/**
 * Milliseconds after which a round ends, with as many questions as there was time for: without a guard a flooded recall
 * may take seconds.
 */
const ROUND_MS = 10_000
/** Milliseconds until the flood is at its height. */
const SWELL_MS = 1_500

/**
 * Measures a neighbour's recalls, one at a time, while one tenant floods the service, beside the same recalls while it
 * is idle: with the guard and without.
 */
export async function benchFlood(options: FloodOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await distant(await createEnvironment(profile, cleanup), options.latency, cleanup)
    const loading = await startService(environment, { cleanup })
    const size = { tenants: 2, memories: options.memories, questions: 4 * ROUNDS * options.questions }
    const [flooder, neighbour] = (await loadFleet(loading, size)) as [Tenant, Tenant]
    if (options.kinds.includes('explain')) await loadLongMemories(loading, flooder)
    await untilTailIsEmpty(loading, [flooder, neighbour])
    await loading.stop()
    console.log(
      `\nflood, ${profile}: ${options.memories} memories in 2 tenants, ${options.connections} connections flood, ` +
        `${options.latency} ms added to a round trip`,
    )
    for (const kind of options.kinds) {
      for (const share of options.shares)
        await measure(environment, { ...options, kind, share, flooder, neighbour }, cleanup)
    }
  }
}

async function loadLongMemories(service: Service, tenant: Tenant): Promise<void> {
  const memories = longMemories(createFleetCorpus(LONG_SEED))
  for (const body of bulkBodies(tenant.id, memories)) await writeBulk(service.client, tenant.key, body)
  await untilIndexed(service)
}

/** Returns the environment with its database at a distance. */
async function distant(environment: BenchEnvironment, latencyMs: number, cleanup: Cleanup): Promise<BenchEnvironment> {
  if (latencyMs === 0) return environment
  const proxy = await startDelayingProxy(await startDatabase(environment, cleanup), latencyMs)
  cleanup.add(() => proxy.stop())
  return { ...environment, env: { ...environment.env, DATABASE_URL: proxy.url } }
}

interface FloodRun extends FloodOptions {
  readonly kind: FloodKind
  readonly share: number
  readonly flooder: Tenant
  readonly neighbour: Tenant
}

async function measure(environment: BenchEnvironment, options: FloodRun, cleanup: Cleanup): Promise<void> {
  const { kind, share, neighbour, questions } = options
  const service = await startService(environment, { cleanup, apiEnv: { TENANT_CONCURRENCY: String(share) } })
  const noise = createNoise()
  await recalls(service, neighbour, 0, questions, createNoise())
  const idle: number[] = []
  const flooded: number[] = []
  let refused = 0
  const tally = { answered: 0, limited: 0, refused: 0, failed: 0, ms: 0 }
  const loopP99Ms: number[] = []
  const healthMs: number[] = []
  let residentBytes = 0
  for (let turn = 0; turn < ROUNDS; turn++) {
    const at = (1 + 2 * turn) * questions
    idle.push(...(await recalls(service, neighbour, at, questions, noise)).times)
    // No two floods write the same texts.
    const flood = startFlood(service, options, 1_000 * share + 100 * turn + FLOODS.indexOf(kind))
    await sleep(SWELL_MS)
    await lookAt(service)
    const probing = probeHealth(service)
    const beside = await recalls(service, neighbour, at + questions, questions, noise)
    flooded.push(...beside.times)
    refused += beside.refused
    healthMs.push(...(await probing.stop()))
    const vitals = await lookAt(service)
    loopP99Ms.push(vitals.eventLoopP99Ms)
    residentBytes = Math.max(residentBytes, vitals.residentBytes)
    const came = await flood.stop()
    for (const name of ['answered', 'limited', 'refused', 'failed', 'ms'] as const) tally[name] += came[name]
    await untilIndexed(service)
  }
  const guard = share === 0 ? 'without the guard' : `with the guard, TENANT_CONCURRENCY ${share}`
  console.log(`\nflooded by ${kind}, ${guard}`)
  console.table({ 'recall, idle': timesRow(idle), 'recall, flooded': timesRow(flooded) })
  const ratio = ratioOf(flooded, idle)
  console.log(`flooded / idle (budget ${isBulk(kind) ? 3 : 2} at p95): p50 ${ratio.p50}, p95 ${ratio.p95}`)
  console.log({
    'flood, answered a second': round((tally.answered / tally.ms) * 1_000, 1),
    'answered 429 or 503': tally.limited,
    'answered 422 or 401': tally.refused,
    failed: tally.failed,
    "the neighbour's recalls without an answer": refused,
    'event loop p99 ms': round(Math.max(...loopP99Ms)),
    'health, longest ms': round(Math.max(...healthMs)),
    'resident MB': Math.round(residentBytes / 1e6),
    ...noise.summary(),
  })
  await service.stop()
}

/** The seed of the long memories that `explain` asks about. */
const LONG_SEED = 99

function isBulk(kind: FloodKind): boolean {
  return kind === 'bulk' || kind === 'hostile-bulk' || kind === 'heavy-bulk'
}

/** Requests the service's health ten times a second. `stop` returns how long each answer took. */
function probeHealth(service: Service) {
  const times: number[] = []
  let stopped = false
  const probing = (async () => {
    while (!stopped) {
      times.push((await service.client.send('GET', '/api/v1/health')).ms)
      await sleep(100)
    }
  })()
  return {
    async stop(): Promise<number[]> {
      stopped = true
      await probing
      return times
    },
  }
}

/** Sends the neighbour's recalls one at a time. Returns how long each took, and how many were not answered 200. */
async function recalls(service: Service, tenant: Tenant, from: number, count: number, noise: Noise) {
  const times: number[] = []
  let refused = 0
  const end = performance.now() + ROUND_MS
  for (let i = from; i < from + count && performance.now() < end; i++) {
    const question = tenant.questions[i % tenant.questions.length]!
    const sentAt = performance.now()
    await sendRecall(service, { tenant, question }).catch(() => refused++)
    times.push(performance.now() - sentAt)
    if (i % 20 === 0) noise.sample()
  }
  return { times, refused }
}

/** Starts a flood. Its `stop` resolves once the last request is answered. */
export function startFlood(
  service: Service,
  { flooder, kind, connections }: Pick<FloodRun, 'flooder' | 'kind' | 'connections'>,
  seed: number,
) {
  const started = performance.now()
  const order: FloodOrder = {
    baseUrl: service.baseUrl,
    tenantId: flooder.id,
    key: flooder.key,
    kind,
    connections: kind === 'bulk' ? Math.ceil(connections / 8) : isBulk(kind) ? 10 : connections,
    questions: flooder.questions,
    seed,
  }
  const worker = new Worker(new URL('./flood-caller.js', import.meta.url), { workerData: order })
  return {
    async stop(): Promise<FloodTally & { ms: number }> {
      const told = once(worker, 'message') as Promise<[FloodTally]>
      worker.postMessage('stop')
      const [tally] = await told
      return { ...tally, ms: performance.now() - started }
    },
  }
}

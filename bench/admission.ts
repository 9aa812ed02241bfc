import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.js'
import { startDatabase, startDelayingProxy } from './distant-database.js'
import { createEnvironment, type Profile } from './environment.js'
import { loadFleet, type Tenant } from './fleet.js'
import type { FloodTally } from './flood-caller.js'
import type { FloodKind } from './flood-requests.js'
import { startFlood } from './flood.js'
import { createHttpClient } from './http-client.js'
import { createNoise } from './noise.js'
import { cpuBetween, readCpuTimes } from './process-cpu.js'
import { round } from './samples.js'
import { type Service, startService, untilIndexed } from './service.js'

export interface AdmissionBenchOptions {
  readonly profiles: readonly Profile[]
  readonly memories: number
  readonly kinds: readonly FloodKind[]
  /** Connections of all tenants. */
  readonly connections: number
  /** Connections of the second tenant; 0 for half of them. */
  readonly few: number
  /** TENANT_CONCURRENCY of each run; 0 turns the guard off. */
  readonly shares: readonly number[]
  /** Milliseconds that a round trip to PostgreSQL takes longer. */
  readonly latencies: readonly number[]
  readonly rounds: number
  readonly seconds: number
}

/** Milliseconds of rest before one tenant is alone, in which what the other has asked is forgotten. */
const REST_MS = 11_000
/**
 * Measures the requests a second of one tenant alone, and of two together in sum over as many connections, with PostgreSQL near and with
 * PostgreSQL at a distance.
 */
export async function benchAdmission(options: AdmissionBenchOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const databaseUrl = await startDatabase(environment, cleanup)
    const loading = await startService(environment, { cleanup, apiEnv: { DATABASE_URL: databaseUrl } })
    const tenants = await loadFleet(loading, { tenants: 2, memories: options.memories, questions: 2_000 })
    await loading.stop()
    console.log(`\nadmission, ${profile}: ${options.memories} memories, ${options.connections} connections`)
    for (const latencyMs of options.latencies) {
      const proxy = await startDelayingProxy(databaseUrl, latencyMs)
      cleanup.add(() => proxy.stop())
      for (const share of options.shares) {
        const apiEnv = { TENANT_CONCURRENCY: String(share), DATABASE_URL: proxy.url }
        const service = await startService(environment, { cleanup, apiEnv })
        for (const kind of options.kinds) await measure(service, tenants, { ...options, kind, share, latencyMs })
        await service.stop()
      }
      proxy.stop()
    }
  }
}

interface AdmissionRun extends AdmissionBenchOptions {
  readonly kind: FloodKind
  readonly share: number
  readonly latencyMs: number
}

async function measure(service: Service, tenants: readonly Tenant[], options: AdmissionRun): Promise<void> {
  const { kind, share, latencyMs, connections, few } = options
  const second = few || connections / 2
  const both = [connections - second, second]
  const noise = createNoise()
  const alone: Rate[] = []
  const together: Rate[] = []
  await rateOf(service, tenants, both, options, 0)
  for (let turn = 0; turn < options.rounds; turn++) {
    const one = tenants[few ? 0 : turn % 2]!
    alone.push(await rateOf(service, [one], [connections], options, 10 * turn + 1))
    noise.sample()
    together.push(await rateOf(service, tenants, both, options, 10 * turn + 2))
    noise.sample()
  }
  console.log(`\n${kind}, TENANT_CONCURRENCY ${share}, ${latencyMs} ms added to a round trip`)
  console.table({ alone: rowOf(alone), [`together, ${both.join(' + ')}`]: rowOf(together) })
  const [sum, single] = [together, alone].map((rates) => mean(rates.map(({ perSecond }) => perSecond)))
  console.log({ 'two together / one alone (budget 1)': round(sum! / single!), ...noise.summary() })
}

interface Rate {
  readonly perSecond: number
  readonly limited: number
  readonly failed: number
  readonly cpuShare: number
}

async function rateOf(
  service: Service,
  tenants: readonly Tenant[],
  connections: readonly number[],
  { kind, seconds, share, latencyMs }: AdmissionRun,
  turn: number,
): Promise<Rate> {
  // A connection of its own: one that was idle during a measurement may be closed as it is used.
  const client = createHttpClient(service.baseUrl)
  await untilIndexed({ client, adminKey: service.adminKey })
  client.close()
  if (tenants.length === 1) await sleep(REST_MS)
  const before = readCpuTimes(service.processes)
  const floods = tenants.map((flooder, i) => {
    const seed = 100_000 * latencyMs + 10_000 * share + 100 * turn + i
    return startFlood(service, { flooder, kind, connections: connections[i]! }, seed)
  })
  await sleep(seconds * 1_000)
  const tallies: (FloodTally & { ms: number })[] = await Promise.all(floods.map((flood) => flood.stop()))
  const used = cpuBetween(before, readCpuTimes(service.processes))
  const cpuMs = used.serve ?? used.api!
  const sum = (of: (tally: FloodTally & { ms: number }) => number) => tallies.reduce((all, tally) => all + of(tally), 0)
  return {
    perSecond: sum(({ answered, ms }) => (1_000 * answered) / ms),
    limited: sum(({ limited }) => limited),
    failed: sum(({ failed }) => failed),
    cpuShare: cpuMs / tallies[0]!.ms,
  }
}

function rowOf(rates: readonly Rate[]) {
  const sum = (of: (rate: Rate) => number) => rates.reduce((all, rate) => all + of(rate), 0)
  return {
    'a second': round(mean(rates.map(({ perSecond }) => perSecond)), 1),
    rounds: rates.map(({ perSecond }) => round(perSecond, 1)).join(', '),
    'cores of the api': round(mean(rates.map(({ cpuShare }) => cpuShare))),
    '429 or 503': sum(({ limited }) => limited),
    failed: sum(({ failed }) => failed),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../runtime/free-port.js'
import { type BenchProcess, startProcess } from './bench-process.js'
import type { Cleanup } from './cleanup.js'
import { createHttpClient, type HttpClient, sendJson } from './http-client.js'
import type { BenchEnvironment } from './environment.js'
import type { ProcessRoots } from './process-cpu.js'
import { round } from './samples.js'

/** A running service as its callers see it. */
export interface Service {
  readonly environment: BenchEnvironment
  readonly baseUrl: string
  readonly client: HttpClient
  readonly adminKey: string
  /** Milliseconds from the start of the first process to its first 200 of /ready. */
  readonly startMs: number
  /** Its processes by name: `serve`, or `api` and `worker`. */
  readonly processes: ProcessRoots
  /** Returns the metrics of the process that answers requests, in Prometheus' format. */
  metrics(): Promise<string>
  stop(): Promise<void>
}

/** The members of a service that a caller needs, wherever it runs. */
export type ServiceAccess = Pick<Service, 'client' | 'adminKey'>

interface ServiceOptions {
  readonly cleanup: Cleanup
  /** Settings of the api that differ from those of other processes, such as a recording proxy. */
  readonly apiEnv?: Readonly<Record<string, string>>
  readonly workerEnv?: Readonly<Record<string, string>>
  /** Arguments of node, for the process that answers requests. */
  readonly nodeArgs?: readonly string[]
  /** Starts no worker, so that pending rows stay pending. */
  readonly withoutWorker?: boolean
  /** The program of another revision. Its worker takes every queue that it knows. */
  readonly main?: string
}

const MAIN = fileURLToPath(new URL('../cli/main.js', import.meta.url))
const START_LIMIT_MS = 120_000

/**
 * Starts `serve` (embedded), or `migrate`, `api` and `worker` as processes of their own (scaled). Resolves when the
 * service is ready.
 */
export async function startService(environment: BenchEnvironment, options: ServiceOptions): Promise<Service> {
  const { cleanup, nodeArgs = [], main = MAIN } = options
  const [port, metricsPort, workerMetricsPort] = [await freePort(), await freePort(), await freePort()]
  const adminKey = environment.env.ADMIN_API_KEY ?? ADMIN_KEY
  const common = { ...UNLIMITED, ...environment.env, ADMIN_API_KEY: adminKey, LOG_LEVEL: 'warn' }
  const run = (name: string, args: string[], env: Readonly<Record<string, string>>, nodeArguments = nodeArgs) =>
    startProcess({
      name,
      directory: environment.directory,
      env: { ...common, ...env },
      args: [main, ...args],
      nodeArgs: nodeArguments,
      cleanup,
    })
  const own = { PORT: String(port), METRICS_PORT: String(metricsPort) }

  if (environment.profile === 'scaled') await migrate(environment, common, cleanup, main)
  const started = performance.now()
  const role = environment.profile === 'embedded' ? 'serve' : 'api'
  const processes = { [role]: run(role, [role], { ...own, ...options.apiEnv }) }
  if (environment.profile === 'scaled' && !options.withoutWorker)
    processes.worker = run(
      'worker',
      ['worker', ...(options.main === undefined ? ['--queues', 'indexing,scans,lifecycle'] : [])],
      { METRICS_PORT: String(workerMetricsPort), ...options.workerEnv },
      [],
    )
  const client = createHttpClient(`http://127.0.0.1:${port}`, { sockets: 64 })
  const running = Object.values(processes)
  await untilReady(client, running)
  const startMs = performance.now() - started

  const scraper = createHttpClient(`http://127.0.0.1:${metricsPort}`)
  return {
    environment,
    baseUrl: `http://127.0.0.1:${port}`,
    client,
    adminKey,
    startMs,
    processes: Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, pid])),
    metrics: async () => (await scraper.send('GET', '/metrics')).body,
    async stop() {
      client.close()
      scraper.close()
      await Promise.all(running.map((process) => process.stop()))
    },
  }
}

/** Settings without limits: benches load in minutes what callers write in days, and limits are not what is measured. */
export const UNLIMITED = {
  RATE_LIMIT_WRITES: '1000000',
  RATE_LIMIT_RECALLS: '1000000',
  RATE_LIMIT_BULK: '1000000',
  RATE_LIMIT_INBOX: '1000000',
  RATE_LIMIT_MESSAGES: '1000000',
  GATEWAY_ADDRESS_RATE: '1000000',
  GATEWAY_ADDRESS_BURST: '1000000',
  GATEWAY_TENANT_RATE: '1000000',
  GATEWAY_TENANT_BURST: '1000000',
}

/** One key for the whole run, so that a service that is started again has the same. */
const ADMIN_KEY = `bench-${randomBytes(24).toString('hex')}`

/** Runs `cairn migrate` to its end. Throws with its last lines when it fails. */
export async function migrate(
  environment: BenchEnvironment,
  env: Readonly<Record<string, string>>,
  cleanup: Cleanup,
  main = MAIN,
): Promise<void> {
  const migrating = startProcess({
    name: 'migrate',
    directory: environment.directory,
    env,
    args: [main, 'migrate'],
    cleanup,
  })
  while (migrating.exited() === null) await sleep(50)
  if (migrating.exited() !== 'code 0')
    throw new Error(`migrating ended with ${migrating.exited()}:\n${migrating.lastWords()}`)
}

async function untilReady(client: HttpClient, processes: readonly BenchProcess[]): Promise<void> {
  const limit = performance.now() + START_LIMIT_MS
  for (;;) {
    const ended = processes.find((process) => process.exited() !== null)
    if (ended) throw new Error(`the service ended with ${ended.exited()}:\n${ended.lastWords()}`)
    const ready = await client.send('GET', '/api/v1/ready').catch(() => null)
    if (ready?.status === 200) return
    if (performance.now() > limit)
      throw new Error(`the service is not ready after two minutes:\n${processes[0]!.lastWords()}`)
    await sleep(25)
  }
}

/** Creates an agent's key; the tenant is created with its first. */
export async function mintKey(
  service: ServiceAccess,
  tenantId: string,
  agentId: string,
  fleetId = 'bench',
): Promise<string> {
  const body = { tenant_id: tenantId, kind: 'agent', agent_id: agentId, fleet_id: fleetId }
  const call = { method: 'POST', path: '/api/v1/admin/keys', key: service.adminKey, body }
  const { value } = await sendJson<{ api_key: string }>(service.client, call)
  return value.api_key
}

/**
 * Waits until the index holds everything of the tenant, or of all tenants. Throws after the limit, or when rows have
 * failed for good.
 */
export async function untilIndexed(
  service: ServiceAccess,
  tenantId?: string,
  { everyMs = 250, limitMs = 600_000 }: { everyMs?: number; limitMs?: number } = {},
): Promise<void> {
  const path = `/api/v1/admin/indexing${tenantId === undefined ? '' : `?tenant_id=${encodeURIComponent(tenantId)}`}`
  const limit = performance.now() + limitMs
  for (;;) {
    const { value } = await sendJson<{ pending: number; failed: number }>(service.client, {
      method: 'GET',
      path,
      key: service.adminKey,
    })
    if (value.failed > 0) throw new Error(`${value.failed} memories failed for good`)
    if (value.pending === 0) return
    if (performance.now() > limit) throw new Error(`${value.pending} memories are still not indexed`)
    await sleep(everyMs)
  }
}

/** Measurements of the answering process itself. The event loop's delay counts from the last read. */
interface Vitals {
  readonly eventLoopP99Ms: number
  readonly residentBytes: number
  /** CPU milliseconds of all its threads since its start, which say more than times do where the machine is shared. */
  readonly cpuMs: number
  /** Searches of the engine, as recall waited for them. */
  readonly searches: number
  readonly searchMs: number
}

export async function lookAt(service: Service): Promise<Vitals> {
  const lines = (await service.metrics()).split('\n')
  const valueOf = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1))
  const leg = (part: string) => valueOf(`cairn_recall_leg_seconds_${part}{leg="keyword",outcome="ok"}`) || 0
  return {
    eventLoopP99Ms: valueOf('cairn_nodejs_eventloop_lag_p99_seconds') * 1000,
    residentBytes: valueOf('cairn_process_resident_memory_bytes'),
    cpuMs: valueOf('cairn_process_cpu_seconds_total') * 1000,
    searches: leg('count'),
    searchMs: leg('sum') * 1000,
  }
}

/** Prints what `requests` requests between two reads cost the process that answered them. */
export function printVitals(before: Vitals, after: Vitals, requests: number): void {
  const searches = after.searches - before.searches
  console.log({
    'cpu of the api, ms a request': round((after.cpuMs - before.cpuMs) / requests),
    'event loop p99 ms': round(after.eventLoopP99Ms),
    ...(searches > 0 && { 'engine as the api saw it, mean ms': round((after.searchMs - before.searchMs) / searches) }),
  })
}

import { statSync } from 'node:fs'
import type { Cleanup } from './cleanup.js'
import {
  sendRecall,
  type TenantQuestion,
  bulkBodies,
  questionsOf,
  type Tenant,
  untilTailIsEmpty,
  writeBulk,
} from './fleet.js'
import { createFleetCorpus, type FleetCorpus } from './fleet-memories.js'
import { sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type BenchEnvironment, type Profile, scaledServices } from './environment.js'
import { ratioOf, round, timesRow } from './samples.js'
import { lookAt, mintKey, printVitals, type Service, startService, untilIndexed } from './service.js'
import { withConnection } from '../store/connection.js'

interface ScaleOptions {
  readonly profiles: readonly Profile[]
  /** Numbers of memories in all tenants at which to measure, ascending. */
  readonly steps: readonly number[]
  readonly tenants: number
  /** Number of questions at each step, over all tenants. */
  readonly questions: number
}

interface GrowingTenant extends Tenant {
  readonly corpus: FleetCorpus
}

/** Times of one step, in milliseconds. */
interface StepTimes {
  readonly recall: readonly number[]
  readonly stats: readonly number[]
  readonly write: readonly number[]
}

const STATS_READS = 200
const WRITES = 200
/** Time limit of a step's loading: a million takes hours on a small machine. */
const LOADING_LIMIT_MS = 12 * 3_600_000

/**
 * Measures recall, exact statistics and single writes while one service grows from step to step, compared with the
 * first step.
 */
export async function benchScale(options: ScaleOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup })
    const tenants = await makeTenants(service, options)
    let loaded = 0
    let first: StepTimes | null = null
    for (const step of options.steps) {
      console.log(`\n${profile}: ${step} memories in ${options.tenants} tenants`)
      await grow(service, tenants, Math.ceil((step - loaded) / tenants.length))
      loaded = step
      const seen = await measure(service, tenants)
      first ??= seen
      printStep(seen, first)
      console.table(await sizes(environment, service))
    }
    await service.stop()
  }
}

async function makeTenants(service: Service, { tenants, questions }: ScaleOptions): Promise<GrowingTenant[]> {
  const made: GrowingTenant[] = []
  for (let i = 0; i < tenants; i++) {
    const id = `scale-${i}`
    const corpus = createFleetCorpus(i + 1)
    const asked = corpus.questions(Math.ceil(questions / tenants))
    made.push({ id, agentId: 'scribe', key: await mintKey(service, id, 'scribe'), corpus, questions: asked })
  }
  return made
}

/**
 * Writes `count` memories to each tenant in turn, until the index holds all of them and recall reads none from the
 * pending tail.
 */
async function grow(service: Service, tenants: readonly GrowingTenant[], count: number): Promise<void> {
  const started = performance.now()
  let written = 0
  for (const { id, key, corpus } of tenants)
    for (const body of bulkBodies(id, corpus.memories(count))) written += await writeBulk(service.client, key, body)
  const writtenMs = performance.now() - started
  await untilIndexed(service, undefined, { everyMs: 1_000, limitMs: LOADING_LIMIT_MS })
  const indexedMs = performance.now() - started
  const rate = (ms: number) => Math.round((written / ms) * 1000)
  console.log(
    `loaded ${written}: written ${rate(writtenMs)}/s, searchable ${rate(indexedMs)}/s (${round(indexedMs / 60_000)} min)`,
  )
  await untilTailIsEmpty(service, tenants)
}

async function measure(service: Service, tenants: readonly GrowingTenant[]): Promise<StepTimes> {
  const noise = createNoise()
  const asked = questionsOf(tenants)
  // Reads once what every tenant's first recall reads from disk.
  for (const question of asked.slice(0, tenants.length)) await recallOnce(service, question)
  const before = await lookAt(service)
  const recall: number[] = []
  for (const [turn, question] of asked.entries()) {
    if (turn % 50 === 0) noise.sample()
    recall.push(await recallOnce(service, question))
  }
  printVitals(before, await lookAt(service), asked.length)
  const stats: number[] = []
  for (let i = 0; i < STATS_READS; i++) {
    const { id, key } = tenants[i % tenants.length]!
    const path = `/api/v1/memories/stats?tenant_id=${id}`
    stats.push((await sendJson(service.client, { method: 'GET', path, key })).ms)
  }
  const write: number[] = []
  for (let i = 0; i < WRITES; i++) {
    const { id, key, corpus } = tenants[i % tenants.length]!
    const memory = corpus.memories(1)[0]!
    const body = { ...memory, tenant_id: id, content: `${memory.content} Once more, ${i}.` }
    write.push((await sendJson(service.client, { method: 'POST', path: '/api/v1/memories', key, body })).ms)
  }
  await untilIndexed(service)
  console.log('noise', noise.summary())
  return { recall, stats, write }
}

async function recallOnce(service: Service, question: TenantQuestion): Promise<number> {
  const { value, ms } = await sendRecall(service, question)
  if (value.degraded !== null) throw new Error(`a recall was degraded: ${value.degraded}`)
  return ms
}

function printStep(seen: StepTimes, first: StepTimes): void {
  const row = (name: keyof StepTimes) => {
    const { p50, p95 } = ratioOf(seen[name], first[name])
    return { ...timesRow(seen[name]), 'p50 / first': p50, 'p95 / first': p95 }
  }
  console.table({ recall: row('recall'), '/memories/stats': row('stats'), 'one write': row('write') })
}

/** Returns the sizes of the service, in MiB. */
async function sizes(environment: BenchEnvironment, service: Service): Promise<Record<string, number>> {
  const { rows } = await withConnection(environment.databaseUrl(), (client) =>
    client.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes'),
  )
  const line = (await service.metrics()).split('\n').find((text) => text.startsWith(`${RESIDENT} `))
  return {
    'database MiB': mebibytes(Number(rows[0]!.bytes)),
    'index MiB': mebibytes(await indexBytes(environment)),
    'api, resident MiB': mebibytes(Number(line?.slice(RESIDENT.length + 1))),
  }
}

const RESIDENT = 'cairn_process_resident_memory_bytes'

async function indexBytes(environment: BenchEnvironment): Promise<number> {
  if (environment.profile === 'embedded') return statSync(environment.searchFile('memories')!).size
  const { opensearchUrl } = scaledServices()
  const prefix = environment.env.OPENSEARCH_INDEX_PREFIX!
  const answer = await fetch(new URL(`/${prefix}-*/_stats/store`, opensearchUrl))
  const { _all: all } = (await answer.json()) as { _all: { primaries: { store: { size_in_bytes: number } } } }
  return all.primaries.store.size_in_bytes
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20)
}

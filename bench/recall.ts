import { createStaticEmbedder } from '../models/static-embedder.js'
import { type AgainstOptions, compareRevisions, type Subject } from './against.js'
import { type BareSearch, copiedSqlite, recordedSearches } from './bare-search.js'
import type { Cleanup } from './cleanup.js'
import {
  sendRecall,
  type TenantQuestion,
  bulkBodies,
  type FleetSize,
  loadFleet,
  questionsOf,
  untilTailIsEmpty,
  writeBulk,
} from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { printHotSpots } from './hot-spots.js'
import { createHttpClient } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type Profile } from './environment.js'
import { ratioOf, round, timesRow } from './samples.js'
import { searchRequests } from './search-requests.js'
import { lookAt, mintKey, printVitals, type Service, startService, untilIndexed } from './service.js'
import { CONCURRENCY, type Contest, alternateBlocks, alternate, type Pair, printPair } from './side-by-side.js'

interface RecallOptions extends FleetSize {
  readonly profiles: readonly Profile[]
  /** Folder for node's CPU profiles of the answering process; measures slower, and shows where time goes. */
  readonly cpuProf?: string | undefined
}

const WARM_UP = 0.2
const NAMES = ['recall', 'bare search'] as const

/**
 * Measures recall as its callers see it, beside the bare search of the engine, and under another tenant's bulk load.
 */
export async function benchRecall(options: RecallOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const loading = await startService(environment, { cleanup })
    const tenants = await loadFleet(loading, options)
    const asked = questionsOf(tenants)
    await untilTailIsEmpty(loading, tenants)
    const rawOf = profile === 'scaled' ? await recordedSearches(environment, asked, sendRecall, cleanup) : null
    await loading.stop()

    const service = await startService(environment, { cleanup, nodeArgs: profiling(options.cpuProf) })
    const raw = rawOf ?? (await bareSqlite(service, asked, cleanup))
    console.log(`\nrecall, ${profile}: ${options.memories} memories in ${options.tenants} tenants`)
    if (profile === 'embedded')
      console.log(`start: first ${round(loading.startMs / 1000)} s, again ${round(service.startMs / 1000)} s`)
    // The profile is to contain recalls alone.
    await measure(service, asked, raw, options.cpuProf === undefined)
    await service.stop()
    if (options.cpuProf !== undefined) printHotSpots(options.cpuProf, asked.length, service.startMs)
  }
}

function profiling(directory: string | undefined): string[] {
  return directory === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', directory]
}

const TOP_K = 5

/** Measures recall of this checkout beside that of another commit. */
export function benchRecallAgainst(options: AgainstOptions & FleetSize, cleanup: Cleanup): Promise<void> {
  const subject: Subject = {
    title: `recall, ${options.memories} memories in ${options.tenants} tenants, top_k ${TOP_K}`,
    async load(service) {
      const tenants = await loadFleet(service, options)
      await untilTailIsEmpty(service, tenants)
      return questionsOf(tenants)
    },
    async ask(service, question) {
      const { value, ms } = await sendRecall(service, question, { topK: TOP_K })
      if (value.degraded !== null) throw new Error(`a recall was degraded: ${value.degraded}`)
      return ms
    },
  }
  return compareRevisions(options, subject, cleanup)
}

/** Returns the same searches of a copy of the engine's file, run in this process. */
async function bareSqlite(service: Service, asked: readonly TenantQuestion[], cleanup: Cleanup): Promise<BareSearch> {
  const embedder = await createStaticEmbedder()
  const requests = await searchRequests(service, embedder, asked)
  return copiedSqlite(service, 'memories', embedder, { asked, requests }, cleanup)
}

async function measure(
  service: Service,
  asked: readonly TenantQuestion[],
  raw: BareSearch,
  withLoad: boolean,
): Promise<void> {
  const noise = createNoise()
  const warmUp = Math.floor(asked.length * WARM_UP)
  const half = warmUp + Math.floor((asked.length - warmUp) / 2)
  const own: number[] = []
  const recall = async (position: number) => {
    const { value, ms } = await sendRecall(service, asked[position]!)
    if (value.degraded !== null) throw new Error(`a recall was degraded: ${value.degraded}`)
    own.push(value.recall_ms)
    return ms
  }
  const contest = { measured: recall, yardstick: raw, noise }
  await alternate(range(0, warmUp), { ...contest, noise: createNoise() })
  own.length = 0

  const oneByOne = range(warmUp, half)
  const crowded = range(half, asked.length)
  let look = await lookAt(service)
  printPair('one at a time', await alternate(oneByOne, contest), NAMES, '1.5')
  console.log('the operation itself (recall_ms)', timesRow(own))
  printVitals(look, await lookAt(service), oneByOne.length)

  look = await lookAt(service)
  printPair(`${CONCURRENCY} at a time`, await alternateBlocks(crowded, contest), NAMES, '1.5')
  printVitals(look, await lookAt(service), crowded.length)
  if (withLoad) await measureUnderLoad(service, oneByOne.slice(0, 100), contest)
  console.log('noise', noise.summary())
}

const ROUNDS = 3

/** Alternates idle and loaded rounds: what was loaded is indexed before the next idle one. */
async function measureUnderLoad(
  service: Service,
  positions: readonly number[],
  contest: Contest<number>,
): Promise<void> {
  const key = await mintKey(service, 'bulk-load', 'loader')
  const idle: Pair = { measured: [], yardstick: [] }
  const loaded: Pair = { measured: [], yardstick: [] }
  const loopP99Ms: number[] = []
  let written = 0
  let loadingMs = 0
  for (let turn = 0; turn < ROUNDS; turn++) {
    add(idle, await alternate(positions, contest))
    await lookAt(service)
    const load = startLoad(service, key, 10_000 + turn)
    const started = performance.now()
    add(loaded, await alternate(positions, contest))
    loopP99Ms.push((await lookAt(service)).eventLoopP99Ms)
    written += await load.stop()
    loadingMs += performance.now() - started
    await untilIndexed(service)
  }
  console.log(`while another tenant is loaded (${Math.round((written / loadingMs) * 1000)} memories/s), and idle`)
  console.table({
    'recall, idle': timesRow(idle.measured),
    'recall, loaded': timesRow(loaded.measured),
    'bare search, idle': timesRow(idle.yardstick),
    'bare search, loaded': timesRow(loaded.yardstick),
  })
  const [own, engine] = [ratioOf(loaded.measured, idle.measured), ratioOf(loaded.yardstick, idle.yardstick)]
  console.log(
    `loaded / idle (budget 2 at p95): p50 ${own.p50}, p95 ${own.p95}; the bare search: p50 ${engine.p50}, p95 ${engine.p95}`,
  )
  console.log(`event loop p99 while loaded: ${round(Math.max(...loopP99Ms))} ms`)
}

function add(to: Pair, from: Pair): void {
  to.measured.push(...from.measured)
  to.yardstick.push(...from.yardstick)
}

/**
 * Sends bulk writes one after the other over a connection of its own; `stop` resolves to how many memories were
 * written.
 */
function startLoad(service: Service, key: string, seed: number): { stop(): Promise<number> } {
  const client = createHttpClient(service.baseUrl)
  let written = 0
  let stopped = false
  const work = async () => {
    for (let part = 0; !stopped; part++) {
      const bodies = bulkBodies('bulk-load', createFleetCorpus(seed * 1_000 + part).memories(10_000))
      for (const body of bodies) {
        if (stopped) break
        written += await writeBulk(client, key, body)
      }
    }
  }
  const working = work()
  return {
    async stop() {
      stopped = true
      await working
      client.close()
      return written
    },
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

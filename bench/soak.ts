import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.js'
import { createEnvironment, type Profile } from './environment.js'
import { fitLine } from './fitted-line.js'
import { loadFleet, sendRecall, type Tenant } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { readMemoryOfDescendants, readProcessMemory } from './process-memory.js'
import { round, timesRow } from './samples.js'
import { type Service, startService } from './service.js'
import { type ThreadMemory, THREADS_FILE } from './thread-memory.js'

interface SoakOptions {
  readonly profiles: readonly Profile[]
  readonly memories: number
  /** Over all minutes, two at a time. */
  readonly recalls: number
  /** Over all minutes, one at a time. */
  readonly writes: number
  readonly minutes: number
  readonly flatFrom: number
}

/** A row of the table: MiB, and shares of a second in which an event loop was busy. */
interface Sample {
  readonly minute: number
  readonly resident: number
  readonly anonymous: number
  readonly postgres: number
  readonly threads: Readonly<Record<string, ThreadMemory>>
}

const EVERY_MS = 10_000
const MOST_MIB = 400
/** Growth a minute that counts as flat: 60 MiB an hour would be found within a day. */
const FLAT_MIB_A_MINUTE = 1
const PROBE = fileURLToPath(new URL('./soak-probe.js', import.meta.url))
const MIB = 2 ** 20

/**
 * Recalls two at a time beside single writes for minutes, evenly, and notes the memory of the process that answers every ten seconds. Returns
 * false when it was larger than the goal, or still climbed.
 */
export async function benchSoak(options: SoakOptions, cleanup: Cleanup): Promise<boolean> {
  let isMet = true
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup, nodeArgs: ['--import', PROBE] })
    const root = Object.values(service.processes)[0]!
    console.log(
      `\nsoak, ${profile}: ${options.memories} memories, ${options.recalls} recalls, ${options.writes} writes`,
    )
    const started = performance.now()
    const sample = () => takeSample(root, environment.directory, (performance.now() - started) / 60_000)
    const loading = await samplesDuring(sample, () => loadTenant(service, options))
    const loadedMinute = (performance.now() - started) / 60_000
    const noise = createNoise()
    const running = await samplesDuring(sample, () => soak(service, loading.result, options, () => noise.sample()))
    const samples = running.samples.map((one) => ({ ...one, minute: one.minute - loadedMinute }))
    console.table(loading.samples.map(rowOf))
    console.table(samples.map(rowOf))
    console.table(Object.fromEntries(Object.entries(running.result).map(([name, times]) => [name, timesRow(times)])))
    console.log('noise', noise.summary())
    isMet = printVerdict(samples, options) && isMet
    await service.stop()
  }
  return isMet
}

async function loadTenant(service: Service, { memories, recalls }: SoakOptions): Promise<Tenant> {
  const [tenant] = await loadFleet(service, { tenants: 1, memories, questions: recalls })
  return tenant!
}

/** Resolves to the times of recalls and of writes, in milliseconds. */
async function soak(service: Service, tenant: Tenant, { recalls, writes, minutes }: SoakOptions, onPair: () => void) {
  const times = { recall: [] as number[], write: [] as number[] }
  const started = performance.now()
  const due = (share: number) => sleep(Math.max(0, started + share * minutes * 60_000 - performance.now()))
  const recallOnce = async (question: string | undefined) => {
    if (question === undefined) return
    const { value, ms } = await sendRecall(service, { tenant, question })
    if (value.degraded !== null) throw new Error(`a recall was degraded: ${value.degraded}`)
    times.recall.push(ms)
  }
  const askAll = async () => {
    for (let i = 0; i < recalls; i += 2) {
      await due(i / recalls)
      if (i % 200 === 0) onPair()
      await Promise.all([recallOnce(tenant.questions[i]), recallOnce(tenant.questions[i + 1])])
    }
  }
  const writeAll = async () => {
    for (const [i, memory] of createFleetCorpus(2).memories(writes).entries()) {
      await due(i / writes)
      const body = { ...memory, tenant_id: tenant.id }
      times.write.push(
        (await sendJson(service.client, { method: 'POST', path: '/api/v1/memories', key: tenant.key, body })).ms,
      )
    }
  }
  await Promise.all([askAll(), writeAll()])
  return times
}

/** Takes samples from the beginning to the end of the work. */
async function samplesDuring<T>(take: () => Sample, work: () => Promise<T>) {
  const samples: Sample[] = []
  const timer = setInterval(() => samples.push(take()), EVERY_MS)
  try {
    const result = await work()
    samples.push(take())
    return { result, samples }
  } finally {
    clearInterval(timer)
  }
}

function takeSample(root: number, directory: string, minute: number): Sample {
  const { resident, anonymous } = readProcessMemory(root)
  const threads: Record<string, ThreadMemory> = {}
  // The last line may be half written.
  for (const line of readFileSync(join(directory, THREADS_FILE), 'utf8').split('\n').slice(0, -1)) {
    const noted = JSON.parse(line) as ThreadMemory
    threads[noted.thread] = noted
  }
  return {
    minute,
    resident: resident / 1_024,
    anonymous: anonymous / 1_024,
    postgres: readMemoryOfDescendants(root) / 1_024,
    threads,
  }
}

function rowOf({ minute, resident, anonymous, postgres, threads }: Sample) {
  const { main, ...others } = threads
  const heaps = Object.entries(others).map(([name, { heapTotal }]) => [`${name}, heap`, mebibytes(heapTotal)] as const)
  return {
    minute: round(minute, 1),
    resident: Math.round(resident),
    anonymous: Math.round(anonymous),
    'children (PostgreSQL)': Math.round(postgres),
    'heap used': mebibytes(main!.heapUsed),
    'heap total': mebibytes(main!.heapTotal),
    external: mebibytes(main!.external),
    'array buffers': mebibytes(main!.arrayBuffers),
    ...Object.fromEntries(heaps),
    'event loop': round(main!.eventLoop),
  }
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MIB)
}

/** Prints whether both goals are met; a slope whose error reaches over the limit is no answer. */
function printVerdict(samples: readonly Sample[], { flatFrom, minutes }: SoakOptions): boolean {
  const most = Math.max(...samples.map(({ resident }) => resident))
  const late = samples.filter(({ minute }) => minute >= flatFrom)
  const line = (name: 'resident' | 'anonymous') =>
    fitLine(late.map((sample) => ({ x: sample.minute, y: sample[name] })))
  const { slope, error } = line('resident')
  const flat =
    slope + 2 * error <= FLAT_MIB_A_MINUTE ? 'flat' : slope - 2 * error > FLAT_MIB_A_MINUTE ? 'climbs' : 'undecided'
  console.log(`resident, most: ${Math.round(most)} MiB (goal < ${MOST_MIB}: ${most < MOST_MIB ? 'met' : 'missed'})`)
  if (minutes <= flatFrom) console.log(`no slope: the run ends before minute ${flatFrom}`)
  else
    console.log(
      `from minute ${flatFrom} on: ${round(slope)} ± ${round(2 * error)} MiB a minute in ${late.length} samples ` +
        `(flat is ≤ ${FLAT_MIB_A_MINUTE}: ${flat}); anonymous ${round(line('anonymous').slope)}`,
    )
  return most < MOST_MIB && flat === 'flat'
}

import type { Cleanup } from './cleanup.js'
import { createEnvironment, type Profile, scaledServices } from './environment.js'
import { type FleetSize, loadFleet, questionsOf, sendRecall, type TenantQuestion, untilTailIsEmpty } from './fleet.js'
import { createNoise, type Noise } from './noise.js'
import { type CpuTimes, cpuBetween, findListener, type ProcessRoots, readCpuTimes } from './process-cpu.js'
import { buildRevision } from './revision.js'
import { round, summarize } from './samples.js'
import { type Service, startService } from './service.js'

interface RecallAgainstOptions extends FleetSize {
  readonly profiles: readonly Profile[]
  /** The commit to compare with. */
  readonly against: string
  /** Numbers of recalls at a time, each measured by itself. */
  readonly atATime: readonly number[]
}

/** One of the two services with the same memories, and the processes that work for it. */
interface Contender {
  readonly name: string
  readonly service: Service
  readonly questions: readonly TenantQuestion[]
  readonly roots: ProcessRoots
}

interface Figures {
  readonly times: number[]
  elapsedMs: number
  readonly cpu: Record<string, number>
}

const TOP_K = 5
const WARM_UP = 0.2
/** Questions of one block: long enough for the clock ticks of CPU, short enough for both to see the same machine. */
const BLOCK = 64

/**
 * Measures recall of this checkout beside that of another commit, each with a database and an index of its own on the
 * same servers: times, recalls per second, and CPU by process. Blocks of the two alternate, and only one of them is
 * asked at a time.
 */
export async function benchRecallAgainst(options: RecallAgainstOptions, cleanup: Cleanup): Promise<void> {
  const earlier = await buildRevision(options.against, cleanup)
  for (const profile of options.profiles) {
    const contenders = [
      await contend('this', profile, options, cleanup),
      await contend(earlier.name, profile, options, cleanup, earlier.main),
    ] as const
    console.log(
      `\nrecall beside ${earlier.name}, ${profile}: ${options.memories} memories in ${options.tenants} tenants, top_k ${TOP_K}`,
    )
    const noise = createNoise()
    const warmUp = Math.floor(options.questions * WARM_UP)
    await askInTurns(contenders, { from: 0, to: warmUp, atATime: 4 }, createNoise())
    for (const atATime of options.atATime) {
      const figures = await askInTurns(contenders, { from: warmUp, to: options.questions, atATime }, noise)
      printFigures(`${atATime} at a time`, contenders, figures)
    }
    console.log('noise', noise.summary())
    for (const { service } of contenders) await service.stop()
  }
}

async function contend(
  name: string,
  profile: Profile,
  size: FleetSize,
  cleanup: Cleanup,
  main?: string,
): Promise<Contender> {
  const environment = await createEnvironment(profile, cleanup)
  const service = await startService(environment, { cleanup, ...(main !== undefined && { main }) })
  const tenants = await loadFleet(service, size)
  await untilTailIsEmpty(service, tenants)
  return {
    name,
    service,
    questions: questionsOf(tenants),
    roots: { ...service.processes, ...(profile === 'scaled' && serverRoots()) },
  }
}

/** Returns the servers that both services share: what they use while one is asked counts as that one's. */
function serverRoots(): ProcessRoots {
  const { databaseUrl, redisUrl, opensearchUrl } = scaledServices()
  const listener = (url: string) => findListener(Number(new URL(url).port))
  return { PostgreSQL: listener(databaseUrl), Redis: listener(redisUrl), engine: listener(opensearchUrl) }
}

interface Part {
  readonly from: number
  readonly to: number
  readonly atATime: number
}

async function askInTurns(
  contenders: readonly [Contender, Contender],
  { from, to, atATime }: Part,
  noise: Noise,
): Promise<readonly [Figures, Figures]> {
  const figures = [emptyFigures(), emptyFigures()] as const
  let turn = 0
  for (let start = from; start < to; start += BLOCK) {
    noise.sample()
    const order = turn++ % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const which of order) {
      const { service, questions, roots } = contenders[which]
      await askBlock(service, questions.slice(start, Math.min(start + BLOCK, to)), roots, atATime, figures[which])
    }
  }
  return figures
}

async function askBlock(
  service: Service,
  questions: readonly TenantQuestion[],
  roots: ProcessRoots,
  atATime: number,
  figures: Figures,
): Promise<void> {
  const before = readCpuTimes(roots)
  const started = performance.now()
  const left = questions.values()
  const ask = async () => {
    for (const question of left) {
      const { value, ms } = await sendRecall(service, question, { topK: TOP_K })
      if (value.degraded !== null) throw new Error(`a recall was degraded: ${value.degraded}`)
      figures.times.push(ms)
    }
  }
  await Promise.all(Array.from({ length: atATime }, ask))
  figures.elapsedMs += performance.now() - started
  addCpu(figures, cpuBetween(before, readCpuTimes(roots)))
}

function emptyFigures(): Figures {
  return { times: [], elapsedMs: 0, cpu: {} }
}

function addCpu({ cpu }: Figures, used: CpuTimes): void {
  for (const [name, ms] of Object.entries(used)) cpu[name] = (cpu[name] ?? 0) + ms
}

function printFigures(
  title: string,
  contenders: readonly [Contender, Contender],
  figures: readonly [Figures, Figures],
): void {
  const rows = figures.map(rowOf) as [Record<string, number>, Record<string, number>]
  const names = Object.keys(rows[0]).filter((name) => name in rows[1])
  const ratios = Object.fromEntries(names.map((name) => [name, round(rows[0][name]! / rows[1][name]!)]))
  console.log(title)
  console.table({ [contenders[0].name]: rows[0], [contenders[1].name]: rows[1], ratio: ratios })
}

function rowOf({ times, elapsedMs, cpu }: Figures): Record<string, number> {
  const { p50, p95 } = summarize(times)
  const each = (ms: number) => round(ms / times.length)
  return {
    'p50 ms': round(p50),
    'p95 ms': round(p95),
    'recalls/s': round((times.length / elapsedMs) * 1000, 1),
    'CPU ms': each(Object.values(cpu).reduce((sum, ms) => sum + ms, 0)),
    ...Object.fromEntries(Object.entries(cpu).map(([name, ms]) => [`CPU ${name}`, each(ms)])),
  }
}

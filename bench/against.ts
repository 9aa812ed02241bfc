import type { Cleanup } from './cleanup.js'
import { type BenchEnvironment, createEnvironment, type Profile, scaledServices } from './environment.js'
import type { TenantQuestion } from './fleet.js'
import { createNoise, type Noise } from './noise.js'
import { type CpuTimes, cpuBetween, findListener, type ProcessRoots, readCpuTimes } from './process-cpu.js'
import { buildRevision } from './revision.js'
import { round, summarize } from './samples.js'
import { type Service, startService } from './service.js'

export interface AgainstOptions {
  readonly profiles: readonly Profile[]
  /** The commit to compare with. */
  readonly against: string
  /** Numbers of questions at a time, each measured by itself. */
  readonly atATime: readonly number[]
  /** Number of questions; a fifth of them warms up. */
  readonly questions: number
  /** Settings of this checkout's service alone. */
  readonly setting: Readonly<Record<string, string>>
}

/** Holds what both services are asked. */
export interface Subject {
  readonly title: string
  /** Stores what is searched, waits until a search reads nothing from the pending tail, and returns the questions. */
  load(service: Service, environment: BenchEnvironment): Promise<readonly TenantQuestion[]>
  /** Returns the caller's milliseconds. Throws when the answer is degraded. */
  ask(service: Service, question: TenantQuestion): Promise<number>
}

/** One of the two services with the same content, and the processes that work for it. */
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

const WARM_UP = 0.2
/** Least questions of one block: long enough for the clock ticks of CPU, short enough for both to see the same machine. */
const LEAST_BLOCK = 64
/** Least questions of one block for each that is asked at a time, so that its beginning and end weigh little. */
const TIMES_AT_A_TIME = 8

/**
 * Asks this checkout and another commit the same, each with a database and an index of its own on the same servers, and prints
 * times, questions per second, and CPU by process. Blocks of the two alternate, and only one of them is asked at a time.
 */
export async function compareRevisions(options: AgainstOptions, subject: Subject, cleanup: Cleanup): Promise<void> {
  const earlier = await buildRevision(options.against, cleanup)
  for (const profile of options.profiles) {
    const contenders = [
      await contend('this', profile, subject, cleanup, { apiEnv: options.setting }),
      await contend(earlier.name, profile, subject, cleanup, { main: earlier.main }),
    ] as const
    console.log(`\n${subject.title}, ${profile}, beside ${earlier.name}`)
    const noise = createNoise()
    const warmUp = Math.floor(options.questions * WARM_UP)
    await askInTurns(contenders, subject, { from: 0, to: warmUp, atATime: 4 }, createNoise())
    for (const atATime of options.atATime) {
      const figures = await askInTurns(contenders, subject, { from: warmUp, to: options.questions, atATime }, noise)
      printFigures(`${atATime} at a time`, contenders, figures)
    }
    console.log('noise', noise.summary())
    for (const { service } of contenders) await service.stop()
  }
}

async function contend(
  name: string,
  profile: Profile,
  subject: Subject,
  cleanup: Cleanup,
  options: { readonly main?: string; readonly apiEnv?: Readonly<Record<string, string>> },
): Promise<Contender> {
  const environment = await createEnvironment(profile, cleanup)
  const service = await startService(environment, { cleanup, ...options })
  return {
    name,
    service,
    questions: await subject.load(service, environment),
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
  { ask }: Subject,
  { from, to, atATime }: Part,
  noise: Noise,
): Promise<readonly [Figures, Figures]> {
  const figures = [emptyFigures(), emptyFigures()] as const
  let turn = 0
  const size = Math.max(LEAST_BLOCK, TIMES_AT_A_TIME * atATime)
  for (let start = from; start < to; start += size) {
    noise.sample()
    const order = turn++ % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const which of order) {
      const { service, questions, roots } = contenders[which]
      const block = questions.slice(start, Math.min(start + size, to))
      await askBlock((question) => ask(service, question), block, { roots, atATime, figures: figures[which] })
    }
  }
  return figures
}

async function askBlock(
  ask: (question: TenantQuestion) => Promise<number>,
  questions: readonly TenantQuestion[],
  { roots, atATime, figures }: { roots: ProcessRoots; atATime: number; figures: Figures },
): Promise<void> {
  const before = readCpuTimes(roots)
  const started = performance.now()
  const left = questions.values()
  const askAll = async () => {
    for (const question of left) figures.times.push(await ask(question))
  }
  await Promise.all(Array.from({ length: atATime }, askAll))
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
    'answers/s': round((times.length / elapsedMs) * 1000, 1),
    'CPU ms': each(Object.values(cpu).reduce((sum, ms) => sum + ms, 0)),
    ...Object.fromEntries(Object.entries(cpu).map(([name, ms]) => [`CPU ${name}`, each(ms)])),
  }
}

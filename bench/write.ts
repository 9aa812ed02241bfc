import { startBare } from './bare-process.js'
import type { Cleanup } from './cleanup.js'
import { createFleetCorpus } from './fleet-memories.js'
import { printHotSpots } from './hot-spots.js'
import { sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type BenchEnvironment, type Profile } from './environment.js'
import { lookAt, mintKey, printVitals, type Service, startService } from './service.js'
import { CONCURRENCY, alternateBlocks, alternate, printPair, type Timed } from './side-by-side.js'

interface WriteOptions {
  readonly profiles: readonly Profile[]
  /** Number of writes of each kind. */
  readonly writes: number
  readonly cpuProf?: string | undefined
}

type Write = Timed<object>

const NAMES = ['POST /memories', 'bare route'] as const
const WARM_UP = 200

/**
 * Measures one write's answer beside the same row inserted by a bare express route, in alternation, into the same
 * PostgreSQL.
 */
export async function benchWrite(options: WriteOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const nodeArgs =
      options.cpuProf === undefined
        ? []
        : ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', options.cpuProf]
    const service = await startService(environment, { cleanup, nodeArgs })
    const bare = await startBareRoute(environment, cleanup)
    const key = await mintKey(service, 'writes', 'scribe')
    const cairn: Write = async (body) =>
      (await sendJson(service.client, { method: 'POST', path: '/api/v1/memories', key, body })).ms
    console.log(`\nwrite, ${profile}: ${options.writes} of each`)
    await measure(service, cairn, bare, options.writes)
    await service.stop()
    if (options.cpuProf !== undefined) printHotSpots(options.cpuProf, WARM_UP + 2 * options.writes, service.startMs)
  }
}

async function startBareRoute(environment: BenchEnvironment, cleanup: Cleanup): Promise<Write> {
  const client = await startBare('bare-route', environment, [environment.databaseUrl()], cleanup)
  return async (body) => (await sendJson(client, { method: 'POST', path: '/memories', body })).ms
}

async function measure(service: Service, cairn: Write, bare: Write, writes: number): Promise<void> {
  const contest = { measured: cairn, yardstick: bare, noise: createNoise() }
  const bodies = createFleetCorpus(1)
    .memories(WARM_UP + 2 * writes)
    .map(({ entity_links: _, ...memory }) => ({ tenant_id: 'writes', ...memory }))
  await alternate(bodies.slice(0, WARM_UP), { ...contest, noise: createNoise() })
  let look = await lookAt(service)
  const oneByOne = await alternate(bodies.slice(WARM_UP, WARM_UP + writes), contest)
  printPair('one at a time', oneByOne, NAMES, '2 at p50')
  printVitals(look, await lookAt(service), writes)

  look = await lookAt(service)
  const crowded = await alternateBlocks(bodies.slice(WARM_UP + writes), contest)
  printPair(`${CONCURRENCY} at a time`, crowded, NAMES, '2 at p50')
  printVitals(look, await lookAt(service), writes)
  console.log('noise', contest.noise.summary())
}

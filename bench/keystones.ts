import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startBare } from './bare-process.js'
import type { Cleanup } from './cleanup.js'
import { createFleetCorpus } from './fleet-memories.js'
import type { HttpClient } from './http-client.js'
import { createHttpClient, sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { createEnvironment, type Profile } from './environment.js'
import { round, timesRow } from './samples.js'
import { lookAt, mintKey, printVitals, type Service, startService } from './service.js'
import { CONCURRENCY, alternateBlocks, alternate, printPair, type Timed } from './side-by-side.js'

interface KeystonesOptions {
  readonly profiles: readonly Profile[]
  readonly rules: number
  /** Number of lists of each kind. */
  readonly lists: number
}

const TENANT = 'ruled'
const PATH = `/api/v1/keystones?tenant_id=${TENANT}`
const NAMES = ['GET /keystones', 'bare route'] as const
const WARM_UP = 200
const COLD = 50
/** Rules that are written at once, as when a fleet's rules are put in place. */
const AT_ONCE = 120

/**
 * Measures a list of rules beside the same bytes from a bare express route that reads one row as well, in alternation,
 * from the same PostgreSQL.
 */
export async function benchKeystones(options: KeystonesOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup, withoutWorker: true })
    const key = await mintKey(service, TENANT, 'ruled-agent')
    const texts = createFleetCorpus(1).memories(2 * options.rules)
    for (let i = 0; i < options.rules; i++)
      await setRule(service, `rule-${i}`, `${texts[2 * i]!.content} ${texts[2 * i + 1]!.content}`)
    const { body, etag } = await readList(service.client, PATH, key)
    const file = join(environment.directory, 'rules.json')
    writeFileSync(file, body)
    const bare = await startBare('bare-rules', environment, [environment.databaseUrl(), file], cleanup)
    console.log(
      `\nkeystones, ${profile}: ${options.rules} rules, ${round(body.length / 1024)} KiB, ${options.lists} lists of each`,
    )
    await measure(service, bare, { key, etag, lists: options.lists })
    await measureCold(service, key)
    await measureAtOnce(service)
    await service.stop()
  }
}

async function setRule(service: Service, docId: string, content: string): Promise<void> {
  const rule = { tenant_id: TENANT, doc_id: docId, title: docId, content, scope: 'tenant', weight: 'med' }
  await sendJson(service.client, { method: 'POST', path: '/api/v1/keystones', key: service.adminKey, body: rule })
}

async function readList(client: HttpClient, path: string, key: string) {
  const { status, body, headers } = await client.send('GET', path, undefined, { 'x-api-key': key })
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 300)}`)
  return { body, etag: String(headers.etag) }
}

interface ListRun {
  readonly key: string
  readonly etag: string
  readonly lists: number
}

async function measure(service: Service, bare: HttpClient, { key, etag, lists }: ListRun): Promise<void> {
  const get =
    (client: HttpClient, path: string, headers: Record<string, string>, expected: number): Timed<number> =>
    async () => {
      const { status, ms } = await client.send('GET', path, undefined, headers)
      if (status !== expected) throw new Error(`${path} answered ${status}, not ${expected}`)
      return ms
    }
  const noise = createNoise()
  const barePath = `/rules?tenant_id=${TENANT}`
  const whole = {
    measured: get(service.client, PATH, { 'x-api-key': key }, 200),
    yardstick: get(bare, barePath, {}, 200),
    noise,
  }
  const unchanged = {
    measured: get(service.client, PATH, { 'x-api-key': key, 'if-none-match': etag }, 304),
    yardstick: get(bare, barePath, { 'if-none-match': '"1"' }, 304),
    noise,
  }
  const turns = (count: number) => [...Array(count).keys()]
  for (const contest of [whole, unchanged]) await alternate(turns(WARM_UP), { ...contest, noise: createNoise() })
  for (const [what, contest, run] of [
    ['whole lists, one at a time', whole, alternate],
    [`whole lists, ${CONCURRENCY} at a time`, whole, alternateBlocks],
    ['304, one at a time', unchanged, alternate],
  ] as const) {
    const [look, before] = [await lookAt(service), await servedOf(service)]
    printPair(what, await run(turns(lists), contest), NAMES, '2 ms in the api at p50')
    printServed(before, await servedOf(service))
    printVitals(look, await lookAt(service), lists)
  }
  console.log('noise', noise.summary())
}

/** Measures the list right after a rule has changed, when it is read and serialized anew. */
async function measureCold(service: Service, key: string): Promise<void> {
  const times: number[] = []
  for (let i = 0; i < COLD; i++) {
    await setRule(service, 'rule-0', `Changed for the ${i}th time.`)
    times.push((await service.client.send('GET', PATH, undefined, { 'x-api-key': key })).ms)
  }
  console.log('the first list after a change')
  console.table({ [NAMES[0]]: timesRow(times) })
}

/** Measures rules that are written all at once, beside as many that are written one after another. */
async function measureAtOnce(service: Service): Promise<void> {
  const client = createHttpClient(service.baseUrl, { sockets: AT_ONCE })
  const headers = { 'x-api-key': service.adminKey, 'content-type': 'application/json' }
  const write = async (name: string, i: number) => {
    const rule = { tenant_id: TENANT, doc_id: `${name}-${i}`, title: name, scope: 'tenant', weight: 'low' }
    const body = JSON.stringify({ ...rule, content: `Rule ${i} of ${name}.` })
    return (await client.send('POST', '/api/v1/keystones', body, headers)).status
  }
  const timed = async (writes: () => Promise<unknown>) => {
    const started = performance.now()
    await writes()
    return performance.now() - started
  }
  const noise = createNoise()
  const inTurnMs = await timed(async () => {
    for (let i = 0; i < AT_ONCE; i++) {
      await write('alone', i)
      if (i % 20 === 0) noise.sample()
    }
  })
  const statuses: Record<number, number> = {}
  const note = (status: number) => (statuses[status] = (statuses[status] ?? 0) + 1)
  const numbers = Array.from({ length: AT_ONCE }, (_, i) => i)
  const atOnceMs = await timed(() => Promise.all(numbers.map(async (i) => note(await write('beside', i)))))
  client.close()
  console.log(`${AT_ONCE} rules written at once`)
  console.log({
    'answered, by status': statuses,
    'all answered after ms': round(atOnceMs),
    'at once / one after another': round(atOnceMs / inTurnMs),
    ...noise.summary(),
  })
}

/** Time that lists took in the api, from their first line to their last, by the api's own histogram. */
interface ServingTimes {
  readonly count: number
  readonly seconds: number
  /** Counts of lists by upper bound, in seconds. */
  readonly within: ReadonlyMap<number, number>
}

async function servedOf(service: Service): Promise<ServingTimes> {
  const within = new Map<number, number>()
  let [count, seconds] = [0, 0]
  for (const line of (await service.metrics()).split('\n')) {
    const [, part, labels, value] = /^cairn_request_seconds_(bucket|sum|count)\{(.*)\} (\S+)$/.exec(line) ?? []
    if (!labels?.includes('operation="listKeystones"')) continue
    if (part === 'sum') seconds += Number(value)
    if (part === 'count') count += Number(value)
    const bound = Number(/le="([\d.]+)"/.exec(labels)?.[1])
    if (part === 'bucket' && bound) within.set(bound, (within.get(bound) ?? 0) + Number(value))
  }
  return { count, seconds, within }
}

function printServed(before: ServingTimes, after: ServingTimes): void {
  const count = after.count - before.count
  const share = [...after.within].map(([bound, seen]) => ({
    bound,
    share: (seen - (before.within.get(bound) ?? 0)) / count,
  }))
  const reached = (wanted: number) => share.find((each) => each.share >= wanted)?.bound ?? Infinity
  console.log('in the api, ms', {
    mean: round(((after.seconds - before.seconds) / count) * 1000),
    'share within 2': round(share.find(({ bound }) => bound === 0.002)?.share ?? 0, 3),
    'p50 at most': reached(0.5) * 1000,
    'p95 at most': reached(0.95) * 1000,
  })
}

import type { Cleanup } from './cleanup.js'
import { createEnvironment, type Profile } from './environment.js'
import { loadFleet, questionsOf, untilTailIsEmpty } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { printHotSpots } from './hot-spots.js'
import { createNoise } from './noise.js'
import { ratioOf, round, timesRow } from './samples.js'
import { lookAt, mintKey, type Service, startService } from './service.js'
import { concurrently, CONCURRENCY } from './side-by-side.js'

interface McpOptions {
  readonly profiles: readonly Profile[]
  /** Number of calls of each kind by each way. */
  readonly calls: number
  readonly memories: number
  readonly cpuProf?: string | undefined
}

/** A call that can be made by REST and by a tool. */
interface Call {
  readonly key: string
  readonly path: string
  readonly tool: string
  readonly op: string
  readonly arguments: object
}

const REST = 'REST'
/** Ways of a call, by name: REST, and a message of each revision of the protocol. */
const WAYS = [REST, '/mcp, 2025', '/mcp, 2026-07-28'] as const
type Way = (typeof WAYS)[number]

const BLOCK = 40
const TENANT = 'fleet-0'

/**
 * Measures recalls and writes by tools beside the same by REST, four at a time, in blocks of which each way takes its turn at each place.
 */
export async function benchMcp(options: McpOptions, cleanup: Cleanup): Promise<void> {
  const { profiles, calls, memories, cpuProf } = options
  for (const profile of profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const nodeArgs =
      cpuProf === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval', '500', '--cpu-prof-dir', cpuProf]
    const service = await startService(environment, { cleanup, nodeArgs })
    const tenants = await loadFleet(service, { tenants: 1, memories, questions: calls + BLOCK })
    await untilTailIsEmpty(service, tenants)
    console.log(`\nmcp, ${profile}: ${calls} of each, ${CONCURRENCY} at a time`)
    const recalls = questionsOf(tenants).map(({ tenant, question }) => recallOf(tenant.key, question))
    await measure('recall', service, () => recalls)
    const key = await mintKey(service, TENANT, 'writer')
    const texts = createFleetCorpus(2).memories(WAYS.length * (calls + BLOCK))
    const writes = texts.map(({ content }) => writeOf(key, content))
    await measure('write', service, (way) => writes.filter((_, i) => WAYS[i % WAYS.length] === way))
    await service.stop()
    if (cpuProf !== undefined) printHotSpots(cpuProf, 0, service.startMs)
  }
}

function recallOf(key: string, query: string): Call {
  return { key, path: '/api/v1/recall', tool: 'svc_recall', op: 'search', arguments: { query, top_k: 5 } }
}

function writeOf(key: string, content: string): Call {
  return { key, path: '/api/v1/memories', tool: 'svc_memory', op: 'write', arguments: { content } }
}

async function measure(title: string, service: Service, callsOf: (way: Way) => readonly Call[]): Promise<void> {
  const noise = createNoise()
  const figures = new Map(WAYS.map((way) => [way, { times: [] as number[], ms: 0, cpuMs: 0 }]))
  const blocks = Math.floor(callsOf(REST).length / BLOCK)
  for (let block = 0; block < blocks; block++) {
    noise.sample()
    for (let turn = 0; turn < WAYS.length; turn++) {
      const way = WAYS[(block + turn) % WAYS.length]!
      const items = callsOf(way).slice(block * BLOCK, (block + 1) * BLOCK)
      const before = await lookAt(service)
      const started = performance.now()
      const times = await concurrently(items, (call) => send(service, way, call))
      const ms = performance.now() - started
      const after = await lookAt(service)
      // The first block warms up.
      if (block === 0) continue
      const figure = figures.get(way)!
      figure.times.push(...times)
      figure.ms += ms
      figure.cpuMs += after.cpuMs - before.cpuMs
    }
  }
  const rest = figures.get(REST)!
  console.log(title)
  console.table(
    Object.fromEntries(
      [...figures].map(([way, { times, ms, cpuMs }]) => [
        way,
        {
          ...timesRow(times),
          'calls/s': round((1_000 * times.length) / ms, 1),
          'cpu ms': round(cpuMs / times.length),
          'ratio p50': ratioOf(times, rest.times).p50,
          'ratio p95': ratioOf(times, rest.times).p95,
        },
      ]),
    ),
  )
  console.log('noise', noise.summary())
}

/** Makes one call; resolves to the milliseconds that it took. Throws when it was refused. */
async function send(service: Service, way: Way, call: Call): Promise<number> {
  const headers = { 'x-api-key': call.key, 'content-type': 'application/json' }
  if (way === REST) {
    const body = JSON.stringify({ tenant_id: TENANT, ...call.arguments })
    const { status, body: text, ms } = await service.client.send('POST', call.path, body, headers)
    if (status > 299) throw new Error(`${call.path} answered ${status}: ${text.slice(0, 300)}`)
    return ms
  }
  const { body, headers: own } = messageOf(way, call)
  const accepted = { ...headers, ...own, accept: 'application/json, text/event-stream' }
  const { status, body: text, ms } = await service.client.send('POST', '/mcp', body, accepted)
  if (status !== 200 || !/"_status":20[01]/.test(text))
    throw new Error(`/mcp answered ${status}: ${text.slice(0, 300)}`)
  return ms
}

function messageOf(
  way: Way,
  { tool, op, arguments: given }: Call,
): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const method = 'tools/call'
  const params = { name: tool, arguments: { op, ...given } }
  const message = { jsonrpc: '2.0', id: 1, method, params }
  if (way === '/mcp, 2025') return { body: JSON.stringify(message), headers: {} }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    body: JSON.stringify({ ...message, params: { ...params, _meta } }),
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': tool },
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { bulkBodies } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { longQuery, refusedBodies, storedBodies } from './hostile-bodies.js'
import { createHttpClient } from './http-client.js'

/**
 * Kinds of floods. `hostile-bulk` sends bodies of 15 MiB that are refused, `heavy-bulk` such that are stored; `explain` asks questions of
 * 5,000 characters over long memories, and for 100 explained results.
 */
export const FLOODS = ['recalls', 'writes', 'bulk', 'hostile-bulk', 'heavy-bulk', 'explain'] as const
export type FloodKind = (typeof FLOODS)[number]

export interface FloodOrder {
  readonly baseUrl: string
  readonly tenantId: string
  readonly key: string
  readonly kind: FloodKind
  readonly connections: number
  readonly questions: readonly string[]
  readonly seed: number
}

/** The result of a flood. */
export interface FloodTally {
  readonly answered: number
  readonly limited: number
  /** Requests answered 422 as a whole. */
  readonly refused: number
  readonly failed: number
}

/**
 * Runs in a thread of its own: calls over many connections, each as soon as it is answered, until it is told to stop.
 */
async function flood({ baseUrl, tenantId, key, kind, connections, questions, seed }: FloodOrder): Promise<void> {
  const client = createHttpClient(baseUrl, { sockets: connections })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const tally = { answered: 0, limited: 0, refused: 0, failed: 0 }
  const corpus = createFleetCorpus(seed)
  let stopped = false
  let sent = 0
  parentPort!.once('message', () => (stopped = true))

  const hostile = kind === 'hostile-bulk' ? refusedBodies(tenantId) : []

  function next(): { path: string; body: string | Buffer } {
    const number = sent++
    if (kind === 'hostile-bulk') return hostile[number % hostile.length]!
    if (kind === 'heavy-bulk') return storedBodies(tenantId, 1_000_000 * seed + number)[number % 2]!
    if (kind === 'recalls') {
      const query = questions[number % questions.length]
      return { path: '/api/v1/recall', body: JSON.stringify({ tenant_id: tenantId, query }) }
    }
    if (kind === 'explain') {
      const body = { tenant_id: tenantId, query: longQuery(corpus), top_k: 100, explain: true }
      return { path: '/api/v1/recall', body: JSON.stringify(body) }
    }
    if (kind === 'bulk') return { path: '/api/v1/memories/bulk', body: bulkBodies(tenantId, corpus.memories(250))[0]! }
    const content = `Flood ${seed}, ${number}: the pump of basin ${number % 97} was looked at again.`
    return { path: '/api/v1/memories', body: JSON.stringify({ tenant_id: tenantId, content }) }
  }
  async function connection(): Promise<void> {
    while (!stopped) {
      const { path, body } = next()
      const status = await client.send('POST', path, body, headers).then(
        (reply) => reply.status,
        () => 0,
      )
      if (status === 429 || status === 503) tally.limited++
      else if (status === 422) tally.refused++
      else if (status >= 200 && status < 300) tally.answered++
      else tally.failed++
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  client.close()
  parentPort!.postMessage(tally satisfies FloodTally)
}

if (parentPort) await flood(workerData as FloodOrder)

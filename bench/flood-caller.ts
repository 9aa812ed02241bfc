import { parentPort, workerData } from 'node:worker_threads'
import { bulkBodies } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { createHttpClient } from './http-client.js'

export const FLOODS = ['recalls', 'writes', 'bulk'] as const
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

/** What a flood came to. */
export interface FloodTally {
  readonly answered: number
  readonly limited: number
  readonly failed: number
}

/** In a thread of its own: asks over many connections, each as soon as it is answered, until it is told to stop. */
async function flood({ baseUrl, tenantId, key, kind, connections, questions, seed }: FloodOrder): Promise<void> {
  const client = createHttpClient(baseUrl, { sockets: connections })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const tally = { answered: 0, limited: 0, failed: 0 }
  const corpus = createFleetCorpus(seed)
  let stopped = false
  let sent = 0
  parentPort!.once('message', () => (stopped = true))

  function next(): { path: string; body: string } {
    const number = sent++
    if (kind === 'recalls') {
      const query = questions[number % questions.length]
      return { path: '/api/v1/recall', body: JSON.stringify({ tenant_id: tenantId, query }) }
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
      if (status === 429) tally.limited++
      else if (status >= 200 && status < 300) tally.answered++
      else tally.failed++
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  client.close()
  parentPort!.postMessage(tally satisfies FloodTally)
}

if (parentPort) await flood(workerData as FloodOrder)

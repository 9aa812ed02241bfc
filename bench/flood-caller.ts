import { parentPort, workerData } from 'node:worker_threads'
import { type FloodKind, floodRequests } from './flood-requests.js'
import { createHttpClient } from './http-client.js'

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
  /** Requests answered 422 as a whole, or 401. */
  readonly refused: number
  readonly failed: number
}

/**
 * Runs in a thread of its own: calls over many connections, each as soon as it is answered, until it is told to stop.
 */
async function flood({ baseUrl, tenantId, key, kind, connections, questions, seed }: FloodOrder): Promise<void> {
  const client = createHttpClient(baseUrl, { sockets: connections })
  const own = {
    'x-api-key': key,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': 'gzip',
  }
  const tally = { answered: 0, limited: 0, refused: 0, failed: 0 }
  const next = floodRequests(kind, { tenantId, questions, seed })
  let stopped = false
  let sent = 0
  parentPort!.once('message', () => (stopped = true))

  async function connection(): Promise<void> {
    while (!stopped) {
      const { method = 'POST', path, body, headers = own } = next(sent++)
      const status = await client.send(method, path, body, headers).then(
        (reply) => reply.status,
        () => 0,
      )
      if (status === 429 || status === 503) tally.limited++
      else if (status === 422 || status === 401) tally.refused++
      else if (status >= 200 && status < 300) tally.answered++
      else tally.failed++
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  client.close()
  parentPort!.postMessage(tally satisfies FloodTally)
}

if (parentPort) await flood(workerData as FloodOrder)

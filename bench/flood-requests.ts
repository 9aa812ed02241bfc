import { bulkBodies } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { longQuery, refusedBodies, storedBodies } from './hostile-bodies.js'

/**
 * Kinds of floods. `hostile-bulk` sends bodies of 15 MiB that are refused, `heavy-bulk` such that are stored; `explain` asks questions of
 * 5,000 characters over long memories, and for 100 explained results. `contract`, `pages` and `wrong-keys` come without an accepted key.
 * `tool-messages` are of `/mcp`: lists, schemas, and a ping.
 */
export const FLOODS = [
  'recalls',
  'writes',
  'bulk',
  'hostile-bulk',
  'heavy-bulk',
  'explain',
  'contract',
  'pages',
  'wrong-keys',
  'whoami',
  'tool-messages',
] as const
export type FloodKind = (typeof FLOODS)[number]

export interface FloodRequest {
  /** POST where absent. */
  readonly method?: string
  readonly path: string
  readonly body?: string | Buffer
  /** Replaces the headers of the flooding tenant, its key among them. */
  readonly headers?: Readonly<Record<string, string>>
}

interface Flooder {
  readonly tenantId: string
  readonly questions: readonly string[]
  readonly seed: number
}

/** Returns what a flood of a kind sends: a function from the number of a request. */
export function floodRequests(kind: FloodKind, flooder: Flooder): (number: number) => FloodRequest {
  return MAKERS[kind](flooder)
}

const MAKERS: Readonly<Record<FloodKind, (flooder: Flooder) => (number: number) => FloodRequest>> = {
  recalls: ({ tenantId, questions }) => {
    return (number) => {
      const query = questions[number % questions.length]
      return { path: '/api/v1/recall', body: JSON.stringify({ tenant_id: tenantId, query }) }
    }
  },
  writes: ({ tenantId, seed }) => {
    return (number) => {
      const content = `Flood ${seed}, ${number}: the pump of basin ${number % 97} was looked at again.`
      return { path: '/api/v1/memories', body: JSON.stringify({ tenant_id: tenantId, content }) }
    }
  },
  bulk: ({ tenantId, seed }) => {
    const corpus = createFleetCorpus(seed)
    return () => ({ path: '/api/v1/memories/bulk', body: bulkBodies(tenantId, corpus.memories(250))[0]! })
  },
  'hostile-bulk': ({ tenantId }) => {
    const bodies = refusedBodies(tenantId)
    return (number) => bodies[number % bodies.length]!
  },
  'heavy-bulk':
    ({ tenantId, seed }) =>
    (number) =>
      storedBodies(tenantId, 1_000_000 * seed + number)[number % 2]!,
  explain: ({ tenantId, seed }) => {
    const corpus = createFleetCorpus(seed)
    return () => {
      const body = { tenant_id: tenantId, query: longQuery(corpus), top_k: 100, explain: true }
      return { path: '/api/v1/recall', body: JSON.stringify(body) }
    }
  },
  contract: () => () => ({ method: 'GET', path: '/api/openapi.json', headers: {} }),
  pages: () => () => ({ method: 'GET', path: '/docs/security', headers: {} }),
  'wrong-keys': () => (number) => ({
    method: 'GET',
    path: '/api/v1/whoami',
    headers: { 'x-api-key': `cairn_flood${number}_${'0'.repeat(30)}` },
  }),
  whoami: () => () => ({ method: 'GET', path: '/api/v1/whoami' }),
  'tool-messages': () => (number) => messageOf(TOOL_MESSAGES[number % TOOL_MESSAGES.length]!),
}

/** Messages that call no operation. */
const TOOL_MESSAGES = [
  { method: 'tools/list', params: {} },
  { method: 'resources/read', params: { uri: 'cairn://schemas/svc_memory' } },
  { method: 'resources/list', params: {} },
  { method: 'prompts/list', params: {} },
  { method: 'ping', params: {} },
]

function messageOf(message: object): FloodRequest {
  return { path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }) }
}

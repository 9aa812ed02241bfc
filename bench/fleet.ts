import { setTimeout as sleep } from 'node:timers/promises'
import { createFleetCorpus } from './fleet-memories.js'
import { type HttpClient, sendJson } from './http-client.js'
import { mintKey, type ServiceAccess, untilIndexed } from './service.js'

export interface Tenant {
  readonly id: string
  readonly key: string
  readonly agentId: string
  readonly questions: readonly string[]
}

export interface FleetSize {
  readonly tenants: number
  /** Number over all tenants. */
  readonly memories: number
  /** Number over all tenants; different from one another within a tenant. */
  readonly questions: number
}

const BULK = 250

/** Loads the tenants, and waits until the index holds them. Returns them with questions to ask. */
export async function loadFleet(service: ServiceAccess, size: FleetSize): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (let i = 0; i < size.tenants; i++) {
    const id = `fleet-${i}`
    const agentId = 'scribe'
    const key = await mintKey(service, id, agentId)
    const corpus = createFleetCorpus(i + 1)
    for (const body of bulkBodies(id, corpus.memories(Math.ceil(size.memories / size.tenants))))
      await writeBulk(service.client, key, body)
    tenants.push({ id, key, agentId, questions: corpus.questions(Math.ceil(size.questions / size.tenants)) })
  }
  await untilIndexed(service)
  return tenants
}

/** Returns bodies of bulk writes as text, so that nothing is left to serialize while they are sent. */
export function bulkBodies(tenantId: string, memories: readonly unknown[]): string[] {
  const bodies: string[] = []
  for (let start = 0; start < memories.length; start += BULK)
    bodies.push(JSON.stringify({ tenant_id: tenantId, items: memories.slice(start, start + BULK) }))
  return bodies
}

/** Milliseconds for which a body is sent again. */
const REPEATED_FOR_MS = 10 * 60_000

/**
 * Writes one body and returns how many memories were stored. Sends it again while it is answered 429 or 503, after the time that the
 * answer asks for, and calls `onRefusal`. Throws when a memory was refused, or the service still refuses all after ten minutes.
 */
export async function writeBulk(
  client: HttpClient,
  key: string,
  body: string,
  onRefusal: () => void = () => undefined,
): Promise<number> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const started = performance.now()
  for (;;) {
    const reply = await client.send('POST', '/api/v1/memories/bulk', body, headers)
    const isRefused = reply.status === 429 || reply.status === 503
    if (isRefused && performance.now() - started < REPEATED_FOR_MS) {
      onRefusal()
      await sleep(1_000 * Number(reply.headers['retry-after'] ?? 1))
      continue
    }
    // 207 where an item is a duplicate or was refused.
    if (reply.status !== 200 && reply.status !== 207)
      throw new Error(`a bulk write was answered ${reply.status}: ${reply.body.slice(0, 300)}`)
    const { created, errors, results } = JSON.parse(reply.body) as BulkReply
    const refused = results.find(({ error }) => error !== undefined)
    if (refused) throw new Error(`${errors} memories were refused: ${refused.error!.message}`)
    return created
  }
}

interface BulkReply {
  readonly created: number
  readonly errors: number
  readonly results: readonly { readonly error?: { readonly message: string } }[]
}

export interface TenantQuestion {
  readonly tenant: Tenant
  readonly question: string
}

/** Returns every question once, tenant by tenant in turn. */
export function questionsOf(tenants: readonly Tenant[]): TenantQuestion[] {
  const most = Math.max(...tenants.map(({ questions }) => questions.length))
  const asked: TenantQuestion[] = []
  for (let i = 0; i < most; i++)
    for (const tenant of tenants) {
      const question = tenant.questions[i]
      if (question !== undefined) asked.push({ tenant, question })
    }
  return asked
}

interface RecallReply {
  readonly memories: readonly { readonly id: string; readonly explanation?: { readonly legs: readonly string[] } }[]
  readonly recall_ms: number
  readonly degraded: string | null
}

/** Sends one recall. The returned time is the caller's, `recall_ms` the service's own. */
export function sendRecall(
  service: ServiceAccess,
  { tenant, question }: TenantQuestion,
  options: { explain?: boolean; topK?: number } = {},
) {
  const { explain = false, topK = 10 } = options
  const body = { tenant_id: tenant.id, query: question, top_k: topK, ...(explain && { explain }) }
  return sendJson<RecallReply>(service.client, { method: 'POST', path: '/api/v1/recall', key: tenant.key, body })
}

/**
 * Waits until recall reads nothing of these tenants from the pending tail: up to a minute after the last row has
 * settled.
 */
export async function untilTailIsEmpty(service: ServiceAccess, tenants: readonly Tenant[]): Promise<void> {
  for (const tenant of tenants) {
    for (;;) {
      const { value } = await sendRecall(
        service,
        { tenant, question: tenant.questions[0]! },
        { explain: true, topK: 100 },
      )
      const isFromTail = value.memories.some(({ explanation }) => explanation?.legs.includes('pending'))
      if (!isFromTail && value.degraded === null) break
      await sleep(1_000)
    }
  }
}

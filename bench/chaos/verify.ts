import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.js'
import { call } from './calls.js'
import type { Entry, Ledger } from './ledger.js'
import type { Tenant } from './load.js'

/** The differences between what the service holds and what it acknowledged. */
export interface Verdict {
  lost: number
  duplicated: number
  resurrected: number
  /** Number of memories that were recalled. */
  asked: number
  notRecallable: number
}

interface Page {
  readonly items: readonly { readonly id: string; readonly content: string }[]
  readonly next_cursor: string | null
}

/** Lists every tenant and recalls `sample` of the memories that must exist. Nothing may be written meanwhile. */
export async function verify(
  url: string,
  tenants: readonly Tenant[],
  ledger: Ledger,
  { random, sample }: { random: Random; sample: number },
): Promise<Verdict> {
  const verdict: Verdict = { lost: 0, duplicated: 0, resurrected: 0, asked: 0, notRecallable: 0 }
  for (const tenant of tenants) {
    const entries = ledger.of(tenant.id)
    compare(await listAll(url, tenant), entries, verdict)
    const kept = entries.filter(({ state }) => state === 'kept')
    const share = Math.min(kept.length, Math.ceil(sample / tenants.length))
    for (const entry of share === kept.length ? kept : random.sample(kept, share)) {
      verdict.asked++
      if (!(await isRecalled(url, tenant, entry))) verdict.notRecallable++
    }
  }
  return verdict
}

function compare(listed: ReadonlyMap<string, string>, entries: readonly Entry[], verdict: Verdict): void {
  for (const { id, state, content } of entries) {
    if (state === 'kept' && listed.get(id) !== content) verdict.lost++
    if (state === 'deleted' && listed.has(id)) verdict.resurrected++
  }
  // Rows that no answer mentioned: a write that was done twice, or one that its caller was told had failed.
  const known = new Set(entries.map(({ id }) => id))
  for (const id of listed.keys()) if (!known.has(id)) verdict.duplicated++
}

async function listAll(url: string, tenant: Tenant): Promise<Map<string, string>> {
  const listed = new Map<string, string>()
  let cursor: string | null = null
  do {
    const query: string = `tenant_id=${tenant.id}&limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = await insist<Page>(`${url}/api/v1/memories?${query}`, { method: 'GET', key: tenant.key })
    for (const { id, content } of page.items) listed.set(id, content)
    cursor = page.next_cursor
  } while (cursor !== null)
  return listed
}

async function isRecalled(url: string, tenant: Tenant, { id, content }: Entry): Promise<boolean> {
  const body = { tenant_id: tenant.id, query: content, top_k: 5 }
  const answer = await insist<{ memories: readonly { id: string }[] }>(`${url}/api/v1/recall`, {
    method: 'POST',
    key: tenant.key,
    body,
  })
  return answer.memories.some((memory) => memory.id === id)
}

async function insist<T>(url: string, request: Parameters<typeof call>[1]): Promise<T> {
  for (let tries = 0; ; tries++) {
    const { outcome, body } = await call(url, request)
    if (outcome === 200) return body as T
    if (tries === 20) throw new Error(`${url} answered ${outcome} twenty times: ${JSON.stringify(body).slice(0, 300)}`)
    await sleep(250)
  }
}

/**
 * Waits until every API reports that it is ready and healthy, and a recall is not degraded. Returns how many
 * milliseconds that took; null when the limit came first.
 */
export async function untilHealthy(
  urls: readonly string[],
  tenant: Tenant,
  query: string,
  limitMs: number,
): Promise<number | null> {
  const started = performance.now()
  for (;;) {
    const well = await Promise.all(urls.map((url) => isHealthy(url, tenant, query)))
    if (well.every(Boolean)) return performance.now() - started
    if (performance.now() - started > limitMs) return null
    await sleep(100)
  }
}

async function isHealthy(url: string, tenant: Tenant, query: string): Promise<boolean> {
  const ask = { method: 'GET', limitMs: 5_000 }
  const ready = await call(`${url}/api/v1/ready`, ask)
  if (ready.outcome !== 200) return false
  const health = await call(`${url}/api/v1/health`, ask)
  if (health.outcome !== 200 || (health.body as { status: string }).status !== 'ok') return false
  const body = { tenant_id: tenant.id, query, top_k: 1 }
  const recall = await call(`${url}/api/v1/recall`, { method: 'POST', key: tenant.key, body, limitMs: 10_000 })
  return recall.outcome === 200 && (recall.body as { degraded: string | null }).degraded === null
}

import { LEG_SIZE } from '../services/retrieval/candidates.js'
import { readQuery, nameKeysIn } from '../services/retrieval/memories/query.js'
import type { Principal } from '../domain/principal.js'
import { nameKey } from '../domain/text/memory-text.js'
import type { Embedder } from '../models/embedder.js'
import type { SearchRequest } from '../search/search-index.js'
import type { TenantQuestion, Tenant } from './fleet.js'
import { sendJson } from './http-client.js'
import type { Service } from './service.js'

/**
 * Returns the requests that recall sends the engine for each question: terms with their statistics, the vector, and the
 * entities that it names.
 */
export async function searchRequests(
  service: Service,
  embedder: Embedder,
  asked: readonly TenantQuestion[],
): Promise<SearchRequest[]> {
  const entities = new Map<Tenant, ReadonlyMap<string, string>>()
  for (const { tenant } of asked) if (!entities.has(tenant)) entities.set(tenant, await entitiesOf(service, tenant))
  const vectors = await embedder.embed(
    asked.map(({ question }) => question),
    'query',
  )
  const requests: SearchRequest[] = []
  for (const [i, { tenant, question }] of asked.entries()) {
    const body = {
      tenant_id: tenant.id,
      query: question,
      top_k: 10,
      include_summary: false,
      explain: false,
      compose: true,
    }
    const { terms, keywordTerms, filter } = await readQuery(principalOf(tenant), body, {
      now: Date.now(),
      frequent: () => Promise.resolve([]),
      withOtherNames: (given) => Promise.resolve(given),
    })
    const entityIds = nameKeysIn(question).flatMap((key) => entities.get(tenant)!.get(key) ?? [])
    requests.push({
      filter,
      size: LEG_SIZE,
      keyword: { terms: keywordTerms },
      frequenciesOf: terms,
      vector: { vector: vectors[i]! },
      ...(entityIds.length > 0 && { entity: { entityIds } }),
    })
  }
  return requests
}

/** Returns ids of entities by name key. */
async function entitiesOf(service: Service, { id, key }: Tenant): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  let cursor: string | null = null
  do {
    const query: URLSearchParams = new URLSearchParams({ tenant_id: id, limit: '200', ...(cursor && { cursor }) })
    const { value } = await sendJson<{ items: { id: string; name: string }[]; next_cursor: string | null }>(
      service.client,
      { method: 'GET', path: `/api/v1/entities?${query}`, key },
    )
    for (const entity of value.items) found.set(nameKey(entity.name), entity.id)
    cursor = value.next_cursor
  } while (cursor !== null)
  return found
}

function principalOf({ id, agentId }: Tenant): Principal {
  return { tenantId: id, kind: 'agent', keyId: 'bench', agentId, fleetId: 'bench', trust: 1, fleetless: false }
}

import { expect } from 'chai'
import { until } from '../../support/states.js'
import { type AttemptsOfSubject, actingAs } from './attempts.js'
import type { Victim, VictimAgent } from './victim.js'

/** Writes a memory, one that is private, and one that is deleted. */
export async function makeMemories({
  caller,
  runId,
  marks,
}: VictimAgent): Promise<Pick<Victim, 'memories' | 'entities'>> {
  const content = `The ${marks.next('fox')} hides the ${marks.next('treasure')}.`
  const name = marks.next('Acme')
  const idempotencyKey = marks.next('once')
  const fields = {
    content,
    title: marks.next('title'),
    run_id: runId,
    visibility: 'scope_org',
    metadata: { [marks.next('key')]: marks.next('value') },
    source_uri: marks.next('source'),
    predicate: marks.next('predicate'),
    object_value: marks.next('object'),
    entity_links: [{ name, entity_type: marks.next('type'), role: marks.next('role') }],
  }
  const record = await caller.memories.create(fields, { 'Idempotency-Key': idempotencyKey }).ok()
  const secret = await caller.memories
    .create({
      content: marks.next('secret'),
      visibility: 'scope_agent',
      entity_links: [{ name: marks.next('Second') }],
    })
    .ok()
  const gone = await caller.memories.create({ content: marks.next('gone'), visibility: 'scope_org' }).ok()
  await caller.memories.delete(gone.id).ok()
  const entityId = record.entity_links[0]!.entity_id
  marks.add(record.id, secret.id, gone.id, entityId)
  const cursor = (await caller.memories.list({ limit: 1 })).body.next_cursor as string
  const entityCursor = (await caller.entities.list({ limit: 1 })).body.next_cursor as string
  return {
    memories: { id: record.id, content, idempotencyKey, cursor },
    entities: { id: entityId, name, cursor: entityCursor },
  }
}

/** Recalls twice, and waits until that is recorded. */
export async function makeRecalls({ caller, marks }: VictimAgent): Promise<Victim['recalls']> {
  const recall = async (question: string) => (await caller.memories.recall(question).ok()).recall_id
  const [first, second] = [await recall('question 0'), await recall('question 1')]
  marks.add(first, second)
  await until('the recall is recorded', async () => expect((await caller.recalls.get(second)).status).to.equal(200))
  return { id: first, cursor: (await caller.recalls.list({ limit: 1 })).body.next_cursor as string }
}

const onceBy = ({ memories }: Victim): Record<string, string> => ({ 'Idempotency-Key': memories.idempotencyKey })

/** Attempts on memories, their entities, and recalls. */
export const MEMORY_ATTEMPTS = {
  createMemory: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, content: 'Planted.' } },
    // The victim's text is no duplicate in this tenant, and its idempotency key is unused.
    {
      status: 201,
      body: { tenant_id: own, content: victim.memories.content },
      headers: onceBy(victim),
    },
    { status: 404, body: { tenant_id: own, content: 'A.', entity_links: [{ entity_id: victim.entities.id }] } },
    { status: 404, body: { tenant_id: own, content: 'A.', subject_entity_id: victim.entities.id } },
    { status: 404, body: { tenant_id: own, content: 'A.', supersedes_id: victim.memories.id } },
    { status: 403, body: { tenant_id: own, content: 'A.' }, headers: actingAs(victim) },
    { status: 201, body: { tenant_id: own, content: 'A.', entity_links: [{ name: victim.entities.name }] } },
  ],
  createMemories: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, items: [{ content: 'Planted.' }] } },
    { status: 422, body: { tenant_id: own, items: [{ content: 'B.', tenant_id: victim.tenant.id }] } },
    { status: 207, body: { tenant_id: own, items: [{ content: 'B.', subject_entity_id: victim.entities.id }] } },
    {
      status: 200,
      body: { tenant_id: own, items: [{ content: 'C.' }], fleet_id: victim.fleetId },
      headers: onceBy(victim),
    },
  ],
  getMemory: (victim) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params },
      { status: 404, params, query: { include_deleted: true } },
      { status: 404, params, query: { known_at: new Date().toISOString() } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  deleteMemory: (victim) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  patchMemory: (victim, own) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params, body: { weight: 0 } },
      { status: 404, params, body: { content: 'Planted.' }, headers: { 'If-Match': '"1"' } },
      { status: 403, params, body: { weight: 0, tenant_id: victim.tenant.id } },
      { status: 403, params, body: { weight: 0, tenant_id: own }, query: { tenant_id: victim.tenant.id } },
    ]
  },
  rateMemory: (victim) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params, body: { outcome: 'failure' } },
      { status: 403, params, body: { outcome: 'failure', tenant_id: victim.tenant.id } },
    ]
  },
  listMemoryVersions: (victim) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  restoreMemoryVersion: (victim, own) => {
    const params = { memory_id: victim.memories.id, version: '1' }
    return [
      { status: 404, params, body: { tenant_id: own } },
      { status: 403, params, body: { tenant_id: victim.tenant.id } },
    ]
  },
  getLineage: (victim) => {
    const params = { memory_id: victim.memories.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  moveMemories: (victim, own) => [
    { status: 207, body: { tenant_id: own, ids: [victim.memories.id], status: 'archived' } },
    { status: 403, body: { tenant_id: victim.tenant.id, ids: [victim.memories.id], status: 'archived' } },
  ],
  archiveMemories: (victim, own) => [
    { status: 200, body: { tenant_id: own, unused_since: '2999-01-01T00:00:00Z', dry_run: false } },
    { status: 403, body: { tenant_id: victim.tenant.id, unused_since: '2999-01-01T00:00:00Z', dry_run: false } },
  ],
  redistributeMemories: (victim, own) => [
    { status: 404, body: { tenant_id: own, from_agent_id: 'any', to_agent_id: victim.agentId } },
    { status: 403, body: { tenant_id: victim.tenant.id, from_agent_id: victim.agentId, to_agent_id: 'any' } },
  ],
  listMemories: (victim) => [
    { status: 200 },
    { status: 200, query: { include_deleted: true } },
    { status: 200, query: { known_at: new Date().toISOString() } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 200, query: { run_id: victim.runId } },
    { status: 200, query: { language: 'en' } },
    { status: 400, query: { limit: 1, cursor: victim.memories.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  getMemoryStats: (victim) => [
    { status: 200 },
    { status: 200, query: { scope: 'all', include_deleted: true } },
    { status: 200, query: { scope: 'fleet', fleet_id: victim.fleetId } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, query: { tenant_id: victim.tenant.id, scope: 'all' } },
  ],
  getMemoryTimeline: (victim) => [
    { status: 200 },
    { status: 200, query: { scope: 'all', by: 'agent' } },
    { status: 200, query: { scope: 'fleet', fleet_id: victim.fleetId, by: 'fleet' } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, query: { tenant_id: victim.tenant.id, scope: 'all' } },
  ],
  getRecallStats: (victim) => [
    { status: 200 },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  recall: (victim, own) => [
    ...[
      {},
      { filter_agent_id: victim.agentId },
      { fleet_ids: [victim.fleetId] },
      { run_id: victim.runId },
      { languages: ['en'] },
      { explain: true, statuses: ['active', 'archived', 'cancelled', 'outdated'] },
    ].map((fields) => ({
      status: 200,
      body: { tenant_id: own, query: `${victim.memories.content} ${victim.entities.name}`, top_k: 100, ...fields },
    })),
    { status: 403, body: { tenant_id: victim.tenant.id, query: 'anything' } },
    { status: 403, body: { tenant_id: own, query: 'anything' }, headers: actingAs(victim) },
  ],
  getRecall: (victim) => {
    const params = { recall_id: victim.recalls.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listRecalls: (victim) => [
    { status: 200 },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 400, query: { limit: 1, cursor: victim.recalls.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  listEntities: (victim) => [
    { status: 200 },
    { status: 200, query: { query: victim.entities.name } },
    { status: 400, query: { limit: 1, cursor: victim.entities.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getEntity: (victim) => {
    const params = { entity_id: victim.entities.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listAliasProposals: (victim) => {
    const params = { entity_id: victim.entities.id }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  mergeEntity: (victim, own) => {
    const params = { entity_id: victim.entities.id }
    return [
      { status: 404, params, body: { tenant_id: own, into: victim.entities.id } },
      { status: 403, params, body: { tenant_id: victim.tenant.id, into: victim.entities.id } },
    ]
  },
  splitEntity: (victim, own) => {
    const params = { entity_id: victim.entities.id }
    return [
      { status: 404, params, body: { tenant_id: own } },
      { status: 403, params, body: { tenant_id: victim.tenant.id } },
    ]
  },
} satisfies AttemptsOfSubject

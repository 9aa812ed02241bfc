import { type AttemptsOfSubject, actingAs } from './attempts.js'
import type { VictimAgent, VictimDocuments } from './victim.js'

/** Stores two documents of one collection. */
export async function makeDocuments({ caller, marks }: VictimAgent): Promise<VictimDocuments> {
  const name = { collection: marks.next('collection'), doc_id: marks.next('doc') }
  const data = { [marks.next('key')]: marks.next('value') }
  const { id } = await caller.documents.put(name.collection, name.doc_id, data).ok()
  marks.add(id)
  await caller.documents.put(name.collection, marks.next('doc'), data).ok()
  const cursor = (await caller.documents.list(name.collection, { limit: 1 })).body.next_cursor as string
  return { name, data, cursor }
}

/** Attempts on documents and collections. */
export const DOCUMENT_ATTEMPTS = {
  putDocument: (victim, own) => {
    const { collection, doc_id } = victim.documents.name
    const body = { tenant_id: own, collection, doc_id, data: {} }
    return [
      { status: 403, body: { ...body, tenant_id: victim.tenant.id } },
      { status: 403, body, headers: actingAs(victim) },
      { status: 409, body, headers: { 'If-Match': '"1"' } },
      // The victim's name is free in this tenant.
      { status: 200, body, headers: { 'If-None-Match': '*' } },
    ]
  },
  putDocuments: (victim, own) => {
    const { collection, doc_id } = victim.documents.name
    const items = [{ doc_id, data: {} }]
    return [
      { status: 403, body: { tenant_id: victim.tenant.id, collection, items } },
      { status: 200, body: { tenant_id: own, collection, items } },
      { status: 207, body: { tenant_id: own, collection, items: [{ ...items[0], id: victim.memories.id }] } },
    ]
  },
  getDocument: (victim) => [
    { status: 404, params: victim.documents.name },
    { status: 403, params: victim.documents.name, query: { tenant_id: victim.tenant.id } },
  ],
  deleteDocument: (victim) => [
    { status: 404, params: victim.documents.name },
    { status: 403, params: victim.documents.name, query: { tenant_id: victim.tenant.id } },
  ],
  listDocuments: (victim) => {
    const { collection } = victim.documents.name
    return [
      { status: 200, query: { collection } },
      { status: 200, query: { collection, fleet_id: victim.fleetId } },
      { status: 400, query: { collection, limit: 1, cursor: victim.documents.cursor } },
      { status: 403, query: { collection, tenant_id: victim.tenant.id } },
    ]
  },
  queryDocuments: (victim, own) => {
    const { collection } = victim.documents.name
    return [
      { status: 200, body: { tenant_id: own, collection } },
      { status: 200, body: { tenant_id: own, collection, where: victim.documents.data } },
      { status: 400, body: { tenant_id: own, collection, limit: 1, cursor: victim.documents.cursor } },
      { status: 403, body: { tenant_id: victim.tenant.id, collection } },
    ]
  },
  searchDocuments: (victim, own) => {
    const query = Object.values(victim.documents.data).join(' ')
    const { collection } = victim.documents.name
    return [
      { status: 200, body: { tenant_id: own, query } },
      {
        status: 200,
        body: { tenant_id: own, query, collection, where: victim.documents.data, fleet_id: victim.fleetId },
      },
      { status: 403, body: { tenant_id: victim.tenant.id, query } },
    ]
  },
  listCollections: (victim, own) => [
    { status: 200, query: { tenant_id: own } },
    { status: 200, query: { tenant_id: own, fleet_id: victim.fleetId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
} satisfies AttemptsOfSubject

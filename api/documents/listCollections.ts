import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { listCollections as selectCollections } from '../../store/documents/collections.js'
import type { Operation } from '../operation.js'

export const listCollections: Operation<'listCollections'> = async ({ store }, principal, { query }) => {
  const found = await store.read(principal, (reader) =>
    selectCollections(reader, query.fleet_id, boundFleetsOf(principal, query.fleet_id)),
  )
  const collections = found.map(({ name, count, updatedAt }) => ({ name, count, updated_at: updatedAt.toISOString() }))
  return { status: 200, body: { collections, count: collections.length } }
}

import type { Query, Request } from './request.js'

export function entitiesClient(request: Request) {
  return {
    list: (query: Query = {}) => request('listEntities', { query }),
    get: (id: string) => request('getEntity', { params: { entity_id: id } }),
    proposals: (id: string) => request('listAliasProposals', { params: { entity_id: id } }),
    merge: (id: string, into: string) => request('mergeEntity', { params: { entity_id: id }, body: { into } }),
    split: (id: string) => request('splitEntity', { params: { entity_id: id }, body: {} }),
  }
}

import type { Query, Request } from './request.js'

export function entitiesClient(request: Request) {
  return {
    list: (query: Query = {}) => request('listEntities', { query }),
    get: (id: string) => request('getEntity', { params: { entity_id: id } }),
  }
}

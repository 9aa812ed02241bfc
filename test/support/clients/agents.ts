import type { Fields, Query, Request, RequestHeaders } from './request.js'

export function agentsClient(request: Request) {
  return {
    whoami: (query: Query = {}, headers?: RequestHeaders) => request('whoami', { query, headers }),
    list: (query: Query = {}) => request('listAgents', { query }),
    get: (id: string, query: Query = {}) => request('getAgent', { params: { agent_id: id }, query }),
    put: (id: string, fields: Fields = {}) => request('putAgent', { params: { agent_id: id }, body: fields }),
    patch: (id: string, fields: Fields) => request('patchAgent', { params: { agent_id: id }, body: fields }),
    delete: (id: string, query: Query = {}) => request('deleteAgent', { params: { agent_id: id }, query }),
  }
}

export function fleetsClient(request: Request) {
  return {
    list: (query: Query = {}) => request('listFleets', { query }),
    get: (id: string) => request('getFleet', { params: { fleet_id: id } }),
  }
}

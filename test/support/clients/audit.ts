import type { Query, Request } from './request.js'

export function auditClient(request: Request) {
  return {
    list: (query: Query = {}) => request('listAudit', { query }),
  }
}

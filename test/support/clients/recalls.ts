import type { Query, Request } from './request.js'

/** The records of recalls; `memories.recall` makes one. */
export function recallsClient(request: Request) {
  return {
    get: (id: string) => request('getRecall', { params: { recall_id: id } }),
    list: (query: Query = {}) => request('listRecalls', { query }),
  }
}

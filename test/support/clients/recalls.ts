import type { Query, Request } from './request.js'

/** The records of recalls; `memories.recall` makes one. */
export function recallsClient(request: Request) {
  return {
    get: (id: string) => request('getRecall', { params: { recall_id: id } }),
    stats: (query: Query = {}) => request('getRecallStats', { query }),
    list: (query: Query = {}) => request('listRecalls', { query }),
  }
}

import type { Fields, Query, Request, RequestHeaders, Schemas } from './request.js'

export type Keystone = Schemas['Keystone']

export function keystonesClient(request: Request) {
  const list = (query: Query = {}, headers?: RequestHeaders) => request('listKeystones', { query, headers })
  return {
    /** Sets a rule: light and for the whole tenant, unless the fields say otherwise. */
    set: (fields: Fields, headers?: RequestHeaders) => {
      const given = { title: 'A rule', content: 'Be kind.', scope: 'tenant', weight: 'low' }
      return request('setKeystone', { body: { ...given, ...fields }, headers })
    },
    list,
    /** Returns the doc_ids of the rules, in their order. */
    listIds: async (query: Query = {}) => ((await list(query).ok()) as Keystone[]).map((rule) => rule.doc_id),
    delete: (docId: string) => request('deleteKeystone', { params: { doc_id: docId } }),
    versions: (docId: string, query: Query = {}) =>
      request('listKeystoneVersions', { params: { doc_id: docId }, query }),
    acknowledge: (runId: string, etag: string) => request('acknowledgeKeystones', { body: { run_id: runId, etag } }),
    coverage: (query: Query = {}) => request('getKeystoneCoverage', { query }),
  }
}

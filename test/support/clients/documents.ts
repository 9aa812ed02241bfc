import { pagesOf, type Fields, type Query, type Request, type RequestHeaders, type Schemas } from './request.js'

export type DocumentRecord = Schemas['Document']

export function documentsClient(request: Request) {
  const query = (collection: string, fields: Fields = {}) =>
    request('queryDocuments', { body: { collection, ...fields } })
  return {
    put: (collection: string, docId: string, data: Fields, fields: Fields = {}, headers?: RequestHeaders) =>
      request('putDocument', { body: { collection, doc_id: docId, data, ...fields }, headers }),
    putMany: (collection: string, items: readonly unknown[], fields: Fields = {}) =>
      request('putDocuments', { body: { collection, items, ...fields } }),
    get: (collection: string, docId: string) => request('getDocument', { params: { collection, doc_id: docId } }),
    delete: (collection: string, docId: string, headers?: RequestHeaders) =>
      request('deleteDocument', { params: { collection, doc_id: docId }, headers }),
    list: (collection: string, given: Query = {}) => request('listDocuments', { query: { collection, ...given } }),
    query,
    /** Returns the doc_ids of all documents that a query finds, page by page. */
    queryIds: async (collection: string, fields: Fields = {}) => {
      const found = await pagesOf<DocumentRecord>((cursor) =>
        query(collection, { ...fields, ...(cursor !== undefined && { cursor }) }).ok(),
      )
      return found.map(({ doc_id }) => doc_id)
    },
    search: (text: string, fields: Fields = {}) => request('searchDocuments', { body: { query: text, ...fields } }),
    collections: (given: Query = {}) => request('listCollections', { query: given }),
  }
}

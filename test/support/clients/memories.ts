import { pagesOf, type Fields, type Query, type Request, type RequestHeaders, type Schemas } from './request.js'

export type MemoryRecord = Schemas['Memory']
export type RecallAnswer = Schemas['RecallAnswer']

export function memoriesClient(request: Request) {
  const list = (query: Query = {}) => request('listMemories', { query })
  const stats = (query: Query = {}) => request('getMemoryStats', { query })
  const timeline = (query: Query = {}) => request('getMemoryTimeline', { query })
  const recall = (query: string, fields: Fields = {}) => request('recall', { body: { query, ...fields } })
  return {
    /** Writes a memory, given by its fields or by its content alone. */
    create: (fields: Fields | string, headers?: RequestHeaders) =>
      request('createMemory', { body: typeof fields === 'string' ? { content: fields } : fields, headers }),
    createMany: (items: readonly unknown[], fields: Fields = {}, headers?: RequestHeaders) =>
      request('createMemories', { body: { items, ...fields }, headers }),
    get: (id: string, query: Query = {}) => request('getMemory', { params: { memory_id: id }, query }),
    list,
    /** Returns the rows of all pages. */
    listAll: (query: Query = {}) => pagesOf<MemoryRecord>((cursor) => list({ limit: 200, ...query, cursor }).ok()),
    delete: (id: string) => request('deleteMemory', { params: { memory_id: id } }),
    patch: (id: string, fields: Fields, headers?: RequestHeaders) =>
      request('patchMemory', { params: { memory_id: id }, body: fields, headers }),
    move: (ids: readonly string[], status: string) => request('moveMemories', { body: { ids, status } }),
    rate: (id: string, outcome: string, fields: Fields = {}) =>
      request('rateMemory', { params: { memory_id: id }, body: { outcome, ...fields } }),
    versions: (id: string, query: Query = {}) => request('listMemoryVersions', { params: { memory_id: id }, query }),
    restore: (id: string, version: number, headers?: RequestHeaders) =>
      request('restoreMemoryVersion', { params: { memory_id: id, version: String(version) }, body: {}, headers }),
    lineage: (id: string) => request('getLineage', { params: { memory_id: id } }),
    archive: (fields: Fields) => request('archiveMemories', { body: fields }),
    redistribute: (from: string, to: string, fields: Fields = {}) =>
      request('redistributeMemories', { body: { from_agent_id: from, to_agent_id: to, ...fields } }),
    stats,
    timeline,
    /** Returns the number of memories that the statistics count. */
    total: async (query: Query = {}) => (await stats(query).ok()).total,
    recall,
    /** Returns the contents that a recall finds, best first. */
    recallContents: async (query: string, fields: Fields = {}) =>
      (await recall(query, fields).ok()).memories.map(({ content }) => content),
  }
}

import type { Connection } from './connection.js'

interface TombstonePage {
  readonly hits: {
    readonly hits: readonly { readonly _id: string; readonly _routing: string; readonly _version: number }[]
  }
}
interface DeleteAnswer {
  readonly items: readonly { readonly delete: { readonly status: number } }[]
}

/**
 * Deletes tombstones older than `before` (Unix ms) page by page; returns their number. It does not use
 * `_delete_by_query`, whose deletes increase the version by one: for a minute the engine would take a document
 * re-created with the very next `seq` for an old one. A delete with an external version keeps the tombstone's own, and
 * a tombstone that was replaced meanwhile stays.
 */
export async function purgeTombstones(
  connection: Connection,
  index: string,
  before: number,
  timeoutMs: number,
): Promise<number> {
  let purged = 0
  for (;;) {
    const page = await connection.call<TombstonePage>(
      {
        method: 'POST',
        path: `/${index}/_search`,
        body: { size: PAGE_SIZE, version: true, query: { range: { tombstoned_at: { lt: before } } }, sort: ['_doc'] },
      },
      { timeoutMs },
    )
    const found = page.hits.hits
    if (found.length === 0) return purged
    const answer = await connection.call<DeleteAnswer>(
      {
        method: 'POST',
        path: `/${index}/_bulk`,
        query: { refresh: 'wait_for', require_alias: 'true' },
        lines: found.map((hit) => ({
          delete: { _id: hit._id, routing: hit._routing, version: hit._version, version_type: 'external_gte' },
        })),
      },
      { timeoutMs },
    )
    const deleted = answer.items.filter((item) => item.delete.status === 200).length
    purged += deleted
    if (deleted === 0 || found.length < PAGE_SIZE) return purged
  }
}

const PAGE_SIZE = 1000

import { readCursor, signCursor } from './cursors.js'

/** Whose list it is and which: with the filters of its query, what a cursor belongs to. */
interface List {
  readonly tenant: string
  readonly operation: string
  /** Of what, where the path names it. */
  readonly subject?: string
  /** From which fleet it is seen, where that narrows it. */
  readonly seenFromFleet?: string | null | undefined
}

/** The query of a list: what is neither page nor tenant is a filter. */
interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  readonly tenant_id?: string | undefined
}

export interface Page<Position> {
  /** Of the last row of the page before; undefined on the first page. */
  readonly after: Position | undefined
  /** Rows to read: one more than are shown tells that another page follows. */
  readonly rows: number
  /** What the page shows of the rows that were read, and the cursor of the next one, null on the last. */
  cut<Row>(
    rows: readonly Row[],
    positionOf: (row: Row) => Position,
    /** Where that is known otherwise than by reading one row more. */
    hasMore?: boolean,
  ): { shown: Row[]; next: string | null }
}

/** Where a page of a list begins and ends. Throws CairnError 400 for a cursor that is not one of this list (`readCursor`). */
export function readPage<Position>(secret: Buffer, list: List, query: PageQuery): Page<Position> {
  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { ...list, ...filters }
  return {
    after: cursor === undefined ? undefined : readCursor<Position>(secret, binding, cursor),
    rows: limit + 1,
    cut: (rows, positionOf, hasMore = rows.length > limit) => {
      const shown = rows.slice(0, limit)
      return {
        shown,
        next: hasMore && shown.length > 0 ? signCursor(secret, binding, positionOf(shown.at(-1)!)) : null,
      }
    },
  }
}

/** A bound of a list's filter. */
export function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

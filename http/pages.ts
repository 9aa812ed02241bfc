import { parseInstant } from '../domain/instant.js'
import { readCursor, signCursor } from './cursors.js'

/** Identifies a list; a cursor belongs to it together with the query's filters. */
interface List {
  readonly tenant: string
  readonly operation: string
  /** The resource that the path names, if it names one. */
  readonly subject?: string
  /** The caller's fleet, where it narrows the list. */
  readonly visibleToFleet?: string | null | undefined
}

/** A list's query parameters; all others are filters. */
interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  readonly tenant_id?: string | undefined
}

interface Page<Position> {
  /** Position of the last row of the page before; undefined on the first page. */
  readonly after: Position | undefined
  /** Rows to read: one more than the page shows, which tells that another page follows. */
  readonly rows: number
  /** Returns the rows that the page shows, and the cursor of the next page; null on the last page. */
  cut<Row>(
    rows: readonly Row[],
    positionOf: (row: Row) => Position,
    /** Given where it is known without reading one row more. */
    hasMore?: boolean,
  ): { shown: Row[]; next: string | null }
}

/** Reads which page of a list a query asks for. Throws CairnError 400 for a cursor of another list (see `readCursor`). */
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

/** Parses a bound of a list's filter. */
export function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(parseInstant(text)!)
}

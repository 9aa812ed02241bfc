import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { stringify } from 'safe-stable-stringify'
import { parseInstant } from '../domain/instant.js'
import type { Keyset } from '../store/keyset.js'
import { HttpError } from './errors.js'

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

interface Presentation<Row, Position, Item> {
  readonly positionOf: (row: Row) => Position
  readonly present: (row: Row) => Item
  /** Given where it is known without reading one row more. */
  readonly hasMore?: boolean
}

interface Page<Position> {
  /** Rows to read: one more than the page shows, which tells that another page follows. */
  readonly keyset: Keyset<Position>
  /** Answers with the rows that the page shows, and the cursor of the next page; null on the last page. */
  answer<Row, Item>(
    rows: readonly Row[],
    presentation: Presentation<Row, Position, Item>,
  ): { status: 200; body: { items: Item[]; next_cursor: string | null } }
}

/** Reads which page of a list a query asks for. Throws CairnError 400 for a cursor of another list (see `readCursor`). */
export function readPage<Position>(secret: Buffer, list: List, query: PageQuery): Page<Position> {
  const { cursor, limit, tenant_id: _, ...filters } = query
  const binding = { ...list, ...filters }
  return {
    keyset: {
      after: cursor === undefined ? undefined : readCursor<Position>(secret, binding, cursor),
      limit: limit + 1,
    },
    answer: (rows, { positionOf, present, hasMore = rows.length > limit }) => {
      const shown = rows.slice(0, limit)
      const last = hasMore ? shown.at(-1) : undefined
      const next = last === undefined ? null : signCursor(secret, binding, positionOf(last))
      return { status: 200, body: { items: shown.map(present), next_cursor: next } }
    },
  }
}

/** Parses a bound of a list's filter. */
export function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(parseInstant(text)!)
}

/** The list that a cursor belongs to: tenant, operation and filters. Undefined values are ignored. */
type CursorBinding = Readonly<Record<string, unknown>>

const TAG_BYTES = 16

/** Returns an opaque base64url text that carries `position` (as JSON) and is valid only for `binding`. */
export function signCursor(secret: Buffer, binding: CursorBinding, position: unknown): string {
  const payload = Buffer.from(JSON.stringify(position))
  return Buffer.concat([tagOf(secret, binding, payload), payload]).toString('base64url')
}

/**
 * Returns the position that `signCursor` was given. Throws HttpError 400 for a cursor that was altered, signed with another secret, or
 * issued for another tenant, operation or filter.
 */
export function readCursor<Position>(secret: Buffer, binding: CursorBinding, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(TAG_BYTES)
  // Several texts decode to the same bytes; only the one that was issued is accepted.
  const isGenuine = bytes.length > TAG_BYTES && bytes.toString('base64url') === cursor
  if (!isGenuine || !timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(secret, binding, payload))) {
    throw new HttpError(400, 'The cursor does not belong to this list with these filters. Start again without it.')
  }
  return JSON.parse(payload.toString()) as Position
}

function tagOf(secret: Buffer, binding: CursorBinding, payload: Buffer): Buffer {
  const bound = createHash('sha256').update(stringify(binding)!).digest()
  return createHmac('sha256', secret).update(bound).update(payload).digest().subarray(0, TAG_BYTES)
}

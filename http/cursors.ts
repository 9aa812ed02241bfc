import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { stringify } from 'safe-stable-stringify'
import { HttpError } from './errors.js'

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

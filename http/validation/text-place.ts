import type { Yielding } from '../../domain/yielding.js'

const BYTES_BETWEEN_YIELDS = 65_536

/** Says in words where a byte of a text in UTF-8 stands: the line and the column, both from 1, the column in characters. */
export function* placeOf(bytes: Buffer, position: number): Yielding<string> {
  let line = 1
  let column = 1
  for (let i = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; i < position; i++) {
    const byte = bytes[i]!
    if (byte === 0x0a) {
      line++
      column = 1
    } else if ((byte & 0xc0) !== 0x80) column++
    if (i % BYTES_BETWEEN_YIELDS === 0) yield
  }
  return `line ${line}, column ${column}`
}

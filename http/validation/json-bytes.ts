/** Table with 1 at the second characters of two-character escapes. */
export const IS_ESCAPE = new Uint8Array(256)
for (const letter of Buffer.from('"\\/bfnrt')) IS_ESCAPE[letter] = 1

/** Returns the position after the decimal digits that begin at `start`. */
export function digitsFrom(bytes: Buffer, start: number): number {
  let pos = start
  while (bytes[pos]! >= 0x30 && bytes[pos]! <= 0x39) pos++
  return pos
}

/** Returns the value of the four hexadecimal digits at `start`; -1 when they are not hexadecimal. */
export function hexAt(bytes: Buffer, start: number): number {
  let value = 0
  for (let pos = start; pos < start + 4; pos++) {
    const byte = bytes[pos] ?? 0
    const digit =
      byte >= 0x30 && byte <= 0x39
        ? byte - 0x30
        : (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66
          ? (byte | 0x20) - 0x57
          : -1
    if (digit < 0) return -1
    value = value * 16 + digit
  }
  return value
}

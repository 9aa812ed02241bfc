import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Matches `cairn_<key id>_<secret>`: 16 and 43 characters of base62, about 95 and 256 bits. */
const KEY_TEXT = /^cairn_([0-9A-Za-z]{1,64})_([0-9A-Za-z]{22,128})$/
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

interface ApiKeyText {
  readonly keyId: string
  readonly secret: string
}

/** Returns that many random bytes; tests inject their own source. */
type RandomBytes = (size: number) => Buffer

export function makeApiKey(random: RandomBytes = randomBytes): ApiKeyText {
  return { keyId: randomBase62(16, random), secret: randomBase62(43, random) }
}

export function formatApiKey({ keyId, secret }: ApiKeyText): string {
  return `cairn_${keyId}_${secret}`
}

/** Returns null when the text does not have the form of a key of this service. */
export function parseApiKey(text: string): ApiKeyText | null {
  const match = KEY_TEXT.exec(text)
  return match ? { keyId: match[1]!, secret: match[2]! } : null
}

/** Returns the SHA-256 of the secret; a plain hash is enough because the secret is random. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Compares in constant time. */
export function secretMatches(secret: string, hash: Buffer): boolean {
  const given = hashSecret(secret)
  return given.length === hash.length && timingSafeEqual(given, hash)
}

/** Returns uniformly distributed characters: bytes from 248 (4 × 62) on are rejected and drawn again. */
export function randomBase62(length: number, random: RandomBytes = randomBytes): string {
  let text = ''
  while (text.length < length)
    for (const byte of random(length)) if (byte < 248 && text.length < length) text += ALPHABET[byte % 62]
  return text
}

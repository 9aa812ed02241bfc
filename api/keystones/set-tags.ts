import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Of the digest, and of its signature. */
const BYTES = 16

/** SHA-256 of a rule as it is served. */
export function digestOf(json: string): Buffer {
  return createHash('sha256').update(json).digest()
}

/**
 * The strong entity tag of a list, by the digests of its rules in their order: equal for equal lists, whichever process serves them. It
 * carries a signature, so that a tag that comes back is known to have been given out for a list of this tenant, of which nothing needs
 * to be kept.
 */
export function tagOfSet(secret: Buffer, tenantId: string, digests: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const digest of digests) hash.update(digest)
  const digest = hash.digest().subarray(0, BYTES)
  return `"${digest.toString('hex')}${signatureOf(secret, tenantId, digest).toString('hex')}"`
}

/** The tag that a caller sends back, with or without quotes and the mark of a weak one; null when none of this tenant's lists had it. */
export function readSetTag(secret: Buffer, tenantId: string, text: string): string | null {
  const [, quoted, bare] = /^(?:(?:W\/)?"([0-9a-f]{64})"|([0-9a-f]{64}))$/.exec(text) ?? []
  const hex = quoted ?? bare
  if (hex === undefined) return null
  const bytes = Buffer.from(hex, 'hex')
  const digest = bytes.subarray(0, BYTES)
  const isGenuine = timingSafeEqual(bytes.subarray(BYTES), signatureOf(secret, tenantId, digest))
  return isGenuine ? `"${bytes.toString('hex')}"` : null
}

function signatureOf(secret: Buffer, tenantId: string, digest: Buffer): Buffer {
  return createHmac('sha256', secret).update(`keystones ${tenantId} `).update(digest).digest().subarray(0, BYTES)
}

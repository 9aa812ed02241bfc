import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Bytes of the digest, and of its signature. */
const DIGEST_BYTES = 16

/** Returns the SHA-256 of a rule as it is served. */
export function digestOf(json: string): Buffer {
  return createHash('sha256').update(json).digest()
}

/**
 * Returns the strong entity tag of a list, computed from the digests of its rules in their order: equal lists have equal tags, whichever
 * process serves them. The tag contains a signature, so that a tag which a caller sends back is known to come from a list of this tenant
 * without any tag being stored.
 */
export function tagOfSet(secret: Buffer, tenantId: string, digests: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const digest of digests) hash.update(digest)
  const digest = hash.digest().subarray(0, DIGEST_BYTES)
  return `"${digest.toString('hex')}${signatureOf(secret, tenantId, digest).toString('hex')}"`
}

/**
 * Parses a tag that a caller sends back, with or without quotes and the `W/` of a weak tag. Returns null when it was never issued for a list of
 * this tenant.
 */
export function readSetTag(secret: Buffer, tenantId: string, text: string): string | null {
  const [, quoted, bare] = /^(?:(?:W\/)?"([0-9a-f]{64})"|([0-9a-f]{64}))$/.exec(text) ?? []
  const hex = quoted ?? bare
  if (hex === undefined) return null
  const bytes = Buffer.from(hex, 'hex')
  const digest = bytes.subarray(0, DIGEST_BYTES)
  const isGenuine = timingSafeEqual(bytes.subarray(DIGEST_BYTES), signatureOf(secret, tenantId, digest))
  return isGenuine ? `"${bytes.toString('hex')}"` : null
}

function signatureOf(secret: Buffer, tenantId: string, digest: Buffer): Buffer {
  return createHmac('sha256', secret).update(`keystones ${tenantId} `).update(digest).digest().subarray(0, DIGEST_BYTES)
}

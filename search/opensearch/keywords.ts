import { createHash } from 'node:crypto'

/**
 * Returns a value as keyword fields store it and filters query it. Lucene refuses a whole document because of one term
 * of more than 32,766 bytes, so long values are stored as their hash; they are only ever compared for equality.
 */
export function storedKeyword(value: string): string {
  return value.length <= LONGEST_KEYWORD ? value : `#${createHash('sha256').update(value).digest('hex')}`
}

const LONGEST_KEYWORD = 512

/**
 * Returns the tenant as a routing value and as the first part of `_id`: contains neither `:` (which ends it within
 * `_id`) nor `,` (which would route a search to several shards), and stays far below the 512 bytes that an `_id` may
 * have.
 */
export function tenantToken(tenantId: string): string {
  const encoded = encodeURIComponent(tenantId)
  return encoded.length <= 256 ? encoded : `#${createHash('sha256').update(tenantId).digest('hex')}`
}

/**
 * Returns terms as tokens of the shard, unique for every (tenant, audience, term): a token's document frequency is that
 * of the rows of this audience, and a search reads no postings of others. 66 bits separate the audiences of all tenants.
 */
export function tokensOf(tenantId: string, audience: string, terms: readonly string[]): string[] {
  const prefix = tokenPrefix(tenantId, audience)
  return terms.map((term) => prefix + term)
}

/** Returns the part of a token that its term follows. */
export function tokenPrefix(tenantId: string, audience: string): string {
  return `${createHash('sha256').update(audienceToken(tenantId, audience)).digest('base64url').slice(0, 11)}/`
}

/** Returns a tenant's audience as keyword fields store it and filters query it. */
export function audienceToken(tenantId: string, audience: string): string {
  return storedKeyword(JSON.stringify([tenantId, audience]))
}

export function documentKey(tenantId: string, memoryId: string): string {
  return `${tenantToken(tenantId)}:${memoryId}`
}

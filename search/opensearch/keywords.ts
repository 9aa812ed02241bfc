import { createHash } from 'node:crypto'

/**
 * A value as keyword fields keep it and filters ask for it. Lucene refuses a whole document over one term of more than
 * 32,766 bytes, so long values are kept as their hash; equality is all that is ever asked of them.
 */
export function storedKeyword(value: string): string {
  return value.length <= LONGEST_KEYWORD ? value : `#${createHash('sha256').update(value).digest('hex')}`
}

const LONGEST_KEYWORD = 512

/**
 * The tenant as routing value and as the first part of `_id`: holds neither `:` (ends it within `_id`) nor `,` (would route a
 * search to several shards), and stays far below the 512 bytes an `_id` may have.
 */
export function tenantToken(tenantId: string): string {
  const encoded = encodeURIComponent(tenantId)
  return encoded.length <= 256 ? encoded : `#${createHash('sha256').update(tenantId).digest('hex')}`
}

/**
 * A term as one token of the shard, different for every (tenant, term): so its document frequency is the tenant's own, and a
 * search reads no postings of others. Tenants are told apart by `tenant_id` in every filter; 64 bits keep their tokens apart.
 */
export function tokensOf(tenantId: string, terms: readonly string[]): string[] {
  const tenant = createHash('sha256').update(tenantId).digest('base64url').slice(0, 11)
  return terms.map((term) => `${tenant}/${term}`)
}

export function documentKey(tenantId: string, memoryId: string): string {
  return `${tenantToken(tenantId)}:${memoryId}`
}

/**
 * Returns a term as one token of FTS5's ascii tokenizer with `_` as a token character, unique for every (tenant, term):
 * letters and digits stay readable, anything else is written in hexadecimal after a second underscore. Terms therefore
 * need no quoting and are never folded or split, and a token's document frequency is that of the tenant alone.
 */
export function tokenOf(tenant: number, term: string): string {
  return PLAIN.test(term) ? `${tenant}_${term}` : `${tenant}__${Buffer.from(term).toString('hex')}`
}

const PLAIN = /^[a-z0-9]+$/

/** Returns a MATCH expression for rows that contain at least one of the tokens. */
export function matchAny(tokens: readonly string[]): string {
  return tokens.map((token) => `"${token}"`).join(' OR ')
}

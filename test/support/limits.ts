/**
 * Limits that no suite meets by accident: suites send in a minute what callers send in an hour. Suites about limits set
 * their own.
 */
export const GENEROUS_LIMITS: Readonly<Record<string, string>> = {
  RATE_LIMIT_WRITES: '1000000',
  RATE_LIMIT_RECALLS: '1000000',
  RATE_LIMIT_BULK: '1000000',
  RATE_LIMIT_INBOX: '1000000',
  RATE_LIMIT_MESSAGES: '1000000',
  GATEWAY_ADDRESS_RATE: '100000',
  GATEWAY_ADDRESS_BURST: '100000',
  GATEWAY_TENANT_RATE: '100000',
  GATEWAY_TENANT_BURST: '100000',
  TENANT_CONCURRENCY: '6',
}

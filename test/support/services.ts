const VARIABLES = {
  postgres: 'CAIRN_TEST_DATABASE_URL',
  redis: 'CAIRN_TEST_REDIS_URL',
  opensearch: 'CAIRN_TEST_OPENSEARCH_URL',
} as const
type Service = keyof typeof VARIABLES

/** Returns the address of a service that `scripts/services up` started, or null where there is none. */
export function serviceUrl(service: Service): string | null {
  const value = process.env[VARIABLES[service]] ?? ''
  return value === '' ? null : value
}

/**
 * Registers a suite that needs real services. Where one is missing it registers a pending test that says how to get it;
 * with CAIRN_TEST_SERVICES=require it throws.
 */
export function scaled<Needed extends Service>(
  needed: Needed | readonly Needed[],
  suite: (urls: Readonly<Record<Needed, string>>) => void,
): void {
  const services = typeof needed === 'string' ? [needed] : needed
  const missing = services.filter((service) => serviceUrl(service) === null)
  if (missing.length === 0) {
    return suite(
      Object.fromEntries(services.map((service) => [service, serviceUrl(service)])) as Record<Needed, string>,
    )
  }
  const advice = `needs ${missing.map((service) => `${service} (${VARIABLES[service]})`).join(', ')}: run scripts/services up`
  if (process.env.CAIRN_TEST_SERVICES === 'require') throw new Error(advice)
  pendingOnce(advice)
}

const said = new Set<string>()

/** Registers a pending test with this title, once in a run: a run without services is visible as such, in a line. */
export function pendingOnce(advice: string): void {
  if (said.has(advice)) return
  said.add(advice)
  it(advice)
}

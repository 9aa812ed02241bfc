import ipaddr from 'ipaddr.js'

/**
 * Matches addresses with a port, as some proxies write X-Forwarded-For (Azure's adds the caller's port, which differs for each
 * connection): `203.0.113.7:4711`, `[2001:db8::1]:4711`. Without brackets a port cannot be told from the end of an IPv6 address.
 */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/

/**
 * Returns the network that a caller is counted under: the IPv4 address, also when it is mapped into IPv6 (`::ffff:…`), or the first 64
 * bits of an IPv6 address, because that is the smallest network assigned and its owner may use any address in it. Callers without a
 * readable address share `unknown`.
 */
export function networkOf(address: string | undefined): string {
  const [, bracketed, dotted] = WITH_PORT.exec(address ?? '') ?? []
  // A zone, as in fe80::1%eth0, is not part of the address.
  const text = (bracketed ?? dotted ?? address ?? '').split('%')[0]!
  if (!ipaddr.isValid(text)) return 'unknown'
  const parsed = ipaddr.process(text)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

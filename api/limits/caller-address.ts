import ipaddr from 'ipaddr.js'

/**
 * As some proxies write X-Forwarded-For (Azure's with the caller's port, which is another with each connection): `203.0.113.7:4711`,
 * `[2001:db8::1]:4711`. Without brackets nobody can tell a port from an end of an IPv6 address.
 */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/

/**
 * What callers are told apart by: an IPv4 address, also one that came as IPv6 (`::ffff:…`), or the first 64 bits of an IPv6 one,
 * the least that anybody is given, whose owner may use any address of it. Whoever has no address that can be read shares one.
 */
export function networkOf(address: string | undefined): string {
  const [, bracketed, dotted] = WITH_PORT.exec(address ?? '') ?? []
  // A zone, as in fe80::1%eth0, is none of the address.
  const text = (bracketed ?? dotted ?? address ?? '').split('%')[0]!
  if (!ipaddr.isValid(text)) return 'unknown'
  const parsed = ipaddr.process(text)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

import { connect, createServer, type AddressInfo } from 'node:net'

/** Starts a proxy to PostgreSQL that silently drops the startup parameter `options`, as some poolers do. */
export async function startDroppingPooler(target: string): Promise<{ url: string; drops: boolean; stop(): void }> {
  const { hostname, port } = new URL(target)
  const pooler = { url: '', drops: true, stop: () => void server.close() }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.once('data', (startup: Buffer) => {
      far.write(pooler.drops ? withoutOptions(startup) : startup)
      near.pipe(far)
      far.pipe(near)
    })
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  pooler.url = url.href
  return pooler
}

/**
 * Removes `options` from a startup message, which is its length, the protocol's version, and names and values that each
 * end with a zero byte.
 */
function withoutOptions(startup: Buffer): Buffer {
  const length = startup.readInt32BE(0)
  const parts = startup.toString('latin1', 8, length).split('\0')
  const pairs = Array.from({ length: parts.length >> 1 }, (_, i) => [parts[2 * i]!, parts[2 * i + 1]!] as const)
  const kept = pairs.filter(([name]) => name !== 'options' && name !== '')
  const text = Buffer.from(kept.map(([name, value]) => `${name}\0${value}\0`).join('') + '\0', 'latin1')
  const head = Buffer.from(startup.subarray(0, 8))
  head.writeInt32BE(8 + text.length, 0)
  return Buffer.concat([head, text, startup.subarray(length)])
}

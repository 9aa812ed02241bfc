import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy before a service, to cut it off from one process and reconnect it. */
export interface Proxy {
  /** The service's URL through the proxy. */
  readonly url: string
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
  stop(): Promise<void>
}

export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const cut = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve()
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return { url: url.href, cut, mend: () => listen(own), stop: cut }
}

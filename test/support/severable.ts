import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SeverableUrl {
  /** URL of the same service through a port of its own. */
  readonly url: string
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>
  /**
   * Accepts requests and answers nothing until it is restored, like a stopped service or a network that drops packets.
   */
  hang(): void
  restore(): Promise<void>
}

/** Starts a proxy to a TCP service that a test can cut and restore, as if the service had died and restarted. */
export async function startSeverableProxy(url: string): Promise<SeverableUrl> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let port = 0
  let isHanging = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      if (isHanging) socket.pause()
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  const listen = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await listen()
  const own = new URL(url)
  own.host = `127.0.0.1:${port}`
  return {
    url: own.href,
    async cut() {
      const closed = server.listening ? once(server, 'close') : undefined
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    hang() {
      isHanging = true
      for (const socket of sockets) socket.pause()
    },
    async restore() {
      isHanging = false
      for (const socket of sockets) socket.resume()
      if (!server.listening) await listen()
    },
  }
}

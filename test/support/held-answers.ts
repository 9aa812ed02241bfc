import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HeldAnswers {
  /** URL of the same service through a port of its own. */
  readonly url: string
  /** From now on requests are forwarded, and their answers are held back. */
  hold(): void
  /** Returns how many connections have sent something since then. */
  waiting(): number
  close(): Promise<void>
}

/** Starts a proxy to a TCP service that can stop a client between an effect there and its answer. */
export async function startHoldingProxy(url: string): Promise<HeldAnswers> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const waiting = new Set<Socket>()
  let isHeld = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    near.on('data', (bytes) => {
      far.write(bytes)
      if (isHeld) waiting.add(near)
    })
    far.on('data', (bytes) => {
      if (!isHeld) near.write(bytes)
    })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    hold: () => void (isHeld = true),
    waiting: () => waiting.size,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

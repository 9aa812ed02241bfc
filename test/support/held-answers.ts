import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HeldAnswers {
  /** The same service behind a port of its own. */
  readonly url: string
  /** From now on requests arrive there, and their answers do not come back. */
  hold(): void
  /** How many connections have sent something since then. */
  waiting(): number
  close(): Promise<void>
}

/** A way to a TCP service on which a client can be caught between what it did there and its knowing of it. */
export async function heldAnswers(url: string): Promise<HeldAnswers> {
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

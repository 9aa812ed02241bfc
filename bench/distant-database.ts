import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../runtime/embedded-postgres/embedded-postgres.js'
import type { Cleanup } from './cleanup.js'
import type { BenchEnvironment } from './environment.js'

/** A TCP service at a distance. */
export interface DistantUrl {
  /** URL of the service through the proxy. */
  readonly url: string
  stop(): void
}

/**
 * Starts a proxy to a TCP service that delivers every answer `roundTripMs` after it came, in order, and so adds that time to each round
 * trip and none to what follows in the same one.
 */
export async function startDelayingProxy(url: string, roundTripMs: number): Promise<DistantUrl> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
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
    near.pipe(far)
    if (roundTripMs === 0) far.pipe(near)
    // Timers of the same duration fire in the order in which they were set.
    else far.on('data', (chunk) => setTimeout(() => near.write(chunk), roundTripMs))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Returns the URL of the database. That of the embedded profile is started here, so that a proxy fits before it. */
export async function startDatabase(environment: BenchEnvironment, cleanup: Cleanup): Promise<string> {
  if (environment.profile === 'scaled') return environment.databaseUrl()
  const dataDir = join(environment.directory, 'database')
  mkdirSync(dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir })
  cleanup.add(() => postgres.stop())
  return postgres.url
}

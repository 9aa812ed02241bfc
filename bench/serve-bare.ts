import type { Express } from 'express'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'

/** Listens on a free port of this machine and prints it, until SIGTERM. */
export function serveBare(server: Express, pool: pg.Pool): void {
  const listener = server.listen(0, '127.0.0.1', () => {
    console.log(`port ${(listener.address() as AddressInfo).port}`)
  })
  process.once('SIGTERM', () => {
    listener.close()
    listener.closeAllConnections()
    void pool.end()
  })
}

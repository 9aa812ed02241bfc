import { createServer, type AddressInfo } from 'node:net'

/** Returns a port of 127.0.0.1 that nobody listens on. Another process may take it before the caller does. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('127.0.0.1 has no free port.')
  return port
}

/** Returns true when nobody listens on this port of 127.0.0.1. */
export async function isFree(port: number): Promise<boolean> {
  return (await listenOnce(port)) !== undefined
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((settle) => {
    const server = createServer()
    server.once('error', () => settle(undefined))
    server.listen(port, '127.0.0.1', () => {
      const { port: actual } = server.address() as AddressInfo
      server.close(() => settle(actual))
    })
  })
}

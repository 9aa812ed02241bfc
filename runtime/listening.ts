import { createServer, type Server } from 'node:net'
import { ConfigError } from './errors.js'

/** An address to listen on, and the settings that configure it. Port 0 takes a free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: 'HOST' | 'METRICS_HOST'; readonly port: 'PORT' | 'METRICS_PORT' }
}

export function apiAddress({ host, port }: { readonly host: string; readonly port: number }): ListenAddress {
  return { host, port, settings: { host: 'HOST', port: 'PORT' } }
}

export function metricsAddress({ host, port }: { readonly host: string; readonly port: number }): ListenAddress {
  return { host, port, settings: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }
}

/** Listens on the address. Throws ConfigError, naming the setting, when the address is not available. */
export function listen(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenFailure(error, address))
    server.once('error', fail)
    server.listen(address.port, address.host, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

/**
 * Throws what `listen` would throw, long before it is time to listen. A port that is taken in between is noticed by
 * `listen`. All ports are open at the same time for a moment, so that one port for two addresses is noticed as well.
 */
export async function requireFreePorts(addresses: readonly ListenAddress[]): Promise<void> {
  const probes: Server[] = []
  try {
    for (const address of addresses) {
      const probe = createServer((socket) => socket.destroy())
      await listen(probe, address)
      probes.push(probe)
    }
  } finally {
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))))
  }
}

function listenFailure(error: NodeJS.ErrnoException, { host, port, settings }: ListenAddress): Error {
  const orNone = settings.port === 'METRICS_PORT' ? ', or 0 for none' : ''
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(
        settings.port,
        `port ${port} of ${host} is taken. Choose another${orNone}, or stop what listens there.`,
      )
    case 'EACCES':
      return new ConfigError(
        settings.port,
        `this user may not use port ${port} of ${host}. Choose one above 1023${orNone}.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(settings.host, `${host} is not an address of this machine.`)
    default:
      return error
  }
}

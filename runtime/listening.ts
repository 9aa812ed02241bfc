import { createServer, type Server } from 'node:net'
import { ConfigError } from './errors.js'

/** An address to listen on, and the settings that say it. Port 0 takes a free one. */
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

/** Throws ConfigError, naming the setting, when the address cannot be had. */
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
 * Throws what `listen` would, long before it is time to listen. Whoever takes one of the ports in between is noticed by `listen`. All are
 * open at once for a moment, so that one port for two of them is noticed as well.
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
        `port ${port} of ${host} may not be taken by this user. Choose one above 1023${orNone}.`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(settings.host, `${host} is no address of this machine.`)
    default:
      return error
  }
}

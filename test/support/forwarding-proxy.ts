import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ForwardingProxy {
  readonly url: string
  stop(): void
}

/**
 * Starts a proxy that forwards requests to a service, except those for which `take` returns true: it answers them
 * itself, or never.
 */
export async function startForwardingProxy(
  service: string,
  take: (pathname: string, outgoing: ServerResponse) => boolean,
): Promise<ForwardingProxy> {
  const server = createServer((incoming, outgoing) => {
    if (take(incoming.url!.split('?')[0]!, outgoing)) return
    const { method, headers } = incoming
    const passed = request(new URL(incoming.url!, service), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop }
}

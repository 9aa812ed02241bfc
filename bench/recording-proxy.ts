import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from './cleanup.js'

export interface ProxiedRequest {
  readonly method: string
  /** Path with the query string. */
  readonly path: string
  readonly body: Buffer
}

/** Forwards everything to an engine and records the requests: what the service really sends. */
interface RecordingProxy {
  readonly url: string
  /** Returns what was recorded since the last call. */
  take(): ProxiedRequest[]
}

export async function startRecordingProxy(
  target: string,
  isWanted: (path: string) => boolean,
  cleanup: Cleanup,
): Promise<RecordingProxy> {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: true })
  let recorded: ProxiedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      if (isWanted(path)) recorded.push({ method, path, body })
      const onward = request({ agent, hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup.add(() => {
    server.close()
    server.closeAllConnections()
    agent.destroy()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = recorded
      recorded = []
      return taken
    },
  }
}

import { Agent, type IncomingHttpHeaders, request } from 'node:http'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Milliseconds from the call to the last byte of the answer. */
  readonly ms: number
}

/** A plain client over connections that stay open, with the least possible overhead. */
export interface HttpClient {
  send(method: string, path: string, body?: string | Buffer, headers?: Readonly<Record<string, string>>): Promise<Reply>
  close(): void
}

export function createHttpClient(baseUrl: string, options: { readonly sockets?: number } = {}): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: options.sockets ?? 16 })
  const base = new URL(baseUrl)
  const { hostname, port } = base
  const prefix = base.pathname.replace(/\/$/, '')

  function send(method: string, path: string, body?: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    return new Promise<Reply>((resolve, reject) => {
      const started = performance.now()
      const call = request({ agent, hostname, port, method, path: prefix + path, headers: { ...headers, ...length } })
      call.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
            ms: performance.now() - started,
          }),
        )
      })
      call.on('error', reject)
      call.end(body)
    })
  }

  return { send, close: () => agent.destroy() }
}

/** Returns the parsed body and the time it took, parsing included. Throws on a status that is not 2xx. */
export async function sendJson<T>(
  client: HttpClient,
  call: { readonly method: string; readonly path: string; readonly key?: string; readonly body?: unknown },
): Promise<{ readonly value: T; readonly ms: number }> {
  const { method, path, key, body } = call
  const headers = { ...(key !== undefined && { 'x-api-key': key }), 'content-type': 'application/json' }
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const started = performance.now()
  const reply = await client.send(method, path, text, headers)
  if (reply.status < 200 || reply.status > 299)
    throw new Error(`${method} ${path} answered ${reply.status}: ${reply.body.slice(0, 300)}`)
  const value = (reply.body === '' ? null : JSON.parse(reply.body)) as T
  return { value, ms: performance.now() - started }
}

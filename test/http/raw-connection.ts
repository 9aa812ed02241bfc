import { expect } from 'chai'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { inTime, until } from '../support/states.js'

/** A raw connection, for requests that no client library would send. */
export class RawConnection {
  #text = ''
  #ended = false
  readonly socket: Socket

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => (this.#text += chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => (this.#ended = true))
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  get text(): string {
    return this.#text
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  /** Waits until the received text matches, and returns it. Throws when the connection ends before. */
  async until(pattern: RegExp): Promise<string> {
    const matched = () => {
      if (!pattern.test(this.#text) && this.#ended) throw new Error(`the connection ended after: ${this.#text}`)
      return expect(this.#text).to.match(pattern)
    }
    await until('the connection receives the answer', matched)
    return this.#text
  }

  /** Waits until the other side closes, and returns the received text. */
  async ended(): Promise<string> {
    if (!this.#ended)
      await inTime('the other side closes the connection', once(this.socket, 'close'), { within: 45_000 })
    return this.#text
  }

  close(): void {
    this.socket.destroy()
  }
}

/** Returns status, headers by lower-case name and parsed body of the one response in `text`. */
export function parseAnswer(text: string): {
  status: number
  headers: Map<string, string>
  body: Record<string, unknown>
} {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
  )
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(headers),
    body: JSON.parse(rest.join('\r\n\r\n')) as Record<string, unknown>,
  }
}

import { createServer, type AddressInfo } from 'node:net'

/** Answers a PING to a Redis that cannot write its snapshot. */
export const CANNOT_SAVE =
  "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the data set are disabled."

interface RedisStub {
  readonly url: string
  stop(): void
}

/** Tells of itself as a Redis of these facts would, answers PING with `ping`, and knows nothing else. */
export async function startRedisStub({
  ping = '+PONG',
  ...facts
}: Readonly<Record<string, unknown>>): Promise<RedisStub> {
  const told = { redis_version: '7.4.0', loading: 0, maxmemory_policy: 'noeviction', ...facts }
  const info = Object.entries(told)
    .map(([name, value]) => `${name}:${String(value)}\r\n`)
    .join('')
  const answers = new Map([
    ['info', `$${info.length}\r\n${info}\r\n`],
    ['ping', `${String(ping)}\r\n`],
  ])
  const server = createServer((socket) => {
    socket.setEncoding('utf8').on('error', () => undefined)
    socket.on('data', (text: string) => {
      for (const command of text.split(/^\*\d+\r\n/m).slice(1)) {
        const [, name] = /^\$\d+\r\n(\w+)/.exec(command)!
        socket.write(answers.get(name!.toLowerCase()) ?? '+OK\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() }
}

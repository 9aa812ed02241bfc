import { expect } from 'chai'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@opensearch-project/opensearch'
import { Redis } from 'ioredis'
import { until } from '../support/states.js'

const deploy = (file: string) => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url))
const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Tries what asks for the passwords of Redis and OpenSearch, with the real programs where they are installed. */
describe('the passwords of deploy/compose.yaml', function () {
  this.timeout(60_000)
  const password = randomBytes(12).toString('hex')
  let child: ChildProcess
  afterEach(() => child.kill('SIGKILL'))

  it('Redis answers nobody without its password, which no argument shows', async function () {
    if (!isInstalled('redis-server')) this.skip()
    const port = await freePort()
    child = spawn('sh', [deploy('redis/start'), '--port', String(port), '--save', ''], {
      env: { ...process.env, REDIS_PASSWORD: password },
      stdio: 'ignore',
    })
    const ask = async (url: string) => {
      const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, enableReadyCheck: false })
      const refusals: string[] = []
      redis.on('error', ({ message }: Error) => refusals.push(message))
      try {
        await redis.connect()
        const answer = await redis.ping()
        return refusals[0] ?? answer
      } catch (error) {
        return refusals[0] ?? (error as Error).message
      } finally {
        redis.disconnect()
      }
    }
    const at = `127.0.0.1:${port}`
    await until('Redis answers', async () => (await ask(`redis://:${password}@${at}`)) === 'PONG')
    expect(await ask(`redis://${at}`)).to.match(/NOAUTH/)
    expect(await ask(`redis://:${password}x@${at}`)).to.match(/WRONGPASS/)
    expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'))
      .to.include('redis-server')
      .and.not.include(password)
  })

  it('the door of OpenSearch asks for the password, and keeps it from the engine', async function () {
    if (!isInstalled('haproxy')) this.skip()
    const seen: http.IncomingHttpHeaders[] = []
    const engine = http.createServer((request, response) => {
      seen.push(request.headers)
      response.setHeader('content-type', 'application/json').end('{"status":"green"}')
    })
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
    const folder = mkdtempSync(path.join(tmpdir(), 'cairn-door-'))
    try {
      const port = await freePort()
      const config = readFileSync(deploy('opensearch/door.cfg'), 'utf8')
        .replace('bind :9201', `bind 127.0.0.1:${port}`)
        .replace('127.0.0.1:9200', `127.0.0.1:${(engine.address() as AddressInfo).port}`)
      writeFileSync(path.join(folder, 'door.cfg'), config)
      child = spawn('haproxy', ['-f', path.join(folder, 'door.cfg')], {
        env: { ...process.env, OPENSEARCH_PASSWORD: password },
        stdio: 'ignore',
      })
      const ask = async (user: string) => {
        const client = new Client({ node: `http://${user}127.0.0.1:${port}`, maxRetries: 0 })
        return client.cluster.health().then(
          ({ statusCode }) => statusCode,
          (error: { statusCode?: number }) => error.statusCode,
        )
      }
      await until('the door answers', async () => (await ask(`cairn:${password}@`)) === 200)
      expect(seen.at(-1)).not.to.have.property('authorization')
      const before = seen.length
      expect(await ask('')).to.equal(401)
      expect(await ask(`cairn:${password}x@`)).to.equal(401)
      expect(await ask(`admin:${password}@`)).to.equal(401)
      expect(seen.length).to.equal(before)
    } finally {
      engine.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

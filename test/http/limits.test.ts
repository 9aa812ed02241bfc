import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnyOperation } from '../../http/operation.js'
import { FakeIdentities, fakeRateLimiter, startFakeService, type FakeService } from './fake-service.js'
import { parseAnswer, RawConnection } from './raw-connection.js'
import { gate, until } from '../support/states.js'

function codeOf(body: Record<string, unknown>): string {
  return (body.error as { code: string }).code
}

describe('limits of a request', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  const json = ['Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json']
  let service: FakeService
  let slow: AnyOperation = () => Promise.reject(new Error('not set'))

  before(async () => {
    const operations = { slow: ((...input) => slow(...input)) as AnyOperation }
    service = await startFakeService({ key, identities, operations, limits: { bodyTimeoutMs: 150, lingerMs: 300 } })
  })
  after(() => service.server.stop())

  describe('a body that is too large', () => {
    it('is refused by its declared length before any of it is sent', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Content-Length: 1001', '', '')
      const { status, body } = parseAnswer(await connection.until(/\}$/))
      expect([status, codeOf(body)]).to.deep.equal([413, 'PAYLOAD_TOO_LARGE'])
      connection.close()
    })

    it('is refused in chunks as soon as it has grown too large', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Transfer-Encoding: chunked', '', '')
      connection.send('3e8', 'x'.repeat(1000), '')
      connection.send('1', 'x', '')
      const { status, headers } = parseAnswer(await connection.until(/\}$/))
      expect([status, headers.get('connection')]).to.deep.equal([413, 'close'])
      await connection.ended()
    })

    it('is answered even when the caller goes on sending', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Content-Length: 4000000', '', '')
      for (let sent = 0; sent < 4_000_000; sent += 100_000) connection.socket.write('x'.repeat(100_000))
      expect(parseAnswer(await connection.ended()).status).to.equal(413)
    })

    it('does not keep its connection open for ever', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Content-Length: 4000000', '', '')
      expect(parseAnswer(await connection.ended()).status).to.equal(413)
    })

    it('is accepted at exactly the limit', async () => {
      const fill = 1000 - JSON.stringify({ tenant_id: 'acme', content: 'x', extra: '' }).length
      const { status } = await service.client.post('/api/things', {
        tenant_id: 'acme',
        content: 'x',
        extra: 'y'.repeat(fill),
      })
      expect(status).to.equal(200)
    })
  })

  describe('a caller that sends Expect: 100-continue', () => {
    const asking = async (headers: string[], length: number) => {
      const connection = await RawConnection.open(service.port)
      connection.send(
        'POST /api/things HTTP/1.1',
        ...headers,
        'Expect: 100-continue',
        `Content-Length: ${length}`,
        '',
        '',
      )
      return connection
    }

    it('gets 100 Continue when its body will be read', async () => {
      const body = JSON.stringify({ tenant_id: 'acme', content: 'x' })
      const connection = await asking(json, body.length)
      await connection.until(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
      connection.send(body)
      await connection.until(/HTTP\/1\.1 200 /)
      connection.close()
    })

    it('is refused without 100 Continue when its key or its body is not accepted', async () => {
      for (const [headers, length, status] of [
        [json, 5000, 413],
        [['Host: x', 'Content-Type: application/json'], 10, 401],
      ] as const) {
        const connection = await asking([...headers], length)
        const answer = parseAnswer(await connection.ended())
        expect([answer.status, answer.headers.get('connection')]).to.deep.equal([status, 'close'])
      }
    })
  })

  describe('a body that does not arrive', () => {
    it('answers 408 and closes its connection', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Content-Length: 100', '', '{"tenant')
      const { status, body, headers } = parseAnswer(await connection.ended())
      expect([status, codeOf(body)]).to.deep.equal([408, 'REQUEST_TIMEOUT'])
      expect(headers.get('x-request-id')).to.be.a('string')
    })

    it('answers 408 although a little of it arrives again and again', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Transfer-Encoding: chunked', '', '')
      const drip = setInterval(() => connection.send('1', ' ', ''), 20)
      try {
        expect(parseAnswer(await connection.ended()).status).to.equal(408)
      } finally {
        clearInterval(drip)
      }
    })

    it('is not answered when its caller disconnects', async () => {
      service.requests.length = 0
      const connection = await RawConnection.open(service.port)
      connection.send('POST /api/things HTTP/1.1', ...json, 'Content-Length: 100', '', '{"tenant')
      connection.close()
      await until('the request is logged', () => service.requests.length > 0)
      expect(service.requests).to.deep.equal([{ operationId: 'createThing', status: 499 }])
    })
  })

  describe('a small body of a refused request', () => {
    const refused = [
      'POST /api/things HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      'Content-Length: 9',
      '',
      '',
    ]

    it('is drained, and the connection serves the next request', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send(...refused)
      await connection.until(/^HTTP\/1\.1 401 [^]*\}$/)
      connection.send('{"a": 12}GET /api/nothing HTTP/1.1', 'Host: x', '', '')
      await connection.until(/HTTP\/1\.1 404 [^]*\}$/)
      connection.close()
    })

    it('is not waited for indefinitely, and gets one response', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send(...refused)
      expect(parseAnswer(await connection.ended()).status).to.equal(401)
    })
  })

  describe('an operation that takes too long', () => {
    it('answers 504 in the envelope, and its signal is aborted', async () => {
      const aborted = gate<AbortSignal>()
      slow = (_context, _caller, { signal }) =>
        new Promise(() => signal.addEventListener('abort', () => aborted.open(signal), { once: true }))
      const { status, body } = await service.client.as(null).get('/api/slow')
      expect([status, body.error.code]).to.deep.equal([504, 'UPSTREAM_TIMEOUT'])
      expect((await aborted.opened).aborted).to.equal(true)
    })

    it('answers 504 too when its work fails because of the signal', async () => {
      slow = (_context, _caller, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }))
      expect((await service.client.as(null).get('/api/slow')).status).to.equal(504)
    })

    it('has its signal aborted when its caller disconnects', async () => {
      const [started, aborted] = [gate(), gate<unknown>()]
      slow = (_context, _caller, { signal }) => {
        signal.addEventListener('abort', () => aborted.open(signal.reason), { once: true })
        started.open()
        return new Promise(() => undefined)
      }
      const connection = await RawConnection.open(service.port)
      connection.send('GET /api/slow HTTP/1.1', 'Host: x', '', '')
      await started.opened
      connection.close()
      expect(await aborted.opened).to.have.property('name', 'CallerGoneError')
    })

    it('has its signal left alone once it is answered', async () => {
      let seen: AbortSignal | undefined
      slow = (_context, _caller, { signal }) => {
        seen = signal
        return Promise.resolve({ status: 200, body: {} })
      }
      for (let requests = 0; requests < 2; requests++)
        expect((await service.client.as(null).get('/api/slow')).status).to.equal(200)
      expect(seen!.aborted).to.equal(false)
    })

    it('does not begin when its caller disconnected before, and is not answered', async () => {
      const [asked, counted] = [gate(), gate()]
      const rateLimiter = fakeRateLimiter({ now: () => Date.now() })
      rateLimiter.admitAddress = async () => {
        rateLimiter.admitAddress = () => Promise.resolve()
        asked.open()
        await counted.opened
      }
      let begun = 0
      const ping: AnyOperation = () => Promise.resolve({ status: 200, body: { begun: ++begun } })
      const limited = await startFakeService({ rateLimiter, operations: { ping } })
      const connection = await RawConnection.open(limited.port)
      connection.send('GET /api/ping HTTP/1.1', 'Host: x', '', '')
      await asked.opened
      connection.close()
      // By the time that this is answered, the server has noticed.
      await limited.client.get('/api/nothing')
      counted.open()
      await until('the abandoned request is logged', () => limited.requests.some(({ status }) => status === 499))
      expect(begun).to.equal(0)
      await limited.server.stop()
    })
  })

  describe('a malformed request', () => {
    it('answers 400 in the envelope and closes its connection', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('these are not the words of HTTP', '', '')
      const { status, body, headers } = parseAnswer(await connection.ended())
      expect([status, codeOf(body)]).to.deep.equal([400, 'BAD_REQUEST'])
      expect(headers.get('x-request-id')).to.be.a('string')
    })

    it('answers 431 when its headers are too large', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('GET /api/things HTTP/1.1', 'Host: x', `X-Large: ${'x'.repeat(40_000)}`, '', '')
      const { status, body } = parseAnswer(await connection.ended())
      expect([status, codeOf(body)]).to.deep.equal([431, 'HTTP_431'])
    })

    it('answers 400 without a Host in HTTP/1.1, and is served in HTTP/1.0', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('GET /api/nothing HTTP/1.1', 'Connection: close', '', '')
      const { status, headers, body } = parseAnswer(await connection.ended())
      expect([status, codeOf(body)]).to.deep.equal([400, 'BAD_REQUEST'])
      expect(headers.get('x-request-id')).to.be.a('string')
      const older = await RawConnection.open(service.port)
      older.send('GET /api/nothing HTTP/1.0', '', '')
      expect(parseAnswer(await older.ended()).status).to.equal(404)
    })

    it('answers 400 when its path contains raw bytes', async () => {
      const connection = await RawConnection.open(service.port)
      connection.send('GET /api/things/é HTTP/1.1', 'Host: x', '', '')
      await connection.until(/^HTTP\/1\.1 400 /)
      connection.close()
    })
  })
})

describe('stopping the server', () => {
  it('waits for running requests, closes idle connections and accepts no more', async () => {
    const [started, finish] = [gate(), gate()]
    const ping: AnyOperation = async () => {
      started.open()
      await finish.opened
      return { status: 200, body: { done: true } }
    }
    const service = await startFakeService({ operations: { ping } })
    const idle = await RawConnection.open(service.port)
    idle.send('GET /api/nothing HTTP/1.1', 'Host: x', '', '')
    await idle.until(/\}$/)
    const running = service.client.get('/api/ping')
    await started.opened
    const stopped = service.server.stop()
    await idle.ended()
    const refused: unknown = await RawConnection.open(service.port).catch((error: unknown) => error)
    expect((refused as NodeJS.ErrnoException).code).to.equal('ECONNREFUSED')
    finish.open()
    const { status, headers } = await running
    expect([status, headers.get('Connection')]).to.deep.equal([200, 'close'])
    await stopped
  })

  it('does not wait indefinitely', async () => {
    const started = gate()
    const ping: AnyOperation = () => {
      started.open()
      return new Promise(() => undefined)
    }
    const service = await startFakeService({ operations: { ping }, limits: { stopTimeoutMs: 50 } })
    const lost = service.client.get('/api/ping').catch((error: unknown) => error)
    await started.opened
    await service.server.stop()
    expect(await lost).to.be.instanceOf(Error)
  })

  it('is possible before the start, and twice', async () => {
    const service = await startFakeService()
    await service.server.stop()
    await service.server.stop()
  })

  it('names the setting to change when its port is taken', async () => {
    const service = await startFakeService()
    const error: unknown = await startFakeService({ port: service.port }).catch((reason: unknown) => reason)
    expect(String(error)).to.match(/PORT: port \d+ of 127\.0\.0\.1 is taken/)
    await service.server.stop()
  })
})

describe('TLS', () => {
  it('is used when a certificate is given', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-tls-'))
    const [cert, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const files = ['-keyout', keyFile, '-out', cert]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...files, ...subject], {
      stdio: 'ignore',
    })
    const ca = readFileSync(cert, 'utf8')
    const service = await startFakeService({ tls: { cert: ca, key: readFileSync(keyFile, 'utf8') } })
    try {
      const status = await new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port: service.port, path: '/api/ping', ca, agent: false }
        httpsRequest(options, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
      expect(status).to.equal(200)
      const plain = await RawConnection.open(service.port)
      plain.send('GET /api/ping HTTP/1.1', 'Host: x', '', '')
      expect(await plain.ended()).not.to.include('200 OK')
    } finally {
      await service.server.stop()
      rmSync(folder, { recursive: true })
    }
  })
})

import { expect } from 'chai'
import type { AnyOperation } from '../../http/operation.js'
import { FairAdmission, type FairAdmissionOptions } from '../../http/limits/fair-admission.js'
import { callsWithPermit } from '../../runtime/external-calls.js'
import { gate, until } from '../support/states.js'
import { collectGarbage } from '../support/garbage.js'
import { ADMIN_KEY, FakeIdentities, startFakeService, type FakeService } from './fake-service.js'
import { parseAnswer, RawConnection } from './raw-connection.js'

/** The route's body limit in the fake service's contract. */
const BODY_LIMIT = 200_000
const DONE: AnyOperation = () => Promise.resolve({ status: 200, body: {} })

function bodyOf(length: number, tenantId = 'acme'): string {
  const frame = JSON.stringify({ tenant_id: tenantId, content: '' })
  return frame.replace('""', `"${'x'.repeat(length - frame.length)}"`)
}

describe('the memory budget for bodies', () => {
  const identities = new FakeIdentities()
  const [acme, globex] = [identities.mint(), identities.mint({ tenantId: 'globex' })]
  let use: { taken: number; waiting: number }
  let createLarge: AnyOperation
  let service: FakeService
  let connections: RawConnection[]
  beforeEach(() => {
    use = { taken: 0, waiting: 0 }
    createLarge = DONE
    connections = []
  })
  afterEach(async () => {
    for (const connection of connections) connection.close()
    await service.server.stop()
  })

  function shares(given: Partial<FairAdmissionOptions>): FairAdmission {
    const none = { onUse: () => undefined, onRefusal: () => undefined }
    return new FairAdmission({
      total: 10,
      share: 10,
      allowsBorrowing: false,
      queue: 10,
      waitsFor: 'memory',
      ...none,
      ...given,
    })
  }

  async function start(given: Partial<FairAdmissionOptions> = {}, options: object = {}): Promise<void> {
    const bodyMemory = shares({
      total: BODY_LIMIT,
      share: BODY_LIMIT,
      onUse: ({ taken, waiting }) => void (use = { taken, waiting }),
      ...given,
    })
    const operations = { createLarge: ((...input) => createLarge(...input)) as AnyOperation }
    service = await startFakeService({ key: acme, identities, operations, bodyMemory, ...options })
  }

  async function open(...headers: string[]): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port)
    connections.push(connection)
    const key = headers.some((header) => header.startsWith('X-API-Key')) ? [] : [`X-API-Key: ${acme}`]
    connection.send('POST /api/large HTTP/1.1', 'Host: x', ...key, 'Content-Type: application/json', ...headers, '', '')
    return connection
  }
  const announce = (length: number, ...headers: string[]) =>
    open(`Content-Length: ${length}`, 'Expect: 100-continue', ...headers)
  const openChunked = () => open('Transfer-Encoding: chunked')
  const sendChunk = (connection: RawConnection, text: string) => connection.send(text.length.toString(16), text, '')
  const endChunks = (connection: RawConnection) => connection.send('0', '', '')

  it('is reserved before a body is read: the caller gets no 100 Continue until then', async () => {
    await start()
    const first = await announce(150_000)
    await first.until(/100 Continue/)
    const second = await announce(100_000)
    await until('a request waits', () => expect(use.waiting).to.equal(1))
    expect([use.taken, second.text]).to.deep.equal([150_000, ''])
    first.send(bodyOf(150_000))
    await first.until(/HTTP\/1\.1 200 /)
    await second.until(/100 Continue/)
    second.send(bodyOf(100_000))
    await second.until(/HTTP\/1\.1 200 /)
    await until('no memory is reserved for bodies', () => expect(use.taken).to.equal(0))
  })

  it('is not needed by a small body', async () => {
    await start()
    await (await announce(BODY_LIMIT)).until(/100 Continue/)
    const small = await announce(65_536)
    await small.until(/100 Continue/)
    small.send(bodyOf(65_536))
    await small.until(/HTTP\/1\.1 200 /)
    expect(use).to.deep.equal({ taken: BODY_LIMIT, waiting: 0 })
  })

  it('is left for other tenants, and for the admin credential, when a tenant has used up its share', async () => {
    await start({ total: 3 * BODY_LIMIT })
    await (await announce(BODY_LIMIT)).until(/100 Continue/)
    const waiting = await announce(BODY_LIMIT)
    await until('a request waits', () => expect(use.waiting).to.equal(1))
    await (await announce(BODY_LIMIT, `X-API-Key: ${globex}`)).until(/100 Continue/)
    await (await announce(BODY_LIMIT, `X-API-Key: ${ADMIN_KEY}`)).until(/100 Continue/)
    expect([use, waiting.text]).to.deep.equal([{ taken: 3 * BODY_LIMIT, waiting: 1 }, ''])
  })

  it('is reserved once, up to the body limit, by a body of undeclared length, so that two cannot deadlock', async () => {
    await start()
    const growing = [await openChunked(), await openChunked()]
    for (const connection of growing) sendChunk(connection, bodyOf(150_000).slice(0, 100_000))
    await until('one body has its memory and another waits', () => use.taken === BODY_LIMIT && use.waiting === 1)
    for (const connection of growing) {
      sendChunk(connection, bodyOf(150_000).slice(100_000))
      endChunks(connection)
    }
    for (const connection of growing) await connection.until(/HTTP\/1\.1 200 /)
    await until('no memory is reserved for bodies', () => expect(use.taken).to.equal(0))
  })

  it('is not needed by a small body of undeclared length', async () => {
    await start()
    await (await announce(BODY_LIMIT)).until(/100 Continue/)
    const small = await openChunked()
    sendChunk(small, bodyOf(60_000))
    endChunks(small)
    await small.until(/HTTP\/1\.1 200 /)
  })

  it('is released by a body of undeclared length as far as it is not needed', async () => {
    await start()
    const held = gate()
    createLarge = async (...input) => {
      await held.opened
      return DONE(...input)
    }
    const chunked = await openChunked()
    sendChunk(chunked, bodyOf(90_000))
    await until('memory is reserved for a whole body', () => expect(use.taken).to.equal(BODY_LIMIT))
    endChunks(chunked)
    await until('memory is reserved for what has arrived', () => expect(use.taken).to.equal(90_000))
    held.open()
    await chunked.until(/HTTP\/1\.1 200 /)
    await until('no memory is reserved for bodies', () => expect(use.taken).to.equal(0))
  })

  it('stays reserved while its request waits for a permit, and the body is not parsed before', async () => {
    const permits = { running: 0, waiting: 0 }
    const onUse = ({ taken, waiting }: typeof use) => Object.assign(permits, { running: taken, waiting })
    await start({}, { admission: { permits: shares({ total: 1, onUse }), externalCalls: () => callsWithPermit } })
    const held = gate()
    createLarge = async (...input) => {
      await held.opened
      return DONE(...input)
    }
    const first = await open(`Content-Length: 70000`)
    first.send(bodyOf(70_000))
    await until('a request has a permit', () => expect(permits.running).to.equal(1))
    const second = await open(`Content-Length: 80000`)
    second.send('x'.repeat(80_000))
    await until('a request waits for a permit', () => expect(permits.waiting).to.equal(1))
    expect([use, second.text]).to.deep.equal([{ taken: 150_000, waiting: 0 }, ''])
    held.open()
    await first.until(/HTTP\/1\.1 200 /)
    await second.until(/HTTP\/1\.1 400 /)
    await until('no memory is reserved for bodies', () => expect(use.taken).to.equal(0))
    expect(permits).to.deep.equal({ running: 0, waiting: 0 })
  })

  describe('is released', () => {
    it('when the operation fails', async () => {
      createLarge = () => Promise.reject(new Error('broken'))
      await start()
      const connection = await open('Content-Length: 70000')
      connection.send(bodyOf(70_000))
      await connection.until(/HTTP\/1\.1 500 /)
      expect(use.taken).to.equal(0)
    })

    it('when the body is refused', async () => {
      await start()
      for (const [body, status] of [
        ['x'.repeat(70_000), 400],
        [JSON.stringify({ content: 'x'.repeat(70_000) }), 422],
        [bodyOf(70_000, 'globex'), 403],
      ] as const) {
        const connection = await open(`Content-Length: ${body.length}`)
        connection.send(body)
        expect(parseAnswer(await connection.until(/\}$/)).status).to.equal(status)
        expect(use.taken).to.equal(0)
      }
    })

    it('when the body grows too large', async () => {
      await start()
      const connection = await openChunked()
      sendChunk(connection, 'x'.repeat(100_000))
      await until('memory is reserved for a whole body', () => expect(use.taken).to.equal(BODY_LIMIT))
      sendChunk(connection, 'x'.repeat(100_001))
      expect(parseAnswer(await connection.until(/\}$/)).status).to.equal(413)
      expect(use.taken).to.equal(0)
    })

    it('when the body is not received in time', async () => {
      await start({}, { limits: { bodyTimeoutMs: 20, lingerMs: 20 } })
      const connection = await open('Content-Length: 70000')
      expect(parseAnswer(await connection.ended()).status).to.equal(408)
      expect(use.taken).to.equal(0)
    })

    it('when its caller disconnects, while the body is read or waits for memory', async () => {
      await start()
      const reading = await open(`Content-Length: ${BODY_LIMIT}`)
      await until('memory is reserved for a whole body', () => expect(use.taken).to.equal(BODY_LIMIT))
      const waiting = await open('Content-Length: 70000')
      await until('a request waits', () => expect(use.waiting).to.equal(1))
      waiting.close()
      await until('no request waits', () => expect(use.waiting).to.equal(0))
      reading.close()
      await until('no memory is reserved for bodies', () => expect(use.taken).to.equal(0))
    })
  })

  it('answers 429 when the tenant frees no memory in time and when its queue is full, both with Retry-After', async () => {
    await start({ waitMs: 500, queue: 1 })
    await (await announce(BODY_LIMIT)).until(/100 Continue/)
    const late = await announce(70_000)
    await until('a request waits', () => expect(use.waiting).to.equal(1))
    const beyond = await announce(70_000)
    for (const [connection, status] of [
      [beyond, 429],
      [late, 429],
    ] as const) {
      const answer = parseAnswer(await connection.ended())
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([status, '1'])
    }
    expect(use).to.deep.equal({ taken: BODY_LIMIT, waiting: 0 })
  })

  it('keeps no body of a finished request whose response waits behind a slow one', async () => {
    const slow = gate()
    const bodies: WeakRef<object>[] = []
    createLarge = async (_context, _caller, { body }) => {
      bodies.push(new WeakRef(body as object))
      if (bodies.length === 1) await slow.opened
      return { status: 200, body: {} }
    }
    await start()
    const text = bodyOf(100)
    const head = ['POST /api/large HTTP/1.1', 'Host: x', `X-API-Key: ${acme}`, 'Content-Type: application/json']
    const connection = await RawConnection.open(service.port)
    connections.push(connection)
    for (let i = 0; i < 4; i++) connection.send(...head, `Content-Length: ${text.length}`, '', text)
    await until('three requests are logged', () => expect(service.requests.length).to.equal(3))
    await until('one body is left in memory', () => {
      collectGarbage()
      return bodies.filter((body) => body.deref() !== undefined).length === 1
    })
    slow.open()
    await connection.until(/(HTTP\/1\.1 200[^]*){4}/)
  })
})

import { expect } from 'chai'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { mock } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { servedDocument } from '../../contract/openapi-document.js'
import { startService, type TestService } from '../support/service.js'

interface Served {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

describe('the served contract', () => {
  let service: TestService
  before(async () => (service = await startService()))
  after(() => service.stop())

  /** Asks as a client does that neither adds headers nor decompresses. */
  async function get(headers: OutgoingHttpHeaders = {}, method = 'GET'): Promise<Served> {
    const sent = request(`${service.url}/api/openapi.json`, { method, headers }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode!, headers: response.headers, bytes: await buffer(response) }
  }

  for (const [accepted, isCompressed] of [
    [undefined, false],
    ['identity', false],
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip;q=0.1, identity', false],
    ['br', false],
  ] as const)
    it(`is ${isCompressed ? 'compressed' : 'as it is'} for Accept-Encoding ${accepted ?? '(none)'}`, async () => {
      const { status, headers, bytes } = await get(accepted === undefined ? {} : { 'Accept-Encoding': accepted })
      expect(status).to.equal(200)
      expect(headers['content-encoding']).to.equal(isCompressed ? 'gzip' : undefined)
      expect(headers).to.include({ vary: 'Accept-Encoding', 'content-length': String(bytes.length) })
      expect(headers).to.include({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' })
      const json = (isCompressed ? gunzipSync(bytes) : bytes).toString()
      expect(JSON.parse(json)).to.deep.equal(JSON.parse(JSON.stringify(servedDocument())))
    })

  it('has one tag for both forms, which is weak since the bytes differ', async () => {
    const [plain, compressed] = [await get(), await get({ 'Accept-Encoding': 'gzip' })]
    expect(plain.headers.etag).to.match(/^W\/"[\w-]{22}"$/)
    expect(compressed.headers.etag).to.equal(plain.headers.etag)
    expect(compressed.bytes.length).to.be.lessThan(plain.bytes.length / 3)
  })

  it('is not sent again to whoever has it, in either form, and is to whoever has another', async () => {
    const { etag = '' } = (await get()).headers
    const strong = etag.replace('W/', '')
    for (const known of [etag, strong, `"another", ${etag}`, '*'])
      for (const encoding of ['identity', 'gzip']) {
        const { status, headers, bytes } = await get({ 'If-None-Match': known, 'Accept-Encoding': encoding })
        expect([status, bytes.length], known).to.deep.equal([304, 0])
        expect(headers, known).to.include({ etag, vary: 'Accept-Encoding', 'cache-control': 'no-cache' })
      }
    for (const other of ['"another"', 'W/"another"', strong.replace('"', '"x')]) {
      const { status, bytes } = await get({ 'If-None-Match': other })
      expect([status, bytes.length > 0], other).to.deep.equal([200, true])
    }
  })

  it('has the headers of GET for HEAD, and no body', async () => {
    for (const encoding of ['identity', 'gzip']) {
      const { headers: expected } = await get({ 'Accept-Encoding': encoding })
      const { status, headers, bytes } = await get({ 'Accept-Encoding': encoding }, 'HEAD')
      expect([status, bytes.length]).to.deep.equal([200, 0])
      for (const name of ['etag', 'vary', 'content-type', 'content-length', 'content-encoding', 'cache-control'])
        expect(headers[name], name).to.equal(expected[name])
    }
    const known = await get({ 'If-None-Match': (await get()).headers.etag }, 'HEAD')
    expect(known.status).to.equal(304)
  })

  it('is serialised once, however often it is asked for', async () => {
    await get()
    const stringify = mock.method(JSON, 'stringify')
    try {
      for (const encoding of ['identity', 'gzip', 'gzip']) await get({ 'Accept-Encoding': encoding })
      const served = stringify.mock.calls.filter(({ arguments: [value] }) => Object.hasOwn(Object(value), 'openapi'))
      expect(served).to.deep.equal([])
    } finally {
      stringify.mock.restore()
    }
  })
})

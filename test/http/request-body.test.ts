import { expect } from 'chai'
import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { receiveBody, SMALL_BODY_BYTES } from '../../http/request-body.js'

describe('a body', () => {
  it('that has arrived whole before it is read is received, whether it is large or not', async () => {
    for (const length of [SMALL_BODY_BYTES, SMALL_BODY_BYTES + 4_000]) {
      const reservations: number[] = []
      const reserve = (bytes: number) => Promise.resolve((reservations.push(bytes), null))
      const request = new IncomingMessage(new Socket())
      Object.assign(request.headers, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' })
      for (const part of [10_000, length - 10_000]) request.push(Buffer.alloc(part, 'x'))
      request.complete = true
      request.push(null)
      const { bytes } = await receiveBody(request, {} as ServerResponse, { bytes: 100_000, timeoutMs: 1_000, reserve })
      expect([bytes.length, reservations]).to.deep.equal([length, length > SMALL_BODY_BYTES ? [100_000] : []])
    }
  })
})

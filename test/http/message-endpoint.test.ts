import { expect } from 'chai'
import { routeOfEndpoint } from '../../http/message-endpoint.js'
import type { AnyOperation } from '../../http/operation.js'
import { cairnContract } from '../../http/validation/contract.js'
import { gate, inTime, until } from '../support/states.js'
import { echo, FakeIdentities, startFakeService } from './fake-service.js'
import { RawConnection } from './raw-connection.js'

describe('a message', () => {
  it('has more time than any operation that it may call', () => {
    const { deadlineMs } = routeOfEndpoint({
      path: '/messages',
      name: 'messages',
      checkHeaders: () => undefined,
      refusalOf: (answer) => answer,
      answer: () => Promise.reject(new Error('not called')),
    })
    expect(deadlineMs).to.be.greaterThan(Math.max(...cairnContract().routes.map((route) => route.deadlineMs)))
  })
})

describe('a message whose caller goes away', () => {
  it('calls no further operation', async () => {
    const identities = new FakeIdentities()
    const key = identities.mint()
    const [asked, proceed, refused] = [gate(), gate(), gate<unknown>()]
    let calls = 0
    const listThings: AnyOperation = (...input) => {
      calls++
      return echo(...input)
    }
    const service = await startFakeService({
      key,
      identities,
      operations: { listThings },
      endpoints: [
        {
          path: '/messages',
          name: 'messages',
          checkHeaders: () => undefined,
          refusalOf: (answer) => answer,
          async answer(_request, callOperation) {
            const list = {
              operationId: 'listThings',
              params: {},
              query: 'tenant_id=acme',
              headers: {},
              body: undefined,
            }
            await callOperation(list)
            asked.open()
            await proceed.opened
            await callOperation(list).then(refused.open, refused.open)
            return { status: 200, headers: {}, body: {} }
          },
        },
      ],
    })
    const connection = await RawConnection.open(service.port)
    const head = ['Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: 2']
    connection.send('POST /messages HTTP/1.1', ...head, '', '{}')
    await inTime('the first operation is answered', asked.opened)
    connection.close()
    await until('the message is logged', () => service.requests.some(({ status }) => status === 499))
    proceed.open()
    expect(await inTime('the second call ends', refused.opened)).to.have.property('name', 'CallerGoneError')
    expect(calls).to.equal(1)
    await service.server.stop()
  })
})

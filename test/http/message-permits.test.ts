import { expect } from 'chai'
import type { Answer } from '../../http/errors.js'
import { createAdmission } from '../../http/limits/admission.js'
import type { MessageEndpoint } from '../../http/message-endpoint.js'
import type { AnyOperation } from '../../http/operation.js'
import { gate, inTime, until } from '../support/states.js'
import { echo, FakeIdentities, type FakeService, startFakeService } from './fake-service.js'
import { RawConnection } from './raw-connection.js'

const LIST = { operationId: 'listThings', params: {}, query: 'tenant_id=acme', headers: {}, body: undefined }
const DONE: Answer = { status: 200, headers: {}, body: {} }

describe('the permit of a message, where there is one in all', () => {
  const identities = new FakeIdentities()
  const key = identities.mint()
  let use: { running: number; waiting: number }
  /** The most permits that were held at once. */
  let most: number
  let answer: MessageEndpoint['answer']
  let listThings: AnyOperation
  let service: FakeService

  beforeEach(async () => {
    use = { running: 0, waiting: 0 }
    most = 0
    listThings = echo
    const onUse = ({ running, waiting }: typeof use) => {
      use = { running, waiting }
      most = Math.max(most, running)
    }
    service = await startFakeService({
      key,
      identities,
      operations: { listThings: (...input) => listThings(...input) },
      admission: createAdmission({
        permits: 1,
        tenantPermits: 1,
        tenantQueue: 20,
        networkMs: () => 0,
        metrics: { limited: () => undefined, admission: onUse },
      }),
      endpoints: [
        {
          path: '/messages',
          name: 'messages',
          checkHeaders: () => undefined,
          refusalOf: (refusal) => refusal,
          answer: (...given) => answer(...given),
        },
      ],
    })
  })
  afterEach(() => service.server.stop())

  const send = async (body = '{}') => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${service.port}/messages`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }
  async function sendRaw(): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port)
    const head = ['Host: x', `X-API-Key: ${key}`, 'Content-Type: application/json', 'Content-Length: 2']
    connection.send('POST /messages HTTP/1.1', ...head, '', '{}')
    return connection
  }
  const nothingIsHeld = () => until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0 }))

  it('is held while its endpoint works: others of the tenant wait, REST requests too', async () => {
    const [begun, held] = [gate(), gate()]
    let working = 0
    answer = async () => {
      working++
      begun.open()
      await held.opened
      return DONE
    }
    const messages = [send(), send()]
    await inTime('one is at work', begun.opened)
    const listed = service.client.get('/api/things?tenant_id=acme')
    await until('two wait', () => expect(use).to.deep.equal({ running: 1, waiting: 2 }))
    expect(working).to.equal(1)
    held.open()
    expect([...(await Promise.all(messages)), (await listed).status]).to.deep.equal([200, 200, 200])
    await nothingIsHeld()
  })

  it('makes room for its operations, one after another and at once, however many messages come', async () => {
    answer = async (_request, callOperation) => {
      const statuses = [await callOperation(LIST), ...(await Promise.all([callOperation(LIST), callOperation(LIST)]))]
      expect(statuses.map(({ status }) => status)).to.deep.equal([200, 200, 200])
      return DONE
    }
    const statuses = Promise.all(Array.from({ length: 6 }, () => send()))
    expect(await inTime('all are answered', statuses)).to.deep.equal([200, 200, 200, 200, 200, 200])
    expect(most).to.equal(1)
    await nothingIsHeld()
  })

  it('is that of the operation while one is at work', async () => {
    const [begun, held] = [gate(), gate()]
    listThings = async (...input) => {
      begun.open()
      await held.opened
      return echo(...input)
    }
    answer = (_request, callOperation) => callOperation(LIST)
    const [first, second] = [send(), send()]
    await inTime('the operation begins', begun.opened)
    await until('the other waits', () => expect(use).to.deep.equal({ running: 1, waiting: 1 }))
    held.open()
    expect(await Promise.all([first, second])).to.deep.equal([200, 200])
    await nothingIsHeld()
  })

  const failures: [what: string, arrange: () => void, body: string, status: number][] = [
    ['its endpoint throws', () => (answer = () => Promise.reject(new Error('broken'))), '{}', 500],
    [
      'its endpoint throws after an operation',
      () => {
        answer = async (_request, callOperation) => {
          await callOperation(LIST)
          throw new Error('broken')
        }
      },
      '{}',
      500,
    ],
    [
      'its operation throws',
      () => {
        listThings = () => Promise.reject(new Error('broken'))
        answer = (_request, callOperation) => callOperation(LIST)
      },
      '{}',
      500,
    ],
    ['it is no JSON', () => (answer = () => Promise.resolve(DONE)), '{', 400],
  ]
  for (const [what, arrange, body, status] of failures)
    it(`is given back where ${what}`, async () => {
      arrange()
      for (let i = 0; i < 3; i++) expect(await send(body)).to.equal(status)
      await nothingIsHeld()
      expect((await service.client.get('/api/things?tenant_id=acme')).status).not.to.be.oneOf([429, 503])
    })

  it('is given back when its caller goes away: at once where it waits, else when its work is done', async () => {
    const [begun, held] = [gate(), gate()]
    answer = async () => {
      begun.open()
      await held.opened
      return DONE
    }
    const working = await sendRaw()
    await inTime('it is at work', begun.opened)
    const waiting = await sendRaw()
    await until('the other waits', () => expect(use).to.deep.equal({ running: 1, waiting: 1 }))
    waiting.close()
    await until('none waits', () => expect(use).to.deep.equal({ running: 1, waiting: 0 }))
    working.close()
    await until('both are noted', () =>
      expect(service.requests.filter(({ status }) => status === 499)).to.have.length(2),
    )
    expect(use).to.deep.equal({ running: 1, waiting: 0 })
    held.open()
    await nothingIsHeld()
    expect(await send()).to.equal(200)
  })

  it('is none once the caller has gone before its operation is called', async () => {
    const [begun, held, refused] = [gate(), gate(), gate<unknown>()]
    answer = async (_request, callOperation) => {
      begun.open()
      await held.opened
      await callOperation(LIST).then(refused.open, refused.open)
      return DONE
    }
    const gone = await sendRaw()
    await inTime('it is at work', begun.opened)
    gone.close()
    await until('it is noted', () => expect(service.requests).to.deep.include({ operationId: 'messages', status: 499 }))
    held.open()
    expect(await inTime('the call ends', refused.opened)).to.have.property('name', 'CallerGoneError')
    await nothingIsHeld()
  })
})

import { expect } from 'chai'
import { openapiDocument } from '../../contract/openapi-document.js'
import { createAdmission } from '../../http/limits/admission.js'
import { FairAdmission } from '../../http/limits/fair-admission.js'
import type { AnyOperation } from '../../http/operation.js'
import { Contract } from '../../http/validation/contract.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { FakeIdentities, startFakeService, type FakeService } from '../http/fake-service.js'
import { RawConnection } from '../http/raw-connection.js'
import { gate, inTime, until } from '../support/states.js'

const STATS = { name: 'svc_stats', arguments: { op: 'read' } }
/** Path of the operation that it calls. */
const STATS_PATH = '/api/v1/memories/stats?tenant_id=acme'
/** The operation whose deadline passes at once here, and a call of it. */
const LATE = 'listEntities'
const ENTITIES = { name: 'svc_entity', arguments: { op: 'search', query: 'forge' } }

function contractWithDeadline(operationId: string, deadlineMs: number): Contract {
  const document = structuredClone(openapiDocument()) as { paths: Record<string, Record<string, object>> }
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    if ('operationId' in operation && operation.operationId === operationId)
      Object.assign(operation, { 'x-deadline-ms': deadlineMs })
  return new Contract(document as ReturnType<typeof openapiDocument>)
}

/** Messages as each revision of the protocol has them. */
const ERAS = {
  '2025': { meta: {}, headers: {} },
  '2026-07-28': {
    meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
    headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call' },
  },
}
type Era = keyof typeof ERAS

function messageOf(params: { name: string; arguments: object }, era: Era = '2025'): string {
  const { meta } = ERAS[era]
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } })
}

describe('calls of tools', function () {
  this.timeout(30_000)
  const contract = contractWithDeadline(LATE, 50)
  const identities = new FakeIdentities()
  const [acme, globex] = [identities.mint(), identities.mint({ tenantId: 'globex' })]
  const answer: AnyOperation = () => Promise.resolve({ status: 200, body: { counted: 1 } })
  let use: { running: number; waiting: number; externalCalls: number }
  let bodies: { taken: number; waiting: number }
  let run: AnyOperation
  let service: FakeService
  let connections: RawConnection[]

  beforeEach(async () => {
    use = { running: 0, waiting: 0, externalCalls: 0 }
    bodies = { taken: 0, waiting: 0 }
    run = answer
    connections = []
    const metrics = { limited: () => undefined, admission: (now: typeof use) => void (use = now) }
    const bodyMemory = new FairAdmission({
      total: 10_000_000,
      share: 5_000_000,
      allowsBorrowing: false,
      waitsFor: 'memory',
      queue: 10,
      onUse: ({ taken, waiting }) => void (bodies = { taken, waiting }),
      onRefusal: () => undefined,
    })
    const operation: AnyOperation = (...input) => run(...input)
    service = await startFakeService({
      contract,
      identities,
      operations: Object.fromEntries(contract.routes.map(({ operationId }) => [operationId, operation])),
      admission: createAdmission({ permits: 2, tenantPermits: 1, tenantQueue: 4, networkMs: () => 0, metrics }),
      bodyMemory,
      endpoints: [createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })],
    })
  })
  afterEach(async () => {
    for (const connection of connections) connection.close()
    await service.server.stop()
  })

  const headersOf = (key: string, era: Era) => ({
    'X-API-Key': key,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...ERAS[era].headers,
  })

  /** Calls a tool and returns its structured content, or the body of a message that was refused. */
  async function call(key: string, tool = STATS, era: Era = '2025') {
    const headers = { ...headersOf(key, era), ...(era !== '2025' && { 'Mcp-Name': tool.name }) }
    const url = `http://127.0.0.1:${service.port}/mcp`
    const response = await fetch(url, { method: 'POST', headers, body: messageOf(tool, era) })
    const text = await response.text()
    const reply = JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!)
    return { status: response.status, content: reply.result?.structuredContent ?? reply, reply }
  }

  /** Sends a call on a connection of its own, which the test can close; its message is large enough to need memory of the budget. */
  async function callRaw(key: string, era: Era): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port)
    connections.push(connection)
    const body = messageOf(STATS, era).padEnd(70_000)
    const headers = { ...headersOf(key, era), ...(era !== '2025' && { 'Mcp-Name': STATS.name }) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    connection.send('POST /mcp HTTP/1.1', 'Host: x', ...lines, `Content-Length: ${body.length}`, '', body)
    return connection
  }

  describe('in a flood by one tenant', () => {
    it('wait, together with its REST calls, while another tenant’s calls are answered', async () => {
      expect((await call(globex)).content).to.include({ _status: 200 })
      const held = gate()
      run = async (context, caller, input) => {
        if (caller!.tenantId === 'acme') await held.opened
        return answer(context, caller, input)
      }
      const flood = Array.from({ length: 3 }, () => call(acme))
      await until('two calls wait', () => expect(use).to.include({ running: 1, waiting: 2 }))
      const rest = fetch(`http://127.0.0.1:${service.port}${STATS_PATH}`, { headers: { 'X-API-Key': acme } })
      await until('a REST request waits with them', () => expect(use).to.include({ running: 1, waiting: 3 }))
      for (const tool of [STATS, ENTITIES, STATS])
        expect((await call(globex, tool)).content).to.include({ _status: 200 })
      await until('only the flood is left', () => expect(use).to.include({ running: 1, waiting: 3 }))
      held.open()
      for (const { content } of await Promise.all(flood)) expect(content).to.include({ _status: 200, counted: 1 })
      expect((await rest).status).to.equal(200)
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })

    it('are refused beyond the tenant’s queue, with the code of REST', async () => {
      await call(globex)
      const held = gate()
      run = async (...input) => {
        await held.opened
        return answer(...input)
      }
      const flood = Array.from({ length: 5 }, () => call(acme))
      await until('the queue is full', () => expect(use).to.include({ running: 1, waiting: 4 }))
      const { status, content } = await call(acme)
      expect([status, content.error.data.error.code]).to.deep.equal([429, 'RATE_LIMITED'])
      held.open()
      for (const { content } of await Promise.all(flood)) expect(content).to.include({ _status: 200 })
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
    })
  })

  for (const era of ['2025', '2026-07-28'] as const)
    describe(`by a client of ${era}`, () => {
      it('end at the deadline of their operation, with the contract’s envelope', async () => {
        const [aborted, ended] = [gate<unknown>(), gate()]
        run = async (...input) => {
          input[2].signal.addEventListener('abort', () => aborted.open(input[2].signal.reason), { once: true })
          await ended.opened
          return answer(...input)
        }
        const { status, content, reply } = await call(acme, ENTITIES, era)
        expect([status, reply.result.isError]).to.deep.equal([200, true])
        expect(content).to.include({ _status: 504 })
        expect(content.error.code).to.equal('UPSTREAM_TIMEOUT')
        expect(content._latency_ms).to.satisfy(Number.isInteger)
        expect(await inTime('the operation is aborted', aborted.opened)).to.have.property('name', 'TimeoutError')
        // What ignores the signal still costs, and keeps its permit, as over REST.
        expect(use.running).to.equal(1)
        ended.open()
        await until('the permit is given back', () => expect(use.running).to.equal(0))
        expect(service.requests).to.deep.include({ operationId: LATE, status: 504 })
      })

      it('stop when their caller goes away: at once while they wait, and give back all that they held', async () => {
        await call(globex)
        const [started, aborted, ended] = [gate(), gate<unknown>(), gate()]
        run = async (...input) => {
          input[2].signal.addEventListener('abort', () => aborted.open(input[2].signal.reason), { once: true })
          started.open()
          await ended.opened
          return answer(...input)
        }
        const working = await callRaw(acme, era)
        await inTime('the operation starts', started.opened)
        const waiting = await callRaw(acme, era)
        await until('a call waits', () => expect(use).to.include({ running: 1, waiting: 1 }))
        expect(bodies.taken).to.equal(140_000)
        waiting.close()
        await until('no call waits', () => expect(use.waiting).to.equal(0))
        await until('its memory is given back', () => expect(bodies.taken).to.equal(70_000))
        working.close()
        expect(await inTime('the operation is aborted', aborted.opened)).to.have.property('name', 'CallerGoneError')
        expect(use.running).to.equal(1)
        ended.open()
        await until('the permit is given back', () => expect(use.running).to.equal(0))
        await until('the memory is given back', () => expect(bodies.taken).to.equal(0))
        expect(service.requests.filter(({ status }) => status !== 200)).to.deep.equal([
          { operationId: 'mcp', status: 499 },
          { operationId: 'mcp', status: 499 },
        ])
        run = answer
        for (let i = 0; i < 3; i++) expect((await call(acme, STATS, era)).content).to.include({ _status: 200 })
        await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0, externalCalls: 0 }))
      })
    })
})

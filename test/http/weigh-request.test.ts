import { expect } from 'chai'
import { createAdmission } from '../../http/limits/admission.js'
import { weighRequest } from '../../http/middlewares/call-steps.js'
import type { OperationCall } from '../../http/operation-call.js'
import type { AnyOperation } from '../../http/operation.js'
import { cairnContract } from '../../http/validation/contract.js'
import { createMcpEndpoint } from '../../mcp/endpoint.js'
import { gate, inTime, until } from '../support/states.js'
import { FakeIdentities, type FakeService, startFakeService } from './fake-service.js'

describe('the permits of a call', () => {
  const routeOf = (operationId: string) => cairnContract().routes.find((route) => route.operationId === operationId)!

  async function permitsOf(operationId: string, body: object): Promise<number> {
    let permits = 1
    const permit = { growTo: (amount: number) => Promise.resolve(void (permits = Math.max(permits, amount))) }
    await weighRequest({ route: routeOf(operationId), body: { value: body }, permit } as unknown as OperationCall)
    return permits
  }

  it('are more for a recall that asks for many results, and twice as many where each is explained', async () => {
    for (const [top_k, explain, permits] of [
      [1, false, 1],
      [10, false, 1],
      [10, true, 1],
      [35, false, 1],
      [36, false, 2],
      [35, true, 2],
      [100, false, 3],
      [100, true, 6],
    ] as const)
      expect(await permitsOf('recall', { query: 'fox', top_k, explain }), `${top_k} ${explain}`).to.equal(permits)
  })

  it('are one for any other', async () => {
    expect(await permitsOf('queryDocuments', { collection: 'notes', limit: 200, top_k: 100 })).to.equal(1)
  })
})

describe('recalls that ask for much', () => {
  const identities = new FakeIdentities()
  const [acme, globex] = [identities.mint(), identities.mint({ tenantId: 'globex' })]
  const contract = cairnContract()
  const MUCH = { query: 'fox', top_k: 100, explain: true }
  let service: FakeService | undefined
  let use: { running: number; waiting: number }
  let most: number
  let held: ReturnType<typeof gate<void>>
  let begun: string[]
  afterEach(async () => {
    held.open()
    await service?.server.stop()
  })

  async function start(permits: number): Promise<void> {
    use = { running: 0, waiting: 0 }
    most = 0
    held = gate()
    begun = []
    const hold: AnyOperation = async (_context, caller) => {
      begun.push(caller!.tenantId)
      if (caller!.tenantId === 'acme') await held.opened
      return { status: 200, body: {} }
    }
    const onUse = ({ running, waiting }: typeof use) => {
      use = { running, waiting }
      most = Math.max(most, running)
    }
    const metrics = { limited: () => undefined, admission: onUse }
    service = await startFakeService({
      contract,
      identities,
      operations: Object.fromEntries(contract.routes.map(({ operationId }) => [operationId, hold])),
      admission: createAdmission({ permits, tenantPermits: 1, tenantQueue: 20, networkMs: () => 0, metrics }),
      endpoints: [createMcpEndpoint({ version: '1', allowedHosts: null, allowedOrigins: [] })],
    })
  }
  async function post(path: string, key: string, body: object): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${service!.port}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    await response.text()
    return response.status
  }
  const recall = (key: string, tenant_id: string, asked: object) => post('/api/v1/recall', key, { tenant_id, ...asked })
  const byTool = (key: string) => {
    const params = { name: 'svc_recall', arguments: { op: 'search', ...MUCH } }
    return post('/mcp', key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  }

  for (const [how, ask] of [
    ['over REST', () => recall(acme, 'acme', MUCH)],
    ['by a tool', () => byTool(acme)],
  ] as const)
    it(`hold more permits ${how}, and others are admitted beside them`, async () => {
      await start(8)
      const large = ask()
      await until('it holds six', () => expect(use).to.deep.equal({ running: 6, waiting: 0 }))
      expect(await recall(globex, 'globex', { query: 'fox' })).to.equal(200)
      held.open()
      expect(await large).to.equal(200)
      await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0 }))
    })

  it('hold all where there are fewer, one after another, and nobody waits for ever', async () => {
    await start(2)
    const first = recall(acme, 'acme', MUCH)
    await until('it holds both', () => expect(use).to.deep.equal({ running: 2, waiting: 0 }))
    const others = [byTool(acme), recall(acme, 'acme', MUCH), recall(globex, 'globex', MUCH), byTool(globex)]
    others.push(recall(globex, 'globex', { query: 'fox' }))
    await until('they wait', () => expect(use).to.deep.equal({ running: 2, waiting: 5 }))
    expect(begun).to.deep.equal(['acme'])
    held.open()
    const statuses = await inTime('all are answered', Promise.all([first, ...others]))
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 200])
    expect(most).to.equal(2)
    await until('nothing is held', () => expect(use).to.deep.equal({ running: 0, waiting: 0 }))
  })
})

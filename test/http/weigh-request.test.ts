import { expect } from 'chai'
import { weighRequest } from '../../http/middlewares/weigh-request.js'
import type { OperationCall } from '../../http/operation-call.js'
import { cairnContract } from '../../http/validation/contract.js'

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

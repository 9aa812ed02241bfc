import { expect } from 'chai'
import { createBodyMemory } from '../../../http/limits/body-memory.js'

const MIB = 2 ** 20
const ROUTES = [{ bodyLimitBytes: MIB }, { bodyLimitBytes: 16 * MIB }]

describe('the memory budget for bodies', () => {
  let use: { bytes: number; waiting: number }
  function bodyMemoryOf(heapBytes: number) {
    use = { bytes: 0, waiting: 0 }
    const metrics = { limited: () => undefined, bodies: (now: typeof use) => void (use = now) }
    const bodyMemory = createBodyMemory(ROUTES, { heapBytes, tenantQueue: 10, metrics })
    const { signal } = new AbortController()
    return (tenant: string, bytes: number) => void bodyMemory.acquire({ tenant, isBulk: false, signal }, bytes)
  }

  it('is a 32nd of the heap, and half of it for one tenant, also when it is alone', () => {
    const take = bodyMemoryOf(2_048 * MIB)
    for (const tenant of ['a', 'a', 'a']) take(tenant, 16 * MIB)
    expect(use).to.deep.equal({ bytes: 32 * MIB, waiting: 1 })
    for (const tenant of ['b', 'b', 'c']) take(tenant, 16 * MIB)
    expect(use).to.deep.equal({ bytes: 64 * MIB, waiting: 2 })
  })

  it('fits one body of the largest size, however small the heap is', () => {
    const take = bodyMemoryOf(100 * MIB)
    take('a', 16 * MIB)
    expect(use).to.deep.equal({ bytes: 16 * MIB, waiting: 0 })
    take('b', MIB)
    expect(use).to.deep.equal({ bytes: 16 * MIB, waiting: 1 })
  })
})

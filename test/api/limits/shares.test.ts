import { expect } from 'chai'
import { createBodyRoom } from '../../../api/limits/shares.js'

const MIB = 2 ** 20
const ROUTES = [{ bodyLimitBytes: MIB }, { bodyLimitBytes: 16 * MIB }]

describe('the memory budget for bodies', () => {
  let use: { bytes: number; waiting: number }
  function roomOf(heapBytes: number) {
    use = { bytes: 0, waiting: 0 }
    const metrics = { limited: () => undefined, bodies: (now: typeof use) => void (use = now) }
    const room = createBodyRoom(ROUTES, { heapBytes, tenantQueue: 10, metrics })
    const { signal } = new AbortController()
    return (party: string, bytes: number) => void room.enter({ party, isBulk: false, signal }, bytes)
  }

  it('is a 32nd of the heap, and half of it for one tenant, also when it is alone', () => {
    const take = roomOf(2_048 * MIB)
    for (const party of ['a', 'a', 'a']) take(party, 16 * MIB)
    expect(use).to.deep.equal({ bytes: 32 * MIB, waiting: 1 })
    for (const party of ['b', 'b', 'c']) take(party, 16 * MIB)
    expect(use).to.deep.equal({ bytes: 64 * MIB, waiting: 2 })
  })

  it('fits one body of the largest size, however small the heap is', () => {
    const take = roomOf(100 * MIB)
    take('a', 16 * MIB)
    expect(use).to.deep.equal({ bytes: 16 * MIB, waiting: 0 })
    take('b', MIB)
    expect(use).to.deep.equal({ bytes: 16 * MIB, waiting: 1 })
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import { evidenceTime, freshnessWindow, type ForgeMemory, mayEnter, tracesOf } from '../../../domain/forge/traces.js'
import { memoryOf, NOW, runOf, WINDOW } from './forge-memories.js'

const DAY_MS = 86_400_000

describe('a memory as evidence', () => {
  it('enters its own fleet’s part while it is live and inside the window', () => {
    for (const status of ['active', 'pending', 'confirmed'] as const)
      expect(mayEnter(memoryOf({ status }), { fleetId: 'f' }, WINDOW), status).to.equal(true)
  })

  const refused: [string, Partial<ForgeMemory>][] = [
    ['is scope_agent', { visibility: 'scope_agent' }],
    ['is deleted', { status: 'deleted' }],
    ['is cancelled', { status: 'cancelled' }],
    ['is conflicted', { status: 'conflicted' }],
    ['is superseded', { status: 'outdated' }],
    ['is archived', { status: 'archived' }],
    ['has expired', { expiresAt: new Date(NOW) }],
    ['belongs to another fleet', { fleetId: 'g' }],
    ['belongs to no fleet', { fleetId: null }],
    ['has no run', { runId: null }],
    ['has no agent', { agentId: null }],
    ['is older than the window', { createdAt: new Date(NOW - 15 * DAY_MS) }],
    ['is about a time before the window', { validStart: new Date(NOW - 15 * DAY_MS) }],
    ['is of the future', { validStart: new Date(NOW + 1) }],
  ]
  for (const [what, changes] of refused)
    it(`does not enter when it ${what}`, () => {
      expect(mayEnter(memoryOf(changes), { fleetId: 'f' }, WINDOW)).to.equal(false)
    })

  it('enters the part of the tenant only if everybody in the tenant sees it', () => {
    const tenant = { fleetId: null }
    expect(mayEnter(memoryOf({ visibility: 'scope_org' }), tenant, WINDOW)).to.equal(true)
    expect(mayEnter(memoryOf({ fleetId: null }), tenant, WINDOW)).to.equal(true)
    expect(mayEnter(memoryOf(), tenant, WINDOW)).to.equal(false)
    expect(mayEnter(memoryOf({ visibility: 'scope_agent', fleetId: null }), tenant, WINDOW)).to.equal(false)
  })

  it('is dated by its validity, else by its writing', () => {
    const createdAt = new Date(NOW - DAY_MS)
    expect(evidenceTime({ createdAt, validStart: null })).to.equal(NOW - DAY_MS)
    expect(evidenceTime({ createdAt, validStart: new Date(NOW - 2 * DAY_MS) })).to.equal(NOW - 2 * DAY_MS)
    expect(freshnessWindow(NOW, 14)).to.deep.equal({ from: NOW - 14 * DAY_MS, now: NOW })
  })
})

describe('traces', () => {
  it('are what one agent stored in one run, oldest first', () => {
    const [first, second] = runOf('ana', 'r1', ['one', 'two'])
    const other = runOf('ben', 'r1', ['three'])
    const traces = tracesOf([second!, ...other, first!], WINDOW)
    expect(traces.map(({ agentId, memories }) => [agentId, memories.map(({ content }) => content)])).to.deep.equal([
      ['ana', ['one', 'two']],
      ['ben', ['three']],
    ])
  })

  it('of which a memory is only for its fleet are the fleet’s, others the tenant’s', () => {
    const mixed = [...runOf('ana', 'r1', ['a'], { visibility: 'scope_org' }), ...runOf('ana', 'r1', ['b'])]
    const open = runOf('ana', 'r2', ['c'], { visibility: 'scope_org' })
    const traces = tracesOf([...mixed, ...open], WINDOW)
    expect(traces.map(({ runId, part, memories }) => [runId, part.fleetId, memories.length])).to.deep.equal([
      ['r1', 'f', 2],
      ['r2', null, 1],
    ])
  })

  it('do not depend on the order of reading', () => {
    const memories = [...runOf('ana', 'r1', ['a', 'b', 'c']), ...runOf('ben', 'r2', ['d', 'e'])]
    const expected = tracesOf(memories, WINDOW)
    fc.assert(
      fc.property(fc.shuffledSubarray(memories, { minLength: memories.length }), (shuffled) => {
        expect(tracesOf(shuffled, WINDOW)).to.deep.equal(expected)
      }),
    )
  })
})

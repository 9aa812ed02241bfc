import { expect } from 'chai'
import { changeStatus } from '../../store/memories/change-status.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { findMemories } from '../../store/memories/read-memories.js'
import type { PendingKind } from '../../store/schema.js'
import type { JobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import { changeText, newMemory } from '../support/memories.js'
import { until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { newJobs, takeBatch, type TestWorkerContext } from '../support/worker-context.js'

const TEXT = 'the pump of the mill broke on the ice'
const NEAR = 'the pump of the mill really broke on the ice'

describe('near duplicates that the jobs find', () => {
  let test: TestStore
  let context: TestWorkerContext
  let jobs: JobContext
  let tenant: string

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => ({ context, jobs, tenant } = await newJobs(test)))

  /** Writes one after the other, so that the first is the oldest. */
  async function write(...given: Partial<NewMemory>[]): Promise<string[]> {
    const memories = given.map((fields, i) => newMemory(TEXT, { agentId: `agent-${i}`, fleetId: 'red', ...fields }))
    for (const memory of memories)
      await test.store.transact({ tenantId: tenant }, (writer) => insertMemories(writer, [memory]))
    return memories.map(({ id }) => id)
  }
  const take = (kind?: PendingKind, batchSize?: number) => takeBatch(test, kind, { batchSize })
  const index = async () => JOBS.indexMemories.run(jobs, (await take())!)
  async function originalOf(id: string, fleet = 'red'): Promise<unknown> {
    const audience = { kind: 'shared', agentId: null, fleets: [fleet] } as const
    const [row] = await test.store.read({ tenantId: tenant }, (reader) => findMemories(reader, audience, [id]))
    return row!.systemMetadata.near_duplicate_of
  }
  const change = (id: string, content: string) => changeText(test.store, tenant, id, content)

  it('are found by whichever of two jobs comes last, with the older text as the original', async () => {
    const [first, second] = (await write({}, {})) as [string, string]
    const batches = [(await take('memory', 1))!, (await take('memory', 1))!]
    const ofSecond = batches.findIndex(({ ids }) => ids.includes(second))
    await JOBS.indexMemories.run(jobs, batches[ofSecond]!)
    expect(await originalOf(second)).to.equal(undefined)
    await JOBS.indexMemories.run(jobs, batches[1 - ofSecond]!)
    expect([await originalOf(first), await originalOf(second)]).to.deep.equal([undefined, first])
  })

  it('are found by concurrent jobs', async () => {
    const ids = await write({}, {}, {}, {})
    const batches = [await take('memory', 1), await take('memory', 1), await take('memory', 1), await take('memory', 1)]
    await Promise.all(batches.map((batch) => JOBS.indexMemories.run(jobs, batch!)))
    expect(await Promise.all(ids.map((id) => originalOf(id)))).to.deep.equal([undefined, ids[0], ids[0], ids[0]])
  })

  it('end with a change of either text, at once and for good', async () => {
    const [first, second, third] = (await write({}, {}, {})) as [string, string, string]
    await index()
    expect([await originalOf(second), await originalOf(third)]).to.deep.equal([first, first])
    await change(third, 'bread and salt')
    expect(await originalOf(third)).to.equal(undefined)
    await change(first, 'trains to the coast')
    expect(await originalOf(second)).to.equal(undefined)
    await index()
    expect([await originalOf(first), await originalOf(second), await originalOf(third)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    await change(third, TEXT)
    await index()
    expect(await originalOf(third)).to.equal(second)
  })

  it('are compared in the language that is stored with them', async () => {
    const [english, other, , polish] = (await write(
      { language: 'en' },
      { content: 'the pump of the mill nie broke on the ice', language: 'en' },
      { content: 'a train to the coast left on the hour', language: 'pl' },
      { content: 'a train to the coast nie left on the hour', language: 'pl' },
    )) as [string, string, string, string]
    await index()
    expect([await originalOf(other), await originalOf(polish)]).to.deep.equal([english, undefined])
  })

  it('are live memories', async () => {
    const [first, second] = (await write({}, {})) as [string, string]
    const move = { from: ['active'], to: 'archived', at: new Date() } as const
    await test.store.transact({ tenantId: tenant }, (writer) => changeStatus(writer, [first], move))
    await index()
    expect(await originalOf(second)).to.equal(undefined)
  })

  it('exclude expired memories, and memories that are no longer live but not updated in the index yet', async () => {
    const [, ofExpired] = (await write({ expiresAt: new Date(Date.now() - 1_000) }, {})) as [string, string]
    await index()
    expect(await originalOf(ofExpired)).to.equal(undefined)
    const [first, expired] = (await write(
      { agentId: 'ben', fleetId: 'blue' },
      { agentId: 'ben', fleetId: 'green', expiresAt: new Date(Date.now() + 3_600_000) },
    )) as [string, string]
    await index()
    await test.store.transact({ tenantId: tenant }, ({ db }) =>
      db.updateTable('memories').set({ expires_at: new Date() }).where('id', '=', expired).execute(),
    )
    const [green] = (await write({ agentId: 'cy', fleetId: 'green' })) as [string]
    await index()
    expect(await originalOf(green, 'green')).to.equal(undefined)
    const move = { from: ['active'], to: 'archived', at: new Date() } as const
    await test.store.transact({ tenantId: tenant }, (writer) => changeStatus(writer, [first], move))
    const archived = (await take())!
    const [second] = (await write({ agentId: 'cy', fleetId: 'blue' })) as [string]
    await index()
    expect(await originalOf(second, 'blue')).to.equal(undefined)
    await JOBS.indexMemories.run(jobs, archived)
  })

  it('are as similar as their embedder requires', async () => {
    const [first, second] = (await write({}, { content: NEAR })) as [string, string]
    Object.assign(context.embedder, { nearDuplicateCosine: 1.5 })
    await index()
    expect(await originalOf(second)).to.equal(undefined)
    Object.assign(context.embedder, { nearDuplicateCosine: 0.5 })
    const [third] = (await write({ agentId: 'cy', content: NEAR })) as [string]
    await index()
    expect(await originalOf(third)).to.equal(first)
  })

  it('need no embedder where they have the same words', async () => {
    const [first, second] = (await write({}, { content: `${TEXT.toUpperCase()}!` })) as [string, string]
    context.embedder.isAway = true
    await index()
    expect(await originalOf(second)).to.equal(first)
  })

  it('wait for their vectors while the embedder is unavailable', async () => {
    const [first, second] = (await write({}, { content: NEAR })) as [string, string]
    context.embedder.isAway = true
    await index()
    expect(await originalOf(second)).to.equal(undefined)
    context.embedder.isAway = false
    await until('the near duplicate is noted', async () => {
      const batch = await take('vector')
      if (batch) await JOBS.embedMemories.run(jobs, batch)
      return (await originalOf(second)) === first
    })
  })

  it('change neither the memory nor the pending rows', async () => {
    const ids = await write({}, {})
    const rows = () =>
      test.store.read({ tenantId: tenant }, ({ db }) => db.selectFrom('memories').selectAll().orderBy('id').execute())
    const before = await rows()
    expect(await index()).to.deep.equal({ settled: 2, failed: 0, released: 0 })
    expect(await originalOf(ids[1]!)).to.equal(ids[0])
    expect(await rows()).to.deep.equal(before)
    expect(await take()).to.equal(undefined)
  })
})

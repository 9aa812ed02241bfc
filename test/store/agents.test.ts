import { expect } from 'chai'
import { ConflictError, ForbiddenError } from '../../runtime/errors.js'
import {
  deleteAgent,
  findAgent,
  listAgents,
  patchAgent,
  putAgent,
  registerAgent,
  touchAgents,
} from '../../store/tenants/agents.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const TENANT = { tenantId: 't' }
const FIELDS = { displayName: null, fleetId: null, trust: 1 } as const

describe('agents in the store', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    for (const tenantId of ['t', 'other'])
      await test.store.transact({ tenantId }, ({ db }) =>
        db.insertInto('tenants').values({ tenant_id: tenantId }).execute(),
      )
  })
  after(() => test.stop())

  const find = (agentId: string) => test.store.read(TENANT, (reader) => findAgent(reader, agentId))
  const put = (agentId: string, fields: Partial<Parameters<typeof putAgent>[2]> = {}) =>
    test.store.transact(TENANT, (writer) => putAgent(writer, agentId, { ...FIELDS, ...fields }))
  const remove = (agentId: string) => test.store.transact(TENANT, (writer) => deleteAgent(writer, agentId, new Date()))
  const register = (agentId: string, fleetId: string | null) =>
    test.store.transact(TENANT, async (writer) => (await registerAgent(writer, { agentId, fleetId })).agent)
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  it('are registered by a first write, with trust 1 and its fleet', async () => {
    expect(await register('writer', 'f')).to.include({ agentId: 'writer', fleetId: 'f', trust: 1 })
  })

  it('stay unchanged when a write names an existing one', async () => {
    await put('kept', { fleetId: 'f', trust: 3, displayName: 'Kept' })
    expect(await register('kept', 'g')).to.include({ fleetId: 'f', trust: 3, displayName: 'Kept' })
  })

  it('are registered once by many concurrent first writes', async () => {
    const agents = await Promise.all(Array.from({ length: 8 }, (_, i) => register('storm', `f${i}`)))
    expect(new Set(agents.map((agent) => agent.fleetId)).size).to.equal(1)
  })

  it('are not found once deleted, and their ids are refused on registration and on put', async () => {
    await put('deleted')
    expect(await remove('deleted')).to.include({ agentId: 'deleted' })
    expect(await failureOf(register('deleted', null))).to.be.instanceOf(ForbiddenError)
    expect(await failureOf(put('deleted'))).to.be.instanceOf(ConflictError)
    expect(await find('deleted')).to.equal(null)
    expect(await remove('deleted')).to.equal(null)
    const patched = await test.store.transact(TENANT, (writer) => patchAgent(writer, 'deleted', { trust: 2 }))
    expect(patched).to.equal(null)
  })

  it('advance last_seen_at, and never move it back', async () => {
    await put('seen')
    const touch = (...times: string[]) =>
      test.store.asSystem((system) =>
        touchAgents(
          system,
          times.map((time) => ({ tenantId: 't', agentId: 'seen', at: new Date(time) })),
        ),
      )
    await touch('2030-01-02T00:00:00Z', '2030-01-03T00:00:00Z', '2030-01-01T00:00:00Z')
    await touch('2030-01-01T00:00:00Z')
    await touch()
    expect((await find('seen'))?.lastSeenAt).to.deep.equal(new Date('2030-01-03T00:00:00Z'))
  })

  it('are touched by many processes at once without a deadlock', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `many-${i}`)
    for (const id of ids) await put(id)
    const shuffled = () => ids.toSorted(() => Math.random() - 0.5)
    await Promise.all(
      Array.from({ length: 10 }, (_, round) =>
        test.store.asSystem((system) =>
          touchAgents(
            system,
            shuffled().map((agentId) => ({ tenantId: 't', agentId, at: new Date(1e12 + round) })),
          ),
        ),
      ),
    )
    expect((await find('many-0'))?.lastSeenAt).to.deep.equal(new Date(1e12 + 9))
  })

  it('are skipped by a touch when they do not exist', async () => {
    const entry = { tenantId: 't', agentId: 'nobody', at: new Date() }
    await test.store.asSystem((system) => touchAgents(system, [entry]))
    expect(await find('nobody')).to.equal(null)
  })

  it('are listed and found within their tenant only', async () => {
    await put('mine')
    const other = { tenantId: 'other' }
    expect(await test.store.read(other, (reader) => listAgents(reader, { limit: 100 }))).to.have.length(0)
    expect(await test.store.read(other, (reader) => findAgent(reader, 'mine'))).to.equal(null)
  })
})

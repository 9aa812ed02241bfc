import { expect } from 'chai'
import { createLastSeenTracker } from '../../../services/agents/last-seen-tracker.js'
import { createLogger, type Logger } from '../../../runtime/logger.js'
import type { Store } from '../../../store/store.js'
import { findAgent, putAgent } from '../../../store/tenants/agents.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

const NEVER_MS = 2 ** 30

describe('last-seen tracker', () => {
  let test: TestStore
  let now = Date.parse('2030-01-01T00:00:00Z')
  before(async () => {
    test = await createTestStore()
    await test.store.transact({ tenantId: 't' }, async (writer) => {
      await writer.db.insertInto('tenants').values({ tenant_id: 't' }).execute()
      for (const id of ['ana', 'ben']) await putAgent(writer, id, { displayName: null, fleetId: null, trust: 1 })
    })
  })
  after(() => test.stop())

  let warnings = 0
  const logger = { ...createLogger('silent'), warn: () => void warnings++ } as unknown as Logger
  const trackerOn = (store: Pick<Store, 'asSystem'>, flushMs = NEVER_MS) =>
    createLastSeenTracker({ store: store as Store, logger, clock: { now: () => now }, flushMs })
  const lastSeen = async (agentId: string) =>
    (await test.store.read({ tenantId: 't' }, (reader) => findAgent(reader, agentId)))?.lastSeenAt?.getTime()

  it('writes the last time of each agent when it stops', async () => {
    const tracker = trackerOn(test.store)
    tracker.touch({ tenantId: 't', agentId: 'ana' })
    now += 5_000
    tracker.touch({ tenantId: 't', agentId: 'ana' })
    tracker.touch({ tenantId: 't', agentId: null })
    tracker.touch({ tenantId: 'another', agentId: 'ben' })
    expect(await lastSeen('ana')).to.equal(undefined)
    await tracker.stop()
    expect([await lastSeen('ana'), await lastSeen('ben')]).to.deep.equal([now, undefined])
  })

  it('writes many requests in one statement', async () => {
    let statements = 0
    const tracker = trackerOn({ asSystem: (work) => (statements++, test.store.asSystem(work)) })
    for (let i = 0; i < 1_000; i++) tracker.touch({ tenantId: 't', agentId: i % 2 === 0 ? 'ana' : 'ben' })
    await tracker.stop()
    expect(statements).to.equal(1)
  })

  it('buffers while the database is unavailable, and logs that once', async () => {
    let isAway = true
    const away = () => Promise.reject(new Error('away'))
    const tracker = trackerOn({ asSystem: (work) => (isAway ? away() : test.store.asSystem(work)) })
    now += 5_000
    tracker.touch({ tenantId: 't', agentId: 'ben' })
    await tracker.stop()
    await tracker.stop()
    expect(warnings).to.equal(1)
    expect(await lastSeen('ben')).to.be.lessThan(now)
    isAway = false
    await tracker.stop()
    expect(await lastSeen('ben')).to.equal(now)
  })
})

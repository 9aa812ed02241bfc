import { expect } from 'chai'
import { hashSecret } from '../../domain/api-key.js'
import { ConflictError } from '../../runtime/errors.js'
import { deleteAgent, patchAgent } from '../../store/tenants/agents.js'
import {
  findAgentIdentity,
  findCredential,
  listKeys,
  mintKey,
  tenantExists,
  findTenantOfKey,
  type KeyRequest,
} from '../../store/tenants/credentials.js'
import { listAuditEvents } from '../../store/audit.js'
import { revokeKeys } from '../../store/tenants/revoke-keys.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('credentials in the store', () => {
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  let keys = 0
  function mint(tenantId: string, request: Partial<KeyRequest> = {}) {
    const keyId = `key${++keys}`
    const kind = request.agentId == null ? 'tenant' : 'agent'
    const standard = { agentId: null, fleetId: null, trust: null, label: null, expiresAt: null } as const
    const whole = { keyId, secretHash: hashSecret(keyId), kind, ...standard, ...request } as const
    return test.store.transact({ tenantId }, (writer) => mintKey(writer, whole))
  }
  const find = (keyId: string) => test.store.asSystem((system) => findCredential(system, keyId))

  it('finds an agent key with the current trust and fleet of its agent', async () => {
    const key = await mint('find', { agentId: 'a', fleetId: 'f', trust: 3 })
    expect(await find(key.keyId)).to.deep.include({
      tenantId: 'find',
      kind: 'agent',
      agentId: 'a',
      fleetId: 'f',
      trust: 3,
    })
    await test.store.transact({ tenantId: 'find' }, (writer) => patchAgent(writer, 'a', { trust: 0, fleetId: null }))
    expect(await find(key.keyId)).to.deep.include({ fleetId: null, trust: 0 })
    expect((await find(key.keyId))!.secretHash.equals(hashSecret(key.keyId))).to.equal(true)
  })

  it('finds a tenant key with its own trust and fleet', async () => {
    const key = await mint('find-tenant', { fleetId: 'f', trust: 1 })
    expect(await find(key.keyId)).to.deep.include({ kind: 'tenant', agentId: null, fleetId: 'f', trust: 1 })
    const standard = await mint('find-tenant')
    expect(await find(standard.keyId)).to.deep.include({ fleetId: null, trust: 2 })
  })

  it('finds neither an unknown key nor one of a deleted agent', async () => {
    const key = await mint('gone', { agentId: 'a' })
    await test.store.transact({ tenantId: 'gone' }, (writer) => deleteAgent(writer, 'a', new Date()))
    expect(await find(key.keyId)).to.equal(null)
    expect(await find('unknown')).to.equal(null)
  })

  it('finds a registered agent, but no unknown or deleted one', async () => {
    await mint('identity', { agentId: 'a', fleetId: 'f', trust: 2 })
    const identity = (agentId: string, tenantId = 'identity') =>
      test.store.asSystem((system) => findAgentIdentity(system, tenantId, agentId))
    expect(await identity('a')).to.deep.equal({ agentId: 'a', fleetId: 'f', trust: 2 })
    expect(await identity('b')).to.equal(null)
    expect(await identity('a', 'elsewhere')).to.equal(null)
    await test.store.transact({ tenantId: 'identity' }, (writer) => deleteAgent(writer, 'a', new Date()))
    expect(await identity('a')).to.equal(null)
  })

  it('creates a tenant with its first key', async () => {
    const exists = () => test.store.asSystem((system) => tenantExists(system, 'made'))
    expect(await exists()).to.equal(false)
    await mint('made')
    expect(await exists()).to.equal(true)
  })

  it('mints keys for one new agent concurrently', async () => {
    await Promise.all(Array.from({ length: 8 }, () => mint('storm', { agentId: 'a', fleetId: 'f', trust: 2 })))
    const rows = await test.store.asSystem((system) => listKeys(system, { tenantId: 'storm', limit: 100 }))
    expect(rows).to.have.length(8)
  })

  it('refuses a different trust, a different fleet and a deleted agent, and stores no key', async () => {
    await mint('conflict', { agentId: 'a', fleetId: 'f' })
    await mint('conflict', { agentId: 'deleted' })
    await test.store.transact({ tenantId: 'conflict' }, (writer) => deleteAgent(writer, 'deleted', new Date()))
    const wishes: Partial<KeyRequest>[] = [
      { agentId: 'a', trust: 2 },
      { agentId: 'a', fleetId: 'g' },
      { agentId: 'deleted' },
    ]
    for (const wish of wishes) {
      const error = await mint('conflict', wish).catch((caught: unknown) => caught)
      expect(error).to.be.instanceOf(ConflictError)
    }
    const rows = await test.store.asSystem((system) => listKeys(system, { tenantId: 'conflict', limit: 100 }))
    expect(rows).to.have.length(2)
  })

  it('never leaves a live key of an agent that is deleted at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const agentId = `racing-${round}`
      await mint('race', { agentId })
      const [minted] = await Promise.allSettled([
        mint('race', { agentId }),
        test.store.transact({ tenantId: 'race' }, (writer) => deleteAgent(writer, agentId, new Date())),
      ])
      if (minted.status === 'fulfilled') expect(await find(minted.value.keyId)).to.equal(null)
      const rows = await test.store.asSystem((system) => listKeys(system, { tenantId: 'race', limit: 100 }))
      expect(rows.filter((row) => row.agentId === agentId && row.revokedAt === null)).to.have.length(0)
    }
  })

  it('revokes once: a second revocation keeps the time of the first', async () => {
    const key = await mint('revoke')
    const at = new Date('2030-01-01T00:00:00.000Z')
    const { keyId } = key
    const revoke = (tenantId: string, when = at) =>
      test.store.transact({ tenantId }, (writer) => revokeKeys(writer, { keyId }, when))
    expect(await test.store.asSystem((system) => findTenantOfKey(system, keyId))).to.equal('revoke')
    expect(await test.store.asSystem((system) => findTenantOfKey(system, 'nobody'))).to.equal(null)
    await revoke('elsewhere')
    expect((await find(keyId))!.revokedAt).to.equal(null)
    await revoke('revoke')
    await revoke('revoke', new Date())
    expect((await find(keyId))!.revokedAt).to.deep.equal(at)
  })

  it('audits keys as created by the service where no credential asked for them, and each revocation once', async () => {
    const tenantId = 'audited'
    const [agentKey, tenantKey] = [await mint(tenantId, { agentId: 'a', fleetId: 'f' }), await mint(tenantId)]
    const at = new Date('2030-01-01T00:00:00.000Z')
    for (let i = 0; i < 2; i++)
      await test.store.transact({ tenantId }, (writer) => revokeKeys(writer, { agentId: 'a' }, at))
    const events = await test.store.read({ tenantId }, (reader) => listAuditEvents(reader, { limit: 9 }))
    const told = events.map(({ action, subjectId, actor, details }) => [action, subjectId, actor.kind, details])
    expect(told).to.deep.equal([
      ['key.revoked', agentKey.keyId, 'service', { kind: 'agent', agent_id: 'a' }],
      [
        'key.created',
        tenantKey.keyId,
        'service',
        { kind: 'tenant', agent_id: null, fleet_id: null, trust_level: 2, expires_at: null },
      ],
      [
        'key.created',
        agentKey.keyId,
        'service',
        { kind: 'agent', agent_id: 'a', fleet_id: 'f', trust_level: 1, expires_at: null },
      ],
      ['agent.registered', 'a', 'service', { fleet_id: 'f', trust_level: 1 }],
    ])
  })

  it('isolates tenants by row level security too', async () => {
    await mint('walled', { agentId: 'a' })
    const rows = await test.store.read({ tenantId: 'elsewhere' }, ({ db }) =>
      db.selectFrom('api_keys').selectAll().where('tenant_id', '=', 'walled').execute(),
    )
    expect(rows).to.have.length(0)
  })
})

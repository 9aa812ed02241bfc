import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { appliesTo } from '../../domain/keystones/keystone.js'
import { acknowledge, readCoverage } from '../../store/keystones/acknowledgements.js'
import {
  eachKeystone,
  findKeystone,
  forgetAuthor,
  lockKeystones,
  listVersions,
  readKeystones,
  readKeystoneState,
  removeKeystone,
} from '../../store/keystones/keystones.js'
import { setRules } from '../support/keystones.js'
import { gate, until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

describe('keystones in the store', () => {
  let test: TestStore
  let tenantId: string
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(() => {
    tenantId = `t-${randomUUID()}`
  })

  const read = <T>(work: (reader: Parameters<typeof readKeystoneState>[0]) => Promise<T>, of = tenantId) =>
    test.store.read({ tenantId: of }, work)
  const all = (reader: Parameters<typeof readKeystoneState>[0]) => collect(eachKeystone(reader))
  const revisionOf = (of = tenantId) => read(async (reader) => (await readKeystoneState(reader)).revision, of)
  const count = () =>
    read(({ db }) => db.selectFrom('keystone_sets').select('rules').executeTakeFirst()).then((row) => row?.rules)

  it('belong to their tenant, also when another has the same names', async () => {
    const other = `t-${randomUUID()}`
    await setRules(test.store, other, [{ docId: 'x', content: 'Theirs.' }])
    expect(await read(all)).to.deep.equal([])
    expect(await read((reader) => readKeystones(reader, { fleetId: null, agentId: null }))).to.deep.equal([])
    expect(await read((reader) => findKeystone(reader, 'x'))).to.equal(null)
    expect(await read((reader) => listVersions(reader, 'x', { limit: 10 }))).to.deep.equal([])
    expect(await revisionOf()).to.equal(0)
    const [ours] = await setRules(test.store, tenantId, [{ docId: 'x', content: 'Ours.' }])
    await test.store.transact({ tenantId }, (writer) => removeKeystone(writer, ours!, new Date()))
    expect((await read((reader) => findKeystone(reader, 'x'), other))?.content).to.equal('Theirs.')
    expect(await revisionOf(other)).to.equal(1)
  })

  it('match an audience by the rule of the domain', async () => {
    const reaches = [
      { scope: 'tenant', fleetId: null, agentId: null } as const,
      ...['red', 'blue'].map((fleetId) => ({ scope: 'fleet', fleetId, agentId: null }) as const),
      ...['ana', 'ben'].map((agentId) => ({ scope: 'agent', fleetId: null, agentId }) as const),
    ]
    await setRules(
      test.store,
      tenantId,
      reaches.map((reach, i) => ({ docId: `r${i}`, ...reach })),
    )
    const told = await read(all)
    for (const fleetId of ['red', 'green', null])
      for (const agentId of ['ana', 'eve', null]) {
        const audience = { fleetId, agentId }
        const served = await read((reader) => readKeystones(reader, audience))
        const ruled = told.filter((rule) => appliesTo(rule, audience))
        expect(served.map(({ docId }) => docId).sort()).to.deep.equal(ruled.map(({ docId }) => docId).sort())
      }
  })

  it('are all yielded, some at a time', async () => {
    const rules = ['a', 'b', 'c', 'd'].map((docId) => ({ docId }))
    await setRules(test.store, tenantId, rules)
    for (const atOnce of [1, 3, 4, 100]) {
      const told = await read((reader) => collect(eachKeystone(reader, atOnce)))
      expect(told.map(({ docId }) => ({ docId }))).to.deep.equal(rules)
    }
  })

  it('get a new revision with each change, and are counted with it', async () => {
    const [rule] = await setRules(test.store, tenantId, [{ docId: 'x' }, { docId: 'y' }])
    expect([await revisionOf(), await count()]).to.deep.equal([2, 2])
    await setRules(test.store, tenantId, [{ docId: 'y', content: 'D' }])
    expect([await revisionOf(), await count()]).to.deep.equal([3, 2])
    await test.store.transact({ tenantId }, (writer) => removeKeystone(writer, rule!, new Date()))
    expect([await revisionOf(), await count()]).to.deep.equal([4, 1])
  })

  it('are changed one after the other, while readers do not wait', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    const [locked, mayCommit] = [gate(), gate()]
    const first = test.store.transact({ tenantId }, async (writer) => {
      await lockKeystones(writer)
      locked.open()
      await mayCommit.opened
      await removeKeystone(writer, (await findKeystone(writer, 'x'))!, new Date())
    })
    await locked.opened
    const second = setRules(test.store, tenantId, [{ docId: 'x', content: 'Again.' }])
    await until('the statement waits for the lock', someoneWaits)
    expect(await read(all)).to.have.length(1)
    mayCommit.open()
    await first
    expect((await second)[0]).to.include({ version: 3 })
    const versions = await read((reader) => listVersions(reader, 'x', { limit: 10 }))
    expect(versions.map(({ change }) => change)).to.deep.equal(['created', 'deleted', 'created'])
  })

  const someoneWaits = () =>
    test.store.asSystem(async ({ db }) => {
      const { rows } = await sql`
        select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`.execute(
        db,
      )
      return rows.length > 0
    })

  it('lose only their author when it is erased, in every version, and only then change their revision', async () => {
    const actor = { kind: 'agent', agentId: 'ana', keyId: null } as const
    const [rule] = await setRules(test.store, tenantId, [{ docId: 'x' }])
    await test.store.transact({ tenantId, ...actor }, (writer) => removeKeystone(writer, rule!, new Date()))
    const revision = await revisionOf()
    const forget = () => test.store.transact({ tenantId }, (writer) => forgetAuthor(writer, 'ana'))
    await forget()
    const versions = await read((reader) => listVersions(reader, 'x', { limit: 10 }))
    expect(versions.map(({ authorAgentId }) => authorAgentId)).to.deep.equal([null, null])
    expect(await revisionOf()).to.equal(revision)
  })

  it('are read by an index under row level security', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    const plan = await read(async ({ db }) => {
      await sql`set local enable_seqscan = off`.execute(db)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain select from keystones where tenant_id = ${tenantId} and scope = 'agent' and agent_id = 'ana'`.execute(
        db,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).to.match(/keystones_reach/)
    expect(plan).to.match(/Index Cond: .*agent_id/)
  })

  it('have the coverage of each agent’s last acknowledgement', async () => {
    await test.store.transact({ tenantId }, ({ db }) =>
      sql`with made as (insert into tenants (tenant_id) values (${tenantId}))
        insert into agents (tenant_id, agent_id) values (${tenantId}, 'ana'), (${tenantId}, 'ben')`.execute(db),
    )
    const at = new Date('2026-03-01T12:00:00Z')
    const say = (agentId: string, runId: string, etag: string, acknowledgedAt = at) =>
      test.store.transact({ tenantId }, (writer) => acknowledge(writer, { agentId, runId, etag, acknowledgedAt }))
    // At the same moment, by the clock.
    await say('ana', 'z', 'one')
    await say('ana', 'a', 'two')
    const silent = { includesUnacknowledged: true }
    const [ana, ben] = await read((reader) => readCoverage(reader, silent))
    expect(ana).to.include({ agentId: 'ana', runId: 'a', etag: 'two' })
    expect(ben).to.include({ agentId: 'ben', runId: null, etag: null, acknowledgedAt: null })
    const later = new Date('2026-03-02T12:00:00Z')
    expect((await say('ana', 'z', 'one', later)).acknowledgedAt).to.deep.equal(at)
    expect((await read((reader) => readCoverage(reader, silent)))[0]).to.include({ runId: 'a' })
    expect((await say('ana', 'z', 'two', later)).acknowledgedAt).to.deep.equal(later)
    expect((await read((reader) => readCoverage(reader, silent)))[0]).to.include({ runId: 'z' })
    expect(await read((reader) => readCoverage(reader, silent), 'another')).to.deep.equal([])
  })
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

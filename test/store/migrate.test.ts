import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { upsertEntities } from '../../store/entities.js'
import { replaceFoundLinks } from '../../store/indexing/found-links.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { countMemories } from '../../store/memories/count-memories.js'
import { listLiveBuilds } from '../../store/indexing/index-builds.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { requireRoles } from '../../store/require-database.js'
import { migrateDown, migrateUp, listPendingMigrations } from '../../store/migrate.js'
import { deleteAgent, putAgent } from '../../store/tenants/agents.js'
import { compactCounters } from '../../store/tenants/counters.js'
import { listFleets } from '../../store/tenants/fleets.js'
import { listTenants } from '../../store/tenants/tenants.js'
import { newMemory } from '../support/memories.js'
import { freshDatabase } from '../support/postgres.js'
import { createTestStore } from '../support/test-store.js'

/** Creates a login that may create and grant roles, with three empty databases: roles belong to the whole server. */
async function freshLogin(url: string): Promise<{ databases: string[]; drop(): Promise<void> }> {
  const login = `cairn_test_login_${randomUUID().slice(0, 8)}`
  const databases = ['a', 'b', 'c'].map((suffix) => `${login}_${suffix}`)
  const run = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(`create role ${login} login superuser password 'secret'`)
  await run(...databases.map((name) => `create database ${name} owner ${login}`))
  return {
    databases: databases.map((name) => {
      const own = new URL(url)
      ;[own.pathname, own.username, own.password] = [`/${name}`, login, 'secret']
      return own.href
    }),
    drop: () => run(...databases.map((name) => `drop database ${name} with (force)`), `drop role ${login}`),
  }
}

describe('migrations', () => {
  let database: { url: string; drop(): Promise<void> }
  beforeEach(async () => (database = await freshDatabase()))
  afterEach(() => database.drop())

  async function tables(): Promise<string[]> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      const { rows } = await client.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`,
      )
      return rows.map(({ name }) => name).filter((name) => !name.startsWith('kysely_'))
    } finally {
      await client.end()
    }
  }

  it('go up from nothing, all the way down, and up again', async () => {
    const names = await migrateUp(database.url)
    const full = await tables()
    for (const name of [...names].reverse()) expect(await migrateDown(database.url)).to.deep.equal([name])
    expect(await tables()).to.deep.equal([])
    expect(await listPendingMigrations(database.url)).to.deep.equal(names)
    expect(await migrateUp(database.url)).to.deep.equal(names)
    expect(await tables()).to.deep.equal(full)
  })

  it('remove found links on the way down, and keep those of callers', async () => {
    const { store, url, stop } = await createTestStore()
    try {
      const memory = newMemory('We moved Kafka.')
      await store.transact({ tenantId: 't' }, async (writer) => {
        const ids = await upsertEntities(writer, ['kafka'])
        const entityId = ids.get('kafka')!
        await insertMemories(writer, [
          { ...memory, links: [{ entityId, name: 'Kafka', role: 'topic', entityType: null }] },
        ])
        const entities = [{ id: entityId, name: 'Kafka', type: 'proper' }]
        await replaceFoundLinks(writer, [{ memoryId: memory.id, version: 1, entities }])
      })
      const roles = () =>
        store.read({ tenantId: 't' }, ({ db }) =>
          db.selectFrom('entity_links').select('role').orderBy('role').execute(),
        )
      expect((await roles()).map(({ role }) => role)).to.deep.equal(['', 'topic'])
      let reversed: string[]
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-22-found-entities')
      expect((await roles()).map(({ role }) => role)).to.deep.equal(['topic'])
      await migrateUp(url)
      expect((await roles()).map(({ role }) => role)).to.deep.equal(['topic'])
      expect(await listPendingMigrations(url)).to.deep.equal([])
    } finally {
      await stop()
    }
  })

  it('have the names read in what was deleted and has no link to one', async () => {
    const { store, url, stop } = await createTestStore()
    try {
      const [live, unread, settled, linked] = ['Live.', 'Unread.', 'Settled.', 'Linked.'].map((text) => newMemory(text))
      await store.transact({ tenantId: 't' }, async (writer) => {
        await insertMemories(writer, [live!, unread!, settled!, linked!])
        const ids = [unread!, settled!, linked!].map(({ id }) => id)
        await changeStatus(writer, ids, { from: ['active'], to: 'deleted', at: new Date() })
        const entities = [{ id: (await upsertEntities(writer, ['kafka'])).get('kafka')!, name: 'Kafka', type: 'name' }]
        await replaceFoundLinks(writer, [{ memoryId: linked!.id, version: 2, entities }])
        await writer.db.deleteFrom('index_pending').where('entity_id', '!=', settled!.id).execute()
        await writer.db.updateTable('index_pending').set({ settled_at: new Date() }).execute()
      })
      let reversed: string[]
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-23-yet-unread-names')
      await migrateUp(url)
      const pending = await store.read({ tenantId: 't' }, ({ db }) =>
        db.selectFrom('index_pending').select('entity_id as id').where('settled_at', 'is', null).execute(),
      )
      expect(pending.map(({ id }) => id)).to.have.members([unread!.id, settled!.id])
    } finally {
      await stop()
    }
  })

  it('make a tenant’s policy on personal data one of its settings, and back', async () => {
    const { url, stop } = await createTestStore()
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      let reversed: string[]
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-22-settings')
      await client.query(`insert into tenants (tenant_id, pii_policy) values ('masking', 'mask'), ('flagging', 'flag')`)
      await migrateUp(url)
      const { rows } = await client.query('select tenant_id, settings, version from tenant_settings')
      expect(rows).to.deep.equal([{ tenant_id: 'masking', settings: { memory: { pii_policy: 'mask' } }, version: 1 }])
      await client.query(`update tenant_settings set settings = '{"memory": {"pii_policy": "refuse"}}'`)
      await client.query(`insert into tenant_settings values ('flagging', '{"summary": {"enabled": false}}')`)
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-22-settings')
      const policies = await client.query('select tenant_id, pii_policy from tenants order by 1')
      expect(policies.rows).to.deep.equal([
        { tenant_id: 'flagging', pii_policy: 'flag' },
        { tenant_id: 'masking', pii_policy: 'refuse' },
      ])
    } finally {
      await client.end()
      await stop()
    }
  })

  it('sum up existing counters and agents', async () => {
    const { store, url, stop } = await createTestStore()
    try {
      await store.transact({ tenantId: 't' }, async (writer) => {
        await writer.db.insertInto('tenants').values({ tenant_id: 't' }).execute()
        for (const [id, fleetId] of [
          ['a', 'red'],
          ['b', 'red'],
          ['c', null],
          ['gone', 'red'],
        ] as const)
          await putAgent(writer, id, { displayName: null, fleetId, trust: 1 })
        await deleteAgent(writer, 'gone', new Date())
        const fields = { agentId: 'a', fleetId: 'red' }
        const deleted = newMemory('Deleted.', fields)
        await insertMemories(writer, [
          newMemory('One.', fields),
          newMemory('Two.', fields),
          newMemory('Three.'),
          deleted,
        ])
        await changeStatus(writer, [deleted.id], { from: ['active'], to: 'deleted', at: new Date() })
      })
      await store.asSystem((system) => compactCounters(system))
      // Pending deltas are compacted afterwards.
      await store.transact({ tenantId: 't' }, (writer) => insertMemories(writer, [newMemory('Four.')]))
      const kept = async () => ({
        counts: await store.read({ tenantId: 't' }, (reader) =>
          countMemories(reader, { kind: 'all' }, { includeDeleted: true }),
        ),
        fleets: await store.read({ tenantId: 't' }, (reader) => listFleets(reader, { limit: 10 })),
        tenants: (await store.asSystem((system) => listTenants(system, { limit: 10 }))).map(({ agents, memories }) => ({
          agents,
          memories,
        })),
      })
      const before = await kept()
      expect(before.fleets).to.deep.equal([{ fleetId: 'red', agents: 2, memories: 2 }])
      expect(before.tenants).to.deep.equal([{ agents: 3, memories: 4 }])
      let reversed: string[]
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-22-summed-counters')
      await migrateUp(url)
      expect(await kept()).to.deep.equal(before)
      await store.asSystem((system) => compactCounters(system))
      expect(await kept()).to.deep.equal(before)
    } finally {
      await stop()
    }
  })

  it('mark an index from before marks as lost, and drop the one being filled beside it', async () => {
    const { store, url, stop } = await createTestStore()
    try {
      let reversed: string[]
      do reversed = await migrateDown(url)
      while (reversed[0] !== '2026-11-23-whole-indexes')
      const insert = (state: string, generation: string) =>
        store.asSystem(({ db }) =>
          sql`insert into index_builds (id, model, dimensions, generation, state)
            values (${randomUUID()}, 'm', 4, ${generation}, ${state})`.execute(db),
        )
      await insert('serving', '')
      await insert('filling', 'abcd1234')
      await migrateUp(url)
      const [serving, ...others] = await store.asSystem(listLiveBuilds)
      expect(serving).to.include({ state: 'serving', madeAt: null })
      expect(serving!.lostAt).to.be.instanceOf(Date)
      expect(others).to.deep.equal([])
    } finally {
      await stop()
    }
  })

  it('of two databases at once both go up, for a login that has the roles from neither yet', async () => {
    for (let round = 0; round < 2; round++) {
      const login = await freshLogin(database.url)
      try {
        const all = await Promise.all(login.databases.map((url) => migrateUp(url)))
        expect(new Set(all.map((names) => names.length)).size).to.equal(1)
        for (const url of login.databases) await requireRoles(url, 5_000)
      } finally {
        await login.drop()
      }
    }
  })

  it('are applied once by processes that start at the same moment', async () => {
    const [one, two] = await Promise.all([migrateUp(database.url), migrateUp(database.url)])
    expect([...one, ...two].sort()).to.deep.equal([...new Set([...one, ...two])].sort())
    expect(await listPendingMigrations(database.url)).to.deep.equal([])
  })
})

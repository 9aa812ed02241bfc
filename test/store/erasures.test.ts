import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beginErasure, eraseBatch, finishErasure, readErased } from '../../store/erasure/erasures.js'
import { countMentions } from '../../store/erasure/mentions.js'
import { insertDocuments } from '../../store/documents/write-documents.js'
import { upsertEntities } from '../../store/entities.js'
import { replaceFoundLinks } from '../../store/indexing/found-links.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { sweepUnused } from '../../store/unused.js'
import { withConnection } from '../../store/connection.js'
import { vacuum } from '../../store/vacuum.js'
import { storeVectors } from '../../store/vectors.js'
import { newDocument } from '../support/documents.js'
import { newMemory, remember } from '../support/memories.js'
import { until } from '../support/states.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { runSql } from '../support/run-sql.js'

describe('erasures in the store', () => {
  let test: TestStore
  let tenantId: string
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(() => {
    tenantId = `t-${randomUUID()}`
  })

  const begin = (selector: { agentId: string }) =>
    test.store.transact({ tenantId }, (writer) => beginErasure(writer, { id: randomUUID(), at: new Date(), selector }))
  const eraseOne = (erasureId: string) =>
    test.store.transact({ tenantId }, (writer) =>
      eraseBatch(writer, { agentId: 'agent' }, { erasureId, at: new Date(), limit: 10 }),
    )
  const finish = (id: string, hash: string) =>
    test.store.transact({ tenantId }, (writer) =>
      finishErasure(writer, { id, at: new Date(), receipt: { memory_count: 0, complete: true, said: hash }, hash }),
    )

  it('include memories that were written after they began', async () => {
    const [first] = await remember(test.store, tenantId, 'one')
    const { id, ids } = await begin({ agentId: 'agent' })
    expect(ids).to.deep.equal([first])
    const [late] = await remember(test.store, tenantId, 'two')
    await eraseOne(id)
    const erased = await test.store.read({ tenantId }, (reader) => readErased(reader, id))
    expect([...erased.ids].sort()).to.deep.equal([first, late])
    expect(erased.textHashes).to.have.length(2)
  })

  it('are begun once for the same selector until they have a receipt, and keep the first receipt', async () => {
    const { id } = await begin({ agentId: 'agent' })
    expect((await begin({ agentId: 'agent' })).id).to.equal(id)
    expect((await begin({ agentId: 'other' })).id).to.not.equal(id)
    expect(await finish(id, 'a')).to.include({ said: 'a' })
    expect(await finish(id, 'b')).to.include({ said: 'a' })
    expect((await begin({ agentId: 'agent' })).id).to.not.equal(id)
  })

  it('search columns that a later version adds, and tell ids of the service from ids in texts of callers', async () => {
    const [gone, held, said] = await remember(test.store, tenantId, 'one', 'two', 'three')
    await runSql(
      test.url,
      `create table later (tenant_id text, note text, title text, one uuid, many uuid[]);
      grant select on later to cairn_system;
      insert into later values ('${tenantId}', 'of ${gone}', 'about ${gone}'), ('${tenantId}', '', 'about ${gone}'),
        ('${tenantId}', 'of ${held}', ''), ('other', 'of ${gone}', '');
      insert into later (tenant_id, title, one, many) values ('${tenantId}', '', '${gone}', null),
        ('${tenantId}', 'about ${gone}', null, '{${held},${gone}}')`,
    )
    const count = async (id: string) => {
      const traces = { tenantId, ids: [id], textHashes: [], names: [] }
      return (await test.store.asSystem((system) => countMentions(system, traces))).get('later')
    }
    expect(await count(gone!)).to.deep.equal({ holding: 3, mentioning: 1, naming: 0 })
    expect(await count(held!)).to.deep.equal({ holding: 2, mentioning: 0, naming: 0 })
    expect(await count(said!)).to.deep.equal({ holding: 0, mentioning: 0, naming: 0 })
  })

  it('remove dead rows of the tables that are the login’s, and of no others', async () => {
    const { signal } = new AbortController()
    expect(
      await test.store.vacuum(['entities', 'memories', 'no_such_table'], { withinMs: 10_000, signal }),
    ).to.deep.equal(['entities', 'memories'])
    expect(await test.store.vacuum(['memories'], { withinMs: 0, signal })).to.deep.equal([])
    const login = `login_${randomUUID().replaceAll('-', '')}`
    await runSql(test.url, `create role ${login} login password 'only-here' in role cairn_app, cairn_system`)
    try {
      const url = new URL(test.url)
      url.username = login
      url.password = 'only-here'
      expect(
        await withConnection(url.href, async (client) => (await client.query('select 1 as one')).rows),
      ).to.have.length(1)
      expect(await vacuum(url.href, ['memories'], { withinMs: 10_000, signal })).to.deep.equal([])
    } finally {
      await runSql(test.url, `drop role ${login}`)
    }
  })

  /** Has a vacuum of the table wait, for 3 s at most, and says how many connections of vacuums are there, and how many wait. */
  async function lockTable(name: string) {
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    await client.query('begin')
    await client.query(`lock table ${name} in share mode`)
    const count = async (where: string) => {
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_clear_snapshot(), pg_stat_activity
         where datname = current_database() and application_name = 'cairn_vacuum' and ${where}`,
      )
      return rows[0]!.n
    }
    return {
      waiting: () => count(`wait_event_type = 'Lock'`),
      connected: () => count('true'),
      unlock: () => client.end(),
    }
  }

  it('remove dead rows one at a time: the next begins when the first is done, or not at all', async () => {
    const options = { withinMs: 20_000, signal: new AbortController().signal }
    const { waiting, unlock } = await lockTable('entities')
    try {
      const first = test.store.vacuum(['entities'], options)
      await until('the statement waits for the lock', async () => expect(await waiting()).to.equal(1))
      expect(await test.store.vacuum(['memories'], { ...options, withinMs: 500 })).to.deep.equal([])
      const next = test.store.vacuum(['memories'], options)
      await unlock()
      expect(await Promise.all([first, next])).to.deep.equal([['entities'], ['memories']])
    } finally {
      await unlock()
    }
  })

  it('end the vacuum that is under way with their signal, on the server too, and begin none after it', async () => {
    const { waiting, connected, unlock } = await lockTable('entities')
    const stopping = new AbortController()
    const options = { withinMs: 20_000, signal: stopping.signal }
    try {
      const vacuumed = test.store.vacuum(['memories', 'entities', 'agents'], options)
      await until('the statement waits for the lock', async () => expect(await waiting()).to.equal(1))
      stopping.abort()
      expect(await vacuumed).to.deep.equal(['memories'])
      await until('nobody is connected', async () => expect(await connected()).to.equal(0))
      expect(await test.store.vacuum(['memories'], options)).to.deep.equal([])
    } finally {
      await unlock()
    }
  })

  it('sweep entities and vectors that no memory has, page by page, and no others', async () => {
    const kept = newMemory('kept')
    const document = newDocument({ summary: 'of a document' })
    await test.store.transact({ tenantId }, async (writer) => {
      const names = ['a', 'b', 'c', 'subject', 'linked', 'found']
      const ids = await upsertEntities(writer, names)
      const links = [{ entityId: ids.get('linked')!, name: 'linked', role: '', entityType: null }]
      await insertMemories(writer, [{ ...kept, subjectEntityId: ids.get('subject')!, links }])
      const found = [{ id: ids.get('found')!, name: 'found', type: 'proper' }]
      await replaceFoundLinks(writer, [{ memoryId: kept.id, version: 1, entities: found }])
      const gone = ['one', 'two'].map((text) => newMemory(text))
      await insertMemories(writer, gone)
      await insertDocuments(writer, [document])
      const vectors = [kept, document, ...gone].map(({ textHash }) => ({ textHash, vector: Float32Array.of(1) }))
      await storeVectors(writer, 'm', vectors)
      for (const { id } of gone)
        await writer.db
          .updateTable('memories')
          .set({ text_hash: Buffer.of(1) })
          .where('id', '=', id)
          .execute()
    })
    const sweep = () => test.store.transact({ tenantId }, (writer) => sweepUnused(writer, 2))
    expect([await sweep(), await sweep(), await sweep()]).to.deep.equal([true, false, false])
    const { names, hashes } = await test.store.read({ tenantId }, async ({ db }) => ({
      names: await db.selectFrom('entities').select('name_key as name').orderBy('name_key').execute(),
      hashes: await db.selectFrom('vectors').select('text_hash').execute(),
    }))
    expect(names.map(({ name }) => name)).to.deep.equal(['found', 'linked', 'subject'])
    const left = hashes.map(({ text_hash: hash }) => hash.toString('hex')).sort()
    expect(left).to.deep.equal([kept, document].map(({ textHash }) => textHash.toString('hex')).sort())
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { upsertEntities } from '../../store/entities.js'
import { replaceFoundLinks } from '../../store/indexing/found-links.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { removeMemories } from '../../store/memories/remove-memories.js'
import { enqueue } from '../../store/outbox/outbox.js'
import type { JobContext } from '../../workers/context.js'
import { JOBS } from '../../workers/jobs.js'
import { changeText, newMemory, remember } from '../support/memories.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { newJobs, takeBatch, type TestWorkerContext } from '../support/worker-context.js'

describe('names that the indexing job finds', () => {
  let test: TestStore
  let context: TestWorkerContext
  let jobs: JobContext
  let tenant: string

  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())
  beforeEach(async () => ({ context, jobs, tenant } = await newJobs(test)))

  const write = <T>(work: Parameters<TestStore['store']['transact']>[1]) =>
    test.store.transact({ tenantId: tenant }, work) as Promise<T>
  async function index() {
    const batch = await takeBatch(test)
    return batch ? JOBS.indexMemories.run(jobs, batch) : null
  }
  /** Returns `origin name role`, sorted, and the physical location of each row, which changes when it is written. */
  async function linksOf(id: string): Promise<{ links: string[]; places: string }> {
    const { rows } = await test.store.read({ tenantId: tenant }, ({ db }) =>
      sql<{ link: string; place: string }>`
        select l.origin || ' ' || l.name || ' ' || coalesce(l.entity_type, '-') as link, l.ctid::text as place
        from entity_links l join entities e using (tenant_id) where e.id = l.entity_id and l.memory_id = ${id}
        order by 1`.execute(db),
    )
    return { links: rows.map(({ link }) => link), places: rows.map(({ place }) => place).join() }
  }
  const change = (id: string, content: string) => changeText(test.store, tenant, id, content)
  const memoryRow = async (id: string) =>
    (
      await test.store.read({ tenantId: tenant }, ({ db }) =>
        db.selectFrom('memories').selectAll().where('id', '=', id).execute(),
      )
    )[0]

  it('are linked before the document that contains them is written', async () => {
    const [id] = await remember(test.store, tenant, 'We moved Kafka, see OPS-1423.')
    const before = await memoryRow(id!)
    expect(await index()).to.deep.equal({ settled: 1, failed: 0, released: 0 })
    expect((await linksOf(id!)).links).to.deep.equal(['found Kafka name', 'found OPS-1423 identifier'])
    expect(context.index.documents(tenant).get(id!)!.document!.entityIds).to.have.length(2)
    expect(await memoryRow(id!)).to.deep.equal(before)
    expect(await index()).to.equal(null)
  })

  it('are added to the links that callers gave, which stay unchanged', async () => {
    const memory = newMemory('Kafka and Redis.')
    const entity = await write<string>(async (writer) => {
      const entityId = (await upsertEntities(writer, ['kafka'])).get('kafka')!
      const links = [{ entityId, name: 'KAFKA', role: 'owner', entityType: 'queue' }]
      await insertMemories(writer, [{ ...memory, links }])
      return entityId
    })
    await index()
    expect((await linksOf(memory.id)).links).to.deep.equal([
      'caller KAFKA queue',
      'found Kafka name',
      'found Redis name',
    ])
    expect(context.index.documents(tenant).get(memory.id)!.document!.entityIds).to.have.length(2)
    await change(memory.id, 'Nothing is left.')
    await index()
    expect((await linksOf(memory.id)).links).to.deep.equal(['caller KAFKA queue'])
    expect(context.index.documents(tenant).get(memory.id)!.document!.entityIds).to.deep.equal([entity])
  })

  it('are not written again when they are linked already', async () => {
    const [id] = await remember(test.store, tenant, 'We moved Kafka to Oslo.')
    await index()
    const first = await linksOf(id!)
    await write((writer) => enqueue(writer, 'memory', [id!]))
    expect(await index()).to.deep.include({ settled: 1 })
    expect(await linksOf(id!)).to.deep.equal(first)
    expect(context.index.documents(tenant).get(id!)!.document!.entityIds).to.have.length(2)
  })

  it('are those of the new text after a change', async () => {
    const [id] = await remember(test.store, tenant, 'We moved Kafka to Oslo.')
    await index()
    await change(id!, 'We moved Kafka to Bergen.')
    await index()
    expect((await linksOf(id!)).links).to.deep.equal(['found Bergen name', 'found Kafka name'])
  })

  it('are linked of a memory that was deleted before they were read, and its document stays away', async () => {
    const [id, gone] = await remember(test.store, tenant, 'We moved Kafka to Oslo.', 'We moved Redis to Oslo.')
    const move = { from: ['active'], to: 'deleted', at: new Date() } as const
    await write((writer) => changeStatus(writer, [id!, gone!], move))
    await write((writer) => removeMemories(writer, [gone!], { action: 'memory.purged', at: new Date() }))
    expect(await index()).to.deep.equal({ settled: 2, failed: 0, released: 0 })
    expect((await linksOf(id!)).links).to.deep.equal(['found Kafka name', 'found Oslo name'])
    expect((await linksOf(gone!)).links).to.deep.equal([])
    for (const one of [id!, gone!]) expect(context.index.documents(tenant).get(one)!.document).to.equal(null)
  })

  it('of a version that is past are not linked', async () => {
    const [id] = await remember(test.store, tenant, 'We moved Kafka.')
    const entity = (await write<Map<string, string>>((writer) => upsertEntities(writer, ['oslo']))).get('oslo')!
    const found = (version: number) => [
      { memoryId: id!, version, entities: [{ id: entity, name: 'Oslo', type: 'name' }] },
    ]
    expect([...(await write<Set<string>>((writer) => replaceFoundLinks(writer, found(2))))]).to.deep.equal([])
    expect((await linksOf(id!)).links).to.deep.equal([])
    expect([...(await write<Set<string>>((writer) => replaceFoundLinks(writer, found(1))))]).to.deep.equal([id])
    expect((await linksOf(id!)).links).to.deep.equal(['found Oslo name'])
  })

  it('leave no entity behind when their memory has been changed or erased meanwhile', async () => {
    const [changed, erased] = await remember(test.store, tenant, 'We moved Kafka to Oslo.', 'We moved Redis to Oslo.')
    const real = test.store
    let transactions = 0
    // Between the two transactions, the first of which creates the entities.
    const store = {
      read: real.read.bind(real),
      asSystem: real.asSystem.bind(real),
      async transact(...given: Parameters<typeof real.transact>) {
        if (++transactions === 2) {
          await change(changed!, 'We moved Nginx to Oslo.')
          await write((writer) => removeMemories(writer, [erased!], { action: 'memory.erased', at: new Date() }))
        }
        return real.transact(...given)
      },
    } as unknown as TestStore['store']
    const plain = jobs
    jobs = { ...plain, store }
    await index()
    jobs = plain
    const names = async () =>
      (
        await test.store.read({ tenantId: tenant }, ({ db }) =>
          db.selectFrom('entities').select('name_key').orderBy('name_key').execute(),
        )
      ).map(({ name_key: key }) => key)
    expect(await names()).to.deep.equal([])
    await index()
    expect(await names()).to.deep.equal(['nginx', 'oslo'])
  })

  it('are linked once by jobs that process the same batch at once', async () => {
    const contents = [...Array(30).keys()].map((i) => `We moved Kafka, Redis and Oslo to port ${6000 + i}.`)
    const ids = await remember(test.store, tenant, ...contents)
    const batch = (await takeBatch(test))!
    await Promise.all([
      JOBS.indexMemories.run(jobs, batch),
      JOBS.indexMemories.run(jobs, batch),
      JOBS.indexMemories.run(jobs, batch),
    ])
    for (const id of ids) expect((await linksOf(id)).links).to.have.length(4)
  })

  it('of a memory that cannot be linked delay only that memory, and count its attempt', async () => {
    const run = (statement: string) => runSql(test.url, statement)
    try {
      await run(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`)
      await run(`create trigger refuse before insert on entities for each row when (new.name_key = 'kafka')
        execute function refuse()`)
      const [bad, good] = await remember(test.store, tenant, 'We moved Kafka.', 'We moved Redis.')
      expect(await index()).to.deep.equal({ settled: 1, failed: 1, released: 0 })
      expect([...context.index.documents(tenant).keys()]).to.deep.equal([good])
      const rows = await run('select entity_id, attempts from index_pending where settled_at is null')
      expect(rows).to.deep.equal([{ entity_id: bad, attempts: 1 }])
    } finally {
      await run('drop trigger if exists refuse on entities; drop function if exists refuse')
    }
  })
})

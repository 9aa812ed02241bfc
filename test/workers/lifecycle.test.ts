import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { MemoryStatus } from '../../domain/memory.js'
import { upsertEntities } from '../../store/entities.js'
import { countMemories } from '../../store/memories/count-memories.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { ensureRecallDay } from '../../store/recalls.js'
import { insertMemories, type NewMemory } from '../../store/memories/insert-memories.js'
import { recordSupersessions } from '../../store/memories/supersessions.js'
import { storeVectors } from '../../store/vectors.js'
import { JOBS } from '../../workers/jobs.js'
import { jobContext } from '../../workers/context.js'
import { lockSettings, replaceSettings } from '../../store/tenants/settings.js'
import { newMemory } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { testWorkerContext } from '../support/worker-context.js'
import { runSql } from '../support/run-sql.js'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const day = (days: number) => new Date(NOW + days * 86_400_000)

describe('the lifecycle', () => {
  let test: TestStore
  let tenantId: string
  beforeEach(async () => {
    tenantId = `tenant-${uuidv7()}`
    await test.store.asSystem(({ db }) => db.insertInto('tenants').values({ tenant_id: tenantId }).execute())
  })
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  interface Given {
    readonly now?: () => number
    readonly signal?: AbortSignal
  }
  async function run(name: 'outdateMemories' | 'archiveMemories' | 'purgeMemories' | 'dropRecalls', given: Given = {}) {
    const { now = () => NOW, signal = new AbortController().signal } = given
    const context = testWorkerContext(test, { clock: { now } })
    await JOBS[name].run(jobContext(context), signal)
  }
  async function store(...memories: NewMemory[]): Promise<string[]> {
    await test.store.transact({ tenantId }, (writer) => insertMemories(writer, memories))
    return memories.map(({ id }) => id)
  }
  const archiveAfter = (archive_after_days: number) =>
    test.store.transact({ tenantId }, async (writer) => {
      await lockSettings(writer)
      await replaceSettings(writer, { memory: { archive_after_days } }, day(0))
    })
  async function statusesOf(tenant = tenantId): Promise<Record<string, MemoryStatus>> {
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{
        content: string
        status: MemoryStatus
      }>`select content, status from memories where tenant_id = ${tenant}`.execute(db),
    )
    return Object.fromEntries(rows.map(({ content, status }) => [content, status]))
  }
  async function lastEvent(action: string): Promise<{ actor_kind: string; details: Record<string, unknown> }> {
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{ actor_kind: string; details: Record<string, unknown> }>`select actor_kind, details from audit_events
        where tenant_id = ${tenantId} and action = ${action} order by id desc limit 1`.execute(db),
    )
    return rows[0]!
  }
  const created = { createdAt: day(-200) }
  const remove = (id: string, at: Date) =>
    test.store.transact({ tenantId }, (writer) => changeStatus(writer, [id], { from: ['active'], to: 'deleted', at }))
  const counts = () =>
    test.store.read({ tenantId }, async (reader) => {
      const { byKind } = await countMemories(reader, { kind: 'all' }, { includeDeleted: true })
      return Object.fromEntries(byKind.map(({ status, count }) => [status, count]))
    })
  const countOf = async (table: string) => {
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{
        count: number
      }>`select count(*)::int as count from ${sql.table(table)} where tenant_id = ${tenantId}`.execute(db),
    )
    return rows[0]!.count
  }

  it('outdates memories that have expired or whose validity has ended, and nothing else', async () => {
    await store(
      newMemory('expired', { ...created, expiresAt: day(-1) }),
      newMemory('expires later', { ...created, expiresAt: day(1) }),
      newMemory('validity ended', { ...created, validEnd: day(0) }),
      newMemory('valid still', { ...created, validEnd: day(1) }),
      newMemory('was past when written', { ...created, validStart: day(-400), validEnd: day(-300) }),
      newMemory('archived', { ...created, expiresAt: day(-1), status: 'archived' }),
      newMemory('conflicted', { ...created, expiresAt: day(-1), status: 'conflicted' }),
    )
    await run('outdateMemories')
    expect(await statusesOf()).to.deep.equal({
      expired: 'outdated',
      'expires later': 'active',
      'validity ended': 'outdated',
      'valid still': 'active',
      'was past when written': 'active',
      archived: 'archived',
      conflicted: 'outdated',
    })
    expect(await counts()).to.deep.equal({ active: 3, outdated: 3, archived: 1 })
    const event = await lastEvent('memory.status_changed')
    expect(event.actor_kind).to.equal('service')
    expect(event.details).to.deep.include({ to: 'outdated', reason: 'expired', version: 2 })
  })

  it('archives live memories of little weight that nobody has recalled or changed for 90 days', async () => {
    const light = { ...created, weight: 0.2 }
    const [, recalled, , , , changed] = await store(
      newMemory('idle', light),
      newMemory('recalled', light),
      newMemory('recalled long ago', light),
      newMemory('heavy', created),
      newMemory('young', { ...light, createdAt: day(-10) }),
      newMemory('changed', light),
      newMemory('just heavy enough', { ...created, weight: 0.3 }),
      newMemory('conflicted', { ...light, status: 'conflicted' }),
    )
    await test.store.asSystem(({ db }) =>
      db
        .updateTable('memories')
        .set({ updated_at: day(-10) })
        .where('id', '=', changed!)
        .execute(),
    )
    const { rows } = await test.store.asSystem(({ db }) =>
      sql<{
        id: string
      }>`select id from memories where tenant_id = ${tenantId} and content = 'recalled long ago'`.execute(db),
    )
    await test.store.asSystem(({ db }) =>
      db
        .insertInto('memory_usage')
        .values([
          { tenant_id: tenantId, memory_id: recalled!, recall_count: 1, last_recalled_at: day(-10) },
          { tenant_id: tenantId, memory_id: rows[0]!.id, recall_count: 1, last_recalled_at: day(-100) },
        ])
        .execute(),
    )
    await archiveAfter(0)
    await run('archiveMemories')
    expect(Object.values(await statusesOf())).to.not.include('archived')
    await archiveAfter(90)
    await run('archiveMemories')
    expect(await statusesOf()).to.deep.equal({
      idle: 'archived',
      recalled: 'active',
      'recalled long ago': 'archived',
      heavy: 'active',
      young: 'active',
      changed: 'active',
      'just heavy enough': 'active',
      conflicted: 'conflicted',
    })
    const event = await lastEvent('memory.status_changed')
    expect(event.actor_kind).to.equal('service')
    expect(event.details).to.deep.include({ to: 'archived', reason: 'idle' })
  })

  it('archives by the number of days that each tenant has set', async () => {
    const light = { weight: 0.2, createdAt: day(-30) }
    await store(newMemory('idle', light), newMemory('younger', { ...light, createdAt: day(-5) }))
    const other = `${tenantId}-z`
    await test.store.asSystem(({ db }) => db.insertInto('tenants').values({ tenant_id: other }).execute())
    // This one has set nothing, and uses 90 days.
    const long = newMemory('theirs for long', { ...light, createdAt: day(-91) })
    await test.store.transact({ tenantId: other }, (writer) =>
      insertMemories(writer, [newMemory('theirs', light), long]),
    )
    await archiveAfter(29)
    await run('archiveMemories')
    expect(await statusesOf()).to.deep.equal({ idle: 'archived', younger: 'active' })
    expect(await statusesOf(other)).to.deep.equal({ theirs: 'active', 'theirs for long': 'archived' })
  })

  it('purges memories deleted longer ago than the tenant’s retention, with everything that refers to them', async () => {
    const entities = await test.store.transact({ tenantId }, (writer) => upsertEntities(writer, ['lonely', 'shared']))
    const link = (name: string) => ({ entityId: entities.get(name)!, name, role: '', entityType: null })
    const gone = newMemory('gone', { links: [link('lonely'), link('shared')] })
    const kept = newMemory('kept', { links: [link('shared')] })
    const recent = newMemory('recently deleted')
    await store(gone, kept, recent)
    await test.store.transact({ tenantId }, async (writer) => {
      await storeVectors(
        writer,
        'm',
        [gone, kept].map(({ textHash }) => ({ textHash, vector: new Float32Array(2) })),
      )
      const one = {
        oldId: gone.id,
        newId: kept.id,
        reason: 'explicit',
        direction: 'canonical',
        oldStatus: 'outdated',
      } as const
      await recordSupersessions(writer, [one], day(0))
    })
    await test.store.asSystem(({ db }) =>
      db
        .insertInto('memory_usage')
        .values({ tenant_id: tenantId, memory_id: gone.id, last_recalled_at: null })
        .execute(),
    )
    await remove(gone.id, day(-31))
    await remove(recent.id, day(-29))
    await run('purgeMemories')
    expect(Object.keys(await statusesOf()).sort()).to.deep.equal(['kept', 'recently deleted'])
    expect(await counts()).to.deep.equal({ active: 1, deleted: 1 })
    expect((await lastEvent('memory.purged')).actor_kind).to.equal('service')
    for (const [table, left] of Object.entries({
      entities: 1,
      entity_links: 1,
      vectors: 1,
      supersessions: 0,
      memory_usage: 0,
    }))
      expect(await countOf(table), table).to.equal(left)

    await test.store.asSystem(({ db }) =>
      db.updateTable('tenants').set({ retention_days: 7 }).where('tenant_id', '=', tenantId).execute(),
    )
    await run('purgeMemories')
    expect(Object.keys(await statusesOf())).to.deep.equal(['kept'])
  })

  it('purges what memories were before changes that are older than the retention', async () => {
    const [one, other] = await store(newMemory('one', created), newMemory('other', created))
    const archive = (id: string, at: Date) =>
      test.store.transact({ tenantId }, (writer) =>
        changeStatus(writer, [id], { from: ['active'], to: 'archived', at }),
      )
    await archive(one!, day(-31))
    await archive(other!, day(-29))
    expect(await countOf('memory_versions')).to.equal(2)
    await run('purgeMemories')
    const left = await test.store.asSystem(({ db }) =>
      db.selectFrom('memory_versions').select('memory_id').where('tenant_id', '=', tenantId).execute(),
    )
    expect(left).to.deep.equal([{ memory_id: other }])
    await test.store.asSystem(({ db }) =>
      db.updateTable('tenants').set({ retention_days: 7 }).where('tenant_id', '=', tenantId).execute(),
    )
    await run('purgeMemories')
    expect(await countOf('memory_versions')).to.equal(0)
    expect(await statusesOf()).to.deep.equal({ one: 'archived', other: 'archived' })
  })

  it('keeps an entity that is being linked while its last memory is purged', async () => {
    const entities = await test.store.transact({ tenantId }, (writer) => upsertEntities(writer, ['acme']))
    const links = [{ entityId: entities.get('acme')!, name: 'Acme', role: '', entityType: null }]
    const [old] = await store(newMemory('old', { links }))
    await remove(old!, day(-40))
    let purging: Promise<void> | undefined
    await test.store.transact({ tenantId }, async (writer) => {
      await insertMemories(writer, [newMemory('new', { links })])
      purging = run('purgeMemories')
      await sleep(300)
    })
    await purging
    expect(Object.keys(await statusesOf())).to.deep.equal(['new'])
    expect(await countOf('entity_links')).to.equal(1)
  })

  it('continues with other tenants when one has more than a batch, and where it ended when its budget is spent', async () => {
    const many = Array.from({ length: 450 }, (_, i) => newMemory(`many ${i}`, { ...created, expiresAt: day(-1) }))
    await store(...many)
    const other = `${tenantId}-z`
    await test.store.asSystem(({ db }) => db.insertInto('tenants').values({ tenant_id: other }).execute())
    await test.store.transact({ tenantId: other }, (writer) =>
      insertMemories(writer, [newMemory('few', { ...created, expiresAt: day(-1) })]),
    )
    // Every look at the clock takes seven seconds: the budget ends within the first tenant's rows.
    let now = NOW
    await run('outdateMemories', { now: () => (now += 7_000) })
    const first = Object.values(await statusesOf()).filter((status) => status === 'outdated').length
    expect(first).to.be.within(1, 449)
    expect(await statusesOf(other)).to.deep.equal({ few: 'outdated' })
    await run('outdateMemories')
    expect(new Set(Object.values(await statusesOf()))).to.deep.equal(new Set(['outdated']))
  })

  it('ends after the current batch when the process stops, and continues from there', async () => {
    await store(...Array.from({ length: 450 }, (_, i) => newMemory(`many ${i}`, { ...created, expiresAt: day(-1) })))
    const stopping = new AbortController()
    let looks = 0
    // The third look at the clock is that of the first batch.
    const now = () => (++looks === 3 && stopping.abort(), NOW)
    await run('outdateMemories', { now, signal: stopping.signal })
    expect(await counts()).to.deep.equal({ active: 250, outdated: 200 })
    await run('outdateMemories')
    expect(await counts()).to.deep.equal({ outdated: 450 })
  })

  it('skips a tenant whose rows cannot be changed, and continues with the others', async () => {
    const expired = newMemory('expired', { ...created, expiresAt: day(-1) })
    await store(expired)
    const other = `${tenantId}-z`
    await test.store.asSystem(({ db }) => db.insertInto('tenants').values({ tenant_id: other }).execute())
    await test.store.transact({ tenantId: other }, (writer) =>
      insertMemories(writer, [newMemory('few', { ...created, expiresAt: day(-1) })]),
    )
    try {
      await runSql(
        test.url,
        `
        create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
        create trigger broken before update on memories for each row when (old.id = '${expired.id}') execute function broken()`,
      )
      await run('outdateMemories')
      expect(await statusesOf()).to.deep.equal({ expired: 'active' })
      expect(await statusesOf(other)).to.deep.equal({ few: 'outdated' })
    } finally {
      await runSql(test.url, 'drop trigger broken on memories')
    }
    await run('outdateMemories')
    expect(await statusesOf()).to.deep.equal({ expired: 'outdated' })
  })

  it('does not wait for a row that another process has locked', async () => {
    const [held] = await store(
      newMemory('held', { ...created, expiresAt: day(-1) }),
      newMemory('free', { ...created, expiresAt: day(-1) }),
    )
    await test.store.transact({ tenantId }, async ({ db }) => {
      await db.selectFrom('memories').select('id').where('id', '=', held!).forUpdate().execute()
      await run('outdateMemories')
    })
    expect(await statusesOf()).to.deep.equal({ held: 'active', free: 'outdated' })
  })

  it('drops each day of recalls after thirty days, over months and years and after weeks without a run', async () => {
    const days = ['20251130', '20251231', '20260101', '20260131', '20260201', '20260228']
    const iso = (text: string) => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
    for (const text of days) await test.store.asSystem((system) => ensureRecallDay(system, iso(text)))
    const left = async () => {
      const { rows } = await test.store.asSystem(({ db }) =>
        sql<{ day: string }>`select right(inhrelid::regclass::text, 8) as day from pg_inherits
          where inhparent = 'recalls'::regclass order by 1`.execute(db),
      )
      return rows.map((row) => row.day)
    }
    const runAt = (instant: string) => run('dropRecalls', { now: () => Date.parse(instant) })
    await runAt('2025-12-30T23:59:59.999Z')
    expect(await left()).to.deep.equal(days)
    await runAt('2025-12-31T00:00:00.000Z')
    expect(await left()).to.deep.equal(days.slice(1))
    await runAt('2026-03-03T00:00:00.000Z')
    expect(await left()).to.deep.equal(days.slice(4))
    await runAt('2026-03-31T00:00:00.000Z')
    expect(await left()).to.deep.equal([])
  })

  it('may run twice at once without doing anything twice', async () => {
    await store(...Array.from({ length: 300 }, (_, i) => newMemory(`row ${i}`, { ...created, expiresAt: day(-1) })))
    await Promise.all([run('outdateMemories'), run('outdateMemories'), run('outdateMemories')])
    expect(await counts()).to.deep.equal({ outdated: 300 })
  })
})

import { expect } from 'chai'
import { createHash, randomUUID } from 'node:crypto'
import { withConnection } from '../../store/connection.js'
import { requireRoles } from '../../store/require-database.js'
import { listPendingMigrations, migrateDown, migrateUp, UnknownMigrationError } from '../../store/migrate.js'
import { freshDatabase, type FreshDatabase } from '../support/postgres.js'
import { runSql } from '../support/run-sql.js'
import { until } from '../support/states.js'

/** Creates a login that may create and grant roles, with three empty databases: roles belong to the whole server. */
async function freshLogin(url: string): Promise<{ databases: string[]; drop(): Promise<void> }> {
  const login = `cairn_test_login_${randomUUID().slice(0, 8)}`
  const databases = ['a', 'b', 'c'].map((suffix) => `${login}_${suffix}`)
  const run = (...statements: string[]) =>
    withConnection(url, async (client) => {
      for (const statement of statements) await client.query(statement)
    })
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
  let database: FreshDatabase
  beforeEach(async () => (database = await freshDatabase()))
  afterEach(() => database.drop())

  /** Returns everything that migrations create, and that a `down` has to remove. */
  async function created(): Promise<unknown[]> {
    return runSql(
      database.url,
      `
      select 'relation' as kind, relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relname not like 'kysely_%'
      union all select 'function', proname from pg_proc where pronamespace = current_schema()::regnamespace
      order by 1, 2`,
    )
  }

  async function expectRefusal(work: Promise<unknown>, migration: string): Promise<void> {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(UnknownMigrationError)
    expect((error as Error).message).to.contain(`(${migration})`)
  }

  it('go up from nothing, all the way down, and up again', async () => {
    const names = await migrateUp(database.url)
    const full = await created()
    for (const name of [...names].reverse()) expect(await migrateDown(database.url)).to.deep.equal([name])
    expect(await created()).to.deep.equal([])
    expect(await listPendingMigrations(database.url)).to.deep.equal(names)
    expect(await migrateUp(database.url)).to.deep.equal(names)
    expect(await created()).to.deep.equal(full)
  })

  it('refuse a database that another version migrated, unless it only went further', async () => {
    await migrateUp(database.url)
    await runSql(database.url, `insert into kysely_migration values ('9999-01-01-later', now())`)
    expect(await listPendingMigrations(database.url)).to.deep.equal([])
    await expectRefusal(migrateUp(database.url), '9999-01-01-later')
    await runSql(database.url, `update kysely_migration set name = '2026-01-01-' || name where name not like '9999%'`)
    await expectRefusal(listPendingMigrations(database.url), '2026-01-01-2026-11-23-01-roles')
    await expectRefusal(migrateUp(database.url), '2026-01-01-2026-11-23-01-roles')
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

  it('make of the idempotency keys that are there the digests that they are found by', async () => {
    await migrateUp(database.url)
    let reverted: string[] = []
    while (!reverted.includes('2026-11-27-03-idempotency-digests')) reverted = await migrateDown(database.url)
    const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')
    // The second is what the first becomes.
    const keys = ['invoice:ana@example.org', digestOf('invoice:ana@example.org')]
    for (const key of keys)
      await runSql(
        database.url,
        `insert into idempotency_keys (tenant_id, identity, route, idempotency_key, request_hash) values ('t', 'i', 'r', $1, '')`,
        [key],
      )
    await migrateUp(database.url)
    const rows = await runSql(database.url, 'select idempotency_key as key from idempotency_keys')
    expect(rows.map(({ key }) => key)).to.have.members(keys.map(digestOf))
  })

  describe('of the order of the inbox', () => {
    beforeEach(async () => {
      await migrateUp(database.url)
      let reverted: string[] = []
      while (!reverted.includes('2026-11-27-08-inbox-priority')) reverted = await migrateDown(database.url)
    })

    /** Stores a version that moved through these statuses; a reviewer made the moves, or the service where a status ends with *. */
    async function moved(skill: number, ...statuses: readonly string[]): Promise<void> {
      const id = `00000000-0000-7000-8000-00000000000${skill}`
      const [last] = [...statuses].reverse()
      await runSql(
        database.url,
        `insert into skills (tenant_id, id, doc_id, slug, last_version, created_at, updated_at) values ('t', $1::uuid, $1::uuid::text, $1::uuid::text, 1, now(), now())`,
        [id],
      )
      await runSql(
        database.url,
        `insert into skill_versions (tenant_id, skill_id, version, status, source, kind, name, description, content, domain, fleet_key,
          content_hash, fingerprint, sketch, place, author_agent_id, created_at, updated_at)
          values ('t', $1::uuid, 1, $2, 'agent', 'create', 'n', 'd', 'c', 'd', '', 'h', $1::uuid::text, '[]', now(), 'ana', now(), now())`,
        [id, last!.replace('*', '')],
      )
      for (const [i, to] of statuses.entries())
        await runSql(
          database.url,
          `insert into skill_moves (tenant_id, skill_id, version, from_status, to_status, actor_kind, at) values ('t', $1, 1, $2, $3, $4, now())`,
          [id, statuses[i - 1]?.replace('*', '') ?? null, to.replace('*', ''), to.endsWith('*') ? 'service' : 'admin'],
        )
    }

    it('count each version once for its author, by the last decision on it', async () => {
      await moved(1, 'staged', 'active', 'quarantined*', 'staged', 'active')
      await moved(2, 'staged', 'active', 'stale*', 'staged', 'active', 'deprecated')
      await moved(3, 'staged', 'active', 'quarantined*', 'deprecated')
      await moved(4, 'quarantined', 'staged')
      await moved(5, 'staged', 'active*')
      await moved(6, 'quarantined', 'rejected')
      await moved(7, 'staged', 'active', 'rejected')
      await migrateUp(database.url)
      expect(await runSql(database.url, 'select * from skill_authors')).to.deep.equal([
        { tenant_id: 't', is_forge: false, agent_id: 'ana', approved: 3, rejected: 1, quarantined: 1 },
      ])
    })

    it('are counted before the table of versions is locked', async () => {
      await withConnection(database.url, async (reader) => {
        await reader.query('begin; select from skill_versions')
        const migrated = migrateUp(database.url)
        const lockedBy = (where: string) =>
          runSql(
            database.url,
            `select from pg_locks a join pg_locks b using (pid) where a.relation = 'skill_versions'::regclass
              and a.mode = 'AccessExclusiveLock' and not a.granted and ${where}`,
          )
        await until('it waits for the reader', async () => (await lockedBy('true')).length > 0)
        const counted = await lockedBy(`b.relation = 'skill_moves'::regclass and b.mode = 'AccessShareLock'`)
        await reader.query('commit')
        await migrated
        expect(counted).to.have.length(1)
      })
    })
  })

  it('number skills that were removed by the audit, and leave those that are there', async () => {
    await migrateUp(database.url)
    let reverted: string[] = []
    while (!reverted.includes('2026-11-28-01-skill-numbers')) reverted = await migrateDown(database.url)
    await runSql(
      database.url,
      `insert into skills (tenant_id, id, doc_id, slug, last_version, created_at, updated_at)
        values ('t', gen_random_uuid(), 'agent/here', 'here', 2, now(), now())`,
    )
    const written = [
      ...['agent/here 1', 'agent/here 2', 'agent/gone 1', 'agent/gone 2', 'agent/gone 1'].map((what) => `t ${what}`),
      'u agent/here 7',
    ]
    for (const [tenantId, docId, version] of written.map((what) => what.split(' ')))
      await runSql(
        database.url,
        `insert into audit_events (tenant_id, at, actor_kind, action, subject_kind, subject_id, details)
          values ($1, now(), 'agent', 'skill.written', 'skill', 's', jsonb_build_object('doc_id', $2::text, 'version', $3::int))`,
        [tenantId!, docId!, version!],
      )
    // An erasure has taken the name out of this one.
    await runSql(
      database.url,
      `insert into audit_events (tenant_id, at, actor_kind, action, subject_kind, subject_id)
        values ('t', now(), 'agent', 'skill.written', 'skill', 's')`,
    )
    await migrateUp(database.url)
    const digestOf = (docId: string) => createHash('sha256').update(docId).digest('hex')
    const select = `select tenant_id, encode(doc_id_hash, 'hex') as name, last_version from skill_numbers order by 1`
    expect(await runSql(database.url, select)).to.deep.equal([
      { tenant_id: 't', name: digestOf('agent/gone'), last_version: 2 },
      { tenant_id: 'u', name: digestOf('agent/here'), last_version: 7 },
    ])
  })

  it('are applied once by processes that start at the same moment', async () => {
    const [one, two] = await Promise.all([migrateUp(database.url), migrateUp(database.url)])
    expect([...one, ...two].sort()).to.deep.equal([...new Set([...one, ...two])].sort())
    expect(await listPendingMigrations(database.url)).to.deep.equal([])
  })
})

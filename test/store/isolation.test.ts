import { expect } from 'chai'
import { sql } from 'kysely'
import type pg from 'pg'
import { withConnection } from '../../store/connection.js'
import { fillTables } from '../support/filled-tables.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

/** Row level security, the second line of defence: rows that a statement without a tenant condition would reach. */
describe('row level security', () => {
  let test: TestStore
  let tables: string[]
  before(async () => {
    test = await createTestStore()
    tables = await asSuperuser(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
         where c.relnamespace = current_schema()::regnamespace and a.attname = 'tenant_id' and c.relkind in ('r', 'p')
           and not c.relispartition order by 1`,
      )
      return rows.map(({ name }) => name)
    })
    await fillTables(test, 'ours')
    await fillTables(test, 'theirs')
  })
  after(() => test.stop())

  const asSuperuser = <T>(work: (client: pg.Client) => Promise<T>) => withConnection(test.url, work)

  it('is forced on every table with tenants’ rows', async () => {
    const { rows } = await asSuperuser((client) =>
      client.query<{ name: string }>(
        `select relname as name from pg_class join pg_namespace n on n.oid = relnamespace
         where relkind in ('r', 'p') and not relispartition and n.nspname = current_schema() and relrowsecurity and relforcerowsecurity order by 1`,
      ),
    )
    expect(rows.map(({ name }) => name)).to.deep.equal(tables)
    expect(tables).to.include.members(['memories', 'entities', 'entity_links', 'vectors', 'index_pending', 'api_keys'])
  })

  it('shows a statement without a condition only the bound tenant’s rows', async () => {
    for (const table of tables) {
      const rows = await test.store.read({ tenantId: 'ours' }, async ({ db }) => {
        return (await sql<{ tenant_id: string }>`select tenant_id from ${sql.table(table)}`.execute(db)).rows
      })
      expect(rows.length, table).to.be.greaterThan(0)
      expect(new Set(rows.map(({ tenant_id }) => tenant_id)), table).to.deep.equal(new Set(['ours']))
    }
  })

  it('lets a statement without a condition change and delete no other tenant’s rows', async () => {
    const count = (table: string) =>
      asSuperuser(async (client) => (await client.query(`select from ${table} where tenant_id = 'theirs'`)).rowCount)
    for (const table of tables) {
      const before = await count(table)
      expect(before, table).to.be.greaterThan(0)
      const changed = await test.store.transact({ tenantId: 'nobody' }, async ({ db }) => {
        const updated = await sql`update ${sql.table(table)} set tenant_id = tenant_id`.execute(db)
        const deleted = await sql`delete from ${sql.table(table)}`.execute(db)
        return [Number(updated.numAffectedRows), Number(deleted.numAffectedRows)]
      })
      expect(changed, table).to.deep.equal([0, 0])
      expect(await count(table), table).to.equal(before)
    }
  })

  it('gives no access to a partition, which has no policy of its own', async () => {
    const code = await test.store
      .read({ tenantId: 'ours' }, ({ db }) =>
        sql`select from ${sql.table(`recalls_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`)}`.execute(
          db,
        ),
      )
      .then(
        () => 'done',
        (error: { code?: string }) => error.code,
      )
    expect(code).to.equal('42501')
  })

  it('refuses to write a row of another tenant, or to move one there', async () => {
    for (const statement of [
      sql`insert into entities (tenant_id, id, name_key) values ('theirs', gen_random_uuid(), 'x')`,
      sql`update entities set tenant_id = 'theirs'`,
      sql`insert into index_pending (tenant_id, kind, entity_id) values ('theirs', 'memory', gen_random_uuid())`,
    ]) {
      const code = await test.store
        .transact({ tenantId: 'ours' }, ({ db }) => statement.execute(db))
        .then(
          () => 'done',
          (error: { code?: string }) => error.code,
        )
      expect(code).to.equal('42501')
    }
  })

  it('is not escaped by a statement of the tenant’s own transaction that names no tenant', async () => {
    for (const tenantId of ['', "x' or true --", 'no such tenant'])
      expect(
        await test.store.read(
          { tenantId },
          async ({ db }) => (await sql`select from memories`.execute(db)).rows.length,
        ),
      ).to.equal(0)
  })
})

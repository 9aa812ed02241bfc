import { expect } from 'chai'
import { sql } from 'kysely'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { schemaTypes } from '../../scripts/generate-schema.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { runSql } from '../support/run-sql.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Results of the driver for each type of a column: an expression of PostgreSQL, and the class of its value. */
const RETURNED: Record<string, readonly [expression: string, returned: string]> = {
  bool: ['true', 'Boolean'],
  bytea: [`'\\x00'::bytea`, 'Buffer'],
  _bytea: [`array['\\x00'::bytea]`, 'Array of Buffer'],
  date: ['current_date', 'Date'],
  float4: ['0.5::real', 'Number'],
  int2: ['1::smallint', 'Number'],
  int4: ['1', 'Number'],
  int8: ['1::bigint', 'Number'],
  jsonb: [`'{}'::jsonb`, 'Object'],
  text: [`''::text`, 'String'],
  timestamptz: ['now()', 'Date'],
  uuid: ['gen_random_uuid()', 'String'],
  _text: [`'{a}'::text[]`, 'Array of String'],
  _uuid: ['array[gen_random_uuid()]', 'Array of String'],
}

function classOf(value: unknown): string {
  return Array.isArray(value) ? `Array of ${classOf(value[0])}` : (value as object).constructor.name
}

describe('the types of the tables', () => {
  let own: TestStore
  before(async () => (own = await createTestStore()))
  after(() => own.stop())

  it('are what the driver returns', async () => {
    const columnTypes = sql<{ type: string }>`select distinct t.typname as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname not like 'kysely%'
        and a.attnum > 0 and not a.attisdropped`
    const expressions = Object.entries(RETURNED).map(([type, [expression]]) => `${expression} as ${type}`)
    const values = sql<Record<string, unknown>>`select ${sql.raw(expressions.join(', '))}`
    const [types, returned] = await own.store.asSystem(({ db }) =>
      Promise.all([columnTypes.execute(db), values.execute(db)]),
    )
    expect(Object.keys(RETURNED)).to.have.members(types.rows.map(({ type }) => type))
    for (const [type, value] of Object.entries(returned.rows[0]!))
      expect(classOf(value), type).to.equal(RETURNED[type]![1])
  })

  it('are up to date, until a migration adds a column', async () => {
    const committed = await readFile(`${ROOT}store/schema.gen.ts`, 'utf8')
    expect(await schemaTypes(own.url)).to.equal(committed)
    await runSql(own.url, 'alter table agents add rank bigint, add twice bigint generated always as (rank * 2) stored')
    const types = await schemaTypes(own.url)
    expect(types).not.to.equal(committed)
    expect(types).to.contain('  rank: number | null;\n').and.to.contain('  twice: ColumnType<number, never, never>;\n')
  })

  it('are checked in a new database on the server of DATABASE_URL too', async () => {
    const args = ['--import', 'tsx', 'scripts/generate-schema.ts', '--check']
    // Its tables differ, after the test before; those of the new database do not.
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { ...process.env, DATABASE_URL: own.url } })
  })
})

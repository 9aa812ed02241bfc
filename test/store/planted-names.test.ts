import { expect } from 'chai'
import pg from 'pg'
import { withConnection } from '../../store/connection.js'
import { forgetNames } from '../../store/erasure/forget-names.js'
import { countMentions } from '../../store/erasure/mentions.js'
import { fillTables } from '../support/filled-tables.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const NAME = 'Ottilie Grandcourt'
const TENANT = 'planted'

/** Columns that an erasure takes a name out of: the service recorded it, and nobody can change it. */
const FORGOTTEN = [
  'api_keys.label',
  'audit_events.details',
  'forge_runs.result',
  'forge_traces.run_id',
  'idempotency_keys.body',
  'idempotency_keys.headers',
  'keystone_acknowledgements.run_id',
  'memory_versions.former',
  'recalls.request',
  'skill_moves.reason',
  'skill_outcomes.run_id',
  'skill_poison.doc_id',
  'skill_poison.reason',
  'skill_versions.overruled',
  'skill_versions.reason',
]

/** Types that hold bytes, with the columns of them that tenants have, and why none holds words that nobody looks for. */
const BYTES: Readonly<Record<string, string>> = {
  'analysed_texts.bytes':
    'numbers of terms and pieces, and a digest of words, of one version of a memory; goes with its memory',
  'api_keys.secret_hash': 'digest of a key',
  'documents.text_hash': 'digest of a text',
  'erasures.text_hashes': 'digests of erased texts, by which their vectors are searched for',
  'idempotency_keys.request_hash': 'digest of a request',
  'memories.content_hash': 'digest of a text; goes with its memory',
  'memories.text_hash': 'digest of a text; goes with its memory',
  'near_duplicates.memory_hash': 'digest of a text; goes with its memory',
  'near_duplicates.original_hash': 'digest of a text; goes with its memory',
  'skill_blobs.bytes':
    'a file as its author sent it, in which names are counted; goes with the last version that has it',
  'skill_numbers.doc_id_hash': 'digest of the name of a skill that was removed',
  'vectors.text_hash': 'digest of a text; goes with the last row that has it',
  'vectors.vector': 'numbers; goes with the last row that has its text',
}

/** Types whose values have no letters of a caller. */
const WORDLESS = [
  ...['bigint', 'boolean', 'date', 'double precision', 'integer', 'real', 'smallint', 'uuid', 'uuid[]'],
  'timestamp with time zone',
]
const TEXTS = ['text', 'text[]', 'jsonb']

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly isGenerated: boolean
}

/** Returns the name in a value that the service may read. */
function plantedValue({ table, column, type }: Column): unknown {
  if (type === 'text[]') return [NAME]
  if (type === 'text') return `of-${NAME}`
  // A sign that jsonb escapes, so that the name stands beside the escape.
  const sign = type === 'jsonb' ? '\u000b' : ' '
  const note = { note: [`About${sign}${NAME}.`] }
  const values: Record<string, unknown> = {
    'recalls.results': [note],
    'skill_versions.overruled': { by: { kind: 'admin', agent_id: null }, reason: `About ${NAME}.` },
    'forge_runs.result': { candidates: [{ doc_id: 'forge/ottilie-grandcourt', reason: `About ${NAME}.`, runs: 4 }] },
  }
  return JSON.stringify(values[`${table}.${column}`] ?? note)
}

/** Plants a name in every column of every table that holds rows of tenants, and looks what an erasure makes of it. */
describe('a name in every column', function () {
  this.timeout(180_000)
  let test: TestStore
  let columns: Column[]
  before(async () => {
    test = await createTestStore()
    await fillTables(test, TENANT)
    columns = await withConnection(test.url, async (client) => {
      const { rows } = await client.query<Column>(`
        select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type, a.attgenerated <> '' as "isGenerated"
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
        order by 1, a.attnum`)
      return rows
    })
  })
  after(() => test.stop())

  const nameOf = ({ table, column }: Column) => `${table}.${column}`
  const count = async (table: string) => {
    const traces = { tenantId: TENANT, ids: [], textHashes: [], names: [NAME.toLowerCase()] }
    return (await test.store.asSystem((system) => countMentions(system, traces))).get(table)!.naming
  }

  /** Plants the name in the rows of a column, and puts back what was there after `work`. Returns false when the column refuses it. */
  async function planted({ table, column, type }: Column, work: () => Promise<void>): Promise<boolean> {
    return withConnection(test.url, async (client) => {
      // Keys of other tables are not looked at: a row that names what is not there holds the name all the same.
      await client.query('set session_replication_role = replica')
      const [of, at] = [pg.escapeIdentifier(table), pg.escapeIdentifier(column)]
      const value = plantedValue({ table, column, type, isGenerated: false })
      const own = [TENANT]
      await client.query(
        `create temp table kept as select * from ${of} where tenant_id = $1`.replace('$1', pg.escapeLiteral(TENANT)),
      )
      try {
        await client.query(`update ${of} set ${at} = $2 where tenant_id = $1`, [...own, value])
      } catch (error) {
        expect((error as pg.DatabaseError).code, nameOf({ table, column, type, isGenerated: false })).to.equal('23514')
        return false
      }
      await work()
      const written = columns
        .filter((one) => one.table === table && !one.isGenerated)
        .map((one) => pg.escapeIdentifier(one.column))
      await client.query(`delete from ${of} where tenant_id = $1`, own)
      await client.query(
        `insert into ${of} (${written.join()}) overriding system value select ${written.join()} from kept`,
      )
      return true
    })
  }

  it('is counted where the column can hold it', async () => {
    const counted: string[] = []
    for (const one of columns.filter(({ type, column }) => TEXTS.includes(type) && column !== 'tenant_id')) {
      if (one.isGenerated) continue
      await planted(one, async () => void expect(await count(one.table), nameOf(one)).to.be.greaterThan(0))
      counted.push(nameOf(one))
      expect(await count(one.table), `${nameOf(one)} afterwards`).to.equal(0)
    }
    expect(counted).to.include.members([
      'memories.content',
      'skill_versions.content',
      'forge_runs.result',
      'documents.data',
    ])
  })

  it('is counted in the bytes of a file', async () => {
    const file = columns.find((one) => nameOf(one) === 'skill_blobs.bytes')!
    await planted(file, async () => void expect(await count('skill_blobs')).to.be.greaterThan(0))
    expect(await count('skill_blobs')).to.equal(0)
  })

  it('is taken out of what the service has recorded, and of nothing else', async () => {
    const forgotten: string[] = []
    for (const one of columns.filter(({ type, column }) => TEXTS.includes(type) && column !== 'tenant_id'))
      if (!one.isGenerated)
        await planted(one, async () => {
          await test.store.transact({ tenantId: TENANT }, (writer) => forgetNames(writer, [NAME.toLowerCase()]))
          if ((await count(one.table)) === 0) forgotten.push(nameOf(one))
        })
    expect(forgotten).to.have.members(FORGOTTEN)
  })

  it('cannot stand in any other column', () => {
    const others = columns.filter(({ type }) => !TEXTS.includes(type) && !WORDLESS.includes(type))
    expect(others.map(nameOf)).to.have.members(Object.keys(BYTES))
  })
})

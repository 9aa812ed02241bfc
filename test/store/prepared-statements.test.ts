import { expect } from 'chai'
import { sql } from 'kysely'
import { PreparedStatements } from '../../store/prepared-statements.js'
import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { migratedDatabase } from '../support/postgres.js'

describe('prepared statements', () => {
  it('are those whose text is seen a third time', () => {
    const prepared = new PreparedStatements()
    expect(['a', 'a', 'b', 'a', 'a'].map((text) => prepared.name(text).name)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      'cairn_0',
      'cairn_0',
    ])
  })

  it('are the 200 that were used last, whatever else was asked three times', () => {
    const prepared = new PreparedStatements()
    const use = (text: string) => Array.from({ length: 3 }, () => prepared.name(text)).at(-1)!.name
    const [common, rare] = [use('common'), use('rare')]
    for (let i = 0; i < 500; i++) {
      expect(use(`hostile ${i}`)).not.to.equal(undefined)
      expect(prepared.name('common').name).to.equal(common)
    }
    expect(prepared.name('rare')).to.deep.equal({})
    expect(use('rare')).not.to.equal(rare)
  })

  it('are none of texts between which 2,000 others were seen', () => {
    const prepared = new PreparedStatements()
    for (let i = 0; i < 2; i++) prepared.name('rare')
    for (let i = 0; i < 2_000; i++) prepared.name(`hostile ${i}`)
    expect(prepared.name('rare')).to.deep.equal({})
  })

  it('are released on a connection when their names are given up, and answer right before and after', async () => {
    const database = await migratedDatabase()
    const store = new Store({
      url: database.url,
      poolSize: 1,
      systemPoolSize: 1,
      statementTimeoutMs: 30_000,
      connectTimeoutMs: 3_000,
      logger: createLogger('silent'),
    })
    const ask = (i: number) =>
      store.read({ tenantId: 'prepared' }, async ({ db }) => {
        const { rows } = await sql<{ value: number }>`select ${i}::int + ${sql.raw(String(i))} as value`.execute(db)
        return rows[0]!.value
      })
    for (let i = 0; i < 450; i++) for (let time = 0; time < 4; time++) expect(await ask(i)).to.equal(2 * i)
    const held = await store.read({ tenantId: 'prepared' }, async ({ db }) => {
      const { rows } = await sql<{ held: number }>`select count(*)::int as held from pg_prepared_statements`.execute(db)
      return rows[0]!.held
    })
    expect(held).to.equal(200)
    expect(await ask(0)).to.equal(0)
    await store.stop()
    await database.drop()
  })
})

import { expect } from 'chai'
import { sql } from 'kysely'
import { PreparedStatements } from '../../store/prepared-statements.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

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

  describe('of a server', () => {
    const tenantId = 'prepared'
    let test: TestStore
    before(async () => {
      test = await createTestStore()
    })
    after(() => test.stop())

    it('are released on each connection when their names are given up, and answer right before and after', async () => {
      const ask = (i: number) =>
        test.store.read({ tenantId }, async ({ db }) => {
          const { rows } = await sql<{ value: number }>`select ${i}::int + ${sql.raw(String(i))} as value`.execute(db)
          return rows[0]!.value
        })
      for (let i = 0; i < 450; i++) for (let time = 0; time < 4; time++) expect(await ask(i)).to.equal(2 * i)
      // The pool's connections answer in turn as soon as several are asked at once.
      const held = await Promise.all(
        Array.from({ length: 6 }, () =>
          test.store.read({ tenantId }, async ({ db }) => {
            const { rows } = await sql<{ names: string[] }>`
              select array_agg(name) as names, pg_sleep(.1) from pg_prepared_statements`.execute(db)
            return rows[0]!.names ?? []
          }),
        ),
      )
      expect(Math.max(...held.map(({ length }) => length))).to.be.within(150, 200)
      expect(await ask(0)).to.equal(0)
    })
  })
})

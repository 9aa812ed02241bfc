import { expect } from 'chai'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { addUse, readTokens, sumEnrichmentUse } from '../../store/model-use.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const DAY = '2026-05-13'

describe('the use of the language model', () => {
  let test: TestStore
  before(async () => {
    test = await createTestStore()
  })
  after(() => test.stop())

  it('is summed by the day, of the columns of its table alone', async () => {
    const tenantId = `t-${randomUUID()}`
    const wider = { calls: 1, input_tokens: 120, output_tokens: 30, failed: 7, model: 'stub' }
    for (const use of [wider, {}, { calls: 2 }, wider])
      await test.store.transact({ tenantId }, (writer) => addUse(writer, 'forge_usage', DAY, use))
    const { rows } = await test.store.read({ tenantId }, ({ db }) =>
      sql`select calls, input_tokens, output_tokens from forge_usage where tenant_id = ${tenantId}`.execute(db),
    )
    expect(rows).to.deep.equal([{ calls: 4, input_tokens: 240, output_tokens: 60 }])
    expect(await test.store.read({ tenantId }, (reader) => readTokens(reader, 'forge_usage', DAY))).to.equal(300)
  })

  it('of enrichment begins its day with nothing counted', async () => {
    const tenantId = `t-${randomUUID()}`
    for (const use of [{}, { enriched: 1 }, { failed: 1 }])
      await test.store.transact({ tenantId }, (writer) => addUse(writer, 'enrichment_usage', DAY, use))
    expect(await test.store.asSystem((system) => sumEnrichmentUse(system, DAY, tenantId))).to.deep.equal({
      calls: 0,
      input_tokens: 0,
      output_tokens: 0,
      enriched: 1,
      failed: 1,
    })
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import { sql } from 'kysely'
import { MEMORY_FILTER_FIELDS } from '../../domain/filters/memory-fields.js'
import { readFilter } from '../../domain/filters/read-filter.js'
import { upsertEntities } from '../../store/entities.js'
import { meetsFilter } from '../../store/memories/filter-condition.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { newMemory } from '../support/memories.js'
import { ENTITIES, filteredRow, meets, randomFilter } from '../support/random-filters.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const ROWS = 60

describe('a filter on memories in PostgreSQL', () => {
  const tenantId = 'filtered'
  const rows = fc.sample(filteredRow, { numRuns: ROWS, seed: 2 })
  let test: TestStore
  let entityOf: Map<string, string>

  before(async () => {
    test = await createTestStore()
    await test.store.transact({ tenantId }, async (writer) => {
      entityOf = await upsertEntities(writer, ENTITIES)
      const memories = rows.map((row, i) =>
        newMemory(`row ${i}`, {
          ...{ agentId: row.agent_id, fleetId: row.fleet_id, runId: row.run_id },
          ...{ memoryType: row.memory_type, status: row.status, metadata: row.metadata },
          systemMetadata: row.tags.length > 0 ? { tags: row.tags } : {},
          createdAt: new Date(row.created_at),
          validStart: row.ts_valid_start === null ? null : new Date(row.ts_valid_start),
          validEnd: row.ts_valid_end === null ? null : new Date(row.ts_valid_end),
          links: row.entity_id.map((id) => ({
            entityId: entityOf.get(id)!,
            name: id,
            entityType: null,
            role: 'about',
          })),
        }),
      )
      await insertMemories(writer, memories)
    })
  })
  after(() => test.stop())

  it('is evaluated as a plain reading of the contract does, and never null', () =>
    test.store.read({ tenantId }, (reader) =>
      fc.assert(
        fc.asyncProperty(randomFilter, async (given) => {
          const stored = JSON.parse(
            JSON.stringify(given).replace(/10000000-[0-9A-F-]+/gi, (id) => entityOf.get(id.toLowerCase())!),
          ) as object
          const read = readFilter(stored, MEMORY_FILTER_FIELDS)
          if ('fault' in read) throw new Error(read.fault.msg)
          const { rows: found } = await sql<{ i: number; passes: boolean | null }>`
            select substr(m.content, 5)::int as i, ${meetsFilter(read.expression)} as passes from memories m
            where m.tenant_id = ${tenantId} order by 1`.execute(reader.db)
          expect(found.map(({ passes }) => passes)).to.deep.equal(rows.map((row) => meets(given, row)))
        }),
        { numRuns: 400 },
      ),
    ))
})

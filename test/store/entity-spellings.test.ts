import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Audience } from '../../domain/visibility.js'
import { findEntity, readSpellings, upsertEntities } from '../../store/entities.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { explainStatements } from '../support/explained.js'
import { newMemory } from '../support/memories.js'
import { createTestStore, type TestStore } from '../support/test-store.js'
import { runSql } from '../support/run-sql.js'

/** Number of another agent's private links before the first one that others see. */
const HIDDEN = 20_000

describe('spellings of an entity with many memories', () => {
  let test: TestStore
  let entityId: string
  const tenantId = `t-${randomUUID()}`
  const seen = newMemory('seen', { fleetId: 'red', agentId: 'ana' })
  before(async () => {
    test = await createTestStore()
    entityId = await test.store.transact({ tenantId }, async (writer) => {
      const id = (await upsertEntities(writer, ['kafka'])).get('kafka')!
      await insertMemories(writer, [{ ...seen, links: [{ entityId: id, name: 'Kafka', role: '', entityType: null }] }])
      return id
    })
    await runSql(
      test.url,
      `with made as (
        insert into memories (tenant_id, id, agent_id, memory_type, content, content_hash, text_hash, created_at, updated_at, visibility, type_given)
        select $1, lpad(to_hex(i), 32, '0')::uuid, 'ben', 'fact', 'x', decode(lpad(to_hex(i), 64, '0'), 'hex'), '\\x00', now(), now(),
          'scope_agent', true
        from generate_series(1, $3::int) i returning id)
      insert into entity_links (tenant_id, memory_id, entity_id, name, audience) select $1, id, $2, 'KAFKA', 'a:ben' from made`,
      [tenantId, entityId, HIDDEN],
    )
    await runSql(test.url, 'analyze memories, entity_links, entities')
  })
  after(() => test.stop())

  const audiences: Record<string, [audience: Audience, name: string | undefined]> = {
    'of a fleet': [{ kind: 'shared', agentId: 'ana', fleets: ['red'] }, 'Kafka'],
    'of all fleets': [{ kind: 'shared', agentId: null, fleets: 'all' }, 'Kafka'],
    'of another fleet, who wrote it': [{ kind: 'shared', agentId: 'ana', fleets: ['green'] }, 'Kafka'],
    'of another fleet': [{ kind: 'shared', agentId: 'eve', fleets: ['green'] }, undefined],
    'of their author': [{ kind: 'shared', agentId: 'ben', fleets: [] }, 'KAFKA'],
  }
  for (const [who, [audience, name]] of Object.entries(audiences))
    it(`are found by a reader ${who} without scanning links that it may not see`, async () => {
      await test.store.read({ tenantId }, async (plain) => {
        const { reader, plans } = explainStatements(plain)
        expect((await readSpellings(reader, [entityId], audience)).get(entityId)).to.equal(name)
        await findMemories(reader, audience, [seen.id])
        expect((await findEntity(plain, audience, entityId))?.name).to.equal(name)
        for (const { rowsRead, indices } of plans) expect(rowsRead, indices.join()).to.be.lessThan(200)
      })
    })
})

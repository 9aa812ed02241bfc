import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Audience } from '../../domain/visibility.js'
import { upsertEntities } from '../../store/entities.js'
import { readEntityLinks } from '../../store/memories/entity-links.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { newMemory } from '../support/memories.js'
import { runSql } from '../support/run-sql.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const EVERY_FLEET: Audience = { kind: 'shared', agentId: null, fleets: 'all' }

describe('links of memories to entities', () => {
  let test: TestStore
  let ids: Map<string, string>
  const tenantId = `t-${randomUUID()}`
  const linked = newMemory('linked', { fleetId: 'red' })
  const other = newMemory('other', { fleetId: 'green' })
  before(async () => {
    test = await createTestStore()
    await test.store.transact({ tenantId }, async (writer) => {
      ids = await upsertEntities(writer, ['kafka', 'alpha', 'beta', 'redis', 'aws'])
      const link = (name: string, role: string) => ({
        entityId: ids.get(name.toLowerCase())!,
        name,
        role,
        entityType: null,
      })
      await insertMemories(writer, [
        { ...linked, links: [link('beta', ''), link('Alpha', 'queue'), link('Alpha', 'cache'), link('KAFKA', '')] },
        { ...other, links: [link('Kafka', '')] },
      ])
    })
    const add = (name: string, origin: string) =>
      runSql(
        test.url,
        `insert into entity_links (tenant_id, memory_id, entity_id, origin, entity_type, name, audience)
         values ($1, $2, $3, $4, 'tool', $5, 't:red')`,
        [tenantId, linked.id, ids.get(name), origin, name],
      )
    for (const [name, origin] of [
      ['alpha', 'found'],
      ['beta', 'inferred'],
      ['redis', 'found'],
      ['aws', 'found'],
      ['redis', 'inferred'],
    ] as const)
      await add(name, origin)
  })
  after(() => test.stop())

  const linksOf = async (memoryIds: readonly string[], audience: Audience) =>
    test.store.read({ tenantId }, async (reader) => {
      const links = await readEntityLinks(reader, memoryIds, audience)
      return memoryIds.map((id) => links.get(id)?.map(({ origin, name, role }) => [origin, name, role].join(' ')))
    })

  it('come by origin, name and role: what callers gave, then what was inferred, then what was found, each entity with its best origin only', async () => {
    const [links] = await linksOf([linked.id], { kind: 'shared', agentId: null, fleets: ['red'] })
    expect(links).to.deep.equal([
      'caller Alpha cache',
      'caller Alpha queue',
      'caller beta ',
      'caller KAFKA ',
      'inferred redis ',
      'found aws ',
    ])
  })

  it('have the name that the audience sees first, and nothing of another audience', async () => {
    const [, seenByAll] = await linksOf([linked.id, other.id], EVERY_FLEET)
    const [, seenByGreen] = await linksOf([linked.id, other.id], { kind: 'shared', agentId: null, fleets: ['green'] })
    expect([seenByAll, seenByGreen]).to.deep.equal([['caller KAFKA '], ['caller Kafka ']])
  })

  it('come once for a memory that is asked for twice', async () => {
    const [once] = await linksOf([linked.id], EVERY_FLEET)
    const [twice] = await linksOf([linked.id, linked.id], EVERY_FLEET)
    expect(twice).to.deep.equal(once)
  })

  it('have the name in the memory where the audience sees the entity nowhere', async () => {
    expect(await linksOf([other.id], { kind: 'nobody' })).to.deep.equal([['caller Kafka ']])
  })

  it('are none for a memory without any, nor for one of another tenant', async () => {
    expect(await linksOf([randomUUID()], EVERY_FLEET)).to.deep.equal([undefined])
    const foreign = await test.store.read({ tenantId: `t-${randomUUID()}` }, (reader) =>
      readEntityLinks(reader, [linked.id], EVERY_FLEET),
    )
    expect([...foreign]).to.deep.equal([])
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

/** Tests the entities that the indexing job finds in texts, and their effect on a recall. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('entities found in texts', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    const indexed = () => settled(service(), tenant.id)
    const named = async (caller: Caller) => (await caller.entities.list()).body.items as { id: string; name: string }[]
    const noise = [...Array(12).keys()].map((i) => ({ content: `the pump number ${i} hums, and nobody knows why.` }))

    it('appear in the record once it is indexed, with origin found, and change neither version nor entity tag', async () => {
      const { id } = await ana.memories
        .create({
          content: 'We moved Kafka, see OPS-1423.',
          entity_links: [{ name: 'the move', entity_type: 'project' }],
        })
        .ok()
      await indexed()
      const { body, headers } = await ana.memories.get(id)
      expect(body.entity_links.map(({ name, entity_type, origin }) => [name, entity_type, origin])).to.deep.equal([
        ['the move', 'project', 'caller'],
        ['Kafka', 'name', 'found'],
        ['OPS-1423', 'identifier', 'found'],
      ])
      expect([body.version, headers.get('ETag')]).to.deep.equal([1, '"1"'])
      const listed = (await ana.entities.list({ entity_type: 'identifier' })).body.items
      expect(listed).to.have.length(1)
      expect(listed[0]).to.include({ name: 'OPS-1423', memory_count: 1 })
    })

    it('have origin caller when a caller gave them too', async () => {
      const { id } = await ana.memories
        .create({
          content: 'We moved Kafka.',
          entity_links: [{ name: 'kafka', role: 'queue' }],
        })
        .ok()
      await indexed()
      const { entity_links } = (await ana.memories.get(id)).body
      expect(entity_links).to.have.length(1)
      expect(entity_links[0]).to.include({ name: 'kafka', role: 'queue', entity_type: null, origin: 'caller' })
    })

    it('are visible only through memories that the caller may see', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      await ben.memories.create({ content: 'We sail to Zanzibar.', visibility: 'scope_agent' }).ok()
      await ben.memories.create({ content: 'We fly to Trondheim.', visibility: 'scope_team' }).ok()
      await indexed()
      expect(await named(ana)).to.deep.equal([])
      const [trondheim, zanzibar] = await named(ben)
      expect([trondheim!.name, zanzibar!.name]).to.deep.equal(['Trondheim', 'Zanzibar'])
      expect((await ana.entities.get(zanzibar!.id)).status).to.equal(404)
      expect((await ana.entities.get(trondheim!.id)).status).to.equal(404)
      expect(
        (await ana.memories.create({ content: 'By id.', entity_links: [{ entity_id: zanzibar!.id }] })).status,
      ).to.equal(404)
      await ana.memories.create('They drive to Zanzibar.').ok()
      await indexed()
      expect((await ana.entities.get(zanzibar!.id)).body).to.include({ name: 'Zanzibar', memory_count: 1 })
    })

    it('are spelled as in the first text that the caller may see, without format characters', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      await ben.memories.create({ content: 'We met at ZANZIBAR-1 and ops-77.', visibility: 'scope_agent' }).ok()
      await indexed()
      await ana.memories.create('They saw Zanzibar-1, that is "no\u202erth qu\u200bay".').ok()
      await indexed()
      expect((await named(ana)).map(({ name }) => name)).to.deep.equal(['north quay', 'Zanzibar-1'])
      expect((await named(ben)).map(({ name }) => name)).to.include('ZANZIBAR-1')
    })

    it('disappear with the last memory that names them', async () => {
      const { id } = await ana.memories.create('We sail to Zanzibar.').ok()
      await indexed()
      const [entity] = await named(ana)
      await ana.memories.delete(id).ok()
      expect((await ana.entities.get(entity!.id)).status).to.equal(404)
      expect(await named(ana)).to.deep.equal([])
    })

    it('raise the score of a memory when the query names them and they are rare', async () => {
      await ana.memories.createMany([
        ...noise,
        { content: 'the rota of OPS-1423 is settled.' },
        { content: 'they fixed it on 7 May 2023.' },
        ...[...Array(12).keys()].map((i) => ({ content: `the fan ${i} of Kafka hums.` })),
      ])
      await indexed()
      const entitiesOf = async (query: string) => {
        const [first] = (await ana.memories.recall(query, { explain: true }).ok()).memories
        return [first!.content, ...first!.explanation!.matched_entities]
      }
      expect(await entitiesOf('what of ops-1423?')).to.deep.equal(['the rota of OPS-1423 is settled.', 'OPS-1423'])
      expect(await entitiesOf('what was fixed on May 7, 2023')).to.deep.equal([
        'they fixed it on 7 May 2023.',
        '2023-05-07',
      ])
      const { memories } = await ana.memories.recall('which fan of kafka hums', { explain: true }).ok()
      expect(memories[0]!.content).to.contain('Kafka')
      for (const { explanation, score_parts } of memories) {
        expect(explanation!.matched_entities).to.deep.equal([])
        expect(score_parts!.entity_boost).to.equal(1)
      }
    })

    it('are no rarer than their word, which other texts write small', async () => {
      await ana.memories.createMany([
        ...[...Array(30).keys()].map((i) => ({ content: `the beacon of pier ${i} hums.` })),
        { content: 'we asked Beacon about the gate.' },
        { content: 'we asked Halyard about the gate.' },
      ])
      await indexed()
      const entitiesOf = async (query: string) => {
        const { memories } = await ana.memories.recall(query, { explain: true }).ok()
        return memories.flatMap(({ explanation }) => explanation!.matched_entities)
      }
      expect(await entitiesOf('what of halyard')).to.deep.equal(['Halyard'])
      expect(await entitiesOf('what of beacon')).to.deep.equal([])
    })

    describe('lead a recall by one hop', () => {
      const chain = [
        { content: 'OPS-1423 was caused by billing-api.' },
        { content: 'billing-api belongs to the night crew.' },
        { content: 'payment-api belongs to the day crew.' },
      ]

      it('to a memory that shares an entity with a memory of the queried entity', async () => {
        await ana.memories.createMany([...noise, ...chain])
        await indexed()
        const { memories } = await ana.memories.recall('who answers for OPS-1423?', { explain: true, top_k: 2 }).ok()
        expect(memories.map(({ content }) => content)).to.deep.equal(chain.slice(0, 2).map(({ content }) => content))
        const [direct, reached] = memories
        expect(direct!.explanation!.legs).to.include('entity')
        expect(reached!.explanation!.legs).to.include('hop')
        expect(reached!.explanation!.evidence.map(({ kind }) => kind)).to.include('hop')
        expect(reached!.score_parts!.entity_boost).to.be.greaterThan(1)
      })

      it('only over and to memories that the caller may see', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
        const secret = { visibility: 'scope_agent' }
        await ana.memories.createMany([...noise, { content: 'billing-api belongs to the night crew.' }])
        await ben.memories.createMany([{ content: 'OPS-1423 was caused by billing-api.', ...secret }])
        await ana.memories.createMany([{ content: 'OPS-99 was caused by mail-api.' }])
        await ben.memories.createMany([{ content: 'mail-api belongs to the day crew.', ...secret }])
        await indexed()
        for (const query of ['who answers for OPS-1423?', 'who answers for OPS-99?']) {
          const { memories } = await ana.memories.recall(query, { explain: true, top_k: 100 }).ok()
          const hops = memories.filter(({ explanation }) => explanation!.legs.includes('hop'))
          expect(hops, query).to.deep.equal([])
          expect(JSON.stringify(memories)).to.not.contain('day crew')
        }
      })

      it('not over deleted memories, and not over entities that many memories share', async () => {
        await ana.memories.createMany([...noise, ...chain])
        const gone = await ana.memories.create('OPS-55 was caused by mail-api.').ok()
        await ana.memories.createMany([
          { content: 'OPS-55 came back.' },
          { content: 'mail-api belongs to the late crew.' },
        ])
        const common = Array.from({ length: 21 }, (_, i) => ({ content: `depot-api was checked, round ${i}.` }))
        await ana.memories.createMany([{ content: 'OPS-66 was caused by depot-api.' }, ...common])
        await indexed()
        const hops = async (query: string) =>
          (await ana.memories.recall(query, { explain: true, top_k: 100 }).ok()).memories.filter(({ explanation }) =>
            explanation!.legs.includes('hop'),
          )
        expect(await hops('who answers for OPS-55?')).to.have.length(1)
        await ana.memories.delete(gone.id).ok()
        expect(await hops('who answers for OPS-55?')).to.deep.equal([])
        expect(await hops('who answers for OPS-66?')).to.deep.equal([])
        expect(await hops('who answers for OPS-1423?')).to.have.length(1)
      })

      it('not to memories that the filters exclude, and not over dates', async () => {
        await ana.memories.createMany([
          ...noise,
          ...chain.map((item) => ({ ...item, run_id: 'chain' })),
          { content: 'OPS-7 was closed on 7 May 2023.' },
          { content: 'the pump was bought on 7 May 2023.' },
        ])
        await indexed()
        const hops = async (query: string, fields = {}) =>
          (await ana.memories.recall(query, { explain: true, top_k: 100, ...fields }).ok()).memories.filter(
            ({ explanation }) => explanation!.legs.includes('hop'),
          )
        expect(await hops('who answers for OPS-1423?', { run_id: 'other' })).to.deep.equal([])
        expect(await hops('who answers for OPS-1423?', { memory_types: ['task'] })).to.deep.equal([])
        expect(await hops('who closed OPS-7?')).to.deep.equal([])
        expect(await hops('who answers for OPS-1423?', { run_id: 'chain' })).to.have.length(1)
      })
    })
  })
})

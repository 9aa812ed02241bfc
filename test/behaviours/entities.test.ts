import { expect } from 'chai'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'

interface EntityRecord {
  readonly id: string
  readonly name: string
  readonly entity_type: string | null
  readonly memory_count: number
}

/** GET /entities and /entities/{id}. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('entities', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })
    let written = 0
    const about = async (caller: Caller, name: string, link: object = {}, fields: object = {}) => {
      const record = await caller.memories
        .create({
          content: `Note ${written++}.`,
          entity_links: [{ name, ...link }],
          ...fields,
        })
        .ok()
      const { entity_id: entityId, name: shown } = record.entity_links[0]!
      return { memoryId: record.id, entityId, shown }
    }
    const listed = async (caller: Caller, query: Record<string, string | number> = {}) =>
      (await caller.entities.list(query)).body.items as EntityRecord[]
    const names = async (caller: Caller, query: Record<string, string | number> = {}) =>
      (await listed(caller, query)).map(({ name }) => name)

    it('are created by the first link of a name, and shared by all later links of it', async () => {
      const before = Date.now()
      const first = await about(ana, 'Acme Corp')
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
      const second = await about(ben, ' ACME  corp ')
      expect(second.entityId).to.equal(first.entityId)
      const { body } = await ana.entities.get(first.entityId)
      expect(body).to.deep.equal({
        id: first.entityId,
        tenant_id: tenant.id,
        name: 'Acme Corp',
        entity_type: null,
        memory_count: 2,
        merged_into: null,
        aliases: [],
        created_at: body.created_at,
      })
      expect(Date.parse(body.created_at)).to.be.within(before - 1_000, Date.now() + 1_000)
      expect(await listed(ana)).to.deep.equal([body])
    })

    it('are created once when 20 writers link a new name concurrently', async () => {
      const ids = await Promise.all([...Array(20).keys()].map(async () => (await about(ana, 'Storm')).entityId))
      expect(new Set(ids).size).to.equal(1)
      expect((await ana.entities.get(ids[0]!)).body.memory_count).to.equal(20)
    })

    it('have the type of the first visible memory, while each link keeps its own', async () => {
      const { entityId } = await about(ana, 'Mercury')
      await about(ana, 'Mercury', { entity_type: 'planet' })
      const { memoryId } = await about(ana, 'Mercury', { entity_type: 'metal' })
      expect((await ana.entities.get(entityId)).body.entity_type).to.equal('planet')
      expect((await ana.memories.get(memoryId)).body.entity_links[0]!.entity_type).to.equal('metal')
      expect(await names(ana, { entity_type: 'planet' })).to.deep.equal(['Mercury'])
      expect(await names(ana, { entity_type: 'metal' })).to.deep.equal([])
    })

    it('count a memory once that links them in several roles', async () => {
      const { entity_links } = await ana.memories
        .create({
          content: 'Both.',
          entity_links: [
            { name: 'Acme', role: 'buyer' },
            { name: 'Acme', role: 'seller' },
          ],
        })
        .ok()
      expect((await ana.entities.get(entity_links[0]!.entity_id)).body.memory_count).to.equal(1)
    })

    it('are listed by name, page by page, each once', async () => {
      const all = [...Array(25).keys()].map((i) => `Name ${String(i).padStart(2, '0')}`)
      for (const name of [...all].reverse()) await about(ana, name)
      const seen: string[] = []
      for (let cursor: string | undefined; ;) {
        const { body } = await ana.entities.list({ limit: 10, cursor })
        seen.push(...(body.items as EntityRecord[]).map(({ name }) => name))
        if (body.next_cursor === null) break
        cursor = body.next_cursor
      }
      expect(seen).to.deep.equal(all)
    })

    it('are found by words of their names, in any letter case and order', async () => {
      for (const name of ['Acme Corp', 'Acme Labs', '100% Juice', 'Ana_María', 'C++']) await about(ana, name)
      const found: [query: string, names: string[]][] = [
        ['acme', ['Acme Corp', 'Acme Labs']],
        ['CORP acme', ['Acme Corp']],
        ['acme juice', []],
        ['%', ['100% Juice']],
        ['_', ['Ana_María']],
        ['c++', ['C++']],
        ["' or 1=1 --", []],
      ]
      for (const [query, expected] of found) expect(await names(ana, { query }), query).to.deep.equal(expected)
    })

    it('show only the count, type and name that visible memories give them', async () => {
      const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
      const secret = await about(ben, 'Secret', {}, { visibility: 'scope_agent' })
      const shared = await about(ben, 'Shared', { entity_type: 'hidden type' }, { visibility: 'scope_agent' })
      await about(ana, 'Shared', { entity_type: 'known type' })
      expect(await names(ana)).to.deep.equal(['Shared'])
      expect((await ana.entities.get(secret.entityId)).status).to.equal(404)
      expect((await ana.entities.get(shared.entityId)).body).to.include({ memory_count: 1, entity_type: 'known type' })
      expect(await names(ana, { entity_type: 'hidden type' })).to.deep.equal([])
      expect((await ben.entities.get(shared.entityId)).body).to.include({ memory_count: 1, entity_type: 'hidden type' })
      expect(
        (await ana.memories.create({ content: 'By id.', entity_links: [{ entity_id: secret.entityId }] })).status,
      ).to.equal(404)
    })

    describe('have spelling and date of the earliest link that the caller sees', () => {
      const hidden = { visibility: 'scope_agent' }
      /** Returns the name that each route shows. */
      const judgeInputs = async (caller: Caller, { memoryId, entityId }: { memoryId: string; entityId: string }) => {
        const { body: entity } = await caller.entities.get(entityId)
        const [listedEntity] = await listed(caller, { query: 'nightfall' })
        expect(listedEntity).to.deep.equal(entity)
        const { body: memory } = await caller.memories.get(memoryId)
        const inList = (await caller.memories.listAll()).find(({ id }) => id === memoryId)!
        const { memories } = await caller.memories.recall('what of project nightfall?', { explain: true }).ok()
        const recalled = memories.find(({ id }) => id === memoryId)!
        const names = [memory, inList, recalled].map(({ entity_links }) => entity_links[0]!.name)
        names.push(...recalled.explanation!.matched_entities)
        expect(new Set(names)).to.deep.equal(new Set([entity.name]))
        return { name: entity.name, at: entity.created_at, memoryAt: memory.created_at }
      }
      // Makes an entity of one memory rare.
      const others = () =>
        ana.memories.createMany([...Array(8).keys()].map((i) => ({ content: `the pump ${i} hums.` })))

      it('regardless of private memories before and after', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
        await others()
        const theirs = await about(ben, 'PROJECT Nightfall', {}, hidden)
        await new Promise((resolve) => setTimeout(resolve, 5))
        const mine = await about(ana, 'Project nightfall')
        expect(mine.entityId).to.equal(theirs.entityId)
        expect(mine.entityId[14]).to.equal('4')
        const seen = await judgeInputs(ana, mine)
        expect([seen.name, seen.at]).to.deep.equal(['Project nightfall', seen.memoryAt])
        const bens = await judgeInputs(ben, theirs)
        expect([bens.name, bens.at]).to.deep.equal(['PROJECT Nightfall', bens.memoryAt])
        expect(bens.at < seen.at).to.equal(true)

        await about(ben, 'pRoJeCt NiGhTfAlL', {}, hidden)
        const again = await about(ana, 'project NIGHTFALL')
        expect((await ana.memories.get(again.memoryId)).body.entity_links[0]!.name).to.equal('Project nightfall')
        expect(await judgeInputs(ana, mine)).to.deep.equal(seen)
      })

      it('as memories become visible and are deleted', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
        const operator = await tenant.caller({ trust: 3 })
        const low = await tenant.caller({ agentId: 'low', trust: 0 })
        const theirs = await about(ben, 'PROJECT Nightfall', {}, hidden)
        const mine = await about(ana, 'Project nightfall')
        const nameFor = async (caller: Caller) => {
          const { status, body } = await caller.entities.get(mine.entityId)
          return status === 200 ? body.name : status
        }
        const named = async () => [await nameFor(ana), await nameFor(operator), await nameFor(ben), await nameFor(low)]
        expect(await named()).to.deep.equal(['Project nightfall', 'Project nightfall', 'PROJECT Nightfall', 404])
        await ben.memories.patch(theirs.memoryId, { visibility: 'scope_team' }).ok()
        expect(await named()).to.deep.equal(['Project nightfall', 'PROJECT Nightfall', 'PROJECT Nightfall', 404])
        expect((await about(ana, 'project NIGHTFALL')).shown).to.equal('Project nightfall')
        const byId = await ana.memories.create({ content: 'By id.', entity_links: [{ entity_id: mine.entityId }] }).ok()
        expect(byId.entity_links[0]!.name).to.equal('Project nightfall')
        await ben.memories.patch(theirs.memoryId, { visibility: 'scope_org' }).ok()
        expect(await named()).to.deep.equal(['PROJECT Nightfall', 'PROJECT Nightfall', 'PROJECT Nightfall', 404])
        await ben.memories.delete(theirs.memoryId).ok()
        expect(await named()).to.deep.equal(['Project nightfall', 'Project nightfall', 404, 404])
        const deleted = await operator.memories.get(theirs.memoryId, { include_deleted: true })
        expect(deleted.body.entity_links[0]!.name).to.equal('Project nightfall')
        await operator.memories.redistribute('ana', 'low')
        expect(await named()).to.deep.equal(['Project nightfall', 'Project nightfall', 404, 'Project nightfall'])
        for (const { id } of await operator.memories.listAll()) await operator.memories.delete(id).ok()
        expect(await named()).to.deep.equal([404, 404, 404, 404])
      })

      it('without format characters, except joiners that a script or an emoji needs', async () => {
        const { entityId, memoryId } = await about(ana, ' a\u202ecme\u200b \u2066Cor\u00adp\ufeff\u200d', {
          entity_type: 'com\u202epany',
          role: '\u200b',
        })
        const { body: memory } = await ana.memories.get(memoryId)
        expect(memory.entity_links[0]).to.include({ name: 'acme Corp', entity_type: 'company', role: null })
        expect((await ana.entities.get(entityId)).body).to.include({ name: 'acme Corp', entity_type: 'company' })
        expect((await about(ana, 'ACME corp')).entityId).to.equal(entityId)
        for (const name of ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u{1f469}\u200d\u{1f467}']) {
          const joined = await about(ana, name)
          expect((await ana.entities.get(joined.entityId)).body.name).to.equal(name)
        }
        expect(
          faultsOf(await ana.memories.create({ content: 'x', entity_links: [{ name: '\u202e\u200d' }] })),
        ).to.deep.equal(['body.entity_links.0.name'])
      })
    })

    it('disappear with the last memory that links them, and return with the same id when linked again', async () => {
      const first = await about(ana, 'Acme')
      const second = await about(ana, 'Acme')
      await ana.memories.delete(first.memoryId).ok()
      expect((await ana.entities.get(first.entityId)).body.memory_count).to.equal(1)
      await ana.memories.delete(second.memoryId).ok()
      expect((await ana.entities.get(first.entityId)).status).to.equal(404)
      expect(await listed(ana)).to.deep.equal([])
      expect((await about(ana, 'Acme')).entityId).to.equal(first.entityId)
    })

    it('are separate for each tenant', async () => {
      const otherTenantCaller = await newTenant(service()).caller({ trust: 3 })
      const { entityId } = await about(ana, 'Acme')
      expect((await otherTenantCaller.entities.get(entityId)).status).to.equal(404)
      expect(await listed(otherTenantCaller)).to.deep.equal([])
      expect((await about(otherTenantCaller, 'Acme')).entityId).to.not.equal(entityId)
      expect(
        (await otherTenantCaller.memories.create({ content: 'Theirs.', subject_entity_id: entityId })).status,
      ).to.equal(404)
      expect((await ana.entities.get(entityId)).body.memory_count).to.equal(1)
    })

    it('answer 404 for an unknown id, and 422 for a malformed one', async () => {
      expect((await ana.entities.get(UNKNOWN)).status).to.equal(404)
      expect(faultsOf(await ana.entities.get('acme'))).to.deep.equal(['path.entity_id'])
      expect(faultsOf(await ana.entities.list({ limit: 0 }))).to.deep.equal(['query.limit'])
      expect(faultsOf(await ana.entities.list({ query: '' }))).to.deep.equal(['query.query'])
      expect(faultsOf(await ana.entities.list({ name: 'acme' }))).to.deep.equal(['query.name'])
    })

    it('refuse with 400 a cursor of another tenant or query', async () => {
      for (const name of ['A', 'B', 'C']) await about(ana, name)
      const { body } = await ana.entities.list({ limit: 1 })
      const cursor = body.next_cursor as string
      const otherTenantCaller = await newTenant(service()).caller()
      expect((await otherTenantCaller.entities.list({ limit: 1, cursor })).status).to.equal(400)
      expect((await ana.entities.list({ limit: 1, query: 'a', cursor })).status).to.equal(400)
      expect((await ana.memories.list({ cursor })).status).to.equal(400)
    })
  })
})

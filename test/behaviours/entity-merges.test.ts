import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { sharedService } from '../support/shared-service.js'
import { newTeam, type TestTenant } from '../support/tenants.js'

/** POST /entities/{id}/merge and /split, and what recalls, lists and counts make of them. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('entities that are one thing', () => {
    let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
    beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

    /** Writes a memory that links an entity, and returns the ids of both. */
    async function about(caller: Caller, name: string, content: string, fields: object = {}) {
      const memory = await caller.memories.create({ content, entity_links: [{ name }], ...fields }).ok()
      return { memoryId: memory.id, id: memory.entity_links.find((link) => link.name === name)!.entity_id }
    }
    const aliasesOf = async (caller: Caller, id: string) =>
      (await caller.entities.get(id).ok()).aliases.map(({ name }) => name)

    it('show the names of each other, count together, and stay as they were linked', async () => {
      const short = await about(ana, 'K8s', 'The cluster runs the new scheduler.')
      const long = await about(ben, 'Kubernetes', 'The orchestrator is updated on Mondays.')
      const merged = await operator.entities.merge(short.id, long.id).ok()
      expect(merged).to.deep.include({
        name: 'K8s',
        memory_count: 2,
        merged_into: long.id,
        aliases: [{ entity_id: long.id, name: 'Kubernetes' }],
      })
      expect(await ana.entities.get(long.id).ok()).to.deep.include({
        name: 'Kubernetes',
        memory_count: 2,
        merged_into: null,
        aliases: [{ entity_id: short.id, name: 'K8s' }],
      })
      const { entity_links: links } = await ben.memories.get(short.memoryId).ok()
      expect(links.map(({ name }) => name)).to.deep.equal(['K8s'])
    })

    it('are found by each name, until they are split', async () => {
      const short = await about(ana, 'Zeb', 'The fence is mended with wire every spring.')
      await about(ana, 'Zebulon Pike', 'Cattle are counted at the river.')
      for (let n = 0; n < 12; n++) await ana.memories.create(`Nothing of interest, part ${n}.`).ok()
      await settled(service(), tenant.id)
      const found = async () => {
        const { memories } = await ben.memories.recall('What about Zebulon Pike?', { top_k: 3, explain: true }).ok()
        const one = memories.find(({ id }) => id === short.memoryId)
        return one?.explanation?.matched_entities ?? []
      }
      expect(await found()).to.deep.equal([])
      const { items } = await operator.entities.list({ query: 'zebulon' }).ok()
      await operator.entities.merge(short.id, items[0]!.id).ok()
      expect(await found()).to.deep.equal(['Zeb'])
      await operator.entities.split(short.id).ok()
      expect(await found()).to.deep.equal([])
      await operator.entities.merge(items[0]!.id, short.id).ok()
      expect(await found()).to.deep.equal(['Zeb'])
    })

    it('are one to a filter, in recalls, lists and archives', async () => {
      const short = await about(ana, 'K8s', 'The cluster runs the new scheduler.')
      const long = await about(ben, 'Kubernetes', 'The orchestrator is updated on Mondays.')
      await about(ben, 'Nomad', 'The new scheduler of the cluster is not used.')
      await settled(service(), tenant.id)
      const filter = { not: { not: { entity_id: { in: [short.id.toUpperCase()] } } } }
      const ids = async () => {
        const { memories } = await ben.memories.recall('new scheduler of the cluster', { filter }).ok()
        const listed = await ben.memories.listAll({ filter: JSON.stringify(filter) })
        const rule = { unused_since: '2999-01-01T00:00:00Z', dry_run: true, filter }
        const { oldest } = await operator.memories.archive(rule).ok()
        return [memories, listed, oldest].map((rows) => rows.map(({ id }) => id).sort())
      }
      const alone = [short.memoryId]
      expect(await ids()).to.deep.equal([alone, alone, alone])
      await operator.entities.merge(short.id, long.id).ok()
      const both = [short.memoryId, long.memoryId].sort()
      expect(await ids()).to.deep.equal([both, both, both])
    })

    it('may be many, and a split takes out what is merged into the one that leaves', async () => {
      const [a, b, c, d] = await Promise.all(
        ['Ada', 'Bea', 'Cia', 'Dia'].map(async (name) => (await about(ana, name, `Note of ${name}.`)).id),
      )
      await operator.entities.merge(b!, a!).ok()
      await operator.entities.merge(d!, c!).ok()
      await operator.entities.merge(c!, b!).ok()
      expect(await aliasesOf(ana, a!)).to.deep.equal(['Bea', 'Cia', 'Dia'])
      await operator.entities.split(c!).ok()
      expect(await aliasesOf(ana, a!)).to.deep.equal(['Bea'])
      expect(await aliasesOf(ana, d!)).to.deep.equal(['Cia'])
      await operator.entities.split(d!).ok()
      expect(await aliasesOf(ana, d!)).to.deep.equal([])
      expect(await aliasesOf(ana, c!)).to.deep.equal([])
    })

    it('are audited, a repeated merge once', async () => {
      const [a, b] = [await about(ana, 'Ada', 'One.'), await about(ana, 'Bea', 'Two.')]
      await operator.entities.merge(b.id, a.id).ok()
      await operator.entities.merge(b.id, a.id).ok()
      await operator.entities.split(b.id).ok()
      const { items } = await operator.audit.list({ subject_id: b.id }).ok()
      expect(items.map(({ action, details }) => [action, details])).to.deep.equal([
        ['entity.split', { from: a.id }],
        ['entity.merged', { into: a.id }],
      ])
    })

    it('are merged by trust 2, and only where both are seen', async () => {
      const [a, b] = [await about(ana, 'Ada', 'One.'), await about(ana, 'Bea', 'Two.')]
      const hidden = await about(ana, 'Cia', 'Three.', { visibility: 'scope_agent' })
      const lead = await tenant.caller({ agentId: 'lea', fleetId: 'red', trust: 2 })
      for (const refused of [await ana.entities.merge(b.id, a.id), await ana.entities.split(b.id)])
        expect(refused.status).to.equal(403)
      for (const [one, other] of [
        [a.id, hidden.id],
        [hidden.id, a.id],
      ])
        expect((await lead.entities.merge(one!, other!)).status).to.equal(404)
      expect((await lead.entities.split(hidden.id)).status).to.equal(404)
      await lead.entities.merge(b.id, a.id).ok()
      expect(await aliasesOf(ben, a.id)).to.deep.equal(['Bea'])
    })

    it('show nobody a name, a memory or a count that it does not see', async () => {
      const lead = await tenant.caller({ agentId: 'lea', fleetId: 'blue', trust: 2 })
      const open = await about(ana, 'Harbour Grill', 'Lunch is at noon.', { visibility: 'scope_org' })
      const hidden = await about(lead, 'Project Walrus', 'The takeover is in May.')
      await lead.entities.merge(hidden.id, open.id).ok()
      await settled(service(), tenant.id)
      expect(await lead.entities.get(open.id).ok()).to.deep.include({
        memory_count: 2,
        aliases: [{ entity_id: hidden.id, name: 'Project Walrus' }],
      })
      expect(await ben.entities.get(open.id).ok()).to.deep.include({ memory_count: 1, aliases: [], merged_into: null })
      expect((await ben.entities.get(hidden.id)).status).to.equal(404)
      const before = await ben.memories.recall('Who knows Project Walrus?', { explain: true }).ok()
      for (const { explanation } of before.memories) expect(explanation!.matched_entities).to.deep.equal([])
      const named = await ben.memories.recall('When is Harbour Grill open?').ok()
      expect(named.memories.map(({ id }) => id)).not.to.include(hidden.memoryId)
      const filtered = await ben.memories.listAll({ filter: JSON.stringify({ entity_id: open.id }) })
      expect(filtered.map(({ id }) => id)).to.deep.equal([open.memoryId])
    })

    it('are none that only private memories name, so that no refusal tells of them', async () => {
      const lead = await tenant.caller({ agentId: 'lea', fleetId: 'red', trust: 2 })
      const open = await about(ana, 'Harbour Grill', 'Lunch is at noon.')
      const secret = await about(lead, 'Project Walrus', 'The takeover is in May.', { visibility: 'scope_agent' })
      for (const [one, other] of [
        [secret.id, open.id],
        [open.id, secret.id],
      ])
        expect((await lead.entities.merge(one!, other!)).status).to.equal(409)
    })

    it('tell by no answer that one became private since', async () => {
      const lead = await tenant.caller({ agentId: 'lea', fleetId: 'red', trust: 2 })
      const open = await about(ana, 'Harbour Grill', 'Lunch is at noon.')
      const hidden = await about(lead, 'Project Walrus', 'The takeover is in May.')
      await lead.entities.merge(open.id, hidden.id).ok()
      await lead.memories.patch(hidden.memoryId, { visibility: 'scope_agent' }).ok()
      expect(await operator.entities.get(open.id).ok()).to.deep.include({ merged_into: null, aliases: [] })
      expect((await operator.entities.split(open.id)).status).to.equal(409)
      expect(await aliasesOf(lead, open.id)).to.deep.equal(['Project Walrus'])
      const other = await about(ana, 'The Grill', 'Dinner is at six.')
      expect(await operator.entities.merge(open.id, other.id).ok()).to.deep.include({ merged_into: other.id })
      expect(await aliasesOf(lead, hidden.id)).to.deep.equal([])
    })

    it('are the same by an id in capitals', async () => {
      const [a, b] = [await about(ana, 'Ada', 'One.'), await about(ana, 'Bea', 'Two.')]
      expect((await operator.entities.split(b.id.toUpperCase())).status).to.equal(409)
      await operator.entities.merge(b.id.toUpperCase(), a.id.toUpperCase()).ok()
      expect(await aliasesOf(ana, a.id)).to.deep.equal(['Bea'])
      expect((await ana.entities.proposals(a.id.toUpperCase()).ok()).items).to.deep.equal([])
      await operator.entities.split(b.id.toUpperCase()).ok()
      expect(await aliasesOf(ana, a.id)).to.deep.equal([])
    })

    it('count once as evidence, by how rare the thing is', async () => {
      const both = await ana.memories
        .create({ content: 'Notes on a shelf.', entity_links: [{ name: 'Zebulon Pike' }, { name: 'Zeb' }] })
        .ok()
      const one = await about(ana, 'Zebulon Pike', 'Boxes on a shelf.')
      for (let n = 0; n < 30; n++) await ana.memories.create(`Nothing of interest, part ${n}.`).ok()
      await settled(service(), tenant.id)
      const entityBoosts = async () => {
        const { memories } = await ben.memories.recall('Zebulon Pike', { compose: false, top_k: 5 }).ok()
        return [both.id, one.memoryId].map((id) => memories.find((row) => row.id === id)!.score_parts!.entity_boost)
      }
      const before = await entityBoosts()
      const zeb = both.entity_links.find(({ name }) => name === 'Zeb')!.entity_id
      await operator.entities.merge(zeb, one.id).ok()
      expect(Math.min(...before)).to.be.above(1)
      expect(await entityBoosts()).to.deep.equal(before)
    })

    it('are not merged twice, into two, or with themselves', async () => {
      const [a, b, c] = await Promise.all(
        ['Ada', 'Bea', 'Cia'].map(async (name) => (await about(ana, name, `Note of ${name}.`)).id),
      )
      await operator.entities.merge(b!, a!).ok()
      for (const [one, other, why] of [
        [a, b, /one thing already/],
        [a, a, /one thing already/],
        [b, c, /split it first/],
      ] as const) {
        const refused = await operator.entities.merge(one!, other!)
        expect(refused.status).to.equal(409)
        expect(JSON.stringify(refused.body)).to.match(why)
      }
      for (const alone of [a, c]) expect((await operator.entities.split(alone!)).status).to.equal(409)
      const unknown = '01890000-0000-7000-8000-000000000000'
      for (const refused of [
        await operator.entities.merge(a!, unknown),
        await operator.entities.merge(unknown, a!),
        await operator.entities.split(unknown),
      ])
        expect(refused.status).to.equal(404)
      expect((await operator.entities.merge(a!, 'Bea')).status).to.equal(422)
    })

    it('are twenty at most', async () => {
      const main = await about(ana, 'Main', 'Main.')
      const others = await Promise.all([...Array(20).keys()].map((n) => about(ana, `Name ${n}`, `Note ${n}.`)))
      for (const { id } of others.slice(0, 19)) await operator.entities.merge(id, main.id).ok()
      expect((await operator.entities.merge(others[19]!.id, main.id)).status).to.equal(409)
      expect((await operator.entities.merge(main.id, others[19]!.id)).status).to.equal(409)
    })

    it('are merged and split again when a process of an earlier release removed what they were merged into', async () => {
      const [a, b, c] = await Promise.all(
        ['Ada', 'Bea', 'Cia'].map((name) => about(ana, name, `Note of ${name}.`, { visibility: 'scope_org' })),
      )
      await operator.entities.merge(b!.id, a!.id).ok()
      await runSql(service().databaseUrl, `delete from entities where tenant_id = $1 and id = $2`, [tenant.id, a!.id])
      expect((await operator.entities.split(b!.id)).status).to.equal(409)
      await operator.entities.merge(b!.id, c!.id).ok()
      expect(await aliasesOf(ana, c!.id)).to.deep.equal(['Bea'])
      await operator.entities.split(b!.id).ok()
      expect(await aliasesOf(ana, c!.id)).to.deep.equal([])
    })

    it('become one thing whichever merges run at once', async () => {
      const ids = await Promise.all(
        [...Array(8).keys()].map(async (n) => (await about(ana, `Name ${n}`, `Note ${n}.`)).id),
      )
      const answers = await Promise.all(
        ids.flatMap((id, n) => [
          operator.entities.merge(id, ids[(n + 1) % ids.length]!),
          operator.entities.merge(id, ids[(n + 3) % ids.length]!),
        ]),
      )
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200, 409]))
      expect(await aliasesOf(ana, ids[0]!)).to.have.length(ids.length - 1)
      const rows = await runSql(service().databaseUrl, `select distinct thing_id from entities where tenant_id = $1`, [
        tenant.id,
      ])
      expect(rows).to.have.length(1)
    })

    it('stay one when the name that they were merged into is gone, and nothing is left of it', async () => {
      const [a, b, c] = await Promise.all(
        ['Ada', 'Bea', 'Cia'].map((name) => about(ana, name, `Note of a thing, ${name.length} ${name[0]}.`)),
      )
      await operator.entities.merge(b!.id, a!.id).ok()
      await operator.entities.merge(c!.id, a!.id).ok()
      const receipt = await service()
        .client()
        .erasures.create({ tenant_id: tenant.id, memory_ids: [a!.memoryId] })
        .ok()
      expect(receipt).to.deep.include({ complete: true })
      expect((await operator.entities.get(a!.id)).status).to.equal(404)
      const rows = await runSql(service().databaseUrl, `select e::text as row from entities e where tenant_id = $1`, [
        tenant.id,
      ])
      expect(JSON.stringify(rows)).not.to.include(a!.id)
      const [root, other] = [b!, c!].sort((one, two) => (one.id < two.id ? -1 : 1))
      expect(await operator.entities.get(other!.id).ok()).to.deep.include({ merged_into: root!.id })
      expect(await operator.entities.get(root!.id).ok()).to.deep.include({ merged_into: null })
      expect(await aliasesOf(operator, root!.id)).to.have.length(1)
      await operator.memories.delete(root!.memoryId).ok()
      await service()
        .client()
        .erasures.create({ tenant_id: tenant.id, memory_ids: [root!.memoryId] })
        .ok()
      const [last] = await runSql(
        service().databaseUrl,
        `select merged_into, thing_id from entities where tenant_id = $1 and id = $2`,
        [tenant.id, other!.id],
      )
      expect(last).to.deep.equal({ merged_into: null, thing_id: null })
    })

    describe('are proposed', () => {
      const proposalsOf = async (caller: Caller, id: string) =>
        (await caller.entities.proposals(id).ok()).items.map(({ name, evidence, ambiguous_with: others }) => ({
          name,
          reasons: [...new Set(evidence.map(({ reason }) => reason))],
          memories: evidence.flatMap(({ memory_id: memory }) => memory ?? []),
          others,
        }))

      it('with the memory that says so, from both names, until they are merged', async () => {
        const long = await about(ana, 'Kubernetes', 'Kubernetes (K8s) is updated on Mondays.')
        const short = await about(ben, 'K8s', 'K8s, short for Kubernetes, has two schedulers.')
        await settled(service(), tenant.id)
        expect(await proposalsOf(ben, long.id)).to.deep.equal([
          { name: 'K8s', reasons: ['phrase', 'brackets'], memories: [short.memoryId, long.memoryId], others: [] },
        ])
        expect((await proposalsOf(ben, short.id)).map(({ name }) => name)).to.deep.equal(['Kubernetes'])
        await operator.entities.merge(short.id, long.id).ok()
        expect(await proposalsOf(ben, long.id)).to.deep.equal([])
      })

      it('by the forms of names, with those that they fit as well', async () => {
        const robert = await about(ana, 'Robert Smith', 'He keeps the keys.')
        const initial = await about(ana, 'R. Smith', 'The lawyer called.')
        const alone = { name: 'R. Smith', reasons: ['short form'], memories: [] as string[] }
        expect(await proposalsOf(ben, robert.id)).to.deep.equal([{ ...alone, others: [] }])
        const rachel = await about(ana, 'Rachel Smith', 'She has a bicycle.')
        expect(await proposalsOf(ben, robert.id)).to.deep.equal([{ ...alone, others: [rachel.id] }])
        expect((await proposalsOf(ben, initial.id)).map(({ name }) => name).sort()).to.deep.equal([
          'Rachel Smith',
          'Robert Smith',
        ])
        await operator.entities.merge(initial.id, rachel.id).ok()
        expect(await proposalsOf(ben, robert.id)).to.deep.equal([{ ...alone, others: [] }])
      })

      it('by handles from both sides, with those that they fit as well', async () => {
        const handle = await about(ana, '@rsmith', 'He keeps the keys.')
        const robert = await about(ana, 'Robert Smith', 'The lawyer called.')
        const rachel = await about(ana, 'Rachel Smith', 'She has a bicycle.')
        expect((await proposalsOf(ben, handle.id)).map(({ name }) => name)).to.deep.equal([
          'Rachel Smith',
          'Robert Smith',
        ])
        expect((await proposalsOf(ben, robert.id)).map(({ name, others }) => [name, others])).to.deep.equal([
          ['@rsmith', [rachel.id]],
        ])
      })

      it('to its author alone where a private memory tells', async () => {
        const open = await about(ana, 'Project Otter', 'The kick-off is on Monday.')
        const other = await about(ben, 'Slipstream', 'Slipstream has a logo.')
        const secret = 'Project Otter, also known as Slipstream, is for sale.'
        const told = await about(ana, 'Project Otter', secret, { visibility: 'scope_agent' })
        await settled(service(), tenant.id)
        expect(await proposalsOf(ben, open.id)).to.deep.equal([])
        expect(await proposalsOf(ben, other.id)).to.deep.equal([])
        expect(await proposalsOf(operator, open.id)).to.deep.equal([])
        expect(await proposalsOf(ana, open.id)).to.deep.equal([
          { name: 'Slipstream', reasons: ['phrase'], memories: [told.memoryId], others: [] },
        ])
        await ana.memories.delete(told.memoryId).ok()
        expect(await proposalsOf(ana, open.id)).to.deep.equal([])
      })

      it('never by a name that only others’ private memories have', async () => {
        await about(ben, 'Walrus', 'Walrus is hidden.', { visibility: 'scope_agent' })
        const otter = await about(ana, 'Otter', 'Otter, also known as walrus, swims.')
        expect(await proposalsOf(ana, otter.id)).to.deep.equal([])
      })
    })
  })
})

import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Caller } from '../support/client.js'
import type { DocumentRecord } from '../support/clients/documents.js'
import type { Query } from '../support/clients/request.js'
import { asUpdateOf, dataOf, skillOf } from '../support/clients/skills.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { candidateOf, skillsOf } from '../support/skills.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const DOC_ID = 'forge/valve'
const STEP = 'Open the valve of Ottilie.'

/** Tests that a skill which the Forge made from a fleet's memories is that fleet's, and its evidence the reviewers'. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  let tenant: TestTenant
  let red: Caller, blue: Caller, blue2: Caller, reviewer: Caller, operator: Caller
  let forge: ReturnType<typeof skillsOf>
  beforeEach(async () => {
    tenant = newTenant(service())
    red = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    blue = await tenant.caller({ agentId: 'bob', fleetId: 'blue' })
    blue2 = await tenant.caller({ agentId: 'bea', fleetId: 'blue', trust: 2 })
    reviewer = await tenant.caller({ agentId: 'rita', fleetId: 'blue', trust: 3 })
    operator = await tenant.caller({ trust: 3 })
    const { store, clock } = service().context
    forge = skillsOf(store, tenant.id, () => new Date(clock.now()))
  })
  const now = () => new Date(service().context.clock.now())
  async function served(fleetId: string | null = 'red'): Promise<void> {
    const memory = await red.memories.create({ content: STEP, fleet_id: 'red' }).ok()
    const evidence = { runs: 4, steps: [STEP] }
    const content = `## Steps\n\n1. ${STEP}\n`
    await forge.activate(candidateOf('valve', now(), { fleetId, cites: [memory.id], evidence, content }))
    await settled(service(), tenant.id)
  }

  /** The ways of reading skills, each as whether it shows this one; `fleet` is the one that is asked for. */
  const WAYS: Readonly<Record<string, (caller: Caller, fleet?: string) => Promise<boolean>>> = {
    list: async (caller, fleet) =>
      (await caller.documents.list('skills', fleetOf(fleet)).ok()).items.some(({ doc_id }) => doc_id === DOC_ID),
    query: async (caller, fleet) => {
      const answers = await Promise.all(
        [{}, { domain: 'valve' }, { domain: 'valve', source: 'forge' }].flatMap((where) =>
          [{}, { order_by: 'name' }, { order_by: 'updated_at' }, { order_by: 'none' }].map((order) =>
            caller.documents.query('skills', { where, ...order, ...fleetOf(fleet) }).ok(),
          ),
        ),
      )
      const shown = answers.map(({ items }) => items.some(({ doc_id }) => doc_id === DOC_ID))
      expect(new Set(shown).size).to.equal(1)
      return shown[0]!
    },
    search: async (caller, fleet) =>
      (await caller.documents.search('Open the valve of Ottilie', { ...fleetOf(fleet) }).ok()).results.some(
        ({ doc_id }) => doc_id === DOC_ID,
      ),
    collections: async (caller, fleet) =>
      (await caller.documents.collections(fleetOf(fleet)).ok()).collections.some(({ name }) => name === 'skills'),
    installable: async (caller, fleet) =>
      (await caller.skills.installable(fleetOf(fleet)).ok()).items.some(({ doc_id }) => doc_id === DOC_ID),
  }
  const fleetOf = (fleet?: string): Query => (fleet === undefined ? {} : { fleet_id: fleet })
  const waysThatShow = async (caller: Caller, fleet?: string) => {
    const shown = await Promise.all(Object.entries(WAYS).map(async ([way, look]) => (await look(caller, fleet)) && way))
    return shown.filter((way) => way !== false)
  }
  const ALL = ['list', 'query', 'search', 'collections', 'installable']

  it('is shown to its fleet, and to nobody of another fleet below trust 2', async () => {
    await served()
    expect(await waysThatShow(red)).to.deep.equal(ALL)
    expect(await waysThatShow(red, 'red')).to.deep.equal(ALL)
    expect((await red.skills.get(DOC_ID)).status).to.equal(200)
    expect((await red.skills.report(DOC_ID)).status).to.equal(200)
    for (const fleet of [undefined, 'red', 'blue']) expect(await waysThatShow(blue, fleet), fleet).to.deep.equal([])
    expect((await blue.skills.get(DOC_ID)).status).to.equal(404)
    expect((await blue.skills.report(DOC_ID)).status).to.equal(404)
    const stored = (await operator.skills.get(DOC_ID).ok()) as DocumentRecord
    const update = skillOf('valve', asUpdateOf(stored))
    expect((await blue.skills.write(update, { doc_id: DOC_ID })).status).to.equal(404)
    expect((await red.skills.write(update, { doc_id: DOC_ID })).status).to.equal(200)
  })

  it('is shown from trust 2 on to whoever asks for the fleet, or for the skill', async () => {
    await served()
    for (const caller of [blue2, reviewer]) {
      expect(await waysThatShow(caller)).to.deep.equal([])
      expect(await waysThatShow(caller, 'blue')).to.deep.equal([])
      expect(await waysThatShow(caller, 'red')).to.deep.equal(ALL)
      expect((await caller.skills.get(DOC_ID)).status).to.equal(200)
    }
    expect(await waysThatShow(operator)).to.deep.equal(ALL)
  })

  it('shows the memories that it cites and their words to reviewers alone', async () => {
    await served()
    const shownTo = async (caller: Caller) => {
      const read = [
        (await caller.skills.get(DOC_ID).ok()) as DocumentRecord,
        ...(await caller.documents.list('skills', fleetOf('red')).ok()).items,
        ...(await caller.documents.search('valve of Ottilie', { fleet_id: 'red' }).ok()).results,
      ] as DocumentRecord[]
      expect(read).to.have.length(3)
      return read.map((document) => {
        const { cites, evidence } = dataOf(document) as unknown as { cites: string[]; evidence: object }
        return [cites.length, Object.keys(evidence).join()]
      })
    }
    for (const caller of [red, blue2]) expect(await shownTo(caller)).to.deep.equal(Array(3).fill([0, 'runs']))
    for (const caller of [reviewer, operator])
      expect(await shownTo(caller)).to.deep.equal(Array(3).fill([1, 'runs,steps']))
  })

  it('is shown to the whole tenant where it belongs to no fleet', async () => {
    await served(null)
    for (const caller of [red, blue, blue2, reviewer]) expect(await waysThatShow(caller)).to.deep.equal(ALL)
  })

  it('stays so when an agent of the fleet has revised it; an agent’s own skill of a fleet is everybody’s', async () => {
    await served()
    const stored = (await operator.skills.get(DOC_ID).ok()) as DocumentRecord
    await red.skills
      .write(skillOf('valve', { ...asUpdateOf(stored), content: `1. ${STEP}\n` }), { doc_id: DOC_ID })
      .ok()
    await red.skills.write(skillOf('npm')).ok()
    await until('both are active', async () => {
      expect((await red.skills.get(DOC_ID)).body.version).to.equal(2)
      return (await red.skills.get('agent/npm')).status === 200
    })
    await settled(service(), tenant.id)
    expect((await blue.skills.get(DOC_ID)).status).to.equal(404)
    expect((await blue.skills.get('agent/npm')).status).to.equal(200)
    const names = async (caller: Caller) =>
      (await caller.documents.search('Open the valve', { collection: 'skills' }).ok()).results.map(
        ({ doc_id }) => doc_id,
      )
    expect(await names(blue)).to.deep.equal(['agent/npm'])
    expect(await names(red)).to.include(DOC_ID)
    const counts = async (caller: Caller) =>
      (await caller.documents.collections().ok()).collections.map(({ count }) => count)
    expect([await counts(blue), await counts(red)]).to.deep.equal([[1], [2]])
  })

  it('changes no number that another fleet is told', async () => {
    const word = `w${randomUUID().replaceAll('-', '')}`
    for (let i = 0; i < 3; i++)
      await blue.documents.put('notes', `n${i}`, { title: `The valve ${i === 0 ? word : 'is open'}` }).ok()
    await red.documents.put('notes', 'red', { title: 'The valve of red' }, { fleet_id: 'red' }).ok()
    await red.skills.write(skillOf('npm')).ok()
    await until('it is active', async () => (await red.skills.get('agent/npm')).status === 200)
    await settled(service(), tenant.id)
    const told = async () => {
      const { results } = await blue.documents.search(`valve ${word} Ottilie`).ok()
      const { collections } = await blue.documents.collections().ok()
      return {
        scores: results.map(({ doc_id, score }) => [doc_id, score]),
        collections,
        etag: (await blue.skills.installable().ok()).etag,
      }
    }
    const before = await told()
    await served()
    const content = `## Steps\n\n1. The valve ${word} Ottilie.\n`
    await forge.activate(candidateOf('pump', now(), { content }))
    await settled(service(), tenant.id)
    const after = await told()
    expect(after.scores.map(([doc]) => doc)).to.include('red')
    expect(after).to.deep.equal(before)
  })
})

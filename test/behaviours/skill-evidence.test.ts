import { expect } from 'chai'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { LockedSkill } from '../../store/skills/read-skills.js'
import type { Caller } from '../support/client.js'
import type { Schemas } from '../support/clients/request.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { candidateOf, skillsOf } from '../support/skills.js'
import { newTeam } from '../support/tenants.js'

/** Tests what becomes of a skill whose cited memories are changed, deleted or erased. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)

  /** A team with an active skill that cites three memories of Ana's. */
  async function activeSkill(more: readonly string[] = []): Promise<{
    ids: string[]
    ana: Caller
    operator: Caller
    admin: Caller
    served: () => Promise<number>
    look: () => Promise<LockedSkill | null>
    waiting: () => Promise<SkillVersion | null>
  }> {
    const { tenant, ana, ben, operator } = await newTeam(service())
    await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
    const ids: string[] = []
    for (const content of ['Opened the valve.', 'Turned the key of the valve.', 'Closed the valve.', ...more])
      ids.push((await ana.memories.create({ content, run_id: 'run-1' }).ok()).id)
    const { store, clock } = service().context
    const skills = skillsOf(store, tenant.id, () => new Date(clock.now()))
    await skills.activate(candidateOf('valve', new Date(clock.now()), { cites: ids }))
    return {
      ...{ ids, ana, operator, admin: tenant.admin },
      served: async () => (await ben.skills.get('forge/valve')).status,
      look: () => skills.look('forge/valve'),
      waiting: async () => (await skills.look('forge/valve'))!.waiting,
    }
  }

  const losses: [name: string, lose: (ana: Caller, id: string) => Promise<unknown>, reason: string][] = [
    ['deleted', (ana, id) => ana.memories.delete(id).ok(), '1 of the 3 cited memories was deleted'],
    [
      'changed',
      (ana, id) => ana.memories.patch(id, { content: 'Opened it.' }).ok(),
      '1 of the 3 cited memories was changed',
    ],
    [
      'hidden from others',
      (ana, id) => ana.memories.patch(id, { visibility: 'scope_agent' }).ok(),
      '1 of the 3 cited memories was changed',
    ],
    [
      'cancelled',
      (ana, id) => ana.memories.patch(id, { status: 'cancelled' }).ok(),
      '1 of the 3 cited memories was changed',
    ],
    [
      'cancelled in bulk',
      (ana, id) => ana.memories.move([id], 'cancelled').ok(),
      '1 of the 3 cited memories was changed',
    ],
  ]
  for (const [name, lose, reason] of losses)
    it(`is reviewed again while it stays served when a memory is ${name}`, async () => {
      const { ids, ana, served, waiting } = await activeSkill()
      expect(await waiting()).to.equal(null)
      await lose(ana, ids[0]!)
      expect(await waiting()).to.include({ status: 'staged', reason, version: 2 })
      expect(await served()).to.equal(200)
    })

  for (const [act, status] of [
    ['approve', 200],
    ['reject', 404],
    ['quarantine', 404],
  ] as const)
    it(`is ${status === 200 ? 'served on' : 'gone'} when its reviewers ${act} it`, async () => {
      const { ids, ana, operator, served, waiting } = await activeSkill()
      await ana.memories.delete(ids[0]!).ok()
      expect(await waiting()).to.include({ status: 'staged' })
      await operator.skills[act]('forge/valve').ok()
      expect(await served()).to.equal(status)
    })

  it('is left alone by changes that do not touch what a memory says', async () => {
    const { ids, ana, waiting } = await activeSkill()
    await ana.memories.patch(ids[0]!, { metadata: { seen: true } }).ok()
    await ana.memories.patch(ids[1]!, { title: 'The key' }).ok()
    expect(await waiting()).to.equal(null)
  })

  it('leaves service, history and inbox before the answer of the erasure of words that it has', async () => {
    const { ids, admin, served, look } = await activeSkill()
    const receipt = (await admin.erasures.create({ memory_ids: [ids[0]] }).ok()) as Schemas['ErasureReceipt']
    expect(receipt).to.include({ reviewed_skill_count: 0, withdrawn_skill_count: 1, complete: true })
    expect(await served()).to.equal(404)
    expect(await look()).to.equal(null)
    expect((await admin.erasures.verify(receipt.erasure_id).ok()).clean).to.equal(true)
  })

  it('stays served, and is reviewed again, when what is left says all of it', async () => {
    const { ids, admin, served, waiting } = await activeSkill(['Opened the valve a little.'])
    const receipt = await admin.erasures.create({ memory_ids: [ids[0]] }).ok()
    expect(receipt).to.include({ reviewed_skill_count: 1, withdrawn_skill_count: 0, complete: true })
    expect(await served()).to.equal(200)
    expect(await waiting()).to.include({ status: 'staged', reason: '1 of the 4 cited memories was erased' })
  })
})

import { expect } from 'chai'
import { DEFAULT_SETTINGS } from '../../domain/settings/settings.gen.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'

type Fields = Record<string, unknown>

/** Tests a tenant's settings and their effects. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('settings', () => {
    let tenant: TestTenant
    let operator: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
    })

    const get = (caller: Caller) => caller.settings.get()
    const changesOf = async () => {
      const { body } = await operator.audit.list({ action: 'settings.updated' })
      return (body.items as { details: Fields }[]).map(({ details }) => details)
    }

    it('are the defaults until something is set', async () => {
      const { body, headers } = await get(operator)
      expect(body).to.deep.equal(DEFAULT_SETTINGS)
      expect(headers.get('ETag')).to.equal('"1"')
      expect(await tenant.admin.settings.get().ok()).to.deep.equal(DEFAULT_SETTINGS)
    })

    it('accept a part of the tree and return all of it', async () => {
      const after = await operator.settings
        .patch({ skills_factory: { enabled: true, forge: { min_cluster_size: 5 } } })
        .ok()
      const { skills_factory } = DEFAULT_SETTINGS
      expect(after).to.deep.equal({
        ...DEFAULT_SETTINGS,
        skills_factory: { ...skills_factory, enabled: true, forge: { ...skills_factory.forge, min_cluster_size: 5 } },
      })
      expect(await operator.settings.get().ok()).to.deep.equal(after)
      const more = await operator.settings.patch({ memory: { pii_policy: 'mask' } }).ok()
      expect(more).to.deep.equal({ ...after, memory: { ...after.memory, pii_policy: 'mask' } })
    })

    it('return to the default with null, singly or as a group', async () => {
      await operator.settings
        .patch({
          memory: { pii_policy: 'mask', single_valued_predicates: [] },
          skills_factory: { enabled: true, inbox_max_pending: 9, sentinel: { auto_promote_clean: true } },
        })
        .ok()
      const { memory } = await operator.settings.patch({ memory: { pii_policy: null } }).ok()
      expect(memory).to.deep.equal({ ...DEFAULT_SETTINGS.memory, single_valued_predicates: [] })
      expect(await operator.settings.patch({ skills_factory: null, memory: null }).ok()).to.deep.equal(DEFAULT_SETTINGS)
    })

    it('are separate for each tenant', async () => {
      await operator.settings.patch({ memory: { pii_policy: 'refuse' } }).ok()
      const other = await newTenant(service()).caller({ trust: 3 })
      expect(await other.settings.get().ok()).to.deep.equal(DEFAULT_SETTINGS)
    })

    it('allow operators and the admin credential: 403 below trust 3', async () => {
      const ana = await tenant.caller({ agentId: 'ana', trust: 2 })
      const details = { required_trust_level: 3, caller_trust_level: 2 }
      for (const answer of [await get(ana), await ana.settings.patch({ memory: null })])
        expect([answer.status, answer.body.error.details]).to.deep.equal([403, details])
      // A key of trust 3 that acts for an agent has the lower trust of the agent.
      const acting = operator.actingAs('ana')
      expect((await acting.settings.patch({ memory: { pii_policy: 'mask' } })).status).to.equal(403)
      expect(await tenant.admin.settings.patch({ memory: { pii_policy: 'mask' } }).ok()).to.deep.nested.include({
        'memory.pii_policy': 'mask',
      })
      const nobody = newTenant(service()).admin
      expect((await nobody.settings.patch({ memory: null })).status).to.equal(404)
      const unnamed = await tenant.admin.call('patchSettings', { body: { memory: null } })
      expect(faultsOf(unnamed)).to.deep.equal(['body.tenant_id'])
    })

    const refused: [what: string, change: Fields, at: string][] = [
      ['a setting that there is not', { memory: { pii: 'mask' } }, 'body.memory.pii'],
      ['a group that there is not', { memories: {} }, 'body.memories'],
      ['a key deep in the tree', { skills_factory: { forge: { cron: 1 } } }, 'body.skills_factory.forge.cron'],
      ['a path in one key', { 'memory.pii_policy': 'mask' }, 'body.memory.pii_policy'],
      ['a value that there is not', { memory: { pii_policy: 'drop' } }, 'body.memory.pii_policy'],
      ['text for a switch', { enrichment: { enabled: 'no' } }, 'body.enrichment.enabled'],
      ['a fraction', { skills_factory: { inbox_max_pending: 1.5 } }, 'body.skills_factory.inbox_max_pending'],
      ['more than the bound', { skills_factory: { body_max_bytes: 40_001 } }, 'body.skills_factory.body_max_bytes'],
      [
        'less than the bound',
        { skills_factory: { forge: { min_cluster_size: 0 } } },
        'body.skills_factory.forge.min_cluster_size',
      ],
      ['a floor below one half', { recall: { freshness_floor: 0.49 } }, 'body.recall.freshness_floor'],
      ['a floor above 1', { recall: { freshness_floor: 1.01 } }, 'body.recall.freshness_floor'],
      ['a text for a number', { recall: { freshness_floor: '0.9' } }, 'body.recall.freshness_floor'],
      ['a value for a group', { summary: true }, 'body.summary'],
      ['a list for a group', { summary: [] }, 'body.summary'],
      ['a text for a list', { memory: { single_valued_predicates: 'port' } }, 'body.memory.single_valued_predicates'],
      ['a star alone', { memory: { single_valued_predicates: ['*'] } }, 'body.memory.single_valued_predicates.0'],
      [
        'a star within',
        { memory: { single_valued_predicates: ['port', 'a*b'] } },
        'body.memory.single_valued_predicates.1',
      ],
      ['a null in a list', { memory: { single_valued_predicates: [null] } }, 'body.memory.single_valued_predicates.0'],
      ['nothing', {}, 'body'],
    ]
    for (const [what, change, at] of refused)
      it(`refuse ${what} with 422, together with valid settings too`, async () => {
        const sound = Object.keys(change).length > 0 ? { skills_factory: { enabled: true } } : {}
        const answer = await operator.settings.patch({ ...sound, ...change })
        expect(faultsOf(answer)).to.deep.equal([at])
        expect(await operator.settings.get().ok()).to.deep.equal(DEFAULT_SETTINGS)
        expect(await changesOf()).to.deep.equal([])
      })

    it('honour If-Match', async () => {
      const tag = (await get(operator)).headers.get('ETag')!
      const first = await operator.settings.patch({ memory: { pii_policy: 'mask' } }, { 'If-Match': tag })
      expect([first.status, first.headers.get('ETag')]).to.deep.equal([200, '"2"'])
      const late = await operator.settings.patch({ memory: { pii_policy: 'refuse' } }, { 'If-Match': tag })
      expect([late.status, late.body.error.details]).to.deep.equal([409, { current_version: 2 }])
      expect((await operator.settings.get().ok()).memory.pii_policy).to.equal('mask')
      expect((await operator.settings.patch({ memory: null }, { 'If-Match': '"2"' })).status).to.equal(200)
      expect((await operator.settings.patch({ memory: null }, { 'If-Match': '3' })).status).to.equal(400)
    })

    it('record in the audit log which of them changed, with old and new values', async () => {
      await operator.settings
        .patch({ memory: { pii_policy: 'mask' }, skills_factory: { forge: { max_writes_per_run: 7 } } })
        .ok()
      const same = await operator.settings.patch({ memory: { pii_policy: 'mask' }, enrichment: { enabled: true } })
      expect(same.headers.get('ETag')).to.equal('"2"')
      await operator.settings.patch({ memory: { pii_policy: null } }).ok()
      expect(await changesOf()).to.deep.equal([
        { changes: [{ key: 'memory.pii_policy', from: 'mask', to: 'flag' }], version: 3 },
        {
          changes: [
            { key: 'memory.pii_policy', from: 'flag', to: 'mask' },
            { key: 'skills_factory.forge.max_writes_per_run', from: 20, to: 7 },
          ],
          version: 2,
        },
      ])
      const { body } = await operator.audit.list({ action: 'settings.updated', limit: 1 })
      expect(body.items[0]).to.deep.include({ subject: { kind: 'settings', id: tenant.id } })
      expect(body.items[0]!.actor).to.deep.include({ kind: 'tenant', agent_id: null })
    })

    it('keep each of many concurrent changes', async () => {
      const changes: Fields[] = [
        { memory: { pii_policy: 'mask' } },
        { memory: { single_valued_predicates: ['colour'] } },
        { recall: { freshness_floor: 0.5 } },
        { enrichment: { enabled: false } },
        { summary: { enabled: false } },
        { skills_factory: { enabled: true } },
        { skills_factory: { inbox_max_pending: 9 } },
        { skills_factory: { forge: { min_cluster_size: 4 } } },
        { skills_factory: { forge: { min_distinct_agents: 5 } } },
      ]
      const answers = await Promise.all(changes.map((change) => operator.settings.patch(change)))
      const tags = answers.map(({ headers }) => headers.get('ETag'))
      expect(tags.sort()).to.deep.equal(changes.map((_, i) => `"${i + 2}"`).sort())
      const { skills_factory } = DEFAULT_SETTINGS
      expect(await operator.settings.get().ok()).to.deep.equal({
        memory: { ...DEFAULT_SETTINGS.memory, pii_policy: 'mask', single_valued_predicates: ['colour'] },
        recall: { freshness_floor: 0.5 },
        enrichment: { enabled: false },
        summary: { enabled: false },
        skills_factory: {
          ...skills_factory,
          enabled: true,
          inbox_max_pending: 9,
          forge: { ...skills_factory.forge, min_cluster_size: 4, min_distinct_agents: 5 },
        },
      })
    })

    describe('memory.single_valued_predicates', () => {
      const says = (object: string, predicate: string, subject: string) => ({
        content: `It ${predicate} ${object}.`,
        subject_entity_id: subject,
        predicate,
        object_value: object,
      })
      async function statusesOf(predicate: string): Promise<string[]> {
        const named = await operator.memories
          .create({ content: `Of ${predicate}.`, entity_links: [{ name: predicate }] })
          .ok()
        const subject = named.entity_links[0]!.entity_id
        const older = await operator.memories.create(says('one', predicate, subject)).ok()
        const newer = await operator.memories.create(says('two', predicate, subject)).ok()
        return Promise.all(
          [older, newer].map(async ({ id }) => (await operator.memories.get(id)).body.status as string),
        )
      }

      it('sets the predicates whose newer value supersedes the older, from the next write on', async () => {
        expect(await statusesOf('port')).to.deep.equal(['outdated', 'active'])
        expect(await statusesOf('favourite colour')).to.deep.equal(['active', 'active'])
        await operator.settings.patch({ memory: { single_valued_predicates: ['favouriteColour', 'seat*'] } }).ok()
        expect(await statusesOf('Favourite-Colour')).to.deep.equal(['outdated', 'active'])
        expect(await statusesOf('seat_number')).to.deep.equal(['outdated', 'active'])
        expect(await statusesOf('url')).to.deep.equal(['active', 'active'])
        await operator.settings.patch({ memory: { single_valued_predicates: null } }).ok()
        expect(await statusesOf('email')).to.deep.equal(['outdated', 'active'])
        expect(await statusesOf('seat_row')).to.deep.equal(['active', 'active'])
      })

      it('applies to a change of a memory too', async () => {
        await operator.settings.patch({ memory: { single_valued_predicates: ['colour'] } }).ok()
        const { entity_links } = await operator.memories
          .create({ content: 'A wall.', entity_links: [{ name: 'Wall' }] })
          .ok()
        const subject = entity_links[0]!.entity_id
        const older = await operator.memories.create(says('red', 'colour', subject)).ok()
        const newer = await operator.memories.create('It was painted.').ok()
        await operator.memories
          .patch(newer.id, { subject_entity_id: subject, predicate: 'colour', object_value: 'blue' })
          .ok()
        expect((await operator.memories.get(older.id)).body.status).to.equal('outdated')
      })
    })
  })
})

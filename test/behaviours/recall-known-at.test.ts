import { expect } from 'chai'
import { moment } from '../support/moment.js'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTeam, type TestTenant } from '../support/tenants.js'

/** Recall of what was stored at a moment (`known_at`). */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })
  for (const state of ['just written', 'indexed'] as const)
    describe(`recall as of a moment, of memories that were ${state}`, () => {
      let tenant: TestTenant, ana: Caller, ben: Caller, operator: Caller
      beforeEach(async () => ({ tenant, ana, ben, operator } = await newTeam(service())))

      const ready = async () => void (state === 'indexed' && (await settled(service(), tenant.id)))
      const recalled = async (caller: Caller, query: string, known_at: string, more = {}) =>
        (await caller.memories.recall(query, { known_at, ...more }).ok()).memories.map(({ content, status }) => [
          content,
          status,
        ])

      it('has the text and status of then, found by the words of then', async () => {
        const port = await ana.memories.create('The heron nests on pylon seven.').ok()
        await ana.memories.create('Bread needs flour and water.').ok()
        await ready()
        const first = await moment()
        await ana.memories.patch(port.id, { content: 'An otter swims in the river.' }).ok()
        await ready()
        const second = await moment()
        await ana.memories.create({ content: 'The otter left the river.', supersedes_id: port.id }).ok()
        await ready()
        const now = await moment()

        const [best] = await recalled(ben, 'Where does the heron nest?', first)
        expect(best).to.deep.equal(['The heron nests on pylon seven.', 'active'])
        expect((await recalled(ben, 'heron pylon', second)).flat()).not.to.include('The heron nests on pylon seven.')
        expect((await recalled(ben, 'otter river', first)).flat()).not.to.include('An otter swims in the river.')
        expect((await recalled(ben, 'otter river', second))[0]).to.deep.equal([
          'An otter swims in the river.',
          'active',
        ])
        expect((await recalled(ben, 'otter river', second)).flat()).not.to.include('The otter left the river.')
        const { memories } = await ben.memories.recall('otter river', { known_at: now }).ok()
        const present = await ben.memories.recall('otter river').ok()
        expect(memories.map(({ id, earlier }) => [id, earlier?.length])).to.deep.equal(
          present.memories.map(({ id, earlier }) => [id, earlier?.length]),
        )
        expect(memories[0]!.content).to.equal('The otter left the river.')
      })

      it('leaves out what was not stored yet, and what has been deleted since', async () => {
        const gone = await ana.memories.create('The badger digs at dusk.').ok()
        await ready()
        const at = await moment()
        await ana.memories.delete(gone.id).ok()
        await ana.memories.create('The badger digs at dawn.').ok()
        await ready()
        for (const caller of [ana, operator]) expect(await recalled(caller, 'badger digs', at)).to.deep.equal([])
      })

      it('leaves out what has expired since, and not what would have expired but for a change', async () => {
        const later = new Date(Date.now() + 3_600_000).toISOString()
        const lapsed = await ana.memories.create('The weasel eats voles.').ok()
        const untouched = await ana.memories.create({ content: 'The weasel eats eggs.', expires_at: later }).ok()
        const lasting = await ana.memories.create({ content: 'The weasel eats mice.', expires_at: later }).ok()
        await ready()
        const at = await moment()
        await ana.memories.patch(lapsed.id, { expires_at: later }).ok()
        await ana.memories.patch(lasting.id, { expires_at: null }).ok()
        await ready()
        const { databaseUrl } = service()
        const after = new Date(Date.parse(at) + 1)
        await runSql(databaseUrl, `update memories set expires_at = $1 where id = any($2::uuid[])`, [
          after,
          [lapsed.id, untouched.id],
        ])
        const expireFormer = async (expiry: Date) =>
          runSql(
            databaseUrl,
            `update memory_versions set former = jsonb_set(former, '{expires_at}', to_jsonb($1::timestamptz)) where memory_id = $2`,
            [expiry, lasting.id],
          )
        await expireFormer(after)
        for (const query of ['weasel', 'weasel eats voles', 'weasel eats eggs'])
          expect(await recalled(ben, query, at)).to.deep.equal([['The weasel eats mice.', 'active']])
        await expireFormer(new Date(at))
        expect(await recalled(ben, 'weasel', at)).to.deep.equal([])
      })

      it('finds what was archived or handed over since', async () => {
        const put = await ana.memories.create('The lynx hunts hares.').ok()
        await ana.memories.create('The lynx sleeps by day.').ok()
        await ready()
        const at = await moment()
        await ana.memories.patch(put.id, { status: 'archived' }).ok()
        await operator.memories.redistribute('ana', 'ben').ok()
        await ready()
        expect((await recalled(ben, 'lynx', at)).sort()).to.deep.equal([
          ['The lynx hunts hares.', 'active'],
          ['The lynx sleeps by day.', 'active'],
        ])
        expect((await recalled(ben, 'lynx', at, { filter_agent_id: 'ana' })).length).to.equal(2)
        expect(await recalled(ben, 'lynx', at, { filter_agent_id: 'ben' })).to.deep.equal([])
      })

      it('shows no private text of then to others, nor an open one of a memory that is private now', async () => {
        const opened = await ana.memories.create({ content: 'The marten hides nuts.', visibility: 'scope_agent' }).ok()
        const closed = await ana.memories.create({ content: 'The marten climbs oaks.', visibility: 'scope_org' }).ok()
        await ready()
        const at = await moment()
        await ana.memories.patch(opened.id, { content: 'The marten is seen.', visibility: 'scope_org' }).ok()
        await ana.memories.patch(closed.id, { visibility: 'scope_agent' }).ok()
        await ready()
        for (const caller of [ben, operator])
          for (const query of ['marten hides nuts', 'marten climbs oaks', 'marten is seen']) {
            expect(await recalled(caller, query, at)).to.deep.equal([])
            const explained = await caller.memories
              .recall(query, { known_at: at, explain: true, statuses: ['active'] })
              .ok()
            expect(JSON.stringify(explained)).not.to.match(/hides nuts\.|climbs oaks\./)
          }
        expect((await recalled(ana, 'marten', at)).length).to.equal(2)
      })
    })

  describe('recall as of a moment', () => {
    it('says so when more has changed since than it reads', async () => {
      const { tenant, ana } = await newTeam(service())
      await ana.memories.create({ content: 'The stoat changes its coat.', metadata: { n: 0 } }).ok()
      const items = Array.from({ length: 500 }, (_, n) => ({ content: `Filler number ${n}.`, metadata: { n } }))
      await ana.memories.createMany(items).ok()
      await settled(service(), tenant.id)
      const at = await moment()
      const degraded = async () => (await ana.memories.recall('stoat coat', { known_at: at }).ok()).degraded
      expect(await degraded()).to.equal(null)
      await runSql(
        service().databaseUrl,
        `update memories set content = 'Changed ' || id, metadata = '{}', version = version + 1, updated_at = now() where tenant_id = $1`,
        [tenant.id],
      )
      const answer = await ana.memories.recall('stoat coat', { known_at: at }).ok()
      expect(answer.degraded).to.equal('pending')
      expect(answer.memories[0]!.content).to.equal('The stoat changes its coat.')
    })

    for (const [what, known_at] of [
      ['in the future', () => new Date(Date.now() + 60_000).toISOString()],
      ['without an offset', () => '2026-01-01T00:00:00'],
      ['of a day', () => '2026-01-01'],
    ] as const)
      it(`is refused for a moment ${what}`, async () => {
        const { ana } = await newTeam(service())
        expect((await ana.memories.recall('boiler', { known_at: known_at() })).status).to.equal(422)
      })
  })
})

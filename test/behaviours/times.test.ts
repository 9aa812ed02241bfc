import { expect } from 'chai'
import { faultsOf } from '../support/answers.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

/** Times in requests. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)

  describe('a time in a request', () => {
    it('may leave out seconds and the colon of its offset, wherever one is given', async () => {
      const tenant = newTenant(service())
      const ana = await tenant.caller({ agentId: 'ana' })
      const times = {
        ts_valid_start: '2026-11-01T09:00+0900',
        ts_valid_end: '2026-11-02t00:00z',
        expires_at: '2999-01-01T00:00+00',
      }
      const { id, ...stored } = await ana.memories.create({ content: 'The market is open.', ...times }).ok()
      expect([stored.ts_valid_start, stored.ts_valid_end, stored.expires_at]).to.deep.equal([
        '2026-11-01T00:00:00.000Z',
        '2026-11-02T00:00:00.000Z',
        '2999-01-01T00:00:00.000Z',
      ])
      const patched = await ana.memories.patch(id, { ts_valid_start: '2026-11-01T01:00:00.123456+0000' }).ok()
      expect(patched.ts_valid_start).to.equal('2026-11-01T01:00:00.123Z')
      for (const [after, before, count] of [
        ['2001-01-01T00:00Z', '2998-12-31T19:00-0500', 1],
        ['2998-12-31T19:00-0500', '2999-01-01T00:00Z', 0],
      ] as const) {
        const filter = { created_after: after, created_before: before }
        expect(await ana.memories.listAll(filter)).to.have.length(count)
        expect((await ana.memories.recall('market', filter).ok()).memories).to.have.length(count)
      }
      for (const [validAt, count] of [
        ['2026-11-01T12:00+0000', 1],
        ['2026-11-02T12:00+0000', 0],
      ] as const)
        expect((await ana.memories.recall('market', { valid_at: validAt }).ok()).memories, validAt).to.have.length(
          count,
        )
      const key = { tenant_id: tenant.id, kind: 'tenant', expires_at: '2998-12-31T19:00-05' }
      expect((await tenant.admin.keys.create(key).ok()).expires_at).to.equal('2999-01-01T00:00:00.000Z')
    })

    it('is refused without an offset, or as a date alone, with an example', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      for (const time of ['2026-11-01', '2026-11-01T00:00:00', '2026-11-01 00:00Z', '1793491200']) {
        expect(faultsOf(await ana.memories.create({ content: 'x', ts_valid_start: time }))).to.deep.equal([
          'body.ts_valid_start',
        ])
        const list = await ana.memories.list({ created_after: time })
        expect(faultsOf(list)).to.deep.equal(['query.created_after'])
        expect(JSON.stringify(list.body)).to.include('such as 2026-01-31T12:00Z or 2026-01-31T12:00:00+01:00')
      }
    })
  })
})

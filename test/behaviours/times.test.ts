import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
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

  describe('a word about time in a query', () => {
    let ana: Caller
    const timeOf = new Map<string, string>()
    before(async () => {
      ana = await newTenant(service()).caller({ agentId: 'ana' })
      for (const start of [
        '2025-03-08T04:30:00Z',
        '2025-03-09T04:30:00Z',
        '2025-03-09T23:30:00Z',
        '2025-03-10T03:30:00Z',
        '2025-03-10T10:00:00Z',
        '2025-03-20T10:00:00Z',
      ]) {
        const content = `Shipment report ${timeOf.size + 1}: all trucks have left.`
        timeOf.set((await ana.memories.create({ content, ts_valid_start: start }).ok()).id, start)
      }
    })
    /** Returns the times of the first memories of a recall, in order of time. */
    const first = async (count: number, query: string, fields: object) =>
      (await ana.memories.recall(query, { ...fields, top_k: count }).ok()).memories
        .map(({ id }) => timeOf.get(id))
        .sort()

    it('is read in UTC, in the zone of `now`, or in `timezone`, whose days may have 23 hours', async () => {
      const sundayUtc = ['2025-03-09T04:30:00Z', '2025-03-09T23:30:00Z']
      const sundayNewYork = ['2025-03-09T23:30:00Z', '2025-03-10T03:30:00Z']
      const mondayTokyo = ['2025-03-09T23:30:00Z', '2025-03-10T03:30:00Z', '2025-03-10T10:00:00Z']
      const newYork = { timezone: 'America/New_York' }
      for (const [query, fields, expected] of [
        ['shipment report today', { now: '2025-03-09T23:45:00Z' }, sundayUtc],
        ['shipment report today', { now: '2025-03-10T08:45:00+09:00' }, mondayTokyo],
        ['shipment report today', { now: '2025-03-09T23:45Z', timezone: 'Asia/Tokyo' }, mondayTokyo],
        ['shipment report today', { now: '2025-03-10T03:45Z', ...newYork }, sundayNewYork],
        ['shipment report yesterday', { now: '2025-03-10T14:00Z', ...newYork }, sundayNewYork],
        ['shipment report on 9 March 2025', newYork, sundayNewYork],
        ['shipment report on 9 March 2025', {}, sundayUtc],
      ] as const)
        expect(await first(expected.length, query, fields), `${query} ${JSON.stringify(fields)}`).to.deep.equal(
          expected,
        )
    })

    it('is read so by tools and recorded with the recall', async () => {
      const fields = { now: '2025-03-10T08:45:00+09:00', timezone: 'Asia/Tokyo' }
      const { recall_id, memories } = await ana.byTools().memories.recall('shipment report today', fields).ok()
      expect(
        memories[0]!.ts_valid_start! > '2025-03-09T15:00' && memories[0]!.ts_valid_start! < '2025-03-10T15:00',
      ).to.equal(true)
      await until('the recall is recorded', async () => (await ana.recalls.get(recall_id)).status === 200)
      expect((await ana.recalls.get(recall_id).ok()).request).to.include(fields)
    })

    it('shows nothing that has expired, whatever `now` is', async () => {
      const tenant = newTenant(service())
      const ben = await tenant.caller({ agentId: 'ben' })
      await ben.memories.create({ content: 'The market is open.', expires_at: '2999-01-01T00:00Z' }).ok()
      const find = async () => (await ben.memories.recall('market today', { now: '2025-01-01T00:00Z' }).ok()).memories
      expect(await find()).to.have.length(1)
      await withConnection(service().databaseUrl, (client) =>
        client.query(`update memories set expires_at = '2025-06-01' where tenant_id = $1`, [tenant.id]),
      )
      expect(await find()).to.have.length(0)
    })

    it('is refused in a zone that does not exist, and at a moment without an offset', async () => {
      for (const timezone of ['Tokyo', 'Mars/Olympus', '', 'x'.repeat(101)])
        expect(faultsOf(await ana.memories.recall('today', { timezone }))).to.include('body.timezone')
      const { body } = await ana.memories.recall('today', { timezone: 'Tokyo' })
      expect(JSON.stringify(body)).to.include('such as Asia/Tokyo')
      expect(faultsOf(await ana.memories.recall('today', { now: '2025-03-10T08:45' }))).to.deep.equal(['body.now'])
    })
  })

  describe('a recall without a query', () => {
    it('is refused with what lists, also when it is white space or punctuation alone', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana' })
      for (const query of [undefined, '', '  ', '?', '...', ' \u2026!?', '\u3002'])
        for (const caller of [ana, ana.byTools()]) {
          const answer = await caller.call('recall', { body: { tenant_id: ana.tenantId, query } })
          expect(answer.status, `${query}`).to.equal(422)
          expect(JSON.stringify(answer.body)).to.include('`list` of svc_memory, GET /api/v1/memories')
        }
      const search = await ana.documents.search('?')
      expect(JSON.stringify(search.body)).to.include('`query` of svc_doc, POST /api/v1/documents/query')
      for (const query of ['C', '\u{1F680}', '+', '5', '\u5f20'])
        expect((await ana.memories.recall(query)).status, query).to.equal(200)
    })
  })
})

import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

const COUNT = 3_000
/** The most that one request stores. */
const CHUNK = 500

/** Tests that members of lists tell a few of a tenant's many documents apart, all of which meet the text of a search. */
describeOnEachProfile((profile) => {
  const service = sharedService(profile)
  describe('a tenant with 3,000 documents', function () {
    this.timeout(180_000)
    let ana: Caller
    before(async () => {
      const tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      for (let from = 0; from < COUNT; from += CHUNK)
        await ana.documents
          .putMany(
            'c',
            Array.from({ length: CHUNK }, (_, i) => numbered(from + i)),
          )
          .ok()
      await settled(service(), tenant.id)
    })

    const nameOf = (i: number) => `d${String(i).padStart(4, '0')}`
    const numbered = (i: number) => ({
      doc_id: nameOf(i),
      data: { text: `harbour ${i % 7}`, rank: COUNT - i, tags: [`half-${i % 2}`, `hundred-${i % 100}`, `one-${i}`] },
    })
    const namesOf = (isWanted: (i: number) => boolean) =>
      Array.from({ length: COUNT }, (_, i) => i)
        .filter(isWanted)
        .map(nameOf)

    const cases: [what: string, tags: string | string[], isWanted: (i: number) => boolean][] = [
      ['that one has', 'one-1234', (i) => i === 1234],
      ['that few have', 'hundred-7', (i) => i % 100 === 7],
      ['of two that few have', ['hundred-7', 'hundred-8'], (i) => i % 100 === 7 || i % 100 === 8],
      ['that none has', 'half-2', () => false],
    ]
    for (const [what, tags, isWanted] of cases)
      it(`finds those with a member ${what}, in a search and page by page`, async () => {
        const wanted = namesOf(isWanted)
        const { results } = await ana.documents.search('harbour', { collection: 'c', where: { tags }, top_k: 100 }).ok()
        expect(results.map(({ doc_id }: { doc_id: string }) => doc_id)).to.have.members(wanted)
        for (const limit of [7, 200]) {
          const ask = { where: { tags }, limit }
          expect(await ana.documents.queryIds('c', { ...ask, order: 'asc' })).to.deep.equal(wanted)
          expect(await ana.documents.queryIds('c', { ...ask, order_by: 'rank', order: 'desc' })).to.deep.equal(wanted)
        }
      })

    it('finds all with a member that half of them have, page by page, and no other tenant any', async () => {
      const where = { tags: 'half-1' }
      expect(await ana.documents.queryIds('c', { where, limit: 200, order: 'asc' })).to.deep.equal(
        namesOf((i) => i % 2 === 1),
      )
      const eve = await newTenant(service()).caller({ agentId: 'eve', fleetId: 'red', trust: 3 })
      expect(await eve.documents.queryIds('c', { where })).to.deep.equal([])
      expect((await eve.documents.search('harbour', { where }).ok()).results).to.deep.equal([])
    })
  })
})

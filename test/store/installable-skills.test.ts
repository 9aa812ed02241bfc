import { expect } from 'chai'
import { withConnection } from '../../store/connection.js'
import { readSlugsLike } from '../../store/forge/known-skills.js'
import { type InstallableRow, listInstallable, readCatalogueTag } from '../../store/skills/installable.js'
import { listServing } from '../../store/skills/read-skills.js'
import { explainStatements } from '../support/explained.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const COUNT = 10_000
const READER = { tenantId: 'big' }

/** Tests what the catalogue of one tenant with 10,000 active skills reads, under row level security. */
describe('the catalogue of 10,000 skills', function () {
  this.timeout(60_000)
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    await withConnection(test.url, async (client) => {
      await client.query(
        `insert into skills (tenant_id, id, doc_id, slug, fleet_id, active_version, last_version, created_at, updated_at)
         select tenant_id, gen_random_uuid(), 'agent/s' || i, 's' || i, (array['red', 'blue', null])[i % 3 + 1], 2, 2, now(), now()
         from generate_series(1, $1) i, unnest(array['big', 'other']) tenant_id where tenant_id = 'big' or i <= 100`,
        [COUNT],
      )
      await client.query(
        `insert into skill_versions (tenant_id, skill_id, version, status, source, kind, name, description, content, domain,
           fleet_key, content_hash, fingerprint, sketch, scan_state, place, created_at, updated_at)
         select s.tenant_id, s.id, v, case v when 2 then 'active' else 'deprecated' end, 'agent', 'create', s.slug, 'When.',
           (select string_agg(md5(i::text || s.slug), '') from generate_series(1, 250) i), 'testing', coalesce(s.fleet_id, ''),
           'sha256:' || encode(sha256(convert_to(s.slug || v, 'UTF8')), 'hex'), 'fp:v1:' || s.slug,
           (select jsonb_agg((random() * 4e9)::bigint) from generate_series(1, 64)), 'clean', now(), now(), now()
         from skills s, generate_series(1, 2) v`,
      )
      await client.query('analyze skills, skill_versions')
    })
  })
  after(() => test.stop())

  const pageAfter = (after: string | undefined, given: object = {}) =>
    test.store.read(READER, (reader) =>
      listInstallable(reader, { fleetId: undefined, after, limit: 1_000, known: {}, ...given }),
    )

  it('ends a page before 4 MiB of contents, and before its limit where the caller has them', async () => {
    const first = await pageAfter(undefined)
    expect(first.hasMore).to.equal(true)
    expect(first.rows.length).to.be.within(500, 525)
    const known = Object.fromEntries(first.rows.map(({ docId, contentHash }) => [docId, contentHash]))
    const again = await pageAfter(undefined, { known })
    expect(again.rows).to.have.length(1_000)
    expect(again.rows.filter(({ content }) => content === null)).to.have.length(first.rows.length)
  })

  it('has no content, and reads none, where none is wanted', async () => {
    const { rows, hasMore } = await pageAfter(undefined, { withContent: false })
    expect([rows.length, hasMore]).to.deep.equal([1_000, true])
    expect(rows.filter(({ content }) => content !== null)).to.deep.equal([])
    await test.store.read(READER, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      await listInstallable(watched, { fleetId: undefined, after: undefined, limit: 1, known: {}, withContent: false })
      expect(plans[0]!.text).not.to.match(/v\.content\b/)
    })
  })

  it('is read whole, page by page', async () => {
    const seen: string[] = []
    for (let after: string | undefined; ;) {
      const { rows, hasMore } = await pageAfter(after)
      seen.push(...rows.map(({ docId }) => docId))
      if (!hasMore) break
      after = seen.at(-1)
    }
    expect(new Set(seen).size).to.equal(COUNT)
    expect(seen).to.deep.equal([...seen].sort())
  })

  it('reads no more than a page of versions for a page', async () => {
    await test.store.read(READER, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      const { rows } = await listInstallable(watched, { fleetId: 'red', after: 'agent/s5', limit: 100, known: {} })
      expect(rows).to.have.length(100)
      const rowsRead = plans.reduce((sum, plan) => sum + plan.rowsRead, 0)
      expect(rowsRead, plans.map(({ json }) => json).join('\n')).to.be.below(600)
    })
  })

  it('knows which slugs are taken without reading the others', async () => {
    await test.store.read(READER, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      expect([...(await readSlugsLike(watched, 's77'))]).to.deep.equal(['s77'])
      expect(plans[0]!.rowsRead, plans[0]!.json).to.be.below(5)
    })
  })

  it('knows which skills serve a content without reading the others', async () => {
    const [{ docId, contentHash }] = (await pageAfter('agent/s5', { limit: 1 })).rows as [InstallableRow]
    await test.store.read(READER, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      expect(await listServing(watched, contentHash)).to.deep.equal([docId])
      expect(plans[0]!.rowsRead, plans[0]!.json).to.be.below(10)
    })
  })

  it('has a tag of all its contents, by fleet', async () => {
    const tags = await test.store.read(READER, (reader) =>
      Promise.all([undefined, 'red', 'blue', undefined].map((fleetId) => readCatalogueTag(reader, fleetId))),
    )
    expect(new Set(tags).size).to.equal(3)
    expect(tags[3]).to.equal(tags[0])
  })
})

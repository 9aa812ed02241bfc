import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { serializedBodyOf } from '../../../runtime/json.js'
import { KeystoneSets, tagsOf } from '../../../services/keystones/keystone-sets.js'
import type { KeystoneAudience } from '../../../domain/keystones/keystone.js'
import { eachKeystone, findKeystone, removeKeystone } from '../../../store/keystones/keystones.js'
import { setRules } from '../../support/keystones.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

const SECRET = Buffer.alloc(32, 7)
const NOBODY = { fleetId: null, agentId: null }
const ANA = { fleetId: 'red', agentId: 'ana' }

describe('cached lists of rules', () => {
  let test: TestStore
  let tenantId: string
  let sets: KeystoneSets
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(() => {
    tenantId = `t-${randomUUID()}`
    sets = new KeystoneSets(SECRET)
  })

  const setOf = (audience: KeystoneAudience, from = sets) =>
    test.store.read({ tenantId }, (reader) => from.setOf(reader, audience))
  const ids = async (audience: KeystoneAudience, from = sets) =>
    (await setOf(audience, from)).items.map((item) => item.doc_id)
  const forAgent = (agentId: string) => ({ scope: 'agent', agentId }) as const

  it('are made once, and shared by all audiences with the same rules', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }, { docId: 'y', ...forAgent('ben') }])
    const set = await setOf(NOBODY)
    expect(await setOf(NOBODY)).to.equal(set)
    expect(await setOf(ANA)).to.equal(set)
    expect(await setOf({ fleetId: null, agentId: 'ben' })).to.not.equal(set)
  })

  it('have their serialized JSON attached', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x', content: 'ä "quoted"' }, { docId: 'y' }])
    for (const set of [await setOf(NOBODY), await setOf(NOBODY, new KeystoneSets(SECRET))])
      for (const body of [set.items, set.envelope])
        expect(serializedBodyOf(body)!.json.toString()).to.equal(JSON.stringify(body))
    expect(serializedBodyOf((await setOf(NOBODY)).items.slice())).to.equal(undefined)
  })

  it('reflect a change by another process at once', async () => {
    const elsewhere = new KeystoneSets(SECRET)
    expect(await ids(ANA)).to.deep.equal([])
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    expect([await ids(ANA), await ids(ANA, elsewhere)]).to.deep.equal([['x'], ['x']])
    await setRules(test.store, tenantId, [{ docId: 'y', ...forAgent('ana') }])
    expect([await ids(ANA), await ids(ANA, elsewhere)]).to.deep.equal([
      ['y', 'x'],
      ['y', 'x'],
    ])
    await test.store.transact({ tenantId }, async (writer) =>
      removeKeystone(writer, (await findKeystone(writer, 'x'))!, new Date()),
    )
    expect([await ids(ANA), await ids(ANA, elsewhere)]).to.deep.equal([['y'], ['y']])
  })

  it('do not reflect a change that was rolled back or has not committed', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    const before = await setOf(NOBODY)
    const broken = test.store.transact({ tenantId }, async (writer) => {
      await removeKeystone(writer, (await findKeystone(writer, 'x'))!, new Date())
      expect(await ids(NOBODY)).to.deep.equal(['x'])
      throw new Error('broken off')
    })
    expect(await broken.catch(String)).to.contain('broken off')
    expect(await setOf(NOBODY)).to.equal(before)
  })

  it('reflect a database restored from a backup, whose revision numbers then stand for other rules', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    await setRules(test.store, tenantId, [{ docId: 'y', content: 'Gone.' }])
    expect(await ids(NOBODY)).to.deep.equal(['y', 'x'])
    await test.store.transact({ tenantId }, async ({ db }) => {
      await db.deleteFrom('keystones').where('tenant_id', '=', tenantId).where('doc_id', '=', 'y').execute()
      await db.updateTable('keystone_sets').set({ revision: 1, rules: 1 }).where('tenant_id', '=', tenantId).execute()
    })
    await setRules(test.store, tenantId, [{ docId: 'z' }])
    expect(await ids(NOBODY)).to.deep.equal(['z', 'x'])
  })

  it('are made again when they did not fit into the cache', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    const small = new KeystoneSets(SECRET, 1)
    const [one, two] = [await setOf(NOBODY, small), await setOf(NOBODY, small)]
    expect(one).to.not.equal(two)
    expect(one).to.deep.equal(two)
  })

  it('are never shared between tenants', async () => {
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    const first = await setOf(NOBODY)
    tenantId = `t-${randomUUID()}`
    expect(await ids(NOBODY)).to.deep.equal([])
    await setRules(test.store, tenantId, [{ docId: 'x' }])
    expect((await setOf(NOBODY)).etag).to.not.equal(first.etag)
  })

  it('have the entity tags that are computed for all audiences together', async () => {
    await setRules(test.store, tenantId, [
      { docId: 'all', weight: 'low' },
      { docId: 'red', scope: 'fleet', fleetId: 'red' },
      { docId: 'ana', ...forAgent('ana') },
      { docId: 'red2', scope: 'fleet', fleetId: 'red', weight: 'high' },
    ])
    const tagOf = await test.store.read({ tenantId }, (reader) => tagsOf(SECRET, tenantId, eachKeystone(reader, 2)))
    const audiences = [null, 'red', 'blue'].flatMap((fleetId) =>
      [null, 'ana', 'ben', 'red'].map((agentId) => ({ fleetId, agentId })),
    )
    for (const audience of audiences)
      expect(tagOf(audience), JSON.stringify(audience)).to.equal((await setOf(audience)).etag)
    expect(new Set(audiences.map(tagOf)).size).to.equal(4)
  })
})

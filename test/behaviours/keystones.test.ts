import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { withConnection } from '../../store/connection.js'
import { readPublicCounts } from '../../store/service-counters.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { Keystone } from '../support/clients/keystones.js'
import type { Schemas } from '../support/clients/request.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { countWaiters } from '../support/lock-waits.js'
import { setRules } from '../support/keystones.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

/** Tests GET, POST and DELETE of rules. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let tenant: TestTenant
  let ana: Caller, ben: Caller, two: Caller, restricted: Caller, key: Caller
  beforeEach(async () => {
    tenant = newTenant(service())
    ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
    two = await tenant.caller({ agentId: 'two', fleetId: 'red', trust: 2 })
    restricted = await tenant.caller({ agentId: 'zoe', fleetId: 'red', trust: 0 })
    key = await tenant.caller({ trust: 2 })
  })
  const levels = (required: number, caller: number) => ({ required_trust_level: required, caller_trust_level: caller })
  const forFleet = (fleet_id: string) => ({ scope: 'fleet', fleet_id })
  const forAgent = (agent_id: string) => ({ scope: 'agent', agent_id })
  const tagOf = async (caller: Caller, query = {}) => (await caller.keystones.list(query)).headers.get('ETag')!

  /** Creates one rule for each scope and target. */
  async function fill(): Promise<void> {
    await key.keystones.set({ doc_id: 'all' }).ok()
    for (const fleet of ['red', 'blue']) await key.keystones.set({ doc_id: fleet, ...forFleet(fleet) }).ok()
    for (const agent of ['ana', 'ben', 'zoe'])
      await key.keystones.set({ doc_id: `of-${agent}`, ...forAgent(agent) }).ok()
  }

  describe('the list of rules', () => {
    it('contains the rules of the tenant, the caller’s fleet and its agent', async () => {
      await fill()
      expect(await ana.keystones.listIds()).to.deep.equal(['of-ana', 'red', 'all'])
      expect(await ben.keystones.listIds()).to.deep.equal(['of-ben', 'blue', 'all'])
      expect(await two.keystones.listIds()).to.deep.equal(['red', 'all'])
      expect(await key.keystones.listIds()).to.deep.equal(['all'])
      expect(await tenant.admin.keystones.listIds()).to.deep.equal(['all'])
      expect(await key.actingAs('ben').keystones.listIds()).to.deep.equal(['of-ben', 'blue', 'all'])
      const red = await tenant.caller({ fleetId: 'red' })
      expect(await red.keystones.listIds()).to.deep.equal(['red', 'all'])
    })

    it('is open to trust 0, also for another fleet or agent', async () => {
      await fill()
      expect(await restricted.keystones.listIds()).to.deep.equal(['of-zoe', 'red', 'all'])
      expect(await restricted.keystones.listIds({ fleet_id: 'blue', agent_id: 'ben' })).to.deep.equal([
        'of-ben',
        'blue',
        'all',
      ])
      expect(await ana.keystones.listIds({ agent_id: 'ben' })).to.deep.equal(['of-ben', 'red', 'all'])
      expect(await key.keystones.listIds({ fleet_id: 'blue' })).to.deep.equal(['blue', 'all'])
      expect(await key.keystones.listIds({ fleet_id: 'nobody' })).to.deep.equal(['all'])
    })

    it('is a bare array, or an envelope on request', async () => {
      expect((await ana.keystones.list()).body).to.deep.equal([])
      expect((await ana.keystones.list({ envelope: true })).body).to.deep.equal({ count: 0, items: [] })
      const rule = await key.keystones.set({ doc_id: 'all' }).ok()
      expect((await ana.keystones.list()).body).to.deep.equal([rule])
      expect((await ana.keystones.list({ envelope: false })).body).to.deep.equal([rule])
      expect((await ana.keystones.list({ envelope: true })).body).to.deep.equal({ count: 1, items: [rule] })
      expect((await ana.keystones.list({ envelope: 'yes' })).status).to.equal(422)
    })

    it('is ordered by weight, then by scope from narrow to wide, then by time of change', async () => {
      for (const [weight, letter] of [
        ['low', 'l'],
        ['high', 'h'],
        ['med', 'm'],
      ])
        for (const [i, reach] of [forAgent('ana'), {}, forFleet('red'), {}].entries())
          await key.keystones.set({ doc_id: `${letter}${i}`, weight, ...reach }).ok()
      expect(await ana.keystones.listIds()).to.deep.equal('h0 h2 h3 h1 m0 m2 m3 m1 l0 l2 l3 l1'.split(' '))
      await key.keystones.set({ doc_id: 'h1', weight: 'high', content: 'Changed last.' }).ok()
      expect((await ana.keystones.listIds()).slice(0, 4)).to.deep.equal(['h0', 'h2', 'h1', 'h3'])
    })

    it('requires a tenant_id, and a well-formed fleet and agent', async () => {
      expect(faultsOf(await ana.call('listKeystones'))).to.deep.equal(['query.tenant_id'])
      expect(faultsOf(await tenant.admin.call('listKeystones'))).to.deep.equal(['query.tenant_id'])
      expect(faultsOf(await ana.keystones.list({ fleet_id: '', agent_id: ' ' }))).to.deep.equal([
        'query.fleet_id',
        'query.agent_id',
      ])
      expect(faultsOf(await ana.keystones.list({ limit: 1 }))).to.deep.equal(['query.limit'])
    })

    it('shows a change to all callers once it was answered', async () => {
      for (let round = 0; round < 20; round++) {
        await key.keystones.set({ doc_id: 'all', content: `Round ${round}.` }).ok()
        const lists = await Promise.all([ana, ben, restricted].map((caller) => caller.keystones.list()))
        for (const { body } of lists) expect((body as Keystone[])[0]!.content).to.equal(`Round ${round}.`)
      }
      await key.keystones.delete('all')
      expect(await ana.keystones.listIds()).to.deep.equal([])
    })

    it('contains all of 1,000 rules', async () => {
      const ids = [...Array(1_000).keys()].map((i) => `rule-${i}`)
      // Writing them through the API would take half a minute.
      await setRules(
        service().context.store,
        tenant.id,
        ids.map((docId) => ({ docId })),
      )
      const body = (await ana.keystones.list({ envelope: true }).ok()) as Schemas['KeystoneEnvelope']
      expect(body.count).to.equal(1_000)
      expect(body.items.map((rule) => rule.doc_id).sort()).to.deep.equal([...ids].sort())
    })
  })

  describe('the entity tag of the list', () => {
    it('is the same for equal lists, and differs after every change', async () => {
      await fill()
      const tag = await tagOf(ana)
      expect(tag).to.match(/^"[0-9a-f]{64}"$/)
      expect(await tagOf(ana, { envelope: true })).to.equal(tag)
      expect(await tagOf(key, { fleet_id: 'red', agent_id: 'ana' })).to.equal(tag)
      expect(new Set([tag, await tagOf(ben), await tagOf(two), await tagOf(key)]).size).to.equal(4)
      await key.keystones.set({ doc_id: 'of-ben', ...forAgent('ben'), content: 'For ben alone.' }).ok()
      expect(await tagOf(ana)).to.equal(tag)
      const tags = new Set([tag])
      for (const fields of [{ content: 'New.' }, { title: 'New' }, { weight: 'high' }, { ...forFleet('red') }, {}]) {
        await key.keystones.set({ doc_id: 'all', ...fields }).ok()
        tags.add(await tagOf(ana))
      }
      await key.keystones.delete('all')
      tags.add(await tagOf(ana))
      expect(tags.size).to.equal(7)
    })

    it('gives 304 without a body when it matches If-None-Match', async () => {
      await fill()
      const tag = await tagOf(ana)
      for (const known of [tag, `W/${tag}`, '*', ` "other" , W/"else",${tag}`, `"a",,${tag}`, `a, ${tag}`]) {
        const answer = await ana.keystones.list({}, { 'If-None-Match': known })
        expect([answer.status, answer.body, answer.headers.get('ETag')], known).to.deep.equal([304, undefined, tag])
        expect((await ana.keystones.list({ envelope: true }, { 'If-None-Match': known })).status).to.equal(304)
      }
      const empty = await newTenant(service()).caller({ agentId: 'ana' })
      expect((await empty.keystones.list({}, { 'If-None-Match': await tagOf(empty) })).status).to.equal(304)
    })

    it('gives the whole list when If-None-Match has another tag, or none', async () => {
      await fill()
      const tag = await tagOf(ana)
      for (const known of ['"other"', tag.slice(1, -1), tag.toUpperCase(), `${tag} ${tag}`, '', await tagOf(ben)])
        expect((await ana.keystones.list({}, { 'If-None-Match': known })).status, known).to.equal(200)
      await key.keystones.set({ doc_id: 'all', content: 'New.' }).ok()
      const answer = await ana.keystones.list({}, { 'If-None-Match': tag })
      expect([answer.status, (answer.body as Keystone[]).length]).to.deep.equal([200, 3])
    })
  })

  describe('setting a rule', () => {
    it('answers with the rule, its version as entity tag, and its author', async () => {
      const fields = { title: ' Tests ', content: ' Never skip.\n', scope: 'fleet', fleet_id: 'red', weight: 'high' }
      const answer = await two.keystones.set({ doc_id: 'tests', ...fields })
      const { created_at, updated_at, ...rule } = answer.body as Keystone
      expect([answer.status, answer.headers.get('ETag')]).to.deep.equal([200, '"1"'])
      expect(rule).to.deep.equal({
        tenant_id: tenant.id,
        doc_id: 'tests',
        title: 'Tests',
        content: ' Never skip.\n',
        scope: 'fleet',
        weight: 'high',
        fleet_id: 'red',
        agent_id: null,
        author_agent_id: 'two',
        version: 1,
        content_hash: `sha256:${createHash('sha256').update(' Never skip.\n').digest('hex')}`,
        system_metadata: {},
      })
      expect(updated_at).to.equal(created_at)
      const replaced = await key.keystones.set({ doc_id: 'tests', ...fields, content: 'Never.' })
      expect(replaced.headers.get('ETag')).to.equal('"2"')
      expect(replaced.body).to.include({ version: 2, content: 'Never.', author_agent_id: null, created_at })
      expect((await two.keystones.list()).body).to.deep.equal([replaced.body])
    })

    it('needs trust 1 for one’s own agent', async () => {
      expect(await ana.keystones.set({ doc_id: 'mine', ...forAgent('ana') }).ok()).to.include({
        author_agent_id: 'ana',
      })
      expect((await ana.keystones.set({ doc_id: 'mine', ...forAgent('ana'), content: 'Else.' })).status).to.equal(200)
      const weak = await tenant.caller({ trust: 1 })
      expect((await weak.actingAs('ana').keystones.set({ doc_id: 'mine', ...forAgent('ana') })).status).to.equal(200)
      expect((await ana.keystones.delete('mine')).status).to.equal(200)
    })

    it('needs trust 2 for anything else, and is refused below with both levels', async () => {
      const weak = await tenant.caller({ trust: 1 })
      const refusals: [Caller, object, number, number][] = [
        [ana, {}, 2, 1],
        [ana, forFleet('red'), 2, 1],
        [ana, forAgent('ben'), 2, 1],
        [weak, {}, 2, 1],
        // Without an acting agent, no rule is one's own.
        [weak, forAgent('ana'), 2, 1],
        [key.actingAs('ana'), {}, 2, 1],
        [weak.actingAs('two'), {}, 2, 1],
        [restricted, forAgent('zoe'), 1, 0],
        [restricted, {}, 2, 0],
      ]
      for (const [caller, fields, required, has] of refusals) {
        const refused = await caller.keystones.set({ doc_id: 'refused', ...fields })
        expect([refused.status, refused.body.error?.code], JSON.stringify(fields)).to.deep.equal([403, 'FORBIDDEN'])
        expect(refused.body.error.details).to.deep.equal(levels(required, has))
      }
      expect(await key.keystones.listIds()).to.deep.equal([])
      for (const fields of [{}, forFleet('blue'), forAgent('ben')])
        expect((await two.keystones.set({ doc_id: 'taken', ...fields })).status).to.equal(200)
      expect((await tenant.admin.keystones.set({ doc_id: 'by-admin' })).status).to.equal(200)
    })

    it('needs the higher trust of the old and the new rule', async () => {
      for (const [docId, before, after] of [
        ['narrowed', {}, forAgent('ana')],
        ['moved', forAgent('ben'), forAgent('ana')],
        ['of-a-fleet', forFleet('red'), forAgent('ana')],
      ] as const) {
        const rule = await two.keystones.set({ doc_id: docId, ...before }).ok()
        const refused = await ana.keystones.set({ doc_id: docId, ...after })
        expect([refused.status, refused.body.error.details]).to.deep.equal([403, levels(2, 1)])
        expect((await two.keystones.list({ agent_id: 'ben' })).body).to.deep.include(rule)
        expect((await two.keystones.set({ doc_id: docId, ...after })).status).to.equal(200)
      }
      await ana.keystones.set({ doc_id: 'mine', ...forAgent('ana') }).ok()
      for (const after of [{}, forFleet('red'), forAgent('ben')])
        expect((await ana.keystones.set({ doc_id: 'mine', ...after })).body.error.details).to.deep.equal(levels(2, 1))
      expect(await ana.keystones.listIds()).to.include('mine')
    })

    it('has the author that X-Agent-ID names, if the caller may act for it', async () => {
      const rule = await key.actingAs('two').keystones.set({ doc_id: 'by-two' }).ok()
      expect(rule.author_agent_id).to.equal('two')
      expect((await key.actingAs('nobody').keystones.set({ doc_id: 'x' })).status).to.equal(403)
      expect((await two.actingAs('ana').keystones.set({ doc_id: 'x' })).status).to.equal(403)
      expect((await two.actingAs('two').keystones.set({ doc_id: 'x' })).status).to.equal(200)
      expect((await tenant.admin.actingAs('two').keystones.set({ doc_id: 'x' })).status).to.equal(403)
      expect((await key.actingAs('ana').keystones.delete('by-two')).body.error.details).to.deep.equal(levels(2, 1))
      expect((await two.actingAs('ana').keystones.delete('by-two')).status).to.equal(403)
      expect((await key.actingAs('two').keystones.delete('by-two')).status).to.equal(200)
    })

    it('requires the fleet or agent of its scope, and refuses others', async () => {
      const faults: [object, string[]][] = [
        [{ scope: 'fleet' }, ['body.fleet_id']],
        [{ scope: 'fleet', fleet_id: null }, ['body.fleet_id']],
        [{ scope: 'agent' }, ['body.agent_id']],
        [{ fleet_id: 'red' }, ['body.fleet_id']],
        [{ agent_id: 'ana' }, ['body.agent_id']],
        [{ scope: 'agent', agent_id: 'ana', fleet_id: 'red' }, ['body.fleet_id']],
        [{ scope: 'fleet', agent_id: 'ana', fleet_id: 'red' }, ['body.agent_id']],
        [{ scope: 'fleet', fleet_id: '' }, ['body.fleet_id']],
        [{ scope: 'everybody' }, ['body.scope']],
        [{ weight: 'medium' }, ['body.weight']],
      ]
      for (const [fields, expected] of faults)
        expect(faultsOf(await key.keystones.set({ doc_id: 'x', ...fields })), JSON.stringify(fields)).to.deep.equal(
          expected,
        )
      const nulls = { fleet_id: null, agent_id: null }
      expect((await key.keystones.set({ doc_id: 'x', ...nulls })).status).to.equal(200)
    })

    it('limits the length of every field, in code points', async () => {
      const faults: [object, string[]][] = [
        [{ title: '' }, ['body.title']],
        [{ title: ' \n' }, ['body.title']],
        [{ title: '🦊'.repeat(201) }, ['body.title']],
        [{ content: '' }, ['body.content']],
        [{ content: '🦊'.repeat(20_001) }, ['body.content']],
        [{ title: 'a\u0000' }, ['body.title']],
        [{ content: 'a\ud800' }, ['body.content']],
        [{ author_agent_id: 'ana' }, ['body.author_agent_id']],
        [{ version: 1 }, ['body.version']],
        ...['', 'A', '-a', 'a/b', 'a b', 'é', `a${'b'.repeat(100)}`, 'a\u0000'].map((doc_id): [object, string[]] => [
          { doc_id },
          ['body.doc_id'],
        ]),
      ]
      for (const [fields, expected] of faults)
        expect(faultsOf(await key.keystones.set({ doc_id: 'x', ...fields })), JSON.stringify(fields).slice(0, 80)) //
          .to.deep.equal(expected)
      const missing = await key.call('setKeystone', { body: {} })
      expect(faultsOf(missing).sort()).to.deep.equal(
        ['content', 'doc_id', 'scope', 'tenant_id', 'title', 'weight'].map((field) => `body.${field}`),
      )
      const longest = { doc_id: `0${'.'.repeat(99)}`, title: '🦊'.repeat(200), content: '🦊'.repeat(20_000) }
      const { title, content } = await key.keystones.set(longest).ok()
      expect([title, content]).to.deep.equal([longest.title, longest.content])
    })

    it('is refused when the rules of the same tenant, fleet or agent become too large together', async () => {
      // 104 rules of 80,000 bytes and some more; writing them through the API would take long.
      const content = '🦊'.repeat(20_000)
      const full = [...Array(104).keys()].map(
        (i) => ({ docId: `rule-${i}`, content, scope: 'agent', agentId: 'ana' }) as const,
      )
      await setRules(service().context.store, tenant.id, full)
      const refused = await ana.keystones.set({ doc_id: 'more', content, ...forAgent('ana') })
      expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'CONFLICT'])
      expect(refused.body.error.details).to.deep.include({ bytes_limit: 8_388_608 })
      await ana.keystones.set({ doc_id: 'small', content: 'Short.', ...forAgent('ana') }).ok()
      await ben.keystones.set({ doc_id: 'of-ben', content, ...forAgent('ben') }).ok()
      for (const fields of [{ scope: 'tenant' }, forFleet('red'), forFleet('blue')])
        await key.keystones.set({ doc_id: 'more', content, ...fields }).ok()
      expect((await key.keystones.set({ doc_id: 'more', content, ...forAgent('ana') })).status).to.equal(409)
      await ana.keystones.set({ doc_id: 'rule-0', title: 'A', content, ...forAgent('ana') }).ok()
      await ana.keystones.set({ doc_id: 'rule-0', content: 'Short.', ...forAgent('ana') }).ok()
      await key.keystones.set({ doc_id: 'more', content, ...forAgent('ana') }).ok()
      expect(await ana.keystones.listIds()).to.have.length(106)
      // Rules may exceed the limit already; then a change that does not grow one is accepted.
      await setRules(
        service().context.store,
        tenant.id,
        [...full, ...full.slice(0, 2)].map((rule, i) => ({ ...rule, docId: `over-${i}`, agentId: 'zoe' })),
      )
      await key.keystones.set({ doc_id: 'over-0', content: 'Short.', ...forAgent('zoe') }).ok()
      expect((await key.keystones.set({ doc_id: 'over-0', content: 'Longer.', ...forAgent('zoe') })).status).to.equal(
        409,
      )
      // The old text of a rule does not count, and a rule moved to another agent counts there in full.
      await key.keystones.set({ doc_id: 'rule-1', title: 'A longer title', content, ...forAgent('ana') }).ok()
      expect((await key.keystones.set({ doc_id: 'of-ben', content, ...forAgent('ana') })).status).to.equal(409)
    })

    it('creates no version when nothing changes', async () => {
      const rule = await two.keystones.set({ doc_id: 'same' }).ok()
      const tag = await tagOf(ana)
      const again = await key.keystones.set({ doc_id: 'same', title: ' A rule ', fleet_id: null })
      expect([again.status, again.body]).to.deep.equal([200, rule])
      expect(await tagOf(ana)).to.equal(tag)
      expect((await key.keystones.versions('same')).body.items).to.have.length(1)
      expect((await tenant.admin.audit.list({ subject_id: 'same' })).body.items).to.have.length(1)
      expect((await ana.keystones.set({ doc_id: 'same' })).status).to.equal(403)
    })

    it('honours If-Match', async () => {
      const set = (content: string, ifMatch: string) =>
        key.keystones.set({ doc_id: 'x', content }, { 'If-Match': ifMatch })
      for (const tag of ['"1"', '*']) {
        const none = await set('a', tag)
        expect([none.status, none.body.error.details]).to.deep.equal([409, { current_version: null }])
      }
      await key.keystones.set({ doc_id: 'x' }).ok()
      expect((await set('a', '"1"')).body.version).to.equal(2)
      const late = await set('b', '"1"')
      expect([late.status, late.body.error.details]).to.deep.equal([409, { current_version: 2 }])
      expect((await set('b', '1')).status).to.equal(400)
      expect((await set('b', '*')).body.version).to.equal(3)
    })

    it('keeps each of 20 concurrent writes, as consecutive versions', async () => {
      const contents = [...Array(20).keys()].map((i) => `Said by ${i}.`)
      const answers = await Promise.all(contents.map((content) => key.keystones.set({ doc_id: 'contested', content })))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(200))
      const versions = (await key.keystones.versions('contested')).body.items
      expect(versions.map(({ version }) => version)).to.deep.equal([...Array(20).keys()].map((i) => 20 - i))
      expect(versions.map(({ content }) => content).sort()).to.deep.equal([...contents].sort())
      expect((await key.keystones.list()).body).to.have.length(1)
      expect(((await key.keystones.list()).body as Keystone[])[0]).to.include({
        version: 20,
        content: versions[0]!.content,
      })
    })

    it('keeps each of 120 rules that one tenant sets at once, and each change of them', async () => {
      const ids = [...Array(120).keys()].map((i) => `at-once-${i}`)
      for (const version of [1, 2]) {
        const set = (doc_id: string, i: number) =>
          (i % 2 === 0 ? key : two).keystones.set({ doc_id, content: `${doc_id}, version ${version}.` })
        const answers = await Promise.all(ids.map(set))
        expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200))
        const stored = new Map(((await ana.keystones.list()).body as Keystone[]).map((rule) => [rule.doc_id, rule]))
        expect([...stored.keys()].sort()).to.deep.equal([...ids].sort())
        for (const [i, { body }] of answers.entries()) {
          expect(body).to.include({ doc_id: ids[i], version, content: `${ids[i]}, version ${version}.` })
          expect(stored.get(ids[i]!)).to.deep.equal(body)
        }
      }
    })

    it('leaves the tenant’s other requests their permits while 60 rules wait for one another', async () => {
      const ids = [...Array(60).keys()].map((i) => `waiting-${i}`)
      await key.keystones.set({ doc_id: 'first' }).ok()
      await withConnection(service().databaseUrl, async (holder) => {
        await holder.query('begin')
        await holder.query('select from keystone_sets where tenant_id = $1 for update', [tenant.id])
        const sets = ids.map((doc_id) => key.keystones.set({ doc_id }))
        await until('a rule waits for the lock', async () => (await countWaiters(holder)) > 0)
        const reads = await Promise.all(ids.map(() => ana.memories.list({})))
        expect(reads.map(({ status }) => status)).to.deep.equal(ids.map(() => 200))
        expect(await countWaiters(holder)).to.equal(1)
        await holder.query('commit')
        expect((await Promise.all(sets)).map(({ status }) => status)).to.deep.equal(ids.map(() => 200))
      })
      expect((await ana.keystones.listIds()).sort()).to.deep.equal(['first', ...ids].sort())
    })

    it('and deleting concurrently ends as the last of them wrote', async () => {
      const steps = [...Array(24).keys()].map((i) =>
        i % 3 === 2 ? key.keystones.delete('torn') : key.keystones.set({ doc_id: 'torn', content: `${i}` }),
      )
      const statuses = (await Promise.all(steps)).map(({ status }) => status)
      expect(statuses.every((status) => status === 200 || status === 404)).to.equal(true)
      const versions = (await key.keystones.versions('torn')).body.items
      const done = statuses.filter((status) => status === 200).length
      expect(versions.map(({ version }) => version)).to.deep.equal([...Array(done).keys()].map((i) => done - i))
      const [last] = versions
      const rules = (await key.keystones.list()).body as Keystone[]
      expect(rules.map(({ version }) => version)).to.deep.equal(last!.change === 'deleted' ? [] : [done])
      for (const [i, { change }] of versions.entries()) {
        const before = versions[i + 1]?.change ?? 'deleted'
        expect(change === 'created').to.equal(before === 'deleted')
      }
    })
  })

  describe('deleting a rule', () => {
    it('removes it from every list', async () => {
      await fill()
      const answer = await key.keystones.delete('all')
      expect([answer.status, answer.body]).to.deep.equal([200, { deleted: true, doc_id: 'all' }])
      expect(await ana.keystones.listIds()).to.deep.equal(['of-ana', 'red'])
      expect((await key.keystones.delete('all')).status).to.equal(404)
    })

    it('concurrently succeeds once, with one version', async () => {
      for (let round = 0; round < 3; round++) {
        await key.keystones.set({ doc_id: 'all' }).ok()
        const statuses = (await Promise.all(Array.from({ length: 6 }, () => key.keystones.delete('all')))).map(
          ({ status }) => status,
        )
        expect(statuses.sort()).to.deep.equal([200, 404, 404, 404, 404, 404])
      }
      expect((await key.keystones.versions('all')).body.items).to.have.length(6)
    })

    it('needs the trust that the stored rule demands', async () => {
      await fill()
      for (const docId of ['all', 'red', 'of-ben'])
        expect((await ana.keystones.delete(docId)).body.error.details).to.deep.equal(levels(2, 1))
      expect((await restricted.keystones.delete('of-zoe')).body.error.details).to.deep.equal(levels(1, 0))
      expect((await restricted.keystones.delete('all')).body.error.details).to.deep.equal(levels(2, 0))
      const weak = await tenant.caller({ trust: 1 })
      expect((await weak.keystones.delete('of-ana')).body.error.details).to.deep.equal(levels(2, 1))
      expect((await weak.actingAs('ana').keystones.delete('of-ana')).status).to.equal(200)
      expect((await ben.keystones.delete('of-ben')).status).to.equal(200)
      expect((await two.keystones.delete('red')).status).to.equal(200)
      expect((await tenant.admin.keystones.delete('all')).status).to.equal(200)
      expect((await key.keystones.listIds({ fleet_id: 'blue', agent_id: 'zoe' })).sort()).to.deep.equal([
        'blue',
        'of-zoe',
      ])
    })

    it('requires a well-formed doc_id and a tenant_id', async () => {
      expect(faultsOf(await key.keystones.delete('No'))).to.deep.equal(['path.doc_id'])
      const missing = await key.call('deleteKeystone', { params: { doc_id: 'x' } })
      expect(faultsOf(missing)).to.deep.equal(['query.tenant_id'])
      expect((await key.keystones.delete('nothing')).status).to.equal(404)
    })

    it('also works for rules that are named like other paths', async () => {
      for (const docId of ['coverage', 'acknowledgements', 'versions']) {
        await key.keystones.set({ doc_id: docId }).ok()
        expect((await key.keystones.delete(docId)).status, docId).to.equal(200)
        expect((await key.keystones.versions(docId)).body.items).to.have.length(2)
      }
      const other = await key.raw('PUT', '/api/v1/keystones/coverage')
      expect([other.status, other.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD, DELETE'])
    })
  })

  it('rules are counted in the public statistics', async () => {
    // The route caches its answer for a second.
    const count = async () => (await service().context.store.asSystem(readPublicCounts)).keystones
    const before = await count()
    await fill()
    await key.keystones.set({ doc_id: 'all', content: 'New.' }).ok()
    expect(await count()).to.equal(before + 6)
    await key.keystones.delete('all')
    expect(await count()).to.equal(before + 5)
    await until('the public count follows', async () =>
      expect((await key.probes.stats()).body.keystone_count).to.equal(before + 5),
    )
  })
})

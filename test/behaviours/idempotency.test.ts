import { expect } from 'chai'
import { createHash } from 'node:crypto'
import pg from 'pg'
import { stringify } from 'safe-stable-stringify'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'

const DAY = 24 * 3_600_000
const key = (value: string) => ({ 'Idempotency-Key': value })
const sha256 = (text: string) => createHash('sha256').update(text).digest()

/** Tests `Idempotency-Key` on both write routes. */
describeOnEmbedded(() => {
  const clock = createMovingClock()
  const service = ownService({ clock })
  describe('an Idempotency-Key', () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana' })
    })

    it('replays the first answer with Idempotent-Replayed, and writes nothing again', async () => {
      const first = await ana.memories.create({ content: 'Once.', weight: 0.7 }, key('k'))
      const again = await ana.memories.create({ content: 'Once.', weight: 0.7 }, key('k'))
      expect([first.status, again.status]).to.deep.equal([201, 201])
      expect(again.body).to.deep.equal(first.body)
      expect(again.headers.get('ETag')).to.equal('"1"')
      expect([first, again].map(({ headers }) => headers.get('Idempotent-Replayed'))).to.deep.equal([null, 'true'])
      expect(await ana.memories.total()).to.equal(1)
    })

    it('is kept as a digest alone, whatever it is built of', async () => {
      const value = 'remember:ana@example.org'
      await ana.memories.create('Once.', key(value)).ok()
      const kept = await runSql<{ idempotency_key: string; whole: string }>(
        service().databaseUrl,
        'select idempotency_key, k::text as whole from idempotency_keys k where tenant_id = $1',
        [tenant.id],
      )
      expect(kept).to.have.length(1)
      expect(kept[0]!.idempotency_key).to.equal(createHash('sha256').update(value).digest('hex'))
      expect(kept[0]!.whole).not.to.contain('ana@example.org')
    })

    it('ignores the order of fields in the body', async () => {
      const { tenantId: tenant_id } = ana
      const metadata = { a: 1, b: { c: 2, d: 3 } }
      const call = (body: object) => ana.memories.create(body, key('k'))
      const first = await call({ tenant_id, content: 'Ordered.', metadata })
      const again = await call({ metadata: { b: { d: 3, c: 2 }, a: 1 }, content: 'Ordered.', tenant_id })
      expect(again.body).to.deep.equal(first.body)
    })

    it('takes a field that is null as an absent one, alone and in bulk, but not in a caller’s own objects', async () => {
      const nulls = { title: null, weight: null, run_id: null, scope: null, visibility: null, agent_id: null }
      const { agent_id: _, ...ofItem } = nulls
      const first = await ana.memories.create({ content: 'Sparse.', metadata: { a: null } }, key('k'))
      const again = await ana.memories.create({ content: 'Sparse.', metadata: { a: null }, ...nulls }, key('k'))
      expect([again.status, again.body]).to.deep.equal([201, first.body])
      expect(faultsOf(await ana.memories.create({ content: 'Sparse.', metadata: {} }, key('k')))).to.deep.equal([
        'header.Idempotency-Key',
      ])
      const bulk = await ana.memories.createMany([{ content: 'Sparse 2.' }], {}, key('k'))
      const repeated = await ana.memories.createMany(
        [{ content: 'Sparse 2.', ...ofItem }],
        { fleet_id: null },
        key('k'),
      )
      expect([repeated.status, repeated.body]).to.deep.equal([200, bulk.body])
      expect(await ana.memories.total()).to.equal(2)
    })

    it('replays what an earlier version answered, which hashed nulls too, and refuses a repeat that has some', async () => {
      /** Writes once, under the hash that an earlier version stored for this body, with its defaults. */
      const writeFormerly = async (body: object, name: string) => {
        const sent = { tenant_id: tenant.id, ...body }
        const hashed = stringify({ weight: 0.5, status: 'active', ...sent })
        const first = await ana.memories.create(sent, key(name)).ok()
        await runSql(
          service().databaseUrl,
          'update idempotency_keys set request_hash = $3 where tenant_id = $1 and idempotency_key = $2',
          [tenant.id, sha256(name).toString('hex'), sha256(hashed!)],
        )
        return { first, again: await ana.memories.create(sent, key(name)) }
      }
      const full = await writeFormerly({ content: 'Full.', metadata: { a: null } }, 'full')
      expect([full.again.status, full.again.body]).to.deep.equal([201, full.first])
      const sparse = await writeFormerly({ content: 'Sparse.', title: null }, 'sparse')
      expect(faultsOf(sparse.again)).to.deep.equal(['header.Idempotency-Key'])
      expect(sparse.again.status).to.equal(422)
      expect(await ana.memories.total()).to.equal(2)
    })

    it('replays the answer for a memory that was deleted meanwhile', async () => {
      const first = await ana.memories.create('Gone soon.', key('k'))
      await ana.memories.delete(first.body.id).ok()
      expect((await ana.memories.create('Gone soon.', key('k'))).body).to.deep.equal(first.body)
      expect(await ana.memories.total()).to.equal(0)
    })

    it('does not count a replay against the quota', async () => {
      await tenant.admin.tenants.patch(tenant.id, { memories_limit: 1 })
      const first = await ana.memories.create('Last place.', key('k'))
      const again = await ana.memories.create('Last place.', key('k'))
      expect(again.status).to.equal(201)
      expect(again.body.usage).to.deep.equal(first.body.usage)
      expect((await ana.memories.create('One more.', key('other'))).status).to.equal(402)
    })

    it('refuses another body with 422', async () => {
      await ana.memories.create('First body.', key('k')).ok()
      const answer = await ana.memories.create('Second body.', key('k'))
      expect(faultsOf(answer)).to.deep.equal(['header.Idempotency-Key'])
      expect(await ana.memories.total()).to.equal(1)
    })

    const malformed: [what: string, value: string][] = [
      ['an empty one', ''],
      ['one with a space', 'a b'],
      ['one that is not ASCII', 'clé'],
      ['one of 256 characters', 'k'.repeat(256)],
    ]
    for (const [what, value] of malformed)
      it(`is refused with 400 when it is ${what}`, async () => {
        const answer = await ana.memories.create('Malformed.', key(value))
        expect(answer.status).to.equal(400)
        expect(answer.body.error.code).to.equal('BAD_REQUEST')
        expect(await ana.memories.total()).to.equal(0)
      })

    it('may have up to 255 visible characters of any kind', async () => {
      const value = `!"#$%&'()*+,/:;<=>?@[\\]^_\`{|}~${'k'.repeat(255)}`.slice(0, 255)
      const first = await ana.memories.create('Long.', key(value))
      expect((await ana.memories.create('Long.', key(value))).body).to.deep.equal(first.body)
    })

    it('can be used again at once after a failed request', async () => {
      await ana.memories.create('Known.').ok()
      const body = { content: 'Taken.', subject_entity_id: '01890000-0000-7000-8000-000000000000' }
      expect((await ana.memories.create('Known. ', key('k'))).status).to.equal(409)
      expect((await ana.memories.create(body, key('k'))).status).to.equal(404)
      expect((await ana.memories.create({ content: 'x', agent_id: 'ben' }, key('k'))).status).to.equal(403)
      expect((await ana.memories.create({ content: 'x', weight: 9 }, key('k'))).status).to.equal(422)
      await tenant.admin.tenants.patch(tenant.id, { memories_limit: 1 })
      expect((await ana.memories.create('Over.', key('k'))).status).to.equal(402)
      await tenant.admin.tenants.patch(tenant.id, { memories_limit: null })
      const stored = await ana.memories.create('Taken.', key('k'))
      expect(stored.status).to.equal(201)
      expect(stored.headers.get('Idempotent-Replayed')).to.equal(null)
    })

    it('stores one memory for 20 equal concurrent requests, and answers all alike', async () => {
      const answers = await Promise.all([...Array(20).keys()].map(() => ana.memories.create('Stormy.', key('k'))))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
      for (const { body } of answers) expect(body).to.deep.equal(answers[0]!.body)
      const replayed = answers.filter(({ headers }) => headers.get('Idempotent-Replayed') === 'true')
      expect(replayed).to.have.length(19)
      expect(await ana.memories.total()).to.equal(1)
    })

    it('stores one set of memories for 20 equal concurrent bulks, and answers all alike', async () => {
      const items = [...Array(30).keys()].map((i) => ({ content: i === 7 ? '' : `Stormy ${i}.` }))
      const answers = await Promise.all([...Array(20).keys()].map(() => ana.memories.createMany(items, {}, key('k'))))
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(20).fill(207))
      for (const { body } of answers) expect(body).to.deep.equal(answers[0]!.body)
      expect(answers[0]!.body).to.include({ created: 29, duplicates: 0, errors: 1 })
      expect(await ana.memories.total()).to.equal(29)
    })

    it('is specific to its route', async () => {
      const single = await ana.memories.create('Single.', key('k'))
      const bulk = await ana.memories.createMany([{ content: 'Bulk.' }], {}, key('k'))
      expect([single.status, bulk.status]).to.deep.equal([201, 200])
      expect(
        (await ana.memories.createMany([{ content: 'Bulk.' }], {}, key('k'))).headers.get('Idempotent-Replayed'),
      ).to.equal('true')
      expect(faultsOf(await ana.memories.createMany([{ content: 'Other.' }], {}, key('k')))).to.deep.equal([
        'header.Idempotency-Key',
      ])
    })

    it('is shared by all keys of the acting agent', async () => {
      const second = await tenant.caller({ agentId: 'ana' })
      const ofTenant = await tenant.caller()
      const first = await ana.memories.create('Hers.', key('k'))
      expect((await second.memories.create('Hers.', key('k'))).body).to.deep.equal(first.body)
      expect((await ofTenant.actingAs('ana').memories.create('Hers.', key('k'))).body).to.deep.equal(first.body)
    })

    it('is separate for another agent, for a key without an agent, and for another tenant', async () => {
      const ben = await tenant.caller({ agentId: 'ben' })
      const [one, two] = [await tenant.caller(), await tenant.caller()]
      const otherTenantCaller = await newTenant(service()).caller({ agentId: 'ana' })
      const ids: string[] = [(await ana.memories.create('Everyone’s.', key('k')).ok()).id]
      ids.push((await ben.memories.create('Everyone’s.', key('k')).ok()).id)
      ids.push((await one.memories.create('Everyone’s.', key('k')).ok()).id)
      ids.push((await otherTenantCaller.memories.create('Everyone’s.', key('k')).ok()).id)
      expect(new Set(ids).size).to.equal(4)
      // Another key without an agent is another caller: its write is new, and therefore a duplicate.
      expect((await two.memories.create('Everyone’s.', key('k'))).status).to.equal(409)
    })

    it('expires after 24 hours, and not before', async () => {
      await ana.memories.create('Daily.', key('k')).ok()
      clock.advance(DAY - 60_000)
      expect((await ana.memories.create('Daily.', key('k'))).headers.get('Idempotent-Replayed')).to.equal('true')
      expect((await ana.memories.create('Other.', key('k'))).status).to.equal(422)
      clock.advance(60_000)
      const other = await ana.memories.create('Other.', key('k'))
      expect(other.status).to.equal(201)
      expect((await ana.memories.create('Other.', key('k'))).body).to.deep.equal(other.body)
    })

    it('waits for a running request with the same key, and returns its answer', async () => {
      const underWay = await claimKeyElsewhere(tenant.id, 'k')
      const waiting = ana.memories.create('Waited for.', key('k'))
      await underWay.waitedFor()
      await underWay.release()
      const answer = await waiting
      expect(answer.status).to.equal(201)
      expect(answer.headers.get('Idempotent-Replayed')).to.equal(null)
    })

    it('answers 409 with Retry-After after waiting 10 seconds for a running request', async function () {
      const underWay = await claimKeyElsewhere(tenant.id, 'k')
      try {
        const [single, other] = await Promise.all([
          ana.memories.create('Late.', key('k')),
          ana.memories.create('Late.', key('other')),
        ])
        expect(single.status).to.equal(409)
        expect(single.headers.get('Retry-After')).to.match(/^\d+$/)
        expect(other.status).to.equal(201)
      } finally {
        await underWay.release()
      }
    })

    /** Claims ana's key for a single write in a transaction that stays open, as another process would. */
    async function claimKeyElsewhere(tenantId: string, value: string) {
      const client = new pg.Client({ connectionString: service().databaseUrl })
      await client.connect()
      await client.query('begin')
      await client.query(
        `insert into idempotency_keys (tenant_id, identity, route, idempotency_key, request_hash, created_at)
         values ($1, 'agent:ana', 'createMemory', encode(sha256(convert_to($2, 'UTF8')), 'hex'), '', now())`,
        [tenantId, value],
      )
      return {
        waitedFor: () => until('the request waits for the key', () => isWaitedFor(client)),
        async release() {
          await client.query('rollback')
          await client.end()
        },
      }
    }
  })
})

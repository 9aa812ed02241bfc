import { expect } from 'chai'
import { MAX_BACKLOG } from '../../services/indexing/refuse-beyond-backlog.js'
import type { Caller } from '../support/client.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const ITEMS = [{ content: 'The first of the rest.' }, { content: 'The second of the rest.' }]

/** Tests what bulk writes are answered while a tenant's changes wait to be indexed. */
describeOnEachProfile((profile) => {
  describe('a bulk write beyond the backlog', () => {
    const service = ownService({ profile, queues: [] })
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      await run('delete from index_pending')
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
    })

    const run = (statement: string) => runSql(service().databaseUrl, statement)
    const fill = (kind: string, rows: number, settled = 'null') =>
      run(`insert into index_pending (tenant_id, kind, entity_id, settled_at)
        select '${tenant.id}', '${kind}', gen_random_uuid(), ${settled} from generate_series(1, ${rows})`)

    it('is told 429 with Retry-After, writes nothing, and succeeds with the same key once rows are indexed', async () => {
      await fill('memory', MAX_BACKLOG)
      await fill('memory', 1, 'now()')
      const refused = await ana.memories.createMany(ITEMS, {}, { 'Idempotency-Key': 'rest' })
      expect(refused.status).to.equal(429)
      expect(refused.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      expect(await ana.memories.listAll()).to.deep.equal([])

      await run(`update index_pending set settled_at = now() where tenant_id = '${tenant.id}'`)
      const answer = await ana.memories.createMany(ITEMS, {}, { 'Idempotency-Key': 'rest' })
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('idempotent-replayed')).to.equal(null)
      expect(await ana.memories.listAll()).to.have.length(ITEMS.length)
      expect((await ana.memories.createMany(ITEMS, {}, { 'Idempotency-Key': 'rest' })).body).to.deep.equal(answer.body)
    })

    it('is accepted below the backlog by one row', async () => {
      await fill('memory', MAX_BACKLOG - 1)
      await fill('memory', 1, 'now()')
      expect((await ana.memories.createMany(ITEMS)).status).to.equal(200)
    })

    it('holds back neither single writes, nor another tenant, nor documents', async () => {
      await fill('memory', MAX_BACKLOG)
      await fill('memory', 1, 'now()')
      await ana.memories.create('A single write.').ok()
      const other = await newTenant(service()).caller({ agentId: 'ben', fleetId: 'red' })
      expect((await other.memories.createMany(ITEMS)).status).to.equal(200)
      expect((await ana.documents.putMany('notes', [{ doc_id: 'a', data: { n: 1 } }])).status).to.equal(200)
    })

    it('has a backlog of documents of its own', async () => {
      await fill('document', MAX_BACKLOG)
      await fill('document', 1, 'now()')
      expect((await ana.documents.putMany('notes', [{ doc_id: 'a', data: { n: 1 } }])).status).to.equal(429)
      expect((await ana.memories.createMany(ITEMS)).status).to.equal(200)
    })

    it('is accepted while nothing is indexed at all: waiting would not help', async () => {
      await fill('memory', MAX_BACKLOG)
      await fill('memory', 1, "now() - interval '31 seconds'")
      expect((await ana.memories.createMany(ITEMS)).status).to.equal(200)
    })

    it('does not count rows that have failed', async () => {
      await fill('memory', MAX_BACKLOG)
      await fill('memory', 1, 'now()')
      await run(`update index_pending set failed_at = now() where ctid = (
        select ctid from index_pending where tenant_id = '${tenant.id}' and settled_at is null limit 1)`)
      expect((await ana.memories.createMany(ITEMS)).status).to.equal(200)
    })
  })
})

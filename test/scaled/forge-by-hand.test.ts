import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { KEY_ROTATION, storeRun } from '../support/forge.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { runSql } from '../support/run-sql.js'
import { type ApiProcess, createTestCluster, type TestCluster } from '../support/scaled-processes.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

/** Two processes of the API and two workers: the scheduler's run is one worker's, and the other one is free. */
describe('runs of the Forge that two processes start by hand beside the scheduled one', function () {
  this.timeout(300_000)
  scaled(['postgres', 'redis', 'opensearch'], () => {
    let cluster: TestCluster
    let store: Store
    before(async () => {
      cluster = await createTestCluster()
      store = new Store({
        url: cluster.databaseUrl,
        poolSize: 4,
        systemPoolSize: 2,
        statementTimeoutMs: 30_000,
        connectTimeoutMs: 3_000,
        logger: createLogger('silent'),
      })
    })
    after(async () => {
      await store?.stop()
      await cluster?.remove()
    })

    const rows = <Row extends pg.QueryResultRow>(statement: string, tenantId: string) =>
      runSql<Row>(cluster.databaseUrl, statement, [tenantId])
    /** Returns the runs of a tenant in the order in which they were asked for. */
    async function runsOf(tenantId: string): Promise<string[]> {
      const found = await rows<{ told: string }>(
        `select concat_ws(' ', trigger, state, result #> '{candidates,0,outcome}') as told from forge_runs where tenant_id = $1 order by run_id`,
        tenantId,
      )
      return found.map(({ told }) => told)
    }
    async function newTenant(): Promise<string> {
      const tenantId = `t-${randomUUID()}`
      for (const [agent, texts] of KEY_ROTATION) await storeRun(store, tenantId, agent, `run-${agent}`, texts)
      return tenantId
    }
    async function optIn(tenantId: string): Promise<void> {
      await rows('insert into tenants (tenant_id) values ($1)', tenantId)
      await rows(
        `insert into tenant_settings (tenant_id, settings) values ($1, '{"skills_factory": {"enabled": true}}')`,
        tenantId,
      )
    }
    const start = ({ admin }: ApiProcess, tenantId: string) => admin.forge.run({ tenant_id: tenantId }).ok()

    it('wait for that one while another tenant has its turn, and make nothing twice', async () => {
      const [tenantId, other] = [await newTenant(), await newTenant()]
      const apis = [await cluster.api(), await cluster.api()]
      const holder = new pg.Client({ connectionString: cluster.databaseUrl })
      await holder.connect()
      await holder.query('begin')
      await holder.query('select from memories where tenant_id = $1 for update', [tenantId])
      try {
        await optIn(tenantId)
        for (let n = 0; n < 2; n++) await cluster.worker({ DATABASE_STATEMENT_TIMEOUT_MS: '120000' }, 'forge')
        await until(
          'the scheduled run is about to write',
          async () => {
            expect(await runsOf(tenantId)).to.deep.equal(['schedule running'])
            return expect(await isWaitedFor(holder)).to.equal(true)
          },
          { within: 60_000 },
        )
        for (const api of apis) await start(api, tenantId)
        await optIn(other)
        await start(apis[0]!, other)
        // The free worker takes the run that waits the longest, if it may be claimed: the other tenant's has waited less.
        await until(
          'the free worker has had a turn',
          async () =>
            expect((await runsOf(other)).filter((told) => told.endsWith(' succeeded "created"'))).to.have.length(1),
          { within: 60_000 },
        )
        expect(await runsOf(tenantId)).to.deep.equal(['schedule running', 'manual queued', 'manual queued'])
      } finally {
        await holder.end()
      }
      await until(
        'all runs are over',
        async () =>
          expect(await runsOf(tenantId)).to.deep.equal([
            'schedule succeeded "created"',
            'manual succeeded "unchanged"',
            'manual succeeded "unchanged"',
          ]),
        { within: 60_000 },
      )
      const [written] = await rows(
        `select (select count(*)::int from skill_versions where tenant_id = $1) as versions,
        (select count(*)::int from skill_cites where tenant_id = $1) as cites,
        (select count(*)::int from forge_traces where tenant_id = $1) as traces`,
        tenantId,
      )
      expect(written).to.deep.equal({ versions: 1, cites: 17, traces: 5 })
    })
  })
})

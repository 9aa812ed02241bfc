import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { KEY_ROTATION, storeRun } from '../support/forge.js'
import type { CairnProcess } from '../support/processes.js'
import { runSql } from '../support/run-sql.js'
import { createTestCluster, type TestCluster } from '../support/scaled-processes.js'
import { serviceUrl } from '../support/services.js'
import { until } from '../support/states.js'

interface RunRow {
  readonly run_id: string
  readonly state: string
  readonly attempts: number
  readonly result: { readonly candidates?: readonly { readonly outcome: string }[] }
}

/** Kills a worker of the Forge at each step of a run; another worker carries the run on. */
describe('a worker of the Forge that is killed', function () {
  this.timeout(300_000)
  let cluster: TestCluster
  let store: Store
  let tenantId: string
  before(async function () {
    if (serviceUrl('redis') === null || serviceUrl('opensearch') === null) return this.skip()
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

  const rows = <Row extends pg.QueryResultRow>(statement: string) =>
    runSql<Row>(cluster.databaseUrl, statement, [tenantId])
  const run = async () => (await rows<RunRow>('select * from forge_runs where tenant_id = $1'))[0]
  const skills = () =>
    rows<{ doc_id: string; version: number }>(
      `select s.doc_id, v.version from skills s join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id
        where s.tenant_id = $1`,
    )

  /** Makes the worker wait at a step until what is returned is called. */
  type Hold = () => Promise<() => Promise<unknown>>
  const locking =
    (table: string, mode: string): Hold =>
    async () => {
      const client = new pg.Client({ connectionString: cluster.databaseUrl })
      await client.connect()
      await client.query(`begin; lock table ${table} in ${mode} mode`)
      return () => client.end()
    }
  /** Makes the insertion of the next row into a table wait where a condition on that row, `new`, holds. */
  const inserting =
    (table: string, condition: string): Hold =>
    async () => {
      const sql = (statement: string) => runSql(cluster.databaseUrl, statement)
      await sql(`create function hold_insert() returns trigger language plpgsql as $$ begin
          if ${condition} then perform pg_sleep(60); end if;
          return new; end $$;
        create trigger hold_insert before insert on ${table} for each row execute function hold_insert()`)
      // PostgreSQL notices only after the sleep that the connection of a dead process is gone.
      return () =>
        sql(`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event = 'PgSleep';
          drop trigger hold_insert on ${table}; drop function hold_insert()`)
    }
  /** Makes the insertion of the next version wait once so many are stored. */
  const atVersion = (count: number): Hold =>
    inserting('skill_versions', `(select count(*) from skill_versions where tenant_id = new.tenant_id) >= ${count}`)
  /** Makes the traces of the next part wait once those of one are stored. */
  const atSecondPart = inserting(
    'forge_traces',
    'exists (select from forge_traces where tenant_id = new.tenant_id and fleet_id <> new.fleet_id)',
  )
  /** Returns true while a statement of the service on this table waits: the worker is where it is to be killed. */
  const waits = (text: string) => async () => {
    const found = await runSql(
      cluster.databaseUrl,
      `select 1 from pg_stat_activity where application_name in ('cairn_app', 'cairn_system') and state = 'active'
        and wait_event is not null and query ilike $1`,
      [`%${text}%`],
    )
    return found.length > 0
  }

  const STEPS: readonly (readonly [step: string, hold: Hold, statement: string, versions: number])[] = [
    ['when it has claimed the run and reads', locking('recalls', 'access exclusive'), 'from recalls', 0],
    ['when it has read and clustered', locking('forge_traces', 'exclusive'), 'insert into forge_traces', 0],
    ['when it has done the first part', atSecondPart, 'insert into forge_traces', 0],
    ['while it writes the first skill', atVersion(0), 'insert into "skill_versions"', 0],
    ['when it has written the first skill', atVersion(1), 'insert into "skill_versions"', 1],
  ]

  for (const [step, hold, statement, versions] of STEPS)
    it(`${step} writes no skill twice`, async () => {
      tenantId = `t-${randomUUID()}`
      for (const fleetId of ['red', 'blue'])
        for (const [agent, texts] of KEY_ROTATION)
          await storeRun(store, tenantId, agent, `run-${agent}`, texts, { fleetId })
      const release = await hold()
      await rows('insert into tenants (tenant_id) values ($1)')
      await rows(
        `insert into tenant_settings (tenant_id, settings) values ($1, '{"skills_factory": {"enabled": true}}')`,
      )
      try {
        const killed = await cluster.worker({}, 'forge')
        await until('the worker is at this step', waits(statement), { within: 60_000 })
        expect((await run())!.state).to.equal('running')
        expect(await skills()).to.have.length(versions)
        await killed.kill('SIGKILL')
      } finally {
        await release()
      }
      await rows(`update forge_runs set lease = now() - interval '1 s' where tenant_id = $1`)

      const second: CairnProcess = await cluster.worker({}, 'forge')
      await until('the run is done', async () => expect((await run())?.state).to.equal('succeeded'), { within: 90_000 })
      await second.kill('SIGTERM')
      expect((await run())!.attempts).to.equal(2)
      expect((await run())!.result.candidates!.map(({ outcome }) => outcome)).to.deep.equal(['created', 'created'])
      expect((await skills()).map(({ version }) => version)).to.deep.equal([1, 1])
      expect(await rows('select 1 from skill_moves where tenant_id = $1')).to.have.length(2)
      expect(await rows('select 1 from forge_traces where tenant_id = $1')).to.have.length(10)
    })
})

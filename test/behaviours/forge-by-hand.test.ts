import { expect } from 'chai'
import pg from 'pg'
import type { Caller } from '../support/client.js'
import { KEY_ROTATION } from '../support/forge.js'
import { isWaitedFor } from '../support/lock-waits.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { sharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

/** Tests a run that somebody starts by hand while the scheduler's run of the same tenant is going. */
describeOnEachProfile((profile) => {
  describe('a run of the Forge that is started by hand beside the scheduled one', function () {
    this.timeout(120_000)
    const service = sharedService(profile)
    let tenant: TestTenant
    let operator: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
      for (const [agentId, texts] of KEY_ROTATION) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const content of texts) await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
      }
    })

    const optIn = () => operator.settings.patch({ skills_factory: { enabled: true } }).ok()
    /** Starts a run by hand, and returns its id. */
    async function start(): Promise<string> {
      const { runs, ...answer } = await service().client().forge.run({ tenant_id: tenant.id }).ok()
      expect(answer).to.deep.equal({ action: 'forge-distill', published: 1, failed: 0 })
      expect(runs.map(({ tenant_id }) => tenant_id)).to.deep.equal([tenant.id])
      return runs[0]!.run_id
    }
    const rows = <Row extends pg.QueryResultRow>(statement: string) =>
      runSql<Row>(service().databaseUrl, statement, [tenant.id])
    async function runsUnderWay() {
      const { items } = await operator.forge.list().ok()
      return items.map(({ run_id, trigger, state }) => ({ run_id, told: `${trigger} ${state}` })).toReversed()
    }

    /** Opts in, and holds the scheduled run after it has clustered, before it writes; what is returned lets it go on. */
    async function holdScheduledRun(): Promise<() => Promise<void>> {
      const client = new pg.Client({ connectionString: service().databaseUrl })
      await client.connect()
      await client.query('begin')
      await client.query('select from memories where tenant_id = $1 for update', [tenant.id])
      await optIn()
      await until('the scheduled run is about to write', async () => {
        expect((await runsUnderWay()).map(({ told }) => told)).to.deep.equal(['schedule running'])
        return expect(await isWaitedFor(client)).to.equal(true)
      })
      return () => client.end()
    }

    it('waits for that one, and makes nothing twice', async () => {
      const release = await holdScheduledRun()
      const byHand = [await start(), await start()]
      const [scheduled, ...waiting] = await runsUnderWay()
      expect(waiting.map(({ run_id }) => run_id)).to.deep.equal(byHand)
      expect([scheduled, ...waiting].map((run) => run!.told)).to.deep.equal([
        'schedule running',
        'manual queued',
        'manual queued',
      ])
      await release()
      await until('all runs are over', async () =>
        expect((await runsUnderWay()).map(({ told }) => told)).to.deep.equal([
          'schedule succeeded',
          'manual succeeded',
          'manual succeeded',
        ]),
      )
      const told = []
      for (const id of [scheduled!.run_id, ...byHand]) {
        const { candidates, traces } = await operator.forge.get(id).ok()
        told.push({ traces, outcomes: candidates.map(({ outcome, runs, agents }) => `${outcome} ${runs} ${agents}`) })
      }
      expect(told).to.deep.equal([
        { traces: 5, outcomes: ['created 4 4'] },
        { traces: 5, outcomes: ['unchanged 4 4'] },
        { traces: 5, outcomes: ['unchanged 4 4'] },
      ])
      expect(await written()).to.deep.equal({ skills: 1, versions: 1, cites: 17, traces: 5, run: scheduled!.run_id })
    })

    async function written() {
      const [counts] = await rows<{ skills: number; versions: number; cites: number; traces: number; run: string }>(`
        select (select count(*)::int from skills where tenant_id = $1) as skills,
          (select count(*)::int from skill_versions where tenant_id = $1) as versions,
          (select count(*)::int from skill_cites where tenant_id = $1) as cites,
          (select count(*)::int from forge_traces where tenant_id = $1) as traces,
          (select min(origin ->> 'run_id') from skill_versions where tenant_id = $1) as run`)
      return counts
    }
  })
})
